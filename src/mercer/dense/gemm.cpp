
#include "mercer/dense/gemm.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "mercer/base/matrix_view.h"
#include "mercer/base/per_thread.h"
#include "mercer/base/threads.h"
#include "mercer/dense/vector_ops.h"

namespace mercer::blas {
namespace {

constexpr index depth = 192;  // of a panel: one of each side stays in L1

// What the loops of vector_ops.h read: vectors lie along the columns of C, so op(A) stands on their wide side.
template <class T>
struct micro {
    static constexpr bool wide_numbers = std::is_same_v<T, double>;
    const smo::vector_ops& ops = smo::best_vector_ops();
    index wide = wide_numbers ? ops.update_cols : ops.update_cols_float;
    // C(i, j) -= Σₖ right(k, i)·left(k, j), i < wide, j < high
    void subtract(T* c, index ldc, const T* left, const T* right, index count) const {
        if constexpr (wide_numbers)
            ops.rank_update(c, ldc, left, right, count);
        else
            ops.rank_update_float(c, ldc, left, right, count);
    }
};

// Columns k … of op(X), X of `size` rows, `width` rows at a time side by side: to[(group·count + k)·width + r] is
// by·op(X)(group·width + r, k). `along`: neighbours in memory are neighbours in a row of `to`. Zeros beyond the edge.
// `known`: the width where the compiler is to know it, else 0.
template <index known, class T>
void pack(const T* x, index stride, bool along, index size, index count, index any_width, T by, T* to) {
    const index width = known > 0 ? known : any_width;
    for (index first = 0; first < size; first += width, to += width * count) {
        const index there = std::min(width, size - first);
        if (there < width) std::fill_n(to, width * count, T(0));
        if (along && there == width && by == T(1)) {
            for (index k = 0; k < count; ++k)
                std::memcpy(to + k * width, x + first + k * stride, static_cast<std::size_t>(width) * sizeof(T));
        } else if (along && there == width) {
            for (index k = 0; k < count; ++k)
                for (index r = 0; r < width; ++r) to[k * width + r] = by * x[first + r + k * stride];
        } else if (along) {
            for (index k = 0; k < count; ++k)
                for (index r = 0; r < there; ++r) to[k * width + r] = by * x[first + r + k * stride];
        } else {
            // Four columns of X at a time: each line of `to` is then written once.
            index r = 0;
            for (; r + 4 <= there; r += 4) {
                const T *x0 = x + (first + r) * stride, *x1 = x0 + stride, *x2 = x1 + stride, *x3 = x2 + stride;
                T* line = to + r;
                for (index k = 0; k < count; ++k, line += width)
                    line[0] = by * x0[k], line[1] = by * x1[k], line[2] = by * x2[k], line[3] = by * x3[k];
            }
            for (; r < there; ++r)
                for (index k = 0; k < count; ++k) to[k * width + r] = by * x[(first + r) * stride + k];
        }
    }
}

// The same with the width known where it is that of an instruction set.
template <class T>
void pack_wide(const T* x, index stride, bool along, index size, index count, index width, T* to) {
    switch (width) {
        case 32: return pack<32>(x, stride, along, size, count, width, T(1), to);
        case 16: return pack<16>(x, stride, along, size, count, width, T(1), to);
        case 8: return pack<8>(x, stride, along, size, count, width, T(1), to);
        default: return pack<0>(x, stride, along, size, count, width, T(1), to);
    }
}

template <class T>
void scale(T beta, index m, index n, T* c, index ldc) {
    if (beta == T(1)) return;
    for (index j = 0; j < n; ++j)
        for (index i = 0; i < m; ++i) c[i + j * ldc] = beta == T(0) ? T(0) : beta * c[i + j * ldc];
}

}  // namespace

template <class T>
void tile_product(const char* op_a, const char* op_b, int m, int n, int k, T alpha, const T* a, int lda, const T* b,
                  int ldb, T beta, T* c, int ldc) {
    const micro<T> by;
    const bool plain_a = *op_a == 'N', plain_b = *op_b == 'N';
    constexpr index high = smo::update_rows;
    const index wide = by.wide, down = (m + wide - 1) / wide, across = (n + high - 1) / high;
    scale(beta, m, n, c, ldc);
    auto& memory = per_thread<buffer<T>>([] {});
    T* const left = memory.at_least(depth * (across * high + down * wide) + high * wide);
    T *const right = left + depth * across * high, *const edge = right + depth * down * wide;
    for (index from = 0; from < k; from += depth) {
        const index count = std::min<index>(depth, k - from);
        pack<high>(plain_b ? b + from : b + from * ldb, index{ldb}, !plain_b, index{n}, count, high, -alpha, left);
        pack_wide(plain_a ? a + from * lda : a + from, index{lda}, plain_a, index{m}, count, wide, right);
        for (index g = 0; g < down; ++g) {
            const T* column = right + g * wide * count;
            const index i = g * wide, rows = std::min<index>(wide, m - i);
            for (index h = 0; h < across; ++h) {
                const T* row = left + h * high * count;
                const index j = h * high, cols = std::min<index>(high, n - j);
                if (rows == wide && cols == high) {
                    by.subtract(c + i + j * ldc, ldc, row, column, count);
                    continue;
                }
                std::fill_n(edge, high * wide, T(0));
                by.subtract(edge, wide, row, column, count);
                for (index q = 0; q < cols; ++q)
                    for (index r = 0; r < rows; ++r) c[i + r + (j + q) * ldc] += edge[q * wide + r];
            }
        }
    }
}

template void tile_product(const char*, const char*, int, int, int, double, const double*, int, const double*, int,
                           double, double*, int);
template void tile_product(const char*, const char*, int, int, int, float, const float*, int, const float*, int, float,
                           float*, int);

}  // namespace mercer::blas

