// Vectors of which every coordinate is -1, 0 or 1, as bits: a dot product is a count of bits, and a squared distance is
// a small whole number, so that a function of it is looked up instead of computed. One-hot columns, fingerprints and
// bags of rare words are such data.
//
// A vector is `words` words of 32 coordinates: a bit is set where the coordinate is not 0; where coordinates may be -1,
// as many words follow with the bits of those. A panel is `panel` vectors interleaved word by word.
#pragma once

#include <cstdint>

namespace mercer {

struct bit_ops {
    std::int64_t panel;    // vectors in a panel
    std::int64_t entries;  // of the longest table
    // out[j] = xᵀzⱼ for the vectors of `panels` panels.
    void (*dot)(const std::uint32_t* x, bool negative, std::int64_t words, const std::uint32_t* z, std::int64_t panels,
                float* out);
    // out[j] = table[‖x‖² + norm[j] - 2xᵀzⱼ], where that is less than `size`, at most `entries`, for every j. The table
    // has `entries` entries.
    void (*look_up)(const std::uint32_t* x, bool negative, std::int64_t words, const std::uint32_t* z,
                    std::int64_t panels, std::int32_t x_norm, const std::int32_t* norm, const float* table,
                    std::int64_t size, float* out);
};

// Null where the processor cannot count the bits of a whole vector of words (AVX-512 with VPOPCNTDQ can).
const bit_ops* best_bit_ops();

namespace avx512 {
const bit_ops& counting();
}

}  // namespace mercer
