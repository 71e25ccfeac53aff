// Dot products of vectors whose coordinates are all -1, 0 or 1, stored as bits. A dot product is a population count. A
// squared distance is a small whole number, so a function of the distance is read from a table instead of computed.
// One-hot columns, fingerprints and bags of rare words are such data.
//
// A vector takes `words` words of 32 coordinates; a bit is set where the coordinate is not 0. If coordinates may be -1,
// another `words` words follow, in which a bit is set where the coordinate is -1. A panel holds `panel` vectors
// interleaved word by word.
#pragma once

#include <cstdint>

namespace mercer {

struct bit_ops {
    std::int64_t panel;        // number of vectors in a panel
    std::int64_t max_entries;  // number of entries of the longest table that look_up accepts
    // out[j] = xᵀzⱼ for all vectors zⱼ of `panels` panels. `negative`: the vectors have sign words.
    void (*dot)(const std::uint32_t* x, bool negative, std::int64_t words, const std::uint32_t* z, std::int64_t panels,
                float* out);
    // out[j] = table[‖x‖² + norm[j] - 2xᵀzⱼ] with ‖x‖² = x_norm and norm[j] = ‖zⱼ‖². Every index must be less than
    // `size`, and size <= `max_entries`. The array `table` must hold `max_entries` numbers, whatever `size` is.
    void (*look_up)(const std::uint32_t* x, bool negative, std::int64_t words, const std::uint32_t* z,
                    std::int64_t panels, std::int32_t x_norm, const std::int32_t* norm, const float* table,
                    std::int64_t size, float* out);
};

// Returns the loops for this processor, or null if it cannot count the bits of a whole vector of words (AVX-512 with
// VPOPCNTDQ can).
const bit_ops* best_bit_ops();

namespace avx512 {
const bit_ops& popcount_ops();
}

}  // namespace mercer
