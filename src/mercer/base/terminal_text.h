// Text for a terminal, with control characters and bytes that are not UTF-8 escaped.
//
// Names and labels in data may hold control characters that make a terminal move its cursor, rename its window or send
// an answer as if the user had typed it. Files and pipes get the text unchanged.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace mercer {

// The length of the UTF-8 sequence at the start of a text that is not empty; 0 if the text does not start with one.
inline std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const std::size_t length = byte(0) < 0x80                       ? 1
                               : byte(0) >= 0xc2 && byte(0) <= 0xdf ? 2
                               : byte(0) >= 0xe0 && byte(0) <= 0xef ? 3
                               : byte(0) >= 0xf0 && byte(0) <= 0xf4 ? 4
                                                                    : 0;
    if (length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    // Overlong forms, surrogates, and numbers beyond U+10FFFF.
    if ((byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xed && byte(1) >= 0xa0) ||
        (byte(0) == 0xf0 && byte(1) < 0x90) || (byte(0) == 0xf4 && byte(1) >= 0x90))
        return 0;
    return length;
}

// Control characters except tabs and line ends become \u001b and the like (JSON reads them back), bytes that are not
// UTF-8 become \x9b and the like.
inline std::string escape_controls(std::string_view text) {
    constexpr const char* digits = "0123456789abcdef";
    std::string out;
    for (std::size_t at = 0, length = 0; at < text.size(); at += length) {
        const auto first = static_cast<unsigned char>(text[at]);
        length = utf8_length(text.substr(at));
        const auto escape = [&](const char* start, unsigned char code) {
            ((out += start) += digits[code >> 4]) += digits[code & 15];
        };
        if (length == 0) {
            escape("\\x", first);
            length = 1;
        } else if (length == 1 && (first < 0x20 || first == 0x7f) && first != '\n' && first != '\t') {
            escape("\\u00", first);
        } else if (length == 2 && first == 0xc2 && static_cast<unsigned char>(text[at + 1]) < 0xa0) {
            escape("\\u00", static_cast<unsigned char>(text[at + 1]));
        } else {
            out += text.substr(at, length);
        }
    }
    return out;
}

// The text to write to a standard stream: escaped if the stream is a terminal.
inline std::string terminal_safe(std::FILE* stream, std::string_view text) {
    return ::isatty(::fileno(stream)) != 0 ? escape_controls(text) : std::string(text);
}

}  // namespace mercer
