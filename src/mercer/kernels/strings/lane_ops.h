// Dynamic programmes over pairs of strings, one pair in every lane of a vector: one table of loops per instruction set.
#pragma once

#include <cstdint>

namespace mercer {

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
