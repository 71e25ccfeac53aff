// Compiled once per instruction set, like kernels/evaluation/formula_loops.cpp.
#include <hwy/highway.h>

#include "mercer/dense/vector_ops.h"

namespace mercer::MERCER_SIMD_TARGET {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using size = std::int64_t;

template <class R>
using tag = hn::ScalableTag<R>;
template <class R>
constexpr size lanes = static_cast<size>(hn::MaxLanes(tag<R>()));

constexpr double infinity = __builtin_inf();

auto load_wide(tag<double> d, const float* from) {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, tag<double>>(), from));
}
auto load_wide(tag<double> d, const double* from) { return hn::LoadU(d, from); }

template <class T>
void subtract_rows(double* F, const T* const* row, const double* delta, size rows, size count) {
    const tag<double> d;
    constexpr size n = lanes<double>;
    size i = 0;
    // Four SIMD vectors of F stay in registers while all rows are subtracted.
    for (; i + 4 * n <= count; i += 4 * n) {
        auto f0 = hn::LoadU(d, F + i), f1 = hn::LoadU(d, F + i + n), f2 = hn::LoadU(d, F + i + 2 * n),
             f3 = hn::LoadU(d, F + i + 3 * n);
        for (size r = 0; r < rows; ++r) {
            const auto t = hn::Set(d, delta[r]);
            const T* k = row[r] + i;
            f0 = hn::NegMulAdd(t, load_wide(d, k), f0);
            f1 = hn::NegMulAdd(t, load_wide(d, k + n), f1);
            f2 = hn::NegMulAdd(t, load_wide(d, k + 2 * n), f2);
            f3 = hn::NegMulAdd(t, load_wide(d, k + 3 * n), f3);
        }
        hn::StoreU(f0, d, F + i);
        hn::StoreU(f1, d, F + i + n);
        hn::StoreU(f2, d, F + i + 2 * n);
        hn::StoreU(f3, d, F + i + 3 * n);
    }
    for (; i < count; ++i)
        for (size r = 0; r < rows; ++r) F[i] -= delta[r] * static_cast<double>(row[r][i]);
}

void extremes(const double* F, const double* alpha, const double* lower, const double* upper, size count,
              double& max_up, double& min_low) {
    const tag<double> d;
    constexpr size n = lanes<double>;
    auto top = hn::Set(d, -infinity), low = hn::Set(d, infinity);
    const auto none = top, every = low;
    size i = 0;
    for (; i + n <= count; i += n) {
        const auto f = hn::LoadU(d, F + i), a = hn::LoadU(d, alpha + i);
        top = hn::Max(top, hn::IfThenElse(hn::Lt(a, hn::LoadU(d, upper + i)), f, none));
        low = hn::Min(low, hn::IfThenElse(hn::Gt(a, hn::LoadU(d, lower + i)), f, every));
    }
    max_up = hn::GetLane(hn::MaxOfLanes(d, top));
    min_low = hn::GetLane(hn::MinOfLanes(d, low));
    for (; i < count; ++i) {
        if (alpha[i] < upper[i] && F[i] > max_up) max_up = F[i];
        if (alpha[i] > lower[i] && F[i] < min_low) min_low = F[i];
    }
}

double dot(const double* a, const double* b, size count) {
    const tag<double> d;
    constexpr size n = lanes<double>;
    auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    size i = 0;
    for (; i + 4 * n <= count; i += 4 * n) {
        s0 = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), s0);
        s1 = hn::MulAdd(hn::LoadU(d, a + i + n), hn::LoadU(d, b + i + n), s1);
        s2 = hn::MulAdd(hn::LoadU(d, a + i + 2 * n), hn::LoadU(d, b + i + 2 * n), s2);
        s3 = hn::MulAdd(hn::LoadU(d, a + i + 3 * n), hn::LoadU(d, b + i + 3 * n), s3);
    }
    double sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
    for (; i < count; ++i) sum += a[i] * b[i];
    return sum;
}

constexpr size update_cols = 2 * lanes<double>, update_cols_float = 2 * lanes<float>;

