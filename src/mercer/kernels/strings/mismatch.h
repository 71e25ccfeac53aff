// Mismatch kernel (Leslie, Eskin, Cohen, Weston, Noble 2004): the inner product of counts of words of k letters, where
// a substring of length k counts for every word that differs from it at no more than m positions. The value depends on
// the size of the alphabet, but not on which bytes are its letters.
#pragma once

#include "mercer/data/strings.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/kernels/strings/string_features.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer {

struct mismatch {
    int k = 5;
    int m = 1;
    int letters = 4;
    static constexpr double max_words = 1e5;  // limit of the number of words for which one substring counts

    static kernel_info info() {
        return {
            "mismatch",
            {},
            "sum over words u of k letters of near_u(s)*near_u(t), near_u(s) = number of substrings of s that differ "
            "from u in at most m positions",
            strings::kind,
            {{"k", "5", "integer, k >= 1", "length of the substrings"},
             {"m", "1", "integer, 0 <= m <= k", "largest number of positions that differ"},
             {"letters", "4", "integer, 1 <= letters <= 256",
              "size of the alphabet, at least the number of letters that occur"}},
            "mismatch: the inner product of counts of words",
            true,
            {}};
    }
    static mismatch from(const mercer::arguments& given) {
        return {given.whole("k", 5), given.whole("m", 1), given.whole("letters", 4)};
    }
    void check() const {
        require(k >= 1, "mismatch", "k >= 1", k);
        require(m >= 0 && m <= k, "mismatch", "0 <= m <= k", m);
        require(letters >= 1 && letters <= 256, "mismatch", "1 <= letters <= 256", letters);
        require(count_mismatch_words(k, m, letters - 1) <= max_words || m == 0, "mismatch",
                "(number of words with at most m mismatches) <= 100000", count_mismatch_words(k, m, letters - 1));
    }
    std::vector<argument> arguments() const {
        return {static_cast<double>(k), static_cast<double>(m), static_cast<double>(letters)};
    }
    named_embedding embedding() const { return mismatch_counts(k, m, letters); }

    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::value;
    linear map() const { return {}; }
};

}  // namespace mercer
