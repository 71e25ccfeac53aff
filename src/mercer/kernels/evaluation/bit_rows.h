// Vectors of -1, 0 and 1 stored as bits (tile/bits.h).
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/data/dataset.h"

namespace mercer {

// The values that coordinates have: others than -1, 0 and 1; 0 and 1; or also -1, which needs sign bits.
enum class bit_kind { no_bits, zero_one, signs };

class bit_rows {
public:
    // Returns how the vectors can be stored. It stops at the first coordinate that is not -1, 0 or 1.
    static bit_kind kind_of(const dataset& vectors);
    static index words_for(index dims) { return (dims + 31) / 32; }

    bit_rows() = default;
    bit_rows(const dataset& vectors, index words, bool signs);

    const std::uint32_t* row(index i) const { return bits_.data() + i * stride_; }
    std::int32_t norm(index i) const { return norm_[i]; }  // ‖x‖², the number of coordinates that are not 0
    // panel[w·width + r] ← word w of vector which[r]; 0 for r >= which.size().
    void pack(const row_set& which, std::uint32_t* panel, index width) const;

private:
    index stride_ = 0;
    std::vector<std::uint32_t> bits_;
    std::vector<std::int32_t> norm_;
};

}  // namespace mercer