namespace mercer {

matrix<double> row_products(matrix_view<const double> a, matrix_view<const double> b) {
    constexpr index stretch = 2048;
    const auto& ops = smo::best_vector_ops();
    const index parts = (a.cols + stretch - 1) / stretch, cells = a.rows * b.rows;
    buffer<double> part(parts * cells);
    parallel_for(parts, [&](index s) {
        const index first = s * stretch, count = std::min(stretch, a.cols - first);
        double* to = part.data() + s * cells;
        const index high = ops.narrow_rows, wide = ops.narrow_cols, even = b.rows / high * high;
        auto& panel_memory = per_thread<buffer<double>>([] {});
        double *panel = panel_memory.at_least((stretch + high) * wide), *tile = panel + stretch * wide;
        for (index i = 0; i < a.rows; i += wide) {
            const index rows = std::min(wide, a.rows - i);
            for (index k = 0; k < count; ++k)
                for (index r = 0; r < wide; ++r) panel[k * wide + r] = r < rows ? a(i + r, first + k) : 0.0;
            for (index j = 0; j < even; j += high) {
                std::fill_n(tile, high * wide, 0.0);
                ops.narrow_update(tile, b.row(j) + first, b.stride, false, panel, wide, count, panel);
                for (index c = 0; c < high; ++c)
                    for (index r = 0; r < rows; ++r) to[(i + r) * b.rows + j + c] = tile[c * wide + r];
            }
        }
        for (index j = even; j < b.rows; ++j)
            for (index i = 0; i < a.rows; ++i) to[i * b.rows + j] = ops.dot(a.row(i) + first, b.row(j) + first, count);
    });
    matrix<double> out(a.rows, b.rows);
    for (index s = 0; s < parts; ++s)
        for (index i = 0; i < cells; ++i) out.data()[i] += part[s * cells + i];
    return out;
}

void subtract_combinations(matrix_view<double> w, matrix_view<const double> c, matrix_view<const double> q) {
    const auto& ops = smo::best_vector_ops();
    const index high = smo::update_rows, wide = ops.update_cols, m = q.rows, groups = (w.rows + high - 1) / high,
                stretch = 16 * wide;
    // c in panels of `high` rows, padded with zeros: what the micro-kernel reads.
    buffer<double> left(groups * m * high);
    for (index i = 0; i < w.rows; ++i)
        for (index k = 0; k < m; ++k) left[(i / high * m + k) * high + i % high] = c(i, k);
    parallel_for((w.cols + stretch - 1) / stretch, [&](index s) {
        auto& right_memory = per_thread<buffer<double>>([] {});
        auto& tile_memory = per_thread<buffer<double>>([] {});
        double *right = right_memory.at_least(m * wide), *tile = tile_memory.at_least(high * wide);
        for (index first = s * stretch; first < std::min(w.cols, (s + 1) * stretch); first += wide) {
            const index count = std::min(wide, w.cols - first);
            for (index k = 0; k < m; ++k) {
                std::copy_n(q.row(k) + first, count, right + k * wide);
                std::fill_n(right + k * wide + count, wide - count, 0.0);
            }
            for (index g = 0; g < groups; ++g) {
                const index rows = std::min(high, w.rows - g * high);
                std::fill_n(tile, high * wide, 0.0);
                for (index r = 0; r < rows; ++r) std::copy_n(w.row(g * high + r) + first, count, tile + r * wide);
                ops.rank_update(tile, wide, left.data() + g * m * high, right, m);
                for (index r = 0; r < rows; ++r) std::copy_n(tile + r * wide, count, w.row(g * high + r) + first);
            }
        }
    });
}

}  // namespace mercer
