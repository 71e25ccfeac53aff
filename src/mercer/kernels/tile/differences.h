// Squared distances from products, and from differences where products leave doubt; sums over differences of vectors with low parts.
// Included by ops.cpp only, once per instruction set.
#pragma once

#include "mercer/kernels/tile/ops.h"
#include "mercer/kernels/tile/widths.h"

namespace mercer::MERCER_SIMD_TARGET {
namespace {

// x - z where each is a sum of a number and what rounding took from it.
template <class V>
HWY_INLINE V difference(V x, V x_low, V z, V z_low) {
    return hn::Add(hn::Sub(x, z), hn::Sub(x_low, z_low));
}

// One vector of squared distances. Four sums: a chain of so few would wait for itself.
template <class T, bool low>
HWY_INLINE hn::Vec<tag<T>> squared_differences(const T* HWY_RESTRICT block, const T* HWY_RESTRICT block_low, const T* HWY_RESTRICT panel,
                                               const T* HWY_RESTRICT panel_low, size depth) {
    const tag<T> d;
    constexpr size width = panel_width<T>;
    const auto one = [&](size k) HWY_ATTR {
        const auto x = hn::Set(d, block[k * rows_in_block]), z = hn::LoadU(d, panel + k * width);
        if constexpr (low)
            return difference(x, hn::Set(d, block_low[k * rows_in_block]), z, hn::LoadU(d, panel_low + k * width));
        else
            return hn::Sub(x, z);
    };
    auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    size k = 0;
    for (; k + 4 <= depth; k += 4) {
        const auto a = one(k), b = one(k + 1), c = one(k + 2), e = one(k + 3);
        s0 = hn::MulAdd(a, a, s0);
        s1 = hn::MulAdd(b, b, s1);
        s2 = hn::MulAdd(c, c, s2);
        s3 = hn::MulAdd(e, e, s3);
    }
    for (; k < depth; ++k) {
        const auto a = one(k);
        s0 = hn::MulAdd(a, a, s0);
    }
    return hn::Add(hn::Add(s0, s1), hn::Add(s2, s3));
}

template <class T>
size distances(const tile_distances<T>& call) {
    const tag<T> d;
    constexpr size n = lane_count<T>, width = panel_width<T>;
    size doubtful = 0;
    for (size i = 0; i < call.rows; ++i) {
        const auto norm = hn::Set(d, call.row[i]), near = hn::Set(d, call.row_doubt[i]), minus_two = hn::Set(d, T(-2));
        T* tile = call.tile + i * call.stride;
        for (size j = 0; j < call.width; j += n) {
            auto t = hn::MulAdd(hn::LoadU(d, tile + j), minus_two, hn::Add(norm, hn::LoadU(d, call.col + j)));
            t = hn::Max(hn::Zero(d), t);  // in this order a NaN stays
            const auto again = hn::Lt(t, hn::Max(near, hn::LoadU(d, call.col_doubt + j)));
            if (!hn::AllFalse(d, again)) {
                doubtful += static_cast<size>(hn::CountTrue(d, again));
                if (call.block) {
                    const size at = j / width * width * call.depth + j % width;
                    const auto exact =
                        call.panels_low ? squared_differences<T, true>(call.block + i, call.block_low + i, call.panels + at, call.panels_low + at, call.depth)
                                        : squared_differences<T, false>(call.block + i, nullptr, call.panels + at, nullptr, call.depth);
                    t = hn::IfThenElse(again, exact, t);
                }
            }
            hn::StoreU(t, d, tile + j);
        }
    }
    return doubtful;
}

// Statistics that are sums over differences, of vectors with low parts.
template <class T, statistic S>
void dense_low_tile(const T* block, const T* block_low, const T* panel, const T* panel_low, size depth, T* out, size stride) {
    const tag<T> d;
    constexpr size n = lane_count<T>, width = panel_width<T>;
    for (size r = 0; r < rows_in_block; ++r)
        for (size j = 0; j < width; j += n) {
            auto sum = hn::Zero(d);
            for (size k = 0; k < depth; ++k) {
                const auto x = hn::Set(d, block[k * rows_in_block + r]), z = hn::Load(d, panel + k * width + j);
                const auto apart = difference(x, hn::Set(d, block_low[k * rows_in_block + r]), z, hn::Load(d, panel_low + k * width + j));
                if constexpr (S == statistic::manhattan) sum = hn::Add(sum, hn::Abs(apart));
                if constexpr (S == statistic::chi2) {
                    const auto total = hn::Add(x, z);
                    sum = hn::Add(sum, hn::IfThenElseZero(hn::Ne(total, hn::Zero(d)), hn::Div(hn::Mul(apart, apart), total)));
                }
            }
            hn::StoreU(sum, d, out + r * stride + j);
        }
}

template <class T>
void dense_low(statistic what, const T* block, const T* block_low, const T* panel, const T* panel_low, size depth, T* out, size stride) {
    if (what == statistic::manhattan) return dense_low_tile<T, statistic::manhattan>(block, block_low, panel, panel_low, depth, out, stride);
    return dense_low_tile<T, statistic::chi2>(block, block_low, panel, panel_low, depth, out, stride);
}

}  // namespace
}  // namespace mercer::MERCER_SIMD_TARGET
