// Gappy subsequences (Lodhi, Saunders, Shawe-Taylor, Cristianini, Watkins 2002): the sum of decay^(span in s + span in
// t) over all pairs of equal subsequences of length k of s and t; the span of a subsequence is the number of letters
// from its first to its last. O(k·|s|·|t|) for a pair. Values can overflow only for k > 20 (or strings of 10^8
// letters); the evaluator then throws.
#pragma once

#include <cmath>
#include <cstdint>

#include "mercer/data/strings.h"
#include "mercer/kernels/kernel_info.h"

namespace mercer {

struct subsequences {
    int k = 3;
    double decay = 0.5;

    static kernel_info info() {
        return {"subsequences",
                {},
                "sum over strings u of length k and occurrences i of u in s, j of u in t, of decay^(span(i)+span(j))",
                strings::kind,
                {{"k", "3", "integer, 1 <= k <= 1000", "length of the subsequences"},
                 {"decay", "0.5", "0 < decay <= 1", "weight factor per letter that a subsequence spans"}},
                "gappy subsequences: the inner product of sums of decay^span over the occurrences of each subsequence",
                true,
                {}};
    }
    static subsequences from(const mercer::arguments& given) {
        return {given.whole("k", 3), given.number("decay", 0.5)};
    }
    void check() const {
        require(k >= 1 && k <= 1000, "subsequences", "1 <= k <= 1000", k);
        require(decay > 0 && decay <= 1, "subsequences", "0 < decay <= 1", decay);
        require(std::isnormal(std::pow(decay, 2.0 * k)), "subsequences", "2.23e-308 <= decay^(2k) <= 1.79e308", decay);
    }
    std::vector<argument> arguments() const { return {static_cast<double>(k), decay}; }
    int emit(plan_builder& code) const;
};

// The SIMD loops of the string kernels, one table for each instruction set (subsequences_simd.cpp). Dynamic programming
// runs for several pairs of strings at once, one pair in each lane of a vector.

struct string_ops {
    std::int64_t lanes;
    // out[p] = Σ decay^gaps for p < lanes, over all pairs of equal subsequences of length k of s and t_p; gaps is the
    // number of letters of s and t_p between the letters of the subsequences. Letters are numbers. s has n letters;
    // letter j < m of t_p is t[j·lanes + p], and strings shorter than m are padded with a number that is no letter of
    // s. `work` has k·(m + 2)·lanes elements. `pause` is called about every 2¹⁶ steps and may throw.
    void (*subsequences)(const double* s, std::int64_t n, const double* t, std::int64_t m, int k, double decay,
                         double* work, double* out, void (*pause)());
};

namespace baseline {
const string_ops& string_ops_table();
}
namespace avx2 {
const string_ops& string_ops_table();
}
namespace avx512 {
const string_ops& string_ops_table();
}

// The table for the best instruction set of the processor.
const string_ops& best_string_ops();

}  // namespace mercer
