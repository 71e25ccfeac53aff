// Statistics of pairs of packed vectors: sums and products over the coordinates, squared norms by the same chains of
// operations, squared distances from dot products, and the recomputation of distances from coordinate differences where
// a dot product is not accurate enough. A vector may have a low part: the rounding errors of its coordinates, stored as
// a second vector of T. Included by formula_loops.cpp only, once per instruction set.
#pragma once

#include "mercer/kernels/formula_call.h"
#include "mercer/kernels/tile/simd_vector.h"
#include "mercer/kernels/tile/tile_ops.h"

namespace mercer::MERCER_SIMD_TARGET {
namespace {

// Returns the statistic S after one more coordinate, whose values are x and z.
template <pair_statistic S, class V>
HWY_INLINE V step(V sum, V x, V z) {
    if constexpr (S == pair_statistic::dot) return hn::MulAdd(x, z, sum);
    if constexpr (S == pair_statistic::manhattan) return hn::Add(sum, hn::Abs(hn::Sub(x, z)));
    if constexpr (S == pair_statistic::min_sum) return hn::Add(sum, hn::Min(x, z));
    if constexpr (S == pair_statistic::chi2) {
        const V total = hn::Add(x, z), difference = hn::Sub(x, z);
        return hn::Add(
            sum, hn::IfThenElseZero(hn::Ne(total, hn::Sub(x, x)), hn::Div(hn::Mul(difference, difference), total)));
    }
    if constexpr (S == pair_statistic::product) return hn::Mul(sum, hn::MulAdd(x, z, hn::Set(hn::DFromV<V>(), 1)));
}

template <class T, pair_statistic S>
void dense_tile(const T* HWY_RESTRICT block, const T* HWY_RESTRICT panel, size depth, T* HWY_RESTRICT out, size stride,
                bool more) {
    const tag<T> d;
    constexpr size n = lane_count<T>;
    using V = hn::Vec<tag<T>>;
    V sum[rows_in_block][2];
    const V first = S == pair_statistic::product ? hn::Set(d, T(1)) : hn::Zero(d);
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
void dense(pair_statistic what, const T* block, const T* panel, size depth, T* out, size stride, bool more) {
    switch (what) {
        case pair_statistic::dot: return dense_tile<T, pair_statistic::dot>(block, panel, depth, out, stride, more);
        case pair_statistic::manhattan:
            return dense_tile<T, pair_statistic::manhattan>(block, panel, depth, out, stride, more);
        case pair_statistic::min_sum:
            return dense_tile<T, pair_statistic::min_sum>(block, panel, depth, out, stride, more);
        case pair_statistic::chi2: return dense_tile<T, pair_statistic::chi2>(block, panel, depth, out, stride, more);
        case pair_statistic::product:
            return dense_tile<T, pair_statistic::product>(block, panel, depth, out, stride, more);
        case pair_statistic::user: return;
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
    // Every lane computes the same chain of multiply-adds; the result is read from the first one.
    const tag<T> d;
    auto sum = hn::Zero(d);
    for (size k = 0; k < count; ++k) {
        const auto x = hn::Set(d, value[k]);
        sum = hn::MulAdd(x, x, sum);
    }
    return hn::GetLane(sum);
}

// (x + x_low) - (z + z_low), where the low parts hold the rounding errors of x and z.
template <class V>
HWY_INLINE V difference(V x, V x_low, V z, V z_low) {
    return hn::Add(hn::Sub(x, z), hn::Sub(x_low, z_low));
}

// Four partial sums for one vector of squared distances. With a single sum every multiply-add would wait for the one
// before.
template <class T>
struct four_sums {
    using V = hn::Vec<tag<T>>;
    V s0, s1, s2, s3;
    static HWY_INLINE four_sums none() {
        return {hn::Zero(tag<T>()), hn::Zero(tag<T>()), hn::Zero(tag<T>()), hn::Zero(tag<T>())};
    }
    HWY_INLINE V total() const { return hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)); }
};

// s + the sum of the squared differences over `depth` coordinates.
template <class T, bool low>
HWY_INLINE four_sums<T> squared_differences(four_sums<T> s, const T* HWY_RESTRICT block,
                                            const T* HWY_RESTRICT block_low, const T* HWY_RESTRICT panel,
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
    size k = 0;
    for (; k + 4 <= depth; k += 4) {
        const auto a = one(k), b = one(k + 1), c = one(k + 2), e = one(k + 3);
        s.s0 = hn::MulAdd(a, a, s.s0);
        s.s1 = hn::MulAdd(b, b, s.s1);
        s.s2 = hn::MulAdd(c, c, s.s2);
        s.s3 = hn::MulAdd(e, e, s.s3);
    }
    for (; k < depth; ++k) {
        const auto a = one(k);
        s.s0 = hn::MulAdd(a, a, s.s0);
    }
    return s;
}

// squared_differences for row i and the columns from j of a tile.
template <class T, class Call>
HWY_INLINE four_sums<T> differences_at(const Call& call, four_sums<T> s, size i, size j, size panel_stride) {
    const size at = j / panel_width<T> * panel_stride + j % panel_width<T>;
    if (call.panels_low)
        return squared_differences<T, true>(s, call.block + i, call.block_low + i, call.panels + at,
                                            call.panels_low + at, call.depth);
    return squared_differences<T, false>(s, call.block + i, nullptr, call.panels + at, nullptr, call.depth);
}

template <class T>
size distances(const tile_distances<T>& call) {
    const tag<T> d;
    constexpr size n = lane_count<T>;
    size inaccurate = 0;
    for (size i = 0; i < call.rows; ++i) {
        const auto norm = hn::Set(d, call.row[i]), near = hn::Set(d, call.row_thresholds[i]),
                   minus_two = hn::Set(d, T(-2));
        T* tile = call.tile + i * call.stride;
        for (size j = 0; j < call.width; j += n) {
            auto t = hn::MulAdd(hn::LoadU(d, tile + j), minus_two, hn::Add(norm, hn::LoadU(d, call.col + j)));
            t = hn::Max(hn::Zero(d), t);  // in this order a NaN stays
            const auto again = hn::Lt(t, hn::Max(near, hn::LoadU(d, call.col_thresholds + j)));
            if (!hn::AllFalse(d, again)) {
                inaccurate += static_cast<size>(hn::CountTrue(d, again));
                if (call.block)
                    t = hn::IfThenElse(
                        again, differences_at(call, four_sums<T>::none(), i, j, panel_width<T> * call.depth).total(),
                        t);
            }
            hn::StoreU(t, d, tile + j);
        }
    }
    return inaccurate;
}

template <class T>
void differences(const tile_differences<T>& call) {
    const tag<T> d;
    constexpr size n = lane_count<T>;
    for (size i = 0; i < call.rows; ++i) {
        const auto near = hn::Set(d, call.row_thresholds[i]);
        for (size j = 0; j < call.width; j += n) {
            T* tile = call.tile + i * call.stride + j;
            const auto t = hn::LoadU(d, tile);
            const auto again = hn::Lt(t, hn::Max(near, hn::LoadU(d, call.col_thresholds + j)));
            if (hn::AllFalse(d, again)) continue;
            T* kept = call.sums + 4 * (i * call.width + j);
            four_sums<T> s = four_sums<T>::none();
            if (!call.first)
                s = {hn::LoadU(d, kept), hn::LoadU(d, kept + n), hn::LoadU(d, kept + 2 * n),
                     hn::LoadU(d, kept + 3 * n)};
            s = differences_at(call, s, i, j, call.panel_stride);
            if (call.last) {
                hn::StoreU(hn::IfThenElse(again, s.total(), t), d, tile);
            } else {
                hn::StoreU(s.s0, d, kept);
                hn::StoreU(s.s1, d, kept + n);
                hn::StoreU(s.s2, d, kept + 2 * n);
                hn::StoreU(s.s3, d, kept + 3 * n);
            }
        }
    }
}

// Statistics that are sums over differences (manhattan, chi2), for vectors with low parts.
template <class T, pair_statistic S>
void dense_low_tile(const T* block, const T* block_low, const T* panel, const T* panel_low, size depth, T* out,
                    size stride, bool more) {
    const tag<T> d;
    constexpr size n = lane_count<T>, width = panel_width<T>;
    for (size r = 0; r < rows_in_block; ++r)
        for (size j = 0; j < width; j += n) {
            auto sum = more ? hn::LoadU(d, out + r * stride + j) : hn::Zero(d);
            for (size k = 0; k < depth; ++k) {
                const auto x = hn::Set(d, block[k * rows_in_block + r]), z = hn::Load(d, panel + k * width + j);
                const auto apart = difference(x, hn::Set(d, block_low[k * rows_in_block + r]), z,
                                              hn::Load(d, panel_low + k * width + j));
                if constexpr (S == pair_statistic::manhattan) sum = hn::Add(sum, hn::Abs(apart));
                if constexpr (S == pair_statistic::chi2) {
                    const auto total = hn::Add(x, z);
                    sum = hn::Add(
                        sum, hn::IfThenElseZero(hn::Ne(total, hn::Zero(d)), hn::Div(hn::Mul(apart, apart), total)));
                }
            }
            hn::StoreU(sum, d, out + r * stride + j);
        }
}

template <class T>
void dense_low(pair_statistic what, const T* block, const T* block_low, const T* panel, const T* panel_low, size depth,
               T* out, size stride, bool more) {
    if (what == pair_statistic::manhattan)
        return dense_low_tile<T, pair_statistic::manhattan>(block, block_low, panel, panel_low, depth, out, stride,
                                                            more);
    return dense_low_tile<T, pair_statistic::chi2>(block, block_low, panel, panel_low, depth, out, stride, more);
}

}  // namespace
}  // namespace mercer::MERCER_SIMD_TARGET
