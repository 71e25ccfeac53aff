#include "mercer/solvers/nystroem/nystroem_basis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/solvers/algebra/dense_algebra.h"

namespace mercer {
namespace {

constexpr index chunk = 512;

// The features of some rows of the sample, with room for the column of ones.
matrix<double> features(const nystroem_basis& basis, const gram<double>& k, index first, index count, bool constant) {
    const index m = basis.size();
    matrix<double> out(count, m + (constant ? 1 : 0));
    const matrix_view<double> phi(out.data(), count, m, out.cols());
    k.block(selection(first, count), selection(0, m), phi);
    basis.to_gradient(phi);  // φ = T⁻ᵀk
    if (constant)
        for (index i = 0; i < count; ++i) out(i, m) = 1;
    return out;
}

}  // namespace

nystroem_basis::nystroem_basis(matrix<double> k_mm) {
    const index m = k_mm.rows();
    double largest = 0;
    for (index i = 0; i < m; ++i) largest = std::max(largest, k_mm(i, i));
    if (!(largest > 0) || !std::isfinite(largest))
        fail(errc::data,
             fmt::format("the largest k(z, z) of the centres must satisfy 0 < k(z, z) < infinity, got {}", largest));
    added_ = 10 * static_cast<double>(m) * 0x1p-52 * largest;
    for (int attempt = 0; attempt < 6; ++attempt, added_ *= 100) {
        t_ = k_mm;
        for (index i = 0; i < m; ++i) t_(i, i) += added_;
        require_finite_half(t_.view(), "kernel values of the centres");
        if (mercer::cholesky_in_place(t_)) return;
    }
    fail(errc::not_psd,
         "the kernel matrix of the centres is not positive semidefinite: see `mercer kernel test`, or take other "
         "centres");
}

void nystroem_basis::to_coefficients(matrix_view<double> rows) const {
    cholesky_other_half_solve_rows(t_.view(), rows);
}
void nystroem_basis::to_gradient(matrix_view<double> rows) const { cholesky_half_solve_rows(t_.view(), rows); }

sketched_hessian::sketched_hessian(const nystroem_basis& basis, const row_sample& sample,
                                   const std::function<double(index)>& weight, double lambda, bool constant)
    : a_(basis.size() + (constant ? 1 : 0), basis.size() + (constant ? 1 : 0)) {
    const index m = basis.size(), s = static_cast<index>(sample.rows.size());
    const double scale = s > 0 ? static_cast<double>(sample.of) / static_cast<double>(s) : 0;
    for (index first = 0; first < s; first += chunk) {
        const index count = std::min(chunk, s - first);
        matrix<double> phi = features(basis, *sample.k, first, count, constant);
        for (index i = 0; i < count; ++i) {
            const double root =
                std::sqrt(scale * std::max(0.0, weight(sample.rows[static_cast<std::size_t>(first + i)])));
            for (index j = 0; j < phi.cols(); ++j) phi(i, j) *= root;
        }
        add_gram(phi.view(), a_);
    }
    double trace = 0;
    for (index i = 0; i < m; ++i) trace += a_(i, i);
    for (index i = 0; i < m; ++i) a_(i, i) += lambda;
    // Without a ridge the constant needs some curvature of its own where the sample has none.
    if (constant) a_(m, m) += std::max(1e-10 * static_cast<double>(sample.of), 1e-300);
    const matrix<double> whole = a_;
    for (double more = 0x1p-46 * (trace + lambda); !mercer::cholesky_in_place(a_); more *= 100) {
        if (!std::isfinite(more)) fail(errc::data, "Newton's equations: the matrix must be finite");
        a_ = whole;
        for (index i = 0; i < a_.rows(); ++i) a_(i, i) += more;
    }
}

void sketched_hessian::solve(matrix_view<double> rows) const { cholesky_solve(a_, rows); }

double share_out_of_reach(const nystroem_basis& basis, const row_sample& sample, const std::vector<double>& self) {
    double all = 0, reached = 0;
    const index s = static_cast<index>(sample.rows.size());
    for (index first = 0; first < s; first += chunk) {
        const index count = std::min(chunk, s - first);
        const matrix<double> phi = features(basis, *sample.k, first, count, false);
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
