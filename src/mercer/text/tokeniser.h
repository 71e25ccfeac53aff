// Texts taken apart into terms: words and runs of words, or runs of characters.
//
// A word is a run of letters, digits and '_' of any script, with the accents and vowel signs that belong to them, of
// min_length characters at least. Words of a language that writes none between blanks (Chinese, Thai) come out as whole
// phrases: take runs of characters there.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercer/base/matrix_view.h"

namespace mercer {

enum class text_unit { words, characters };

struct token_options {
    text_unit unit = text_unit::words;
    index ngram_min = 1;  // 1 <= ngram_min <= ngram_max: terms are runs of so many words or characters
    index ngram_max = 1;
    bool lower = true;                // capitals become small letters
    index min_length = 2;             // of words, in characters; >= 1
    std::vector<std::string> stop{};  // words that are left out, before runs are made
    bool operator==(const token_options&) const = default;
};

// Words of a language that say nothing about what a text is about: english, french, german, spanish. Fails with the
// list of names.
std::vector<std::string> stop_words(std::string_view language);

class tokeniser {
public:
    explicit tokeniser(token_options options);  // fails, naming the condition, where they do not make sense
    const token_options& options() const { return options_; }

    // What one thread needs while it works.
    struct scratch {
        std::string letters;                                      // the words, a blank between them
        std::vector<std::pair<std::size_t, std::size_t>> pieces;  // where each begins and ends
        bool with_places = false;
        std::vector<std::pair<std::size_t, std::size_t>> places{};  // the same in the text itself, where asked for
    };
    // Calls f(term) for each term of the text: all of one word, then all of two, …, each in the order of the text. A
    // term lives until f returns; words of a run have a blank between them.
    template <class F>
    void each(std::string_view text, scratch& at, F&& f) const {
        cut(text, at);
        const auto n = static_cast<index>(at.pieces.size());
        const std::string_view all = at.letters;
        for (index run = options_.ngram_min; run <= std::min(options_.ngram_max, n); ++run)
            for (index i = 0; i + run <= n; ++i) {
                const std::size_t begin = at.pieces[static_cast<std::size_t>(i)].first;
                f(all.substr(begin, at.pieces[static_cast<std::size_t>(i + run - 1)].second - begin));
            }
    }

    // The same as each, with the bytes of the text that the words of a term are: f(term, bytes).
    template <class F>
    void each_place(std::string_view text, F&& f) const {
        scratch at;
        at.with_places = true;
        std::size_t i = 0, run = static_cast<std::size_t>(options_.ngram_min);
        each(text, at, [&](std::string_view term) {
            if (i + run > at.pieces.size()) i = 0, ++run;
            std::vector<index> bytes;
            for (std::size_t word = i; word < i + run; ++word)
                for (std::size_t b = at.places[word].first; b < at.places[word].second; ++b)
                    bytes.push_back(static_cast<index>(b));
            ++i;
            f(term, std::move(bytes));
        });
    }

private:
    void cut(std::string_view text, scratch& at) const;
    void cut_words(std::string_view text, scratch& at) const;
    void cut_characters(std::string_view text, scratch& at) const;
    bool is_stop(std::string_view word) const;

    token_options options_;
    std::vector<std::string> stop_;  // sorted
};

namespace unicode {

// As much of Unicode as taking texts apart needs. Texts are UTF-8; a byte that is not part of it stands for the
// character of that number (Latin-1), so that old files keep their words.

// The character at the front of a text that is not empty, taken off it.
char32_t take(std::string_view& text);
void append(std::string& to, char32_t c);

bool is_letter(char32_t c);  // or a digit, or '_': what words are made of
bool is_mark(char32_t c);    // an accent or vowel sign, part of the character before it
bool is_blank(char32_t c);
// The small letter of a capital, any other character itself.
char32_t small(char32_t c);

}  // namespace unicode
}  // namespace mercer
