
#include "mercer/gram/gram.h"

#include <fmt/format.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/per_thread.h"
#include "mercer/base/threads.h"
#include "mercer/dense/gemm.h"
#include "mercer/dense/matrix_checks.h"

namespace mercer {

template <class T>
void require_square(const gram<T>& k, const char* what) {
    if (k.rows() != k.cols())
        fail(errc::invalid_argument,
             fmt::format("{} needs as many rows as columns, got a matrix of {} rows and {} columns", what, k.rows(),
                         k.cols()));
}

template <class T>
void gram<T>::diagonal(std::span<T> out) const {
    require_square(*this, "a diagonal");
    for (index i = 0; i < rows(); ++i) {
        T* one = &out[static_cast<std::size_t>(i)];
        block(row_set(i, 1), row_set(i, 1), row_pointers<T>(&one));
    }
}

template <class T>
void gram<T>::multiply(matrix_view<const double> v, matrix_view<double> out) const {
    if (v.rows != cols() || out.rows != rows() || out.cols != v.cols)
        fail(errc::invalid_argument,
             fmt::format("out = K·v with K of {}×{} numbers, v of {}×{} and out of {}×{}: the sizes do not match",
                         rows(), cols(), v.rows, v.cols, out.rows, out.cols));
    // Each thread computes tiles of 192 rows. It reads 192 × 4096 numbers of K at a time, and each sum runs over the
    // columns in ascending order.
    constexpr index band = 192, strip = 4096;
    const index m = v.cols;
    const matrix_view<const T> memory = stored();
    parallel_for((rows() + band - 1) / band, [&](index b) {
        // The buffer is moved out of thread storage while it is in use, because block() may multiply by another matrix.
        auto& kept = per_thread<buffer<T>>([] {});
        buffer<T> tile = std::move(kept);
        const index first = b * band, count = std::min(band, rows() - first);
        for (index i = first; i < first + count; ++i) std::fill_n(out.row(i), m, 0.0);
        const bool there = first + count <= memory.rows;
        for (index c = 0; c < cols(); c += strip) {
            const index width = std::min(strip, cols() - c);
            matrix_view<const T> k;
            if (there) {
                k = memory.block(first, c, count, width);
            } else {
                const matrix_view<T> copy(tile.at_least(count * width), count, width);
                block(row_set(first, count), row_set(c, width), copy);
                k = copy;
            }
            for (index i = 0; i < count; ++i) {
                const T* row = k.row(i);
                double* to = out.row(first + i);
                if (m == 1) {
                    // Eight partial sums allow the compiler to use SIMD instructions; their order is fixed.
                    double part[8] = {};
                    index j = 0;
                    for (; j + 8 <= width; j += 8)
                        for (index s = 0; s < 8; ++s) part[s] += static_cast<double>(row[j + s]) * v(c + j + s, 0);
                    for (; j < width; ++j) part[0] += static_cast<double>(row[j]) * v(c + j, 0);
                    to[0] += ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
                } else {
                    for (index j = 0; j < width; ++j) {
                        const double kij = static_cast<double>(row[j]);
                        const double* from = v.row(c + j);
                        for (index s = 0; s < m; ++s) to[s] += kij * from[s];
                    }
                }
            }
        }
        kept = std::move(tile);
    });
}

template <class T>
void gram<T>::fill(matrix_view<T> out) const {
    block(row_set(0, rows()), row_set(0, cols()), out);
}

template void require_square(const gram<float>&, const char*);
template void require_square(const gram<double>&, const char*);
template class gram<float>;
template class gram<double>;

asymmetry find_largest_asymmetry(matrix_view<const double> k) {
    asymmetry worst;
    for (index i = 0; i < k.rows; ++i)
        for (index j = 0; j < i; ++j)
            if (const double size = std::abs(k(i, j) - k(j, i)); size > worst.size) worst = {size, i, j};
    return worst;
}

matrix<double> form_matrix(const gram<double>& k) {
    matrix<double> all(k.rows(), k.cols());
    k.block(row_set(0, k.rows()), row_set(0, k.cols()), all.view());
    return all;
}

void symmetrise(matrix<double>& a) {
    for (index i = 0; i < a.rows(); ++i)
        for (index j = 0; j < i; ++j) a(i, j) = a(j, i) = a(i, j) / 2 + a(j, i) / 2;
}

matrix<double> form_symmetric_matrix(const gram<double>& k, const std::string& owner) {
    if (k.rows() != k.cols())
        fail(errc::invalid_argument,
             fmt::format("{}: the matrix must be square, got {} × {}", owner, k.rows(), k.cols()));
    matrix<double> all = form_matrix(k);
    require_finite(all.view(), owner);
    const asymmetry worst = find_largest_asymmetry(all.view());
    if (worst.size > 1e-12 * max_abs_entry(all.view()))
        fail(errc::invalid_argument,
             fmt::format("{}: the matrix must be symmetric, got {} at ({}, {}) and {} at ({}, {})", owner,
                         all(worst.row, worst.col), worst.row, worst.col, all(worst.col, worst.row), worst.col,
                         worst.row));
    symmetrise(all);
    return all;
}

}  // namespace mercer
