#include "mercer/kernels/evaluation/bit_rows.h"

#include <algorithm>
#include <bit>

namespace mercer {

namespace {

// Calls f(coordinate, value) for the stored coordinates of vector i, until f returns false. Returns true if f never
// did.
template <class Function>
bool each_coordinate(const dataset& vectors, index i, Function f) {
    return std::visit(
        [&](const auto& some) {
            if constexpr (requires { some.cols(i); }) {
                const auto cols = some.cols(i);
                const auto values = some.values(i);
                for (std::size_t k = 0; k < cols.size(); ++k)
                    if (!f(static_cast<index>(cols[k]), values[k])) return false;
            } else if constexpr (requires { some.row(i); }) {
                for (index a = 0; a < some.dims(); ++a)
                    if (!f(a, some.row(i)[a])) return false;
            } else {
                return false;
            }
            return true;
        },
        vectors.items());
}

}  // namespace

bit_kind bit_rows::kind_of(const dataset& vectors) {
    bool negative = false;
    for (index i = 0; i < vectors.size(); ++i) {
        const bool bits = each_coordinate(vectors, i, [&](index, auto value) {
            negative = negative || value == -1;
            return value == 0 || value == 1 || value == -1;
        });
        if (!bits) return bit_kind::no_bits;
    }
    return negative ? bit_kind::signs : bit_kind::zero_one;
}

bit_rows::bit_rows(const dataset& vectors, index words, bool signs) : stride_(signs ? 2 * words : words) {
    bits_.assign(static_cast<std::size_t>(vectors.size() * stride_), 0);
    norm_.assign(static_cast<std::size_t>(vectors.size()), 0);
    for (index i = 0; i < vectors.size(); ++i) {
        std::uint32_t* const to = bits_.data() + i * stride_;
        each_coordinate(vectors, i, [&](index a, auto value) {
            if (value != 0) to[a / 32] |= std::uint32_t{1} << (a % 32);
            if (value < 0) to[words + a / 32] |= std::uint32_t{1} << (a % 32);
            return true;
        });
        for (index w = 0; w < words; ++w) norm_[i] += std::popcount(to[w]);
    }
}

void bit_rows::pack(const row_set& which, std::uint32_t* panel, index width) const {
    for (index r = 0; r < which.size(); ++r) {
        const std::uint32_t* const from = row(which[r]);
        for (index w = 0; w < stride_; ++w) panel[w * width + r] = from[w];
    }
    for (index w = 0; w < stride_; ++w) std::fill(panel + w * width + which.size(), panel + (w + 1) * width, 0u);
}

}  // namespace mercer
