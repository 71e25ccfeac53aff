// This file is compiled for AVX-512 with VPOPCNTDQ only (cmake/simd.cmake). As in formula_loops.cpp, it must not emit
// functions that other files share: the linker could keep the version compiled here, and it would not run on older
// processors.
#include "mercer/kernels/tile/bits.h"

#include <immintrin.h>

namespace mercer::avx512 {
namespace {

using size = std::int64_t;
constexpr size lanes = 16, width = 64, vectors = width / lanes, max_table = 128;

// The dot products of x with the 64 vectors of a panel: the number of coordinates that are nonzero in both vectors,
// minus twice the number of those coordinates in which the signs differ.
template <bool negative>
inline void count(const std::uint32_t* x, size words, const std::uint32_t* z, __m512i (&sum)[vectors]) {
    for (size v = 0; v < vectors; ++v) sum[v] = _mm512_setzero_si512();
    for (size w = 0; w < words; ++w) {
        const __m512i there = _mm512_set1_epi32(static_cast<int>(x[w]));
        for (size v = 0; v < vectors; ++v) {
            const __m512i both = _mm512_and_si512(there, _mm512_load_si512(z + w * width + v * lanes));
            sum[v] = _mm512_add_epi32(sum[v], _mm512_popcnt_epi32(both));
            if constexpr (negative) {
                const __m512i sign = _mm512_set1_epi32(static_cast<int>(x[words + w]));
                constexpr int both_and_unlike = 0x60;  // a & (b ^ c)
                const __m512i unlike = _mm512_ternarylogic_epi32(
                    both, sign, _mm512_load_si512(z + (words + w) * width + v * lanes), both_and_unlike);
                sum[v] = _mm512_sub_epi32(sum[v], _mm512_slli_epi32(_mm512_popcnt_epi32(unlike), 1));
            }
        }
    }
}

template <bool negative>
void dot_of(const std::uint32_t* x, size words, const std::uint32_t* z, size panels, float* out) {
    __m512i sum[vectors];
    for (size p = 0; p < panels; ++p, z += (negative ? 2 : 1) * words * width, out += width) {
        count<negative>(x, words, z, sum);
        for (size v = 0; v < vectors; ++v) _mm512_storeu_ps(out + v * lanes, _mm512_cvtepi32_ps(sum[v]));
    }
}

// Reads the entries `at` of a table that fills 2·pairs registers. The low five bits of an index select an entry in each
// pair of registers; the bits above them select the pair.
template <int pairs>
inline __m512 entry(const __m512 (&table)[2 * pairs], __m512i at) {
    __m512 value = _mm512_permutex2var_ps(table[0], at, table[1]);
    if constexpr (pairs >= 2) {
        const __mmask16 fifth = _mm512_test_epi32_mask(at, _mm512_set1_epi32(32));
        value = _mm512_mask_mov_ps(value, fifth, _mm512_permutex2var_ps(table[2], at, table[3]));
        if constexpr (pairs == 4) {
            const __m512 low = _mm512_permutex2var_ps(table[4], at, table[5]),
                         high = _mm512_permutex2var_ps(table[6], at, table[7]);
            value = _mm512_mask_mov_ps(value, _mm512_test_epi32_mask(at, _mm512_set1_epi32(64)),
                                       _mm512_mask_mov_ps(low, fifth, high));
        }
    }
    return value;
}

template <bool negative, int pairs>
void look_up_in(const std::uint32_t* x, size words, const std::uint32_t* z, size panels, std::int32_t x_norm,
                const std::int32_t* norm, const float* from, float* out) {
    __m512 table[2 * pairs];
    for (int t = 0; t < 2 * pairs; ++t) table[t] = _mm512_loadu_ps(from + t * lanes);
    const __m512i own = _mm512_set1_epi32(x_norm);
    __m512i sum[vectors];
    for (size p = 0; p < panels; ++p, z += (negative ? 2 : 1) * words * width, norm += width, out += width) {
        count<negative>(x, words, z, sum);
        for (size v = 0; v < vectors; ++v) {
            const __m512i distance = _mm512_sub_epi32(_mm512_add_epi32(own, _mm512_loadu_si512(norm + v * lanes)),
                                                      _mm512_slli_epi32(sum[v], 1));
            _mm512_storeu_ps(out + v * lanes, entry<pairs>(table, distance));
        }
    }
}

void dot(const std::uint32_t* x, bool negative, size words, const std::uint32_t* z, size panels, float* out) {
    negative ? dot_of<true>(x, words, z, panels, out) : dot_of<false>(x, words, z, panels, out);
}

void look_up(const std::uint32_t* x, bool negative, size words, const std::uint32_t* z, size panels,
             std::int32_t x_norm, const std::int32_t* norm, const float* table, size entries, float* out) {
    const auto run = entries <= 32   ? (negative ? look_up_in<true, 1> : look_up_in<false, 1>)
                     : entries <= 64 ? (negative ? look_up_in<true, 2> : look_up_in<false, 2>)
                                     : (negative ? look_up_in<true, 4> : look_up_in<false, 4>);
    run(x, words, z, panels, x_norm, norm, table, out);
}

const bit_ops table{width, max_table, dot, look_up};

}  // namespace

const bit_ops& popcount_ops() { return table; }

}  // namespace mercer::avx512
