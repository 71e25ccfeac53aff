// Words of texts (Joachims 1998): the inner product of the counts of all words, or of all sequences of up to `ngram`
// consecutive words. text/tokeniser.h defines the words. preprocess/text_features.h has weights that are fitted to a
// collection of texts (tf-idf).
#pragma once

#include "mercer/data/strings.h"
#include "mercer/kernels/embedding.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer {

struct words {
    int ngram = 1;
    bool lower = true;
    int min_length = 2;
    bool binary = false;
    bool sublinear = false;

    static kernel_info info() {
        return {
            "words",
            {"bag_of_words"},
            "sum over words w of f(count_w(s))*f(count_w(t)), f(c) = c, or 1[c>0] if binary, or 1 + ln c if sublinear",
            strings::kind,
            {{"ngram", "1", "integer, ngram >= 1", "sequences of 1 to ngram consecutive words are counted"},
             {"lower", "1", "lower = 0 or 1", "1: ignore case; 0: distinguish case"},
             {"min_length", "2", "integer, min_length >= 1", "smallest number of characters of a word"},
             {"binary", "0", "binary = 0 or 1", "1: count each word at most once per string; 0: count all occurrences"},
             {"sublinear", "0", "sublinear = 0 or 1", "1: replace each count c by 1 + ln c; 0: use c"}},
            "words: the inner product of counts of words",
            true,
            {}};
    }
    static words from(const mercer::arguments& given) {
        const auto on = [&](const char* name, int initial) {
            const int value = given.whole(name, initial);
            require(value == 0 || value == 1, "words", std::string(name) + " = 0 or 1", value);
            return value == 1;
        };
        return {given.whole("ngram", 1), on("lower", 1), given.whole("min_length", 2), on("binary", 0),
                on("sublinear", 0)};
    }
    void check() const {
        require(ngram >= 1, "words", "ngram >= 1", ngram);
        require(min_length >= 1, "words", "min_length >= 1", min_length);
    }
    std::vector<argument> arguments() const {
        return {static_cast<double>(ngram), lower ? 1.0 : 0.0, static_cast<double>(min_length), binary ? 1.0 : 0.0,
                sublinear ? 1.0 : 0.0};
    }
    named_embedding embedding() const;

    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::value;
    linear map() const { return {}; }
};

}  // namespace mercer
