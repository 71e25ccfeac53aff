// Compiled once per instruction set: MERCER_SIMD_TARGET names the namespace, the compiler flags say which instructions.
// Only code of that namespace may be emitted here, so that no function shared with other files is built for a newer processor.
#include "mercer/kernels/tile/ops.h"

#include <limits>

#include "mercer/kernels/all_kernels.h"
#include "mercer/kernels/tile/lanes.h"

namespace mercer::MERCER_SIMD_TARGET {
namespace {

using size = std::int64_t;

template <class T>
constexpr size lane_count = static_cast<size>(hn::MaxLanes(tag<T>()));
// Registers: two vectors of the panel, one of the block, and 2·rows sums. AVX-512 has 32 registers, the others 16.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
constexpr size rows_in_block = 12;
#else
constexpr size rows_in_block = 6;
#endif

template <class T>
constexpr size panel_width = 2 * lane_count<T>;
template <class T>
constexpr size sparse_panel_width = 4 * lane_count<T>;

// One coordinate's contribution to a statistic.
template <statistic S, class V>
HWY_INLINE V step(V sum, V x, V z) {
    if constexpr (S == statistic::dot) return hn::MulAdd(x, z, sum);
    if constexpr (S == statistic::manhattan) return hn::Add(sum, hn::Abs(hn::Sub(x, z)));
    if constexpr (S == statistic::min_sum) return hn::Add(sum, hn::Min(x, z));
    if constexpr (S == statistic::chi2) {
        const V total = hn::Add(x, z), difference = hn::Sub(x, z);
        return hn::Add(sum, hn::IfThenElseZero(hn::Ne(total, hn::Sub(x, x)), hn::Div(hn::Mul(difference, difference), total)));
    }
    if constexpr (S == statistic::product) return hn::Mul(sum, hn::MulAdd(x, z, hn::Set(hn::DFromV<V>(), 1)));
}

template <class T, statistic S>
void dense_tile(const T* HWY_RESTRICT block, const T* HWY_RESTRICT panel, size depth, T* HWY_RESTRICT out, size stride, bool more) {
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
void sparse_dot(const std::int32_t* HWY_RESTRICT col, const T* HWY_RESTRICT value, size count, const T* HWY_RESTRICT panel, T* HWY_RESTRICT out) {
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

// A vector of coordinates, minus the shift's where there is one.
template <bool shifted, class D, class T>
HWY_INLINE auto coordinates(D d, const T* in, const T* shift) {
    if constexpr (shifted)
        return hn::Sub(hn::LoadU(d, in), hn::LoadU(d, shift));
    else
        return hn::LoadU(d, in);
}

// out(j, i) = in(i, j) - shift(j) for a square of as many numbers as a 128-bit vector holds; in and out are rows of pointers apart by strides.
template <bool shifted>
HWY_INLINE void transpose_square(const float* in0, const float* in1, const float* in2, const float* in3, const float* shift, float* out, size out_stride) {
    const hn::FixedTag<float, 4> d;
    const hn::FixedTag<double, 2> w;
    const auto a = coordinates<shifted>(d, in0, shift), b = coordinates<shifted>(d, in1, shift);
    const auto c = coordinates<shifted>(d, in2, shift), e = coordinates<shifted>(d, in3, shift);
    // (a0 b0 a1 b1), (c0 e0 c1 e1) → (a0 b0 c0 e0), (a1 b1 c1 e1), and the same for the upper halves
    const auto ab = hn::BitCast(w, hn::InterleaveLower(d, a, b)), ce = hn::BitCast(w, hn::InterleaveLower(d, c, e));
    const auto AB = hn::BitCast(w, hn::InterleaveUpper(d, a, b)), CE = hn::BitCast(w, hn::InterleaveUpper(d, c, e));
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(w, ab, ce)), d, out);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(w, ab, ce)), d, out + out_stride);
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(w, AB, CE)), d, out + 2 * out_stride);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(w, AB, CE)), d, out + 3 * out_stride);
}
template <bool shifted>
HWY_INLINE void transpose_square(const double* in0, const double* in1, const double* shift, double* out, size out_stride) {
    const hn::FixedTag<double, 2> w;
    const auto a = coordinates<shifted>(w, in0, shift), b = coordinates<shifted>(w, in1, shift);
    hn::StoreU(hn::InterleaveLower(w, a, b), w, out);
    hn::StoreU(hn::InterleaveUpper(w, a, b), w, out + out_stride);
}

template <class T>
constexpr size square = 16 / sizeof(T);