template <class R>
void rank_update(R* C, size stride, const R* A, const R* B, size depth) {
    const tag<R> d;
    constexpr size n = lanes<R>;
    hn::Vec<tag<R>> sum[update_rows][2];
#pragma GCC unroll 6
    for (size r = 0; r < update_rows; ++r) {
        sum[r][0] = hn::LoadU(d, C + r * stride);
        sum[r][1] = hn::LoadU(d, C + r * stride + n);
    }
    for (size k = 0; k < depth; ++k, A += update_rows, B += 2 * n) {
        const auto b0 = hn::LoadU(d, B), b1 = hn::LoadU(d, B + n);
#pragma GCC unroll 6
        for (size r = 0; r < update_rows; ++r) {
            const auto a = hn::Set(d, A[r]);
            sum[r][0] = hn::NegMulAdd(a, b0, sum[r][0]);
            sum[r][1] = hn::NegMulAdd(a, b1, sum[r][1]);
        }
    }
#pragma GCC unroll 6
    for (size r = 0; r < update_rows; ++r) {
        hn::StoreU(sum[r][0], d, C + r * stride);
        hn::StoreU(sum[r][1], d, C + r * stride + n);
    }
}

void row_update(double* C, size stride, const double* A, size a_stride, const double* B, size depth) {
    const tag<double> d;
    constexpr size n = lanes<double>;
    hn::Vec<tag<double>> sum[update_rows][2];
    const double* row[update_rows];
#pragma GCC unroll 6
    for (size r = 0; r < update_rows; ++r) {
        row[r] = A + r * a_stride;
        sum[r][0] = hn::LoadU(d, C + r * stride);
        sum[r][1] = hn::LoadU(d, C + r * stride + n);
    }
    for (size k = 0; k < depth; ++k, B += update_cols) {
        const auto b0 = hn::LoadU(d, B), b1 = hn::LoadU(d, B + n);
#pragma GCC unroll 6
        for (size r = 0; r < update_rows; ++r) {
            const auto a = hn::Set(d, row[r][k]);
            sum[r][0] = hn::MulAdd(a, b0, sum[r][0]);
            sum[r][1] = hn::MulAdd(a, b1, sum[r][1]);
        }
    }
#pragma GCC unroll 6
    for (size r = 0; r < update_rows; ++r) {
        hn::StoreU(sum[r][0], d, C + r * stride);
        hn::StoreU(sum[r][1], d, C + r * stride + n);
    }
}

constexpr size narrow_rows = 12, narrow_cols = lanes<double>, narrow_ahead = 6;

// Twelve sums in registers at a time: `rows` rows of 12/rows SIMD vectors.
template <bool a_transposed, size rows>
void narrow(double* C, const double* A, size a_stride, const double* B, size width, size depth, const double* ahead) {
    const tag<double> d;
    constexpr size side = narrow_rows / rows, n = lanes<double>;
    hn::Vec<tag<double>> sum[rows][side];
#pragma GCC unroll 12
    for (size r = 0; r < rows; ++r)
#pragma GCC unroll 3
        for (size p = 0; p < side; ++p) sum[r][p] = hn::LoadU(d, C + r * width + p * n);
    // Three base pointers, four rows apart, so that the address of every row is a base pointer and one of four offsets.
    const size distance[] = {0, a_stride, 2 * a_stride, 3 * a_stride};
    const double* place[] = {A, A + 4 * a_stride, A + 8 * a_stride};
    for (size k = 0; k < depth; ++k, B += width) {
        hn::Vec<tag<double>> b[side];
#pragma GCC unroll 3
        for (size p = 0; p < side; ++p) b[p] = hn::LoadU(d, B + p * n);
        if (ahead) __builtin_prefetch(ahead + k * narrow_ahead, 0, 2);
#pragma GCC unroll 12
        for (size r = 0; r < rows; ++r) {
            const auto a = hn::Set(d, a_transposed ? A[r] : place[r / 4][distance[r % 4]]);
#pragma GCC unroll 3
            for (size p = 0; p < side; ++p) sum[r][p] = hn::MulAdd(a, b[p], sum[r][p]);
        }
        if constexpr (a_transposed)
            A += a_stride;
        else
            ++place[0], ++place[1], ++place[2];
    }
#pragma GCC unroll 12
    for (size r = 0; r < rows; ++r)
#pragma GCC unroll 3
        for (size p = 0; p < side; ++p) hn::StoreU(sum[r][p], d, C + r * width + p * n);
}

