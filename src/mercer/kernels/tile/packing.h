// Packs vectors into blocks and panels, in which they are interleaved coordinate by coordinate, and transposes tiles.
// Included by formula_loops.cpp only, once per instruction set.
#pragma once

#include "mercer/kernels/tile/simd_vector.h"

namespace mercer::MERCER_SIMD_TARGET {
namespace {

// Loads coordinates into a SIMD vector and subtracts the shift if `shifted` is true.
template <bool shifted, class D, class T>
HWY_INLINE auto coordinates(D d, const T* in, const T* shift) {
    if constexpr (shifted)
        return hn::Sub(hn::LoadU(d, in), hn::LoadU(d, shift));
    else
        return hn::LoadU(d, in);
}

// out(j, i) = in(i, j) - shift(j) for a q × q square, where q is the number of T that fit into 128 bits (4 floats or 2
// doubles). in0, in1, … point to the rows of the input; the rows of the output are out_stride numbers apart.
template <bool shifted>
HWY_INLINE void transpose_square(const float* in0, const float* in1, const float* in2, const float* in3,
                                 const float* shift, float* out, size out_stride) {
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
HWY_INLINE void transpose_square(const double* in0, const double* in1, const double* shift, double* out,
                                 size out_stride) {
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
    // The coordinates are packed 32 at a time, so that the cache lines being written stay in L1.
    constexpr size strip = 32;
    const auto one = [&](size r, size k) {
        packed[k * width + r] = shifted ? vectors[r][k] - shift[k] : vectors[r][k];
    };
    for (size k0 = 0; k0 < depth; k0 += strip) {
        const size k1 = k0 + strip < depth ? k0 + strip : depth;
        size r = 0;
        for (; r + q <= rows; r += q) {
            size k = k0;
            for (; k + q <= k1; k += q) {
                const T* const minus = shifted ? shift + k : nullptr;
                if constexpr (q == 4)
                    transpose_square<shifted>(vectors[r] + k, vectors[r + 1] + k, vectors[r + 2] + k,
                                              vectors[r + 3] + k, minus, packed + k * width + r, width);
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
    return shift ? pack_rows<T, true>(vectors, rows, depth, shift, packed, width)
                 : pack_rows<T, false>(vectors, rows, depth, shift, packed, width);
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
                        transpose_square<false>(from, from + in_stride, from + 2 * in_stride, from + 3 * in_stride,
                                                nullptr, out + j * out_stride + i, out_stride);
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

}  // namespace
}  // namespace mercer::MERCER_SIMD_TARGET
