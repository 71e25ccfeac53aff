// Splits texts into terms: n-grams of words or n-grams of characters.
//
// A word is a sequence of letters, digits and '_' of any script, with the accents and vowel signs that belong to them,
// of at least min_length characters. Languages without blanks between words (Chinese, Thai) give whole phrases as
// words: use n-grams of characters for them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercer/base/matrix_view.h"

namespace mercer {

enum class text_unit { words, characters };

// Options of a tokeniser.
struct token_options {
    text_unit unit = text_unit::words;
    index ngram_min = 1;  // a term has ngram_min … ngram_max words or characters, 1 <= ngram_min <= ngram_max
    index ngram_max = 1;
    bool lower = true;                // convert capitals to small letters
    index min_length = 2;             // minimum length of a word in characters, >= 1
    std::vector<std::string> stop{};  // words that are removed before n-grams are formed
    bool operator==(const token_options&) const = default;
};

// Stop words of a language: english, french, german or spanish. Throws errc::invalid_argument, with this list, for
// other names.
std::vector<std::string> stop_words(std::string_view language);

// Splits texts into terms. May be used from several threads at once, each with its own scratch.
class tokeniser {
public:
    explicit tokeniser(token_options options);  // throws errc::invalid_argument if a condition above is violated
    const token_options& options() const { return options_; }

    // The workspace of one thread. A piece is a word, or a character for text_unit::characters.
    struct scratch {
        std::string letters;                                        // the pieces; words are separated by a blank
        std::vector<std::pair<std::size_t, std::size_t>> pieces;    // [begin, end) of each piece in `letters`
        bool with_places = false;                                   // true: fill `places`
        std::vector<std::pair<std::size_t, std::size_t>> places{};  // [begin, end) of each piece in the text
    };
    // Calls f(term) for each term of the text: n-grams of ngram_min pieces first, then longer ones, each in the order
    // of the text. The words of an n-gram are separated by a blank. The memory of a term is valid until f returns.
    template <class F>
    void for_each_term(std::string_view text, scratch& at, F&& f) const {
        cut(text, at);
        const auto n = static_cast<index>(at.pieces.size());
        const std::string_view all = at.letters;
        for (index run = options_.ngram_min; run <= std::min(options_.ngram_max, n); ++run)
            for (index i = 0; i + run <= n; ++i) {
                const std::size_t begin = at.pieces[static_cast<std::size_t>(i)].first;
                f(all.substr(begin, at.pieces[static_cast<std::size_t>(i + run - 1)].second - begin));
            }
    }

    // Calls f(term, bytes) for the terms of for_each_term(); `bytes` are the positions in the text of the bytes of its
    // pieces.
    template <class F>
    void for_each_term_place(std::string_view text, F&& f) const {
        scratch at;
        at.with_places = true;
        std::size_t i = 0, run = static_cast<std::size_t>(options_.ngram_min);
        for_each_term(text, at, [&](std::string_view term) {
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

// The parts of Unicode that the tokeniser needs. Texts are UTF-8. A byte that is not valid UTF-8 is read as the Latin-1
// character of that number, so that words in Latin-1 files are found too.

// Removes the first character of a text that is not empty, and returns it.
char32_t take_character(std::string_view& text);
// Appends a character as UTF-8.
void append(std::string& to, char32_t c);

bool is_letter(char32_t c);  // a letter, a digit or '_': the characters of words
bool is_mark(char32_t c);    // an accent or vowel sign, which belongs to the character before it
bool is_blank(char32_t c);
// The small letter of a capital; other characters are returned unchanged.
char32_t to_lower(char32_t c);

}  // namespace unicode
}  // namespace mercer
