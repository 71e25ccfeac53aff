#include "mercer/dense/band_reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "mercer/base/error.h"
#include "mercer/base/per_thread.h"
#include "mercer/base/threads.h"
#include "mercer/dense/lapack.h"
#include "mercer/dense/matrix_checks.h"
#include "mercer/dense/vector_ops.h"

extern "C" {
void dsytrd_sy2sb_(const char* uplo, const int* n, const int* kd, double* a, const int* lda, double* ab,
                   const int* ldab, double* tau, double* work, const int* lwork, int* info, std::size_t);
void dormqr_(const char* side, const char* trans, const int* m, const int* n, const int* k, const double* a,
             const int* lda, const double* tau, double* c, const int* ldc, double* work, const int* lwork, int* info,
             std::size_t, std::size_t);
void dlarft_(const char* direct, const char* storev, const int* n, const int* k, const double* v, const int* ldv,
             const double* tau, double* t, const int* ldt, std::size_t, std::size_t);
void dlarfb_(const char* side, const char* trans, const char* direct, const char* storev, const int* m, const int* n,
             const int* k, const double* v, const int* ldv, const double* t, const int* ldt, double* c, const int* ldc,
             double* work, const int* ldwork, std::size_t, std::size_t, std::size_t, std::size_t);
}

namespace mercer {

band_reduction::band_reduction(matrix_view<double> a)
    : a_(a), diagonals_(a.rows, band + 1), tau_(static_cast<std::size_t>(a.rows)) {
    if (a.rows != a.cols || a.rows < min_n || a.rows > 1 << 20)
        fail(errc::invalid_argument,
             fmt::format("band reduction: the matrix must be square with {} <= n <= {}, got {} × {}", min_n, 1 << 20,
                         a.rows, a.cols));
    require_finite_half(a, "band reduction");
    const int n = static_cast<int>(a.rows), lda = static_cast<int>(a.stride), kd = band, ldab = band + 1;
    int info = 0, lwork = -1;
    double size = 0;
    blas::locked_call(0, dsytrd_sy2sb_, "L", &n, &kd, a.data, &lda, diagonals_.data(), &ldab, tau_.data(), &size,
                      &lwork, &info, 1);
    lwork = static_cast<int>(size);
    buffer<double> work(lwork);
    // The reduction consists of many small products. Several threads are faster from about 1000 rows on.
    blas::locked_call(0.1 * n * n * n, dsytrd_sy2sb_, "L", &n, &kd, a.data, &lda, diagonals_.data(), &ldab, tau_.data(),
                      work.data(), &lwork, &info, 1);
    if (info != 0)
        fail(errc::data,
             fmt::format("band reduction: LAPACK's dsytrd_sy2sb failed on a matrix of {} rows (info = {})", n, info));
    // LAPACK's column j is row j of `diagonals_`. Its last entries lie outside B.
    for (index j = 0; j < n; ++j)
        for (index k = n - j; k <= band; ++k) diagonals_(j, k) = 0;
}

// Q = H₁H₂…, where H_p acts on the rows from (p+1)·band on. Its reflectors are stored in those rows of A, in the
// columns from p·band on.
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
        blas::locked_call(4.0 * rows * count * width, dormqr_, "L", &trans, &rows, &count, &width,
                          a_.row(first) + first + band, &lda, tau_.data() + first, columns.data + first + band, &ldc,
                          work.data(), &lwork, &info, 1, 1);
    }
}

void band_reduction::apply_qt(matrix_view<double> columns) const { apply('T', columns); }
void band_reduction::apply_q(matrix_view<double> columns) const { apply('N', columns); }