template <class T, bool shifted>
void pack_rows(const T* const* vectors, size rows, size depth, const T* shift, T* packed, size width) {
    constexpr size q = square<T>;
    // Strips of coordinates short enough that the written lines stay in L1.
    constexpr size strip = 32;
    const auto one = [&](size r, size k) { packed[k * width + r] = shifted ? vectors[r][k] - shift[k] : vectors[r][k]; };
    for (size k0 = 0; k0 < depth; k0 += strip) {
        const size k1 = k0 + strip < depth ? k0 + strip : depth;
        size r = 0;
        for (; r + q <= rows; r += q) {
            size k = k0;
            for (; k + q <= k1; k += q) {
                const T* const minus = shifted ? shift + k : nullptr;
                if constexpr (q == 4)
                    transpose_square<shifted>(vectors[r] + k, vectors[r + 1] + k, vectors[r + 2] + k, vectors[r + 3] + k, minus, packed + k * width + r, width);
                else
                    transpose_square<shifted>(vectors[r] + k, vectors[r + 1] + k, minus, packed + k * width + r, width);
            }
            for (; k < k1; ++k)
                for (size s = r; s < r + q; ++s) one(s, k);
        }
        for (; r < rows; ++r)
            for (size k = k0; k < k1; ++k) one(r, k);
        for (; r < width; ++r)
            for (size k = k0; k < k1; ++k) packed[k * width + r] = T(0);
    }
}

