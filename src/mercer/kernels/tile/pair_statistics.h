// Statistics of pairs as sums over coordinates, and squared norms by the same chains.
// Included by formula_loops.cpp only, once per instruction set.
#pragma once

#include "mercer/kernels/formula_call.h"
#include "mercer/kernels/tile/widths.h"

namespace mercer::MERCER_SIMD_TARGET {
namespace {

// One coordinate's contribution to a statistic.
template <statistic S, class V>
HWY_INLINE V step(V sum, V x, V z) {
    if constexpr (S == statistic::dot) return hn::MulAdd(x, z, sum);
    if constexpr (S == statistic::manhattan) return hn::Add(sum, hn::Abs(hn::Sub(x, z)));
    if constexpr (S == statistic::min_sum) return hn::Add(sum, hn::Min(x, z));
    if constexpr (S == statistic::chi2) {
        const V total = hn::Add(x, z), difference = hn::Sub(x, z);
        return hn::Add(
            sum, hn::IfThenElseZero(hn::Ne(total, hn::Sub(x, x)), hn::Div(hn::Mul(difference, difference), total)));
    }
    if constexpr (S == statistic::product) return hn::Mul(sum, hn::MulAdd(x, z, hn::Set(hn::DFromV<V>(), 1)));
}

template <class T, statistic S>
void dense_tile(const T* HWY_RESTRICT block, const T* HWY_RESTRICT panel, size depth, T* HWY_RESTRICT out, size stride,
                bool more) {
    const tag<T> d;
    constexpr size n = lane_count<T>;
    using V = hn::Vec<tag<T>>;
    V sum[rows_in_block][2];
    const V first = S == statistic::product ? hn::Set(d, T(1)) : hn::Zero(d);
#pragma GCC unroll 12
    for (size r = 0; r < rows_in_block; ++r) {
        sum[r][0] = more ? hn::LoadU(d, out + r * stride) : first;
        sum[r][1] = more ? hn::LoadU(d, out + r * stride + n) : first;
    }
    for (size k = 0; k < depth; ++k) {
        const V z0 = hn::Load(d, panel), z1 = hn::Load(d, panel + n);
#pragma GCC unroll 12
        for (size r = 0; r < rows_in_block; ++r) {
            const V x = hn::Set(d, block[r]);
            sum[r][0] = step<S>(sum[r][0], x, z0);
            sum[r][1] = step<S>(sum[r][1], x, z1);
        }
        panel += 2 * n;
        block += rows_in_block;
    }
#pragma GCC unroll 12
    for (size r = 0; r < rows_in_block; ++r) {
        hn::StoreU(sum[r][0], d, out + r * stride);
        hn::StoreU(sum[r][1], d, out + r * stride + n);
    }
}

template <class T>
void dense(statistic what, const T* block, const T* panel, size depth, T* out, size stride, bool more) {
    switch (what) {
        case statistic::dot: return dense_tile<T, statistic::dot>(block, panel, depth, out, stride, more);
        case statistic::manhattan: return dense_tile<T, statistic::manhattan>(block, panel, depth, out, stride, more);
        case statistic::min_sum: return dense_tile<T, statistic::min_sum>(block, panel, depth, out, stride, more);
        case statistic::chi2: return dense_tile<T, statistic::chi2>(block, panel, depth, out, stride, more);
        case statistic::product: return dense_tile<T, statistic::product>(block, panel, depth, out, stride, more);
        case statistic::user: return;
    }
}

template <class T>
void sparse_dot(const std::int32_t* HWY_RESTRICT col, const T* HWY_RESTRICT value, size count,
                const T* HWY_RESTRICT panel, T* HWY_RESTRICT out) {
    const tag<T> d;
    constexpr size n = lane_count<T>;
    auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    for (size k = 0; k < count; ++k) {
        const T* z = panel + static_cast<size>(col[k]) * (4 * n);
        const auto x = hn::Set(d, value[k]);
        s0 = hn::MulAdd(x, hn::Load(d, z), s0);
        s1 = hn::MulAdd(x, hn::Load(d, z + n), s1);
        s2 = hn::MulAdd(x, hn::Load(d, z + 2 * n), s2);
        s3 = hn::MulAdd(x, hn::Load(d, z + 3 * n), s3);
    }
    hn::StoreU(s0, d, out);
    hn::StoreU(s1, d, out + n);
    hn::StoreU(s2, d, out + 2 * n);
    hn::StoreU(s3, d, out + 3 * n);
}

template <class T>
void panel_norms(const T* panel, size depth, T* out) {
    const tag<T> d;
    constexpr size n = lane_count<T>;
    auto s0 = hn::Zero(d), s1 = s0;
    for (size k = 0; k < depth; ++k, panel += 2 * n) {
        const auto z0 = hn::Load(d, panel), z1 = hn::Load(d, panel + n);
        s0 = hn::MulAdd(z0, z0, s0);
        s1 = hn::MulAdd(z1, z1, s1);
    }
    hn::StoreU(s0, d, out);
    hn::StoreU(s1, d, out + n);
}

template <class T>
T sparse_norm(const T* value, size count) {
    // All lanes compute the same chain; one is read.
    const tag<T> d;
    auto sum = hn::Zero(d);
    for (size k = 0; k < count; ++k) {
        const auto x = hn::Set(d, value[k]);
        sum = hn::MulAdd(x, x, sum);
    }
    return hn::GetLane(sum);
}

}  // namespace
}  // namespace mercer::MERCER_SIMD_TARGET