template <bool a_transposed, size rows>
void all_rows(double* C, const double* A, size a_stride, const double* B, size width, size depth, const double* ahead) {
    for (size r = 0; r < narrow_rows; r += rows)
        narrow<a_transposed, rows>(C + r * width, A + r * (a_transposed ? 1 : a_stride), a_stride, B, width, depth,
                                   r == 0 ? ahead : nullptr);
}

template <bool a_transposed>
void all_cols(double* C, const double* A, size a_stride, const double* B, size width, size depth, const double* ahead) {
    // Three SIMD vectors of columns at a time; four remaining ones are processed as two and two.
    for (size c = 0; c < width;) {
        const size left = (width - c) / narrow_cols, side = left == 1 ? 1 : left == 2 || left == 4 ? 2 : 3;
        const auto run = side == 1   ? narrow<a_transposed, 12>
                         : side == 2 ? all_rows<a_transposed, 6>
                                     : all_rows<a_transposed, 4>;
        run(C + c, A, a_stride, B + c, width, depth, c == 0 ? ahead : nullptr);
        c += side * narrow_cols;
    }
}

void narrow_update(double* C, const double* A, size a_stride, bool a_transposed, const double* B, size width,
                   size depth, const double* ahead) {
    (a_transposed ? all_cols<true> : all_cols<false>)(C, A, a_stride, B, width, depth, ahead);
}

// Four sums at a time share the conversion of `a` to double.
void dots(const float* a, const double* b, size stride, size terms, size count, double* out) {
    const tag<double> d;
    const hn::Rebind<float, tag<double>> half;
    constexpr size n = lanes<double>;
    for (size m = 0; m < terms; m += 4) {
        const size here = terms - m < 4 ? terms - m : 4;
        const double* row[4];
        for (size r = 0; r < 4; ++r) row[r] = b + (m + (r < here ? r : 0)) * stride;
        auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
        size i = 0;
        if (here == 1) {
            for (; i + 4 * n <= count; i += 4 * n) {
                s0 = hn::MulAdd(hn::PromoteTo(d, hn::LoadU(half, a + i)), hn::LoadU(d, row[0] + i), s0);
                s1 = hn::MulAdd(hn::PromoteTo(d, hn::LoadU(half, a + i + n)), hn::LoadU(d, row[0] + i + n), s1);
                s2 = hn::MulAdd(hn::PromoteTo(d, hn::LoadU(half, a + i + 2 * n)), hn::LoadU(d, row[0] + i + 2 * n), s2);
                s3 = hn::MulAdd(hn::PromoteTo(d, hn::LoadU(half, a + i + 3 * n)), hn::LoadU(d, row[0] + i + 3 * n), s3);
            }
            s0 = hn::Add(hn::Add(s0, s1), hn::Add(s2, s3));
        } else {
            for (; i + n <= count; i += n) {
                const auto k = hn::PromoteTo(d, hn::LoadU(half, a + i));
                s0 = hn::MulAdd(k, hn::LoadU(d, row[0] + i), s0);
                s1 = hn::MulAdd(k, hn::LoadU(d, row[1] + i), s1);
                s2 = hn::MulAdd(k, hn::LoadU(d, row[2] + i), s2);
                s3 = hn::MulAdd(k, hn::LoadU(d, row[3] + i), s3);
            }
        }
        double sum[4] = {hn::GetLane(hn::SumOfLanes(d, s0)), hn::GetLane(hn::SumOfLanes(d, s1)),
                         hn::GetLane(hn::SumOfLanes(d, s2)), hn::GetLane(hn::SumOfLanes(d, s3))};
        for (; i < count; ++i)
            for (size r = 0; r < here; ++r) sum[r] += static_cast<double>(a[i]) * row[r][i];
        for (size r = 0; r < here; ++r) out[m + r] = sum[r];
    }
}