template <class T>
void pack(const T* const* vectors, size rows, size depth, const T* shift, T* packed, size width) {
    return shift ? pack_rows<T, true>(vectors, rows, depth, shift, packed, width) : pack_rows<T, false>(vectors, rows, depth, shift, packed, width);
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

template <class T, bool streamed>
HWY_INLINE void put(lanes<T> value, T* to) {
    if constexpr (streamed)
        hn::Stream(value.v, tag<T>(), to);
    else
        value.store(to);
}

template <class T, bool streamed, class F>
HWY_INLINE void map_rows(const tile_map<T>& call, F f) {
    constexpr size n = lane_count<T>;
    for (size i = 0; i < call.rows; ++i) {
        const T* HWY_RESTRICT in = call.in + i * call.in_stride;
        T* HWY_RESTRICT out = call.out[i];
        if constexpr (requires(lanes<T> t) { f(t); }) {
            if (call.input == map_input::squared_distance) {
                const lanes<T> norm = lanes<T>::all(call.row[i]), zero = lanes<T>::all(0), minus_two = lanes<T>::all(-2);
                for (size j = 0; j < call.width; j += n) {
                    const lanes<T> t{hn::MulAdd(lanes<T>::load(in + j).v, minus_two.v, (norm + lanes<T>::load(call.col + j)).v)};
                    put<T, streamed>(f(max(zero, t)), out + j);  // in this order a NaN stays
                }
            } else {
                for (size j = 0; j < call.width; j += n) put<T, streamed>(f(lanes<T>::load(in + j)), out + j);
            }
        } else {
            const lanes<T> norm = lanes<T>::all(call.row[i]);
            for (size j = 0; j < call.width; j += n) put<T, streamed>(f(lanes<T>::load(in + j), norm, lanes<T>::load(call.col + j)), out + j);
        }
    }
}

template <class T, class F>
void map_loop(const tile_map<T>& call, F f) {
    call.stream ? map_rows<T, true>(call, f) : map_rows<T, false>(call, f);
}

// The loop of one kernel of the list.
template <class T, class F>
void map_listed(const tile_map<T>& call) {
    if constexpr (tile_formula<F>) use_formula<F>(call.formula, [&](auto f) HWY_ATTR { map_loop(call, f); });
}

template <class T, class... F>
HWY_INLINE void map_by_place(const tile_map<T>& call, kernel_list<F...>) {
    static constexpr void (*loops[])(const tile_map<T>&) = {map_listed<T, F>...};
    loops[call.formula.place](call);
}

template <class T>
void map(const tile_map<T>& call) {
    map_by_place(call, listed_kernels());
}

// a ← f(a), whole vectors
template <class T, class F>
HWY_INLINE void in_place(T* a, size count, F f) {
    for (size i = 0; i < count; i += lane_count<T>) f(lanes<T>::load(a + i), i).store(a + i);
}

template <class T>
void binary(tile_binary what, T* a, const T* b, size count) {
    if (what == tile_binary::add)
        in_place(a, count, [b](lanes<T> x, size i) HWY_ATTR { return x + lanes<T>::load(b + i); });
    else
        in_place(a, count, [b](lanes<T> x, size i) HWY_ATTR { return x * lanes<T>::load(b + i); });
}

template <class T>
void affine(T* a, double scale, double shift, size count) {
    const lanes<T> c = lanes<T>::all(scale), s = lanes<T>::all(shift);
    in_place(a, count, [=](lanes<T> x, size) HWY_ATTR { return lanes<T>{hn::MulAdd(x.v, c.v, s.v)}; });
}

template <class T>
void power(T* a, double exponent, size count) {
    const bool whole = exponent >= 1 && exponent <= 1024 && exponent == static_cast<double>(static_cast<int>(exponent));
    if (exponent == 0)
        in_place(a, count, [](lanes<T>, size) HWY_ATTR { return lanes<T>::all(1); });
    else if (whole)
        in_place(a, count, [m = static_cast<int>(exponent)](lanes<T> x, size) HWY_ATTR { return whole_power(x, m); });
    else
        for (size i = 0; i < count; ++i)
            a[i] = static_cast<T>(__builtin_pow(static_cast<double>(a[i]), exponent));  // any sign, any exponent: no rule covers it, nobody is in a hurry
}

template <class T>
void polynomial_tile(T* a, const double* c, size terms, size count) {
    in_place(a, count, [=](lanes<T> x, size) HWY_ATTR {
        lanes<T> sum = lanes<T>::all(c[terms - 1]);
        for (size i = terms - 2; i >= 0; --i) sum = sum * x + lanes<T>::all(c[i]);
        return sum;
    });
}

template <class T>
void exponential(T* a, size count) {
    in_place(a, count, [](lanes<T> x, size) HWY_ATTR { return exp(x); });
}

template <class T>
void outer(tile_binary what, T* a, size stride, const T* u, const T* v, size rows, size width) {
    for (size i = 0; i < rows; ++i) {
        const lanes<T> ui = lanes<T>::all(u[i]);
        if (what == tile_binary::add)
            in_place(a + i * stride, width, [=](lanes<T> x, size j) HWY_ATTR { return x + (ui + lanes<T>::load(v + j)); });
        else
            in_place(a + i * stride, width, [=](lanes<T> x, size j) HWY_ATTR { return x * (ui * lanes<T>::load(v + j)); });
    }
}

template <class T>
void transpose(const T* in, size in_stride, T* out, size out_stride, size rows, size cols) {
    constexpr size q = square<T>;
    constexpr size strip = 32;
    for (size i0 = 0; i0 < rows; i0 += strip)
        for (size j0 = 0; j0 < cols; j0 += strip) {
            const size i1 = i0 + strip < rows ? i0 + strip : rows, j1 = j0 + strip < cols ? j0 + strip : cols;
            size j = j0;
            for (; j + q <= j1; j += q) {
                size i = i0;
                for (; i + q <= i1; i += q) {
                    const T* from = in + i * in_stride + j;
                    if constexpr (q == 4)
                        transpose_square<false>(from, from + in_stride, from + 2 * in_stride, from + 3 * in_stride, nullptr, out + j * out_stride + i,
                                                out_stride);
                    else
                        transpose_square<false>(from, from + in_stride, nullptr, out + j * out_stride + i, out_stride);
                }
                for (; i < i1; ++i)
                    for (size s = j; s < j + q; ++s) out[s * out_stride + i] = in[i * in_stride + s];
            }
            for (; j < j1; ++j)
                for (size i = i0; i < i1; ++i) out[j * out_stride + i] = in[i * in_stride + j];
        }
}

#define MERCER_TEXT2(x) #x
#define MERCER_TEXT(x) MERCER_TEXT2(x)

template <class T>
const tile_ops<T> table{MERCER_TEXT(MERCER_SIMD_TARGET),
                        lane_count<T>,
                        rows_in_block,
                        panel_width<T>,
                        sparse_panel_width<T>,
                        dense<T>,
                        sparse_dot<T>,
                        pack<T>,
                        panel_norms<T>,
                        sparse_norm<T>,
                        dense_low<T>,
                        distances<T>,
                        map<T>,
                        binary<T>,
                        affine<T>,
                        power<T>,
                        polynomial_tile<T>,
                        exponential<T>,
                        outer<T>,
                        transpose<T>};

}  // namespace

template <>
const tile_ops<float>& ops<float>() {
    return table<float>;
}
template <>
const tile_ops<double>& ops<double>() {
    return table<double>;
}

}  // namespace mercer::MERCER_SIMD_TARGET
