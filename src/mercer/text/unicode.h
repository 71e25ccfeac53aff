// As much of Unicode as taking texts apart needs. Texts are UTF-8; a byte that is not part of it stands for the
// character of that number (Latin-1), so that old files keep their words.
#pragma once

#include <string>
#include <string_view>

namespace mercer::unicode {

// The character at the front of a text that is not empty, taken off it.
char32_t take(std::string_view& text);
void append(std::string& to, char32_t c);

bool is_letter(char32_t c);  // or a digit, or '_': what words are made of
bool is_mark(char32_t c);    // an accent or vowel sign, part of the character before it
bool is_blank(char32_t c);
// The small letter of a capital, any other character itself.
char32_t small(char32_t c);

}  // namespace mercer::unicode