// The trace of (LDLᵀ)⁻¹ from the result of factored().
static double inverse_trace(const double* factor, index n) {
    constexpr index band = band_reduction::band, width = band + 1;
    // Z_JJ of the current column, J = at … at + band - 1, within a square matrix. `at` falls with every column. At the
    // first row of the square, Z_JJ is copied to the end of the square.
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

// B + λI = LDLᵀ, in memory of the calling thread: row j is d_j and the entries of column j of L. nullptr if a pivot is
// not positive.
const double* band_reduction::factored(double lambda) const {
    constexpr index width = band + 1;
    const index n = size();
    auto& kept = per_thread<buffer<double>>([] {});
    double* const factor = kept.at_least((n + band) * width);
    std::copy_n(diagonals_.data(), n * width, factor);
    std::fill_n(factor + n * width, band * width, 0.0);
    for (index j = 0; j < n; ++j) factor[j * width] += lambda;
    // Subtracts the outer product of column j from the next `band` columns.
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

bool band_reduction::solve_without_trace(double lambda, matrix_view<double> columns) const {
    const double* const factor = factored(lambda);
    if (factor) substitute(factor, columns);
    return factor;
}

namespace {

constexpr index band = band_reduction::band;

// L of B + λI = LLᵀ for forward substitution in groups of `high` rows. Let G be the diagonal block of the group and C
// the part of L to the left of G. The solution y of Ly = q satisfies y_group = G⁻¹q_group - (G⁻¹C)y_before. For each
// group two matrices are stored, with `high` numbers per column:
//     -G⁻¹, `high` columns;   then G⁻¹C, `band` columns, for the rows from group·high - band on.
class half_solver {
public:
    half_solver(index n, index high) : n_(n), high_(high), groups_((n + high - 1) / high) {
        packed_.resize_uninitialised(groups_ * high * (high + band));
    }

    // Row j of `diagonals` holds B(j, j), B(j+1, j), …. Returns false if a pivot is not positive.
    bool factor(const matrix<double>& diagonals, double lambda) {
        constexpr index width = band + 1;
        buffer<double> l;
        l.resize_uninitialised((n_ + band) * width);
        std::copy_n(diagonals.data(), n_ * width, l.data());
        std::fill_n(l.data() + n_ * width, band * width, 0.0);
        for (index j = 0; j < n_; ++j) l[j * width] += lambda;
        for (index j = 0; j < n_; ++j) {
            double* const own = l.data() + j * width;
            if (!(own[0] > 0)) return false;
            const double root = std::sqrt(own[0]);
            for (index k = 0; k < width; ++k) own[k] /= root;
            for (index k = 1; k < width; ++k) {
                double* const to = l.data() + (j + k) * width;
                for (index i = k; i < width; ++i) to[i - k] -= own[k] * own[i];
            }
        }
        const auto at = [&](index i, index j) {
            return j < 0 || i - j > band || i >= n_ ? (i == j ? 1.0 : 0.0) : l[j * width + i - j];
        };
        for (index g = 0; g < groups_; ++g) pack(g, at);
        return true;
    }

    // out[c] = ‖L⁻¹q_c‖² for the `wide` columns of q. q has zero rows at its end, up to a multiple of `high`.
    void squared_norms(const vector_ops& ops, const double* q, double* out) const {
        constexpr index chunk = 60;  // groups per batch: y of a batch fits into the L1 cache
        const index wide = ops.update_cols;
        auto& memory = per_thread<buffer<double>>([] {});
        double* const y = memory.at_least((band + chunk * high_) * wide);
        std::fill_n(y, band * wide, 0.0);
        std::fill_n(out, wide, 0.0);
        for (index start = 0; start < groups_; start += chunk) {
            const index count = std::min(chunk, groups_ - start);
            for (index g = 0; g < count; ++g) {
                double* const own = y + (band + g * high_) * wide;
                const double* const part = packed_.data() + (start + g) * high_ * (high_ + band);
                std::fill_n(own, high_ * wide, 0.0);
                ops.rank_update(own, wide, part, q + (start + g) * high_ * wide, high_);
                ops.rank_update(own, wide, part + high_ * high_, y + g * high_ * wide, band);
            }
            for (index j = 0; j < count * high_; ++j)
                for (index c = 0; c < wide; ++c) out[c] += y[(band + j) * wide + c] * y[(band + j) * wide + c];
            std::copy_n(y + count * high_ * wide, band * wide, y);
        }
    }

private:
    void pack(index g, const auto& at) {
        const index first = g * high_;
        double* const inverse = packed_.data() + g * high_ * (high_ + band);
        // Column s of -G⁻¹, then of G⁻¹C, by forward substitution.
        for (index s = 0; s < high_ + band; ++s) {
            double* const x = inverse + s * high_;
            for (index r = 0; r < high_; ++r) {
                double sum = s < high_ ? (r == s ? -1.0 : 0.0) : at(first + r, first - band + s - high_);
                for (index k = 0; k < r; ++k) sum -= at(first + r, first + k) * x[k];
                x[r] = sum / at(first + r, first + r);
            }
        }
    }

    index n_, high_, groups_;
    buffer<double> packed_;
};

}  // namespace

// Q = H₁H₂…, multiplied from the last panel to the first, so that each panel changes only the rows and columns from its
// own on; the others are still those of the identity. Row c of the result is column c of Q.
matrix<double> band_reduction::q_columns() const {
    const index n = size(), panels = (n - 1) / band;
    matrix<double> q(n, n);
    for (index i = 0; i < n; ++i) q(i, i) = 1;
    const int lda = static_cast<int>(a_.stride), ldq = static_cast<int>(n), ldt = band;
    buffer<double> t(band * band), work(n * band);
    for (index p = panels - 1; p >= 0; --p) {
        const index first = p * band, from = first + band;
        const int rows = static_cast<int>(n - from), width = static_cast<int>(std::min<index>(band, rows));
        if (rows <= 0) continue;
        const double* const v = a_.row(first) + from;
        blas::locked_call(1.0 * rows * width * width, dlarft_, "F", "C", &rows, &width, v, &lda, tau_.data() + first,
                          t.data(), &ldt, 1, 1);
        blas::locked_call(4.0 * rows * rows * width, dlarfb_, "L", "N", "F", "C", &rows, &rows, &width, v, &lda,
                          t.data(), &ldt, q.row(from) + from, &ldq, work.data(), &rows, 1, 1, 1, 1);
    }
    return q;
}

matrix<double> band_reduction::inverse_diagonals(std::span<const double> lambdas, index& bad) const {
    const auto& ops = best_vector_ops();
    const index n = size(), high = update_rows, wide = ops.update_cols, count = static_cast<index>(lambdas.size());
    std::vector<half_solver> solvers;
    for (index l = 0; l < count; ++l) solvers.emplace_back(n, high);
    std::vector<char> definite(lambdas.size());
    parallel_for(count, [&](index l) {
        const auto s = static_cast<std::size_t>(l);
        definite[s] = solvers[s].factor(diagonals_, lambdas[s]);
    });
    for (index l = 0; l < count; ++l)
        if (!definite[static_cast<std::size_t>(l)]) {
            bad = l;
            return {};
        }
    const matrix<double> q = q_columns();
    matrix<double> out(n, count);
    // A task processes four panels of `wide` rows of Q, so that it reads each factor once for all of them.
    constexpr index together = 4;
    const index panels = (n + wide - 1) / wide, padded = (n + high - 1) / high * high;
    parallel_for((panels + together - 1) / together, [&](index task) {
        auto& memory = per_thread<buffer<double>>([] {});
        const index first = task * together, last = std::min(panels, first + together);
        double* const rows = memory.at_least(together * padded * wide);
        std::fill_n(rows, together * padded * wide, 0.0);
        for (index p = first; p < last; ++p)
            for (index k = 0; k < n; ++k)
                std::copy_n(q.row(k) + p * wide, std::min(wide, n - p * wide),
                            rows + ((p - first) * padded + k) * wide);
        for (index l = 0; l < count; ++l)
            for (index p = first; p < last; ++p) {
                double found[64];
                solvers[static_cast<std::size_t>(l)].squared_norms(ops, rows + (p - first) * padded * wide, found);
                for (index c = 0; c < std::min(wide, n - p * wide); ++c) out(p * wide + c, l) = found[c];
            }
    });
    return out;
}

}  // namespace mercer
