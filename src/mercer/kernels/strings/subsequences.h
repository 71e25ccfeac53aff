// Gappy subsequences: Σ over pairs of equal subsequences of length k of s and of t of decay^(letters they span in s and
// in t) (Lodhi, Saunders, Shawe-Taylor, Cristianini, Watkins 2002). O(k·|s|·|t|) a pair.
// Values leave the range of floating point only for k > 20 (or strings of 10^8 letters); they are refused then.
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
                "sum over strings u of length k, places i of u in s and j of u in t, of decay^(span(i)+span(j))",
                strings::where,
                {{"k", "3", "1 <= k <= 1000, whole", "length of the subsequences"},
                 {"decay", "0.5", "0 < decay <= 1", "weight of a subsequence for each letter it spans"}},
                "gappy subsequences: the inner product of the sums of decay^span over the places of each subsequence",
                true,
                {}};
    }
    static subsequences from(const mercer::arguments& given) {
        return {given.whole("k", 3), given.number("decay", 0.5)};
    }
    void check() const {
        require(k >= 1 && k <= 1000, "subsequences", "1 <= k <= 1000", k);
        require(decay > 0 && decay <= 1, "subsequences", "0 < decay <= 1", decay);
        require(std::isnormal(std::pow(decay, 2.0 * k)), "subsequences", "decay^(2k) within range", decay);
    }
    std::vector<argument> arguments() const { return {static_cast<double>(k), decay}; }
    int emit(plan_builder& code) const;
};

// Dynamic programmes over pairs of strings, one pair in every lane of a vector: one table of loops per instruction set.

struct lane_ops {
    std::int64_t lanes;
    // out[p] = Σ decay^gaps over all pairs of common subsequences of length k of s and t_p, gaps: the letters of both
    // that lie between those chosen. Letters are numbers; letter j of t_p is t[j·lanes + p], and one that s does not
    // hold ends the shorter ones. `work` holds k·(m + 2)·lanes numbers. `pause` is called after about every 2¹⁶ steps
    // and may throw.
    void (*subsequences)(const double* s, std::int64_t n, const double* t, std::int64_t m, int k, double decay,
                         double* work, double* out, void (*pause)());
};

namespace baseline {
const lane_ops& string_lanes();
}
namespace avx2 {
const lane_ops& string_lanes();
}
namespace avx512 {
const lane_ops& string_lanes();
}

const lane_ops& best_string_lanes();

}  // namespace mercer
