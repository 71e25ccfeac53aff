// The loops over tiles that apply the formula of a listed kernel to every number, and the arithmetic of plans. Included
// by formula_loops.cpp only, once per instruction set.
#pragma once

#include "mercer/kernels/expression/all_kernels.h"
#include "mercer/kernels/tile/simd_vector.h"

namespace mercer::MERCER_SIMD_TARGET {
namespace {

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
                const lanes<T> norm = lanes<T>::all(call.row[i]), zero = lanes<T>::all(0),
                               minus_two = lanes<T>::all(-2);
                for (size j = 0; j < call.width; j += n) {
                    const lanes<T> t{
                        hn::MulAdd(lanes<T>::load(in + j).v, minus_two.v, (norm + lanes<T>::load(call.col + j)).v)};
                    put<T, streamed>(f(max(zero, t)), out + j);  // this order of the operands keeps a NaN
                }
            } else {
                for (size j = 0; j < call.width; j += n) put<T, streamed>(f(lanes<T>::load(in + j)), out + j);
            }
        } else {
            const lanes<T> norm = lanes<T>::all(call.row[i]);
            for (size j = 0; j < call.width; j += n)
                put<T, streamed>(f(lanes<T>::load(in + j), norm, lanes<T>::load(call.col + j)), out + j);
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

// a ← f(a) for `count` numbers, a whole number of SIMD vectors
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
        // Any sign and any exponent. Speed does not matter here.
        for (size i = 0; i < count; ++i) a[i] = static_cast<T>(__builtin_pow(static_cast<double>(a[i]), exponent));
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
            in_place(a + i * stride, width,
                     [=](lanes<T> x, size j) HWY_ATTR { return x + (ui + lanes<T>::load(v + j)); });
        else
            in_place(a + i * stride, width,
                     [=](lanes<T> x, size j) HWY_ATTR { return x * (ui * lanes<T>::load(v + j)); });
    }
}

}  // namespace
}  // namespace mercer::MERCER_SIMD_TARGET