// Tiles of 4 × 4 sums: every loaded number is used four times. At an edge the last row is repeated.
void products(const float* a, size a_stride, size rows, const float* b, size b_stride, size terms, size count,
              float* out) {
    const tag<float> d;
    constexpr size n = lanes<float>;
    const size whole = count / n * n;
    for (size i = 0; i < rows; i += 4) {
        const float* x[4];
        for (size r = 0; r < 4; ++r) x[r] = a + (i + r < rows ? i + r : rows - 1) * a_stride;
        for (size m = 0; m < terms; m += 4) {
            const float* z[4];
            for (size r = 0; r < 4; ++r) z[r] = b + (m + r < terms ? m + r : terms - 1) * b_stride;
            const auto zero = hn::Zero(d);
            auto s00 = zero, s01 = zero, s02 = zero, s03 = zero, s10 = zero, s11 = zero, s12 = zero, s13 = zero;
            auto s20 = zero, s21 = zero, s22 = zero, s23 = zero, s30 = zero, s31 = zero, s32 = zero, s33 = zero;
            for (size j = 0; j < whole; j += n) {
                const auto z0 = hn::LoadU(d, z[0] + j), z1 = hn::LoadU(d, z[1] + j), z2 = hn::LoadU(d, z[2] + j),
                           z3 = hn::LoadU(d, z[3] + j);
                auto k = hn::LoadU(d, x[0] + j);
                s00 = hn::MulAdd(k, z0, s00), s01 = hn::MulAdd(k, z1, s01), s02 = hn::MulAdd(k, z2, s02),
                s03 = hn::MulAdd(k, z3, s03);
                k = hn::LoadU(d, x[1] + j);
                s10 = hn::MulAdd(k, z0, s10), s11 = hn::MulAdd(k, z1, s11), s12 = hn::MulAdd(k, z2, s12),
                s13 = hn::MulAdd(k, z3, s13);
                k = hn::LoadU(d, x[2] + j);
                s20 = hn::MulAdd(k, z0, s20), s21 = hn::MulAdd(k, z1, s21), s22 = hn::MulAdd(k, z2, s22),
                s23 = hn::MulAdd(k, z3, s23);
                k = hn::LoadU(d, x[3] + j);
                s30 = hn::MulAdd(k, z0, s30), s31 = hn::MulAdd(k, z1, s31), s32 = hn::MulAdd(k, z2, s32),
                s33 = hn::MulAdd(k, z3, s33);
            }
            float sum[4][4] = {{hn::GetLane(hn::SumOfLanes(d, s00)), hn::GetLane(hn::SumOfLanes(d, s01)),
                                hn::GetLane(hn::SumOfLanes(d, s02)), hn::GetLane(hn::SumOfLanes(d, s03))},
                               {hn::GetLane(hn::SumOfLanes(d, s10)), hn::GetLane(hn::SumOfLanes(d, s11)),
                                hn::GetLane(hn::SumOfLanes(d, s12)), hn::GetLane(hn::SumOfLanes(d, s13))},
                               {hn::GetLane(hn::SumOfLanes(d, s20)), hn::GetLane(hn::SumOfLanes(d, s21)),
                                hn::GetLane(hn::SumOfLanes(d, s22)), hn::GetLane(hn::SumOfLanes(d, s23))},
                               {hn::GetLane(hn::SumOfLanes(d, s30)), hn::GetLane(hn::SumOfLanes(d, s31)),
                                hn::GetLane(hn::SumOfLanes(d, s32)), hn::GetLane(hn::SumOfLanes(d, s33))}};
            for (size r = 0; r < 4 && i + r < rows; ++r)
                for (size c = 0; c < 4 && m + c < terms; ++c) {
                    for (size j = whole; j < count; ++j) sum[r][c] += x[r][j] * z[c][j];
                    out[(i + r) * terms + m + c] = sum[r][c];
                }
        }
    }
}

#define MERCER_TEXT2(x) #x
#define MERCER_TEXT(x) MERCER_TEXT2(x)
const vector_ops table{MERCER_TEXT(MERCER_SIMD_TARGET),
                       subtract_rows<float>,
                       subtract_rows<double>,
                       extremes,
                       dot,
                       update_cols,
                       rank_update<double>,
                       update_cols_float,
                       rank_update<float>,
                       row_update,
                       narrow_rows,
                       narrow_cols,
                       narrow_ahead,
                       narrow_update,
                       dots,
                       products};

}  // namespace

const vector_ops& vector_loops() { return table; }

}  // namespace mercer::MERCER_SIMD_TARGET
