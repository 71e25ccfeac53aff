#include "mercer/dense/gemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "mercer/base/error.h"
#include "mercer/base/per_thread.h"
#include "mercer/base/threads.h"
#include "mercer/dense/lapack.h"
#include "mercer/dense/tiles.h"
#include "mercer/dense/vector_ops.h"

// Fortran's BLAS; the trailing sizes are the lengths of the character arguments.
extern "C" {
void dsymm_(const char* side, const char* uplo, const int* m, const int* n, const double* alpha, const double* a,
            const int* lda, const double* b, const int* ldb, const double* beta, double* c, const int* ldc, std::size_t,
            std::size_t);
void dgemv_(const char* trans, const int* m, const int* n, const double* alpha, const double* a, const int* lda,
            const double* x, const int* incx, const double* beta, double* y, const int* incy, std::size_t);
}

namespace mercer {
namespace blas {
namespace {

constexpr index depth = 192;  // of a panel: one panel of each operand fits into the L1 cache

// The micro-kernel of vector_ops.h for a tile of C with `wide` rows and `high` columns. Its vectors lie along the
// columns of C, which are contiguous, so op(A) is its wide operand.
template <class T>
struct micro {
    static constexpr bool wide_numbers = std::is_same_v<T, double>;
    const vector_ops& ops = best_vector_ops();
    index wide = wide_numbers ? ops.update_cols : ops.update_cols_float;
    // C(i, j) -= Σₖ right(k, i)·left(k, j), i < wide, j < high
    void subtract(T* c, index ldc, const T* left, const T* right, index count) const {
        if constexpr (wide_numbers)
            ops.rank_update(c, ldc, left, right, count);
        else
            ops.rank_update_float(c, ldc, left, right, count);
    }
};

// Packs `count` columns of op(X), which has `size` rows, into panels of `width` rows:
// to[(panel·count + k)·width + r] = by·op(X)(panel·width + r, k), and zero beyond the last row. `along` is true if
// neighbouring rows of op(X) are neighbours in memory. `known` is the width as a constant for the compiler, or 0.
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
            // Four rows of op(X) at a time, so that each cache line of `to` is written once.
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

// pack() with the width as a constant if it is the width of a known instruction set.
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

// Columns or rows of a chunk that BLAS computes. It does not depend on the number of threads, because the rounding of
// BLAS's results may depend on the size of the chunks.
int fixed_chunk(int count) { return std::clamp((count / 16 + 23) / 24 * 24, 24, 240); }

}  // namespace

template <class T>
void tile_product(const char* op_a, const char* op_b, int m, int n, int k, T alpha, const T* a, int lda, const T* b,
                  int ldb, T beta, T* c, int ldc) {
    const micro<T> by;
    const bool plain_a = *op_a == 'N', plain_b = *op_b == 'N';
    constexpr index high = update_rows;
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

template <class T>
void tile_syrk(const char* half, const char* op, int n, int k, T alpha, const T* a, int lda, T* c, int ldc) {
    const bool plain = is(op, 'N'), lower = is(half, 'L');
    const char* other = plain ? "T" : "N";
    if (n <= small) {
        T square[small * small];
        tile_product<T>(op, other, n, n, k, alpha, a, lda, a, lda, T(0), square, small);
        for (int j = 0; j < n; ++j)
            for (int i = lower ? j : 0; i < (lower ? n : j + 1); ++i) *at(c, ldc, i, j) += square[i + j * small];
        return;
    }
    const int top = first_half(n), rest = n - top;
    const T* below = plain ? at(a, lda, top, 0) : at(a, lda, 0, top);
    tile_syrk(half, op, top, k, alpha, a, lda, c, ldc);
    tile_syrk(half, op, rest, k, alpha, below, lda, at(c, ldc, top, top), ldc);
    if (lower)
        tile_product<T>(op, other, rest, top, k, alpha, below, lda, a, lda, T(1), at(c, ldc, top, 0), ldc);
    else
        tile_product<T>(op, other, top, rest, k, alpha, a, lda, below, lda, T(1), at(c, ldc, 0, top), ldc);
}

template <class T>
void gemm(const char* op_a, const char* op_b, int m, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb,
          T beta, T* c, int ldc) {
    const int tile = tile_of(1.0 * m * n);
    const index down = parts(m, tile), across = parts(n, tile);
    parallel_calls(down * across, [&](index item) {
        const int i = static_cast<int>(item % down) * tile, j = static_cast<int>(item / down) * tile,
                  height = std::min(tile, m - i), width = std::min(tile, n - j);
        const T* left = is(op_a, 'N') ? at(a, lda, i, 0) : at(a, lda, 0, i);
        const T* right = is(op_b, 'N') ? at(b, ldb, 0, j) : at(b, ldb, j, 0);
        tile_product(op_a, op_b, height, width, k, alpha, left, lda, right, ldb, beta, at(c, ldc, i, j), ldc);
    });
}

template <class T>
void syrk(const char* half, const char* op, int n, int k, T alpha, const T* a, int lda, T* c, int ldc) {
    const int tile = tile_of(0.5 * n * n);
    const index bands = parts(n, tile);
    const char* other = is(op, 'N') ? "T" : "N";
    parallel_calls(bands * (bands + 1) / 2, [&](index item) {
        // Tile (row, col) of the lower half, counted along its rows.
        index row = 0;
        while ((row + 1) * (row + 2) / 2 <= item) ++row;
        const int i = static_cast<int>(row) * tile, j = static_cast<int>(item - row * (row + 1) / 2) * tile,
                  height = std::min(tile, n - i), width = std::min(tile, n - j);
        const auto rows_from = [&](int first) { return is(op, 'N') ? at(a, lda, first, 0) : at(a, lda, 0, first); };
        if (i == j)
            tile_syrk(half, op, height, k, alpha, rows_from(i), lda, at(c, ldc, i, i), ldc);
        else if (is(half, 'L'))
            tile_product(op, other, height, width, k, alpha, rows_from(i), lda, rows_from(j), lda, T(1),
                         at(c, ldc, i, j), ldc);
        else
            tile_product(op, other, width, height, k, alpha, rows_from(j), lda, rows_from(i), lda, T(1),
                         at(c, ldc, j, i), ldc);
    });
}

void symm(int n, int m, const double* a, int lda, const double* b, int ldb, double* c, int ldc) {
    const int chunk = fixed_chunk(n);
    const double one = 1, zero = 0;
    parallel_calls(parts(n, chunk), [&](index item) {
        const int first = static_cast<int>(item) * chunk, some = std::min(chunk, n - first), next = first + some,
                  rest = n - next;
        double* out = at(c, ldc, first, 0);
        dsymm_("L", "L", &some, &m, &one, at(a, lda, first, first), &lda, at(b, ldb, first, 0), &ldb, &zero, out, &ldc,
               1, 1);
        if (first > 0) tile_product("N", "N", some, m, first, 1.0, at(a, lda, first, 0), lda, b, ldb, 1.0, out, ldc);
        if (rest > 0)
            tile_product("T", "N", some, m, rest, 1.0, at(a, lda, next, first), lda, at(b, ldb, next, 0), ldb, 1.0, out,
                         ldc);
    });
}

void gemv(const char* op, int m, int n, double alpha, const double* a, int lda, const double* x, double* y) {
    const bool plain = is(op, 'N');
    const int count = plain ? m : n, chunk = fixed_chunk(count), step = 1;
    const double one = 1;
    parallel_calls(parts(count, chunk), [&](index item) {
        const int first = static_cast<int>(item) * chunk, some = std::min(chunk, count - first),
                  rows = plain ? some : m, cols = plain ? n : some;
        dgemv_(op, &rows, &cols, &alpha, plain ? at(a, lda, first, 0) : at(a, lda, 0, first), &lda, x, &step, &one,
               y + first, &step, 1);
    });
}

template void gemm(const char*, const char*, int, int, int, double, const double*, int, const double*, int, double,
                   double*, int);
template void gemm(const char*, const char*, int, int, int, float, const float*, int, const float*, int, float, float*,
                   int);
template void syrk(const char*, const char*, int, int, double, const double*, int, double*, int);
template void syrk(const char*, const char*, int, int, float, const float*, int, float*, int);
template void tile_syrk(const char*, const char*, int, int, double, const double*, int, double*, int);
template void tile_syrk(const char*, const char*, int, int, float, const float*, int, float*, int);

}  // namespace blas

namespace {

constexpr index few_columns = 4;  // fewer vectors are multiplied one at a time

// out = A·v by one thread, eight rows at a time: a row is read from memory for its own product, and from the cache for
// the products of the rows below. (OpenBLAS's dsymv reads past the end of the matrix on processors that it does not
// know.)
void multiply_upper(matrix_view<const double> a, const double* v, double* out) {
    constexpr index together = 8;
    const auto& ops = best_vector_ops();
    const index n = a.rows;
    std::fill_n(out, n, 0.0);
    for (index first = 0; first < n; first += together) {
        const index end = std::min(first + together, n), rest = n - end;
        const double* rows[together];
        double minus[together];
        for (index i = first; i < end; ++i) {
            out[i] += a(i, i) * v[i];
            for (index j = i + 1; j < end; ++j) out[i] += a(i, j) * v[j], out[j] += a(i, j) * v[i];
            rows[i - first] = a.row(i) + end, minus[i - first] = -v[i];
            out[i] += ops.dot(rows[i - first], v + end, rest);
        }
        ops.subtract_double_rows(out + end, rows, minus, end - first, rest);
    }
}

}  // namespace

matrix<double> product(matrix_view<const double> a, transposed a_transposed, matrix_view<const double> b,
                       transposed b_transposed) {
    const bool ta = a_transposed == transposed::yes, tb = b_transposed == transposed::yes;
    const index rows = ta ? a.cols : a.rows, inner = ta ? a.rows : a.cols, cols = tb ? b.rows : b.cols;
    if ((tb ? b.cols : b.rows) != inner)
        fail(errc::invalid_argument,
             fmt::format("product: inner sizes must agree, got {} and {}", inner, tb ? b.cols : b.rows));
    matrix<double> c(rows, cols);
    if (rows == 0 || cols == 0 || inner == 0) return c;
    // In column-major order, the memory of each matrix is its transpose: Cᵀ = op(B)ᵀ op(A)ᵀ.
    const int m = static_cast<int>(cols), n = static_cast<int>(rows), k = static_cast<int>(inner);
    const int lda = static_cast<int>(b.stride), ldb = static_cast<int>(a.stride);
    blas::gemm(tb ? "T" : "N", ta ? "T" : "N", m, n, k, 1.0, b.data, lda, a.data, ldb, 0.0, c.data(), m);
    return c;
}

// In column-major order, the memory of a row-major matrix is the transpose: Cᵀ ← Cᵀ - B·Aᵀ.
void subtract_product(matrix_view<const double> a, matrix_view<const double> b, matrix_view<double> c) {
    const int m = static_cast<int>(c.cols), n = static_cast<int>(c.rows), k = static_cast<int>(a.cols),
              lda = static_cast<int>(b.stride), ldb = static_cast<int>(a.stride), ldc = static_cast<int>(c.stride);
    if (m > 0 && n > 0 && k > 0) blas::gemm("T", "N", m, n, k, -1.0, b.data, lda, a.data, ldb, 1.0, c.data, ldc);
}

void add_gram(matrix_view<const double> g, matrix<double>& a) {
    const int n = static_cast<int>(g.cols), k = static_cast<int>(g.rows), ldg = static_cast<int>(g.stride),
              lda = static_cast<int>(a.cols());
    if (n > 0 && k > 0) blas::syrk("L", "N", n, k, 1.0, g.data, ldg, a.data(), lda);
}

void multiply_symmetric(matrix_view<const double> a, const double* v, double* out) {
    constexpr index large = 2048;  // from this size on, several threads are faster
    const int n = static_cast<int>(a.rows), lda = static_cast<int>(a.stride);
    if (n >= large) return blas::symm(n, 1, a.data, lda, v, n, out, n);
    multiply_upper(a, v, out);
}

void multiply_symmetric(matrix_view<const double> a, matrix_view<const double> v, matrix_view<double> out) {
    // For a few vectors dsymm spends more time on copying A than on multiplying.
    if (v.rows < few_columns) {
        for (index c = 0; c < v.rows; ++c) multiply_symmetric(a, v.row(c), out.row(c));
        return;
    }
    const int n = static_cast<int>(a.rows), m = static_cast<int>(v.rows);
    if (n > 0)
        blas::symm(n, m, a.data, static_cast<int>(a.stride), v.data, static_cast<int>(v.stride), out.data,
                   static_cast<int>(out.stride));
}

void add_multiply(double scale, matrix_view<const double> a, transposed turned, const double* v, double* out) {
    const int m = static_cast<int>(a.cols), n = static_cast<int>(a.rows), lda = static_cast<int>(a.stride);
    if (m > 0 && n > 0) blas::gemv(turned == transposed::yes ? "N" : "T", m, n, scale, a.data, lda, v, out);
}

matrix<double> row_products(matrix_view<const double> a, matrix_view<const double> b) {
    constexpr index chunk = 2048;
    const auto& ops = best_vector_ops();
    const index parts = (a.cols + chunk - 1) / chunk, cells = a.rows * b.rows;
    buffer<double> part(parts * cells);
    parallel_for(parts, [&](index s) {
        const index first = s * chunk, count = std::min(chunk, a.cols - first);
        double* to = part.data() + s * cells;
        const index high = ops.narrow_rows, wide = ops.narrow_cols, even = b.rows / high * high;
        auto& panel_memory = per_thread<buffer<double>>([] {});
        double *panel = panel_memory.at_least((chunk + high) * wide), *tile = panel + chunk * wide;
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
    const auto& ops = best_vector_ops();
    const index high = update_rows, wide = ops.update_cols, m = q.rows, groups = (w.rows + high - 1) / high,
                chunk = 16 * wide;
    // c in panels of `high` rows, padded with zeros, as the micro-kernel reads it.
    buffer<double> left(groups * m * high);
    for (index i = 0; i < w.rows; ++i)
        for (index k = 0; k < m; ++k) left[(i / high * m + k) * high + i % high] = c(i, k);
    parallel_for((w.cols + chunk - 1) / chunk, [&](index s) {
        auto& right_memory = per_thread<buffer<double>>([] {});
        auto& tile_memory = per_thread<buffer<double>>([] {});
        double *right = right_memory.at_least(m * wide), *tile = tile_memory.at_least(high * wide);
        for (index first = s * chunk; first < std::min(w.cols, (s + 1) * chunk); first += wide) {
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

double max_abs_entry(matrix_view<const double> a) {
    double largest = 0;
    for (index i = 0; i < a.rows; ++i)
        for (index j = 0; j < a.cols; ++j) largest = std::max(largest, std::abs(a(i, j)));
    return largest;
}

double frobenius_norm(matrix_view<const double> a) {
    const double largest = max_abs_entry(a);
    if (largest == 0 || !std::isfinite(largest)) return largest;
    double sum = 0;
    for (index i = 0; i < a.rows; ++i)
        for (index j = 0; j < a.cols; ++j) {
            const double part = a(i, j) / largest;
            sum += part * part;
        }
    return largest * std::sqrt(sum);
}

}  // namespace mercer
