#include "mercer/text/tokeniser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "mercer/base/error.h"
#include "mercer/text/unicode.h"

namespace mercer {
namespace {

// For every byte: the small letter or digit it stands for, 0 where words end, 1 where it takes more than this byte.
constexpr std::array<char, 256> byte_table(bool lower) {
    std::array<char, 256> out{};
    for (std::size_t c = 0; c < 256; ++c) {
        const bool capital = c >= 'A' && c <= 'Z';
        if (capital || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')
            out[c] = static_cast<char>(capital && lower ? c + 32 : c);
        if (c >= 0x80) out[c] = 1;
    }
    return out;
}
constexpr auto small_bytes = byte_table(true), same_bytes = byte_table(false);

constexpr char32_t capital_sigma = 0x3a3, last_sigma = 0x3c2, capital_dotted_i = 0x130, dot_above = 0x307;

char32_t first_of(std::string_view text) { return unicode::take(text); }

void append_small(std::string& to, char32_t c) {
    if (c == capital_dotted_i) {  // the one capital whose small letter is two characters
        to.push_back('i');
        return unicode::append(to, dot_above);
    }
    unicode::append(to, unicode::small(c));
}

// A capital Σ at the end of a word of two letters or more is a ς.
void end_with_sigma(std::string& letters) {
    letters.resize(letters.size() - 2);
    unicode::append(letters, last_sigma);
}

}  // namespace

tokeniser::tokeniser(token_options options) : options_(std::move(options)), stop_(options_.stop) {
    const auto need = [](bool ok, const char* condition, index value) {
        if (!ok) fail(errc::invalid_argument, fmt::format("terms of texts must satisfy {}, got {}", condition, value));
    };
    need(options_.ngram_min >= 1, "1 <= ngram_min", options_.ngram_min);
    need(options_.ngram_max >= options_.ngram_min, "ngram_min <= ngram_max", options_.ngram_max);
    need(options_.min_length >= 1, "1 <= min_length", options_.min_length);
    if (!stop_.empty() && options_.unit == text_unit::characters)
        fail(errc::invalid_argument, "stop words are left out of words, and the terms are characters");
    std::ranges::sort(stop_);
}

bool tokeniser::is_stop(std::string_view word) const { return std::ranges::binary_search(stop_, word, std::less<>()); }

void tokeniser::cut(std::string_view text, scratch& at) const {
    at.letters.clear();
    at.pieces.clear();
    at.places.clear();
    if (options_.unit == text_unit::words)
        cut_words(text, at);
    else
        cut_characters(text, at);
}

void tokeniser::cut_words(std::string_view text, scratch& at) const {
    const auto& bytes = options_.lower ? small_bytes : same_bytes;
    std::string& out = at.letters;
    const std::size_t all = text.size();
    std::size_t begin = 0, first = 0;  // of the word that is being read, in `out` and in the text
    index length = 0;                  // its characters
    bool sigma = false;                // it ends with a capital Σ so far
    const auto end_word = [&](std::size_t end) {
        if (sigma && options_.lower && length > 1) end_with_sigma(out);
        const bool keep =
            length >= options_.min_length && (stop_.empty() || !is_stop(std::string_view(out).substr(begin)));
        if (keep) {
            at.pieces.emplace_back(begin, out.size());
            if (at.with_places) at.places.emplace_back(first, end);
            out.push_back(' ');
        } else {
            out.resize(begin);
        }
        begin = out.size();
        length = 0;
        sigma = false;
    };
    while (!text.empty()) {
        const std::size_t here = all - text.size();
        if (length == 0) first = here;
        const char known = bytes[static_cast<unsigned char>(text.front())];
        if (known > 1) {
            out.push_back(known);
            ++length;
            sigma = false;
            text.remove_prefix(1);
            continue;
        }
        char32_t c = 0;
        if (known == 1)
            c = unicode::take(text);
        else
            text.remove_prefix(1);
        if (c != 0 && (unicode::is_letter(c) || (length > 0 && unicode::is_mark(c)))) {
            if (options_.lower)
                append_small(out, c);
            else
                unicode::append(out, c);
            ++length;
            sigma = c == capital_sigma;
        } else if (length > 0) {
            end_word(here);
        }
    }
    if (length > 0) end_word(all);
}

// Runs of white space are one blank.
void tokeniser::cut_characters(std::string_view text, scratch& at) const {
    std::string& out = at.letters;
    const std::size_t all = text.size();
    bool blank = false, in_word = false;
    // Σ after a letter and before none ends a word.
    const auto ends_word = [&] { return in_word && (text.empty() || !unicode::is_letter(first_of(text))); };
    while (!text.empty()) {
        const std::size_t here = all - text.size();
        const char32_t c = unicode::take(text);
        const bool was_blank = std::exchange(blank, unicode::is_blank(c));
        if (blank && was_blank) continue;
        const std::size_t begin = out.size();
        if (blank)
            out.push_back(' ');
        else if (options_.lower && c == capital_sigma && ends_word())
            unicode::append(out, last_sigma);
        else if (options_.lower)
            append_small(out, c);
        else
            unicode::append(out, c);
        in_word = unicode::is_letter(c);
        at.pieces.emplace_back(begin, out.size());
        if (at.with_places) at.places.emplace_back(here, all - text.size());
    }
}

}  // namespace mercer
