// Vectors of -1, 0 and 1 as bits (tile/bits.h).
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/data/dataset.h"

namespace mercer {

// Which coordinates there are.
enum class bit_kind { no_bits, zero_one, signs };

class bit_rows {
public:
    // Whether the vectors can be held as bits, and need signs for that. Ends at the first coordinate that is none of
    // -1, 0, 1.
    static bit_kind kind_of(const dataset& vectors);
    static index words_for(index dims) { return (dims + 31) / 32; }

    bit_rows() = default;
    bit_rows(const dataset& vectors, index words, bool signs);

    const std::uint32_t* row(index i) const { return bits_.data() + i * stride_; }
    std::int32_t norm(index i) const { return norm_[i]; }  // ‖x‖², the number of coordinates that are not 0
    // panel[w·width + r] ← word w of vector which[r]; zero beyond which.size().
    void pack(const selection& which, std::uint32_t* panel, index width) const;

private:
    index stride_ = 0;
    std::vector<std::uint32_t> bits_;
    std::vector<std::int32_t> norm_;
};

}  // namespace mercer
