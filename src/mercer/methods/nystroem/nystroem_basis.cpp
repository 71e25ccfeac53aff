#include "mercer/methods/nystroem/nystroem_basis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "mercer/base/communicator.h"
#include "mercer/base/error.h"
#include "mercer/base/random_generator.h"
#include "mercer/base/threads.h"
#include "mercer/dense/cholesky.h"
#include "mercer/dense/gemm.h"
#include "mercer/dense/lapack.h"
#include "mercer/dense/matrix_checks.h"
#include "mercer/dense/vector_ops.h"

namespace mercer {
namespace {

constexpr index chunk = 512;

// A += (SK)ᵀSK or, in the basis, A += ΦᵀΦ for the rows Φ = SK T⁻¹; only the upper triangle. Overwrites the sketch. If
// processes factor together, they divide the rows.
void add_rows(const nystroem_basis& basis, bool in_basis, matrix<double>& sketch, matrix<double>& a,
              const communicator* factor_group) {
    for (index first = 0; first < sketch.rows(); first += chunk) {
        if (factor_group && first / chunk % factor_group->size() != factor_group->rank()) continue;
        const index count = std::min(chunk, sketch.rows() - first);
        if (in_basis) basis.to_gradient(matrix_view<double>(sketch.row(first), count, basis.size(), sketch.cols()));
        add_gram(sketch.view().block(first, 0, count, sketch.cols()), a);
    }
    if (factor_group) factor_group->all_sum(a.data(), static_cast<std::size_t>(a.rows() * a.cols()));
}

// Calls change(i, j) for all i < j < n, tile by tile, so that access across the rows of a matrix stays in the cache.
template <class Change>
void for_upper_triangle(index n, Change change) {
    constexpr index tile = 64;
    parallel_for((n + tile - 1) / tile, [&](index band) {
        for (index first = band * tile; first < n; first += tile)
            for (index i = band * tile; i < std::min(n, (band + 1) * tile); ++i)
                for (index j = std::max(i + 1, first); j < std::min(n, first + tile); ++j) change(i, j);
    });
}

// Replaces the upper triangle of G by T⁻ᵀGT⁻¹. A column after those of the centres has T = 1.
void to_basis(const nystroem_basis& basis, matrix<double>& g) {
    const index n = g.rows();
    const matrix_view<double> centres(g.data(), n, basis.size(), n);
    for_upper_triangle(n, [&](index i, index j) { g(j, i) = g(i, j); });
    basis.to_gradient(centres);
    for_upper_triangle(n, [&](index i, index j) { std::swap(g(i, j), g(j, i)); });
    basis.to_gradient(centres);
}

// Returns true if (SK)ᵀSK may be formed from the sketch SK first and transformed to the basis T afterwards, which costs
// at most half as much. The rounding error of (SK)ᵀSK is 2⁻⁵³ times its entries, and T⁻ᵀ … T⁻¹ magnifies this error by
// the square of the condition number of T; the spread of the diagonal of T is a lower bound of that number. The
// magnified error must stay well below the ridge, which is compared with the trace of ΦᵀΦ, estimated from at most 64
// rows.
bool can_form_square(const nystroem_basis& basis, const matrix<double>& sketch, double lambda) {
    const index m = basis.size(), some = std::min<index>(sketch.rows(), 64);
    if (some == 0) return false;
    matrix<double> phi(some, m);
    for (index i = 0; i < some; ++i) std::copy_n(sketch.row(i * sketch.rows() / some), m, phi.row(i));
    basis.to_gradient(phi.view());
    double trace = 0;
    for (index i = 0; i < some * m; ++i) trace += phi.data()[i] * phi.data()[i];
    trace *= static_cast<double>(sketch.rows()) / static_cast<double>(some);
    return 0x1p-46 * basis.diagonal_spread() * basis.diagonal_spread() * trace <= lambda;
}

// Returns a small curvature for the offset, the last row, which has no ridge: the sketch may give it none.
double offset_curvature(double rows) { return std::max(1e-10 * rows, 1e-300); }

// Factors A = RᵀR with R in the upper triangle. Returns false if a pivot is not positive.
bool factored(matrix<double>& a, const communicator* factor_group) {
    if (!factor_group) return mercer::cholesky_in_place(a);
    blas::require_buffer();  // ScaLAPACK calls BLAS
    return factor_group->factor(a.data(), static_cast<std::size_t>(a.rows()));
}

}  // namespace

nystroem_basis::nystroem_basis(matrix<double> k_mm, const communicator* factor_group) {
    const index m = k_mm.rows();
    for (index i = 0; i < m; ++i) {
        max_diagonal_ = std::max(max_diagonal_, k_mm(i, i));
        mean_diagonal_ += k_mm(i, i) / static_cast<double>(m);
    }
    if (!(max_diagonal_ > 0) || !std::isfinite(max_diagonal_))
        fail(errc::data, fmt::format("the largest k(z, z) of the centres must satisfy 0 < k(z, z) < infinity, got {}",
                                     max_diagonal_));
    added_ridge_ = 10 * static_cast<double>(m) * 0x1p-52 * max_diagonal_;
    for (int attempt = 0; attempt < 6; ++attempt, added_ridge_ *= 100) {
        t_ = k_mm;
        for (index i = 0; i < m; ++i) t_(i, i) += added_ridge_;
        require_finite_half(t_.view(), "kernel values of the centres");
        if (!factored(t_, factor_group)) continue;
        for (index i = 0; i < m; ++i) diagonal_.push_back(k_mm(i, i) + added_ridge_);
        for_upper_triangle(m, [&](index i, index j) { t_(j, i) = k_mm(i, j); });
        return;
    }
    fail(errc::not_psd,
         "the kernel matrix of the centres is not positive semidefinite: see `mercer kernel test`, or take other "
         "centres");
}

void nystroem_basis::to_coefficients(matrix_view<double> rows) const { cholesky_backward_solve_rows(t_.view(), rows); }
void nystroem_basis::to_gradient(matrix_view<double> rows) const { cholesky_forward_solve_rows(t_.view(), rows); }

void nystroem_basis::from_coefficients(matrix_view<double> rows) const {
    const auto& ops = best_vector_ops();
    for (index r = 0; r < rows.rows; ++r)
        for (index i = 0; i < size(); ++i) rows(r, i) = ops.dot(t_.row(i) + i, rows.row(r) + i, size() - i);
}

void nystroem_basis::from_gradient(matrix_view<double> rows) const {
    constexpr index rows_at_once =
        8;  // rows of T per update, so that the sums are read and written once for all of them
    const auto& ops = best_vector_ops();
    const index m = size();
    std::vector<double> sum(static_cast<std::size_t>(m));
    for (index r = 0; r < rows.rows; ++r) {
        const double* u = rows.row(r);
        std::ranges::fill(sum, 0.0);
        for (index first = 0; first < m; first += rows_at_once) {
            const index end = std::min(first + rows_at_once, m);
            const double* of[rows_at_once];
            double minus[rows_at_once];
            for (index i = first; i < end; ++i) {
                for (index j = i; j < end; ++j) sum[static_cast<std::size_t>(j)] += t_(i, j) * u[i];
                of[i - first] = t_.row(i) + end, minus[i - first] = -u[i];
            }
            ops.subtract_double_rows(sum.data() + end, of, minus, end - first, m - end);
        }
        std::ranges::copy(sum, rows.row(r));
    }
}

void nystroem_basis::add_to(matrix<double>& a, double by) const {
    for (index i = 0; i < size(); ++i) a(i, i) += by * diagonal_[static_cast<std::size_t>(i)];
    for_upper_triangle(size(), [&](index i, index j) { a(i, j) += by * t_(j, i); });
}

std::vector<index> nystroem_basis::independent_centres() const {
    std::vector<index> out;
    for (index i = 0; i < size(); ++i)
        if (t_(i, i) * t_(i, i) > 8 * added_ridge_) out.push_back(i);
    return out;
}

double nystroem_basis::diagonal_spread() const {
    double low = t_(0, 0), high = low;
    for (index i = 0; i < size(); ++i) low = std::min(low, t_(i, i)), high = std::max(high, t_(i, i));
    return high / low;
}

double nystroem_basis::squared_inverse_norm() const {
    constexpr index some = 8;
    matrix<double> signs(some, size());
    random_generator random(1);
    for (index i = 0; i < some * size(); ++i) signs.data()[i] = random.below(2) == 0 ? -1 : 1;
    to_gradient(signs.view());
    double sum = 0;
    for (index i = 0; i < some * size(); ++i) sum += signs.data()[i] * signs.data()[i];
    return sum / static_cast<double>(some);
}

// Moves the sketched targets, which are the last columns of a_, to solutions_.
void sketched_hessian::extract_targets(index targets) {
    const index n = a_.rows() - targets;
    for (index c = 0; c < targets; ++c)
        for (index j = 0; j < n; ++j) solutions_(c, j) = a_(j, n + c);
    matrix<double> alone(n, n);
    for (index i = 0; i < n; ++i) std::copy(a_.row(i) + i, a_.row(i) + n, alone.row(i) + i);
    a_ = std::move(alone);
}

sketched_hessian::sketched_hessian(const nystroem_basis& basis, matrix<double> sketch, double lambda,
                                   const communicator* factor_group, index targets)
    : basis_(basis), a_(sketch.cols(), sketch.cols()), solutions_(targets, sketch.cols() - targets) {
    const bool squares = agree(factor_group, can_form_square(basis, sketch, lambda));
    add_rows(basis, !squares, sketch, a_, factor_group);
    sketch = {};
    if (squares && factor_in_coefficients(lambda, targets, factor_group)) return;
    if (squares) to_basis(basis, a_);
    if (targets > 0) extract_targets(targets);
    factor_in_basis(lambda, factor_group);
    if (targets > 0) cholesky_solve(a_, solutions_.view());
}

// Returns false, with a_ unchanged, if the matrix cannot be factored.
bool sketched_hessian::factor_in_coefficients(double lambda, index targets, const communicator* factor_group) {
    const index m = basis_.size();
    matrix<double> whole = a_;
    if (targets > 0) extract_targets(targets);
    basis_.add_to(a_, lambda);
    if (a_.rows() > m) a_(m, m) += offset_curvature(a_(m, m));
    if (!factored(a_, factor_group)) {
        a_ = std::move(whole);
        return false;
    }
    in_coefficients_ = true;
    if (targets > 0) {
        cholesky_solve(a_, solutions_.view());
        basis_.from_coefficients({solutions_.data(), targets, m, solutions_.cols()});
    }
    return true;
}

void sketched_hessian::factor_in_basis(double lambda, const communicator* factor_group) {
    const index m = basis_.size();
    double trace = 0;
    for (index i = 0; i < m; ++i) trace += a_(i, i);
    for (index i = 0; i < m; ++i) a_(i, i) += lambda;
    if (a_.rows() > m) a_(m, m) += offset_curvature(a_(m, m));
    const matrix<double> whole = a_;
    for (double more = 0x1p-46 * (trace + lambda); !factored(a_, factor_group); more *= 100) {
        if (!std::isfinite(more)) fail(errc::data, "Newton's equations: the matrix must be finite");
        a_ = whole, is_unmodified_ = false;
        for (index i = 0; i < a_.rows(); ++i) a_(i, i) += more;
    }
}

void sketched_hessian::solve(matrix_view<double> rows) const {
    const matrix_view<double> centres(rows.data, rows.rows, basis_.size(), rows.stride);
    if (in_coefficients_) basis_.from_gradient(centres);
    cholesky_solve(a_, rows);
    if (in_coefficients_) basis_.from_coefficients(centres);
}

double unexplained_trace(const nystroem_basis& basis, const gram<double>& k, const std::vector<double>& self) {
    double all = 0, reached = 0;
    for (index first = 0; first < k.rows(); first += chunk) {
        const index count = std::min(chunk, k.rows() - first);
        matrix<double> phi(count, basis.size());
        k.block(row_set(first, count), row_set(0, basis.size()), phi.view());
        basis.to_gradient(phi.view());
        for (index i = 0; i < count; ++i) {
            double sum = 0;
            for (index j = 0; j < phi.cols(); ++j) sum += phi(i, j) * phi(i, j);
            all += self[static_cast<std::size_t>(first + i)];
            reached += std::min(sum, self[static_cast<std::size_t>(first + i)]);
        }
    }
    return all > 0 ? std::max(0.0, 1 - reached / all) : 0;
}

}  // namespace mercer
