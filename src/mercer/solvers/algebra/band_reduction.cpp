#include "mercer/solvers/algebra/band_reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "mercer/base/error.h"
#include "mercer/base/per_thread.h"
#include "mercer/solvers/algebra/blas/blas_turn.h"
#include "mercer/solvers/algebra/dense_algebra.h"

extern "C" {
void dsytrd_sy2sb_(const char* uplo, const int* n, const int* kd, double* a, const int* lda, double* ab,
                   const int* ldab, double* tau, double* work, const int* lwork, int* info, std::size_t);
void dormqr_(const char* side, const char* trans, const int* m, const int* n, const int* k, const double* a,
             const int* lda, const double* tau, double* c, const int* ldc, double* work, const int* lwork, int* info,
             std::size_t, std::size_t);
}

namespace mercer {

band_reduction::band_reduction(matrix_view<double> a)
    : a_(a), diagonals_(a.rows, band + 1), tau_(static_cast<std::size_t>(a.rows)) {
    if (a.rows != a.cols || a.rows < smallest_n || a.rows > 1 << 20)
        fail(errc::invalid_argument,
             fmt::format("band reduction: the matrix must be square with {} <= n <= {}, got {} × {}", smallest_n,
                         1 << 20, a.rows, a.cols));
    require_finite_half(a, "band reduction");
    const int n = static_cast<int>(a.rows), lda = static_cast<int>(a.stride), kd = band, ldab = band + 1;
    int info = 0, lwork = -1;
    double size = 0;
    blas::in_turn(0, dsytrd_sy2sb_, "L", &n, &kd, a.data, &lda, diagonals_.data(), &ldab, tau_.data(), &size, &lwork,
                  &info, 1);
    lwork = static_cast<int>(size);
    buffer<double> work(lwork);
    // Made of many small products: threads are worth their waiting for each other from about a thousand rows on.
    blas::in_turn(0.1 * n * n * n, dsytrd_sy2sb_, "L", &n, &kd, a.data, &lda, diagonals_.data(), &ldab, tau_.data(),
                  work.data(), &lwork, &info, 1);
    if (info != 0)
        fail(errc::data,
             fmt::format("band reduction: LAPACK's dsytrd_sy2sb failed on a matrix of {} rows (info = {})", n, info));
    // Fortran's column j is our row j; its last entries lie outside B.
    for (index j = 0; j < n; ++j)
        for (index k = n - j; k <= band; ++k) diagonals_(j, k) = 0;
}

// Q = H₁H₂…, where H_p acts on the rows from (p+1)·band on and its reflectors lie in the columns p·band … of that part
// of A.
void band_reduction::apply(char trans, matrix_view<double> columns) const {
    const index n = size(), panels = (n - band + band - 1) / band;
    const int count = static_cast<int>(columns.rows), lda = static_cast<int>(a_.stride),
              ldc = static_cast<int>(columns.stride);
    if (count == 0) return;
    const int lwork = std::max(count, 1) * 64 + 65 * 64;
    buffer<double> work(lwork);
    for (index step = 0; step < panels; ++step) {
        const index p = trans == 'T' ? step : panels - 1 - step, first = p * band;
        const int rows = static_cast<int>(n - first - band), width = static_cast<int>(std::min<index>(band, rows));
        int info = 0;
        if (rows <= 0) continue;
        blas::in_turn(4.0 * rows * count * width, dormqr_, "L", &trans, &rows, &count, &width,
                      a_.row(first) + first + band, &lda, tau_.data() + first, columns.data + first + band, &ldc,
                      work.data(), &lwork, &info, 1, 1);
    }
}

void band_reduction::turn(matrix_view<double> columns) const { apply('T', columns); }
void band_reduction::turn_back(matrix_view<double> columns) const { apply('N', columns); }

// The trace of (LDLᵀ)⁻¹ from the factor that solve() makes.
static double inverse_trace(const double* factor, index n) {
    constexpr index band = band_reduction::band, width = band + 1;
    // Z of the current J = at … at+band-1 within a square that is walked towards its first row; then the last corner is
    // moved to its end.
    constexpr index side = 4 * band;
    auto& square = per_thread<buffer<double>>([] {});
    double* const z = square.at_least(side * side);
    std::fill_n(z, side * side, 0.0);
    index at = side - band;
    double trace = 0;
    for (index j = n - 1; j >= 0; --j) {
        if (at == 0) {
            for (index i = band - 1; i >= 0; --i)
                std::copy_n(z + i * side, band, z + (side - band + i) * side + side - band);
            at = side - band;
        }
        const double* const l = factor + j * width + 1;
        double column[band], own = 1 / factor[j * width];
        for (index i = 0; i < band; ++i) {
            const double* const row = z + (at + i) * side + at;
            double part[8] = {};
            for (index k = 0; k < band; k += 8)
                for (index s = 0; s < 8; ++s) part[s] += row[k + s] * l[k + s];
            column[i] = -(((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7])));
        }
        for (index i = 0; i < band; ++i) own -= l[i] * column[i];
        --at;
        z[at * side + at] = own;
        for (index i = 0; i < band; ++i) z[at * side + at + 1 + i] = z[(at + 1 + i) * side + at] = column[i];
        trace += own;
    }
    return trace;
}

// B + λI = LDLᵀ, in memory of this thread: row j is d_j, then column j of L. nullptr when a pivot is not positive.
const double* band_reduction::factored(double lambda) const {
    constexpr index width = band + 1;
    const index n = size();
    auto& kept = per_thread<buffer<double>>([] {});
    double* const factor = kept.at_least((n + band) * width);
    std::copy_n(diagonals_.data(), n * width, factor);
    std::fill_n(factor + n * width, band * width, 0.0);
    for (index j = 0; j < n; ++j) factor[j * width] += lambda;
    // Column j is taken off the next `band` columns.
    for (index j = 0; j < n; ++j) {
        double* const own = factor + j * width;
        if (!(own[0] > 0)) return nullptr;
        double scaled[width];
        for (index k = 1; k < width; ++k) scaled[k] = own[k] / own[0];
        for (index k = 1; k < width; ++k) {
            double* const to = factor + (j + k) * width;
            for (index i = k; i < width; ++i) to[i - k] -= scaled[k] * own[i];
        }
        std::copy(scaled + 1, scaled + width, own + 1);
    }
    return factor;
}

void band_reduction::substitute(const double* factor, matrix_view<double> columns) const {
    constexpr index width = band + 1;
    const index n = size();
    for (index c = 0; c < columns.rows; ++c) {
        double* const v = columns.row(c);
        for (index j = 0; j < n; ++j)
            for (index k = 1; k < std::min(width, n - j); ++k) v[j + k] -= factor[j * width + k] * v[j];
        for (index j = n - 1; j >= 0; --j) {
            double sum = v[j] / factor[j * width];
            for (index k = 1; k < std::min(width, n - j); ++k) sum -= factor[j * width + k] * v[j + k];
            v[j] = sum;
        }
    }
}

std::optional<double> band_reduction::solve(double lambda, matrix_view<double> columns) const {
    const double* const factor = factored(lambda);
    if (!factor) return std::nullopt;
    substitute(factor, columns);
    return inverse_trace(factor, size());
}

bool band_reduction::solve_only(double lambda, matrix_view<double> columns) const {
    const double* const factor = factored(lambda);
    if (factor) substitute(factor, columns);
    return factor;
}

}  // namespace mercer
