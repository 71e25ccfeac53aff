// The loops over tiles that apply the formula of a listed kernel to every number, and the arithmetic of plans. Included
// by formula_loops.cpp only, once per instruction set.
#pragma once

#include "mercer/kernels/expression/all_kernels.h"
#include "mercer/kernels/tile/simd_vector.h"

namespace mercer::MERCER_SIMD_TARGET {
namespace {

template <class T, bool streamed>
HWY_INLINE void put(simd_vector<T> value, T* to) {
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
        if constexpr (requires(simd_vector<T> t) { f(t); }) {
            if (call.input == map_input::squared_distance) {
                const simd_vector<T> norm = simd_vector<T>::broadcast(call.row[i]), zero = simd_vector<T>::broadcast(0),
                                     minus_two = simd_vector<T>::broadcast(-2);
                for (size j = 0; j < call.width; j += n) {
                    const simd_vector<T> t{hn::MulAdd(simd_vector<T>::load(in + j).v, minus_two.v,
                                                      (norm + simd_vector<T>::load(call.col + j)).v)};
                    put<T, streamed>(f(max(zero, t)), out + j);  // this order of the operands keeps a NaN
                }
            } else {
                for (size j = 0; j < call.width; j += n) put<T, streamed>(f(simd_vector<T>::load(in + j)), out + j);
            }
        } else {
            const simd_vector<T> norm = simd_vector<T>::broadcast(call.row[i]);
            for (size j = 0; j < call.width; j += n)
                put<T, streamed>(f(simd_vector<T>::load(in + j), norm, simd_vector<T>::load(call.col + j)), out + j);
        }
    }
}

template <class T, class F>
void map_loop(const tile_map<T>& call, F f) {
    call.stream ? map_rows<T, true>(call, f) : map_rows<T, false>(call, f);
}

// The loop of one listed kernel.
template <class T, class F>
void map_listed(const tile_map<T>& call) {
    if constexpr (tile_formula<F>) apply_formula<F>(call.formula, [&](auto f) HWY_ATTR { map_loop(call, f); });
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

// a ← f(a) for `count` numbers, a whole number of SIMD vectors
template <class T, class F>
HWY_INLINE void in_place(T* a, size count, F f) {
    for (size i = 0; i < count; i += lane_count<T>) f(simd_vector<T>::load(a + i), i).store(a + i);
}

template <class T>
void binary(tile_binary what, T* a, const T* b, size count) {
    if (what == tile_binary::add)
        in_place(a, count, [b](simd_vector<T> x, size i) HWY_ATTR { return x + simd_vector<T>::load(b + i); });
    else
        in_place(a, count, [b](simd_vector<T> x, size i) HWY_ATTR { return x * simd_vector<T>::load(b + i); });
}

template <class T>
void affine(T* a, double scale, double shift, size count) {
    const simd_vector<T> c = simd_vector<T>::broadcast(scale), s = simd_vector<T>::broadcast(shift);
    in_place(a, count, [=](simd_vector<T> x, size) HWY_ATTR { return simd_vector<T>{hn::MulAdd(x.v, c.v, s.v)}; });
}

template <class T>
void power(T* a, double exponent, size count) {
    const bool whole = exponent >= 1 && exponent <= 1024 && exponent == static_cast<double>(static_cast<int>(exponent));
    if (exponent == 0)
        in_place(a, count, [](simd_vector<T>, size) HWY_ATTR { return simd_vector<T>::broadcast(1); });
    else if (whole)
        in_place(a, count,
                 [m = static_cast<int>(exponent)](simd_vector<T> x, size) HWY_ATTR { return whole_power(x, m); });
    else
        // Any sign and any exponent. Speed does not matter here.
        for (size i = 0; i < count; ++i) a[i] = static_cast<T>(__builtin_pow(static_cast<double>(a[i]), exponent));
}

template <class T>
void polynomial_tile(T* a, const double* c, size terms, size count) {
    in_place(a, count, [=](simd_vector<T> x, size) HWY_ATTR {
        simd_vector<T> sum = simd_vector<T>::broadcast(c[terms - 1]);
        for (size i = terms - 2; i >= 0; --i) sum = sum * x + simd_vector<T>::broadcast(c[i]);
        return sum;
    });
}

template <class T>
void exponential(T* a, size count) {
    in_place(a, count, [](simd_vector<T> x, size) HWY_ATTR { return exp(x); });
}

template <class T>
void outer(tile_binary what, T* a, size stride, const T* u, const T* v, size rows, size width) {
    for (size i = 0; i < rows; ++i) {
        const simd_vector<T> ui = simd_vector<T>::broadcast(u[i]);
        if (what == tile_binary::add)
            in_place(a + i * stride, width,
                     [=](simd_vector<T> x, size j) HWY_ATTR { return x + (ui + simd_vector<T>::load(v + j)); });
        else
            in_place(a + i * stride, width,
                     [=](simd_vector<T> x, size j) HWY_ATTR { return x * (ui * simd_vector<T>::load(v + j)); });
    }
}

}  // namespace
}  // namespace mercer::MERCER_SIMD_TARGET
