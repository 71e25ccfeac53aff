#include "mercer/solvers/nystroem/nystroem_basis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/processes/process_group.h"
#include "mercer/solvers/algebra/dense_algebra.h"

namespace mercer {
namespace {

constexpr index chunk = 512, chunk_in_float = 2048, centres_for_float = 400;

// Whether a chunk of rows is another process's to work on.
bool of_another(const process_group* together, index chunk) {
    return together && chunk % together->size() != together->rank();
}

// a += ΦᵀΦ for the rows Φ = K T⁻¹ of a sketch, its upper half: in double, in place.
void add_rows(const nystroem_basis& basis, matrix<double>& sketch, matrix<double>& a, const process_group* together) {
    for (index first = 0; first < sketch.rows(); first += chunk) {
        if (of_another(together, first / chunk)) continue;
        const index count = std::min(chunk, sketch.rows() - first);
        basis.to_gradient(matrix_view<double>(sketch.row(first), count, basis.size(), sketch.cols()));
        add_gram(sketch.view().block(first, 0, count, sketch.cols()), a);
    }
}

// The same with the rows in float, added up in double: what rounds are single numbers, in no direction, far below what
// any ridge adds in all. Half the time, which is most of a fit where there are few examples for each centre.
void add_rows_in_float(const nystroem_basis& basis, const matrix<double>& sketch, matrix<double>& a,
                       const process_group* together) {
    const matrix<float> t = basis.turned_in_float();
    const index m = basis.size(), n = sketch.cols();
    matrix<float> rows(std::min(chunk_in_float, sketch.rows()), n), sum;
    for (index first = 0; first < sketch.rows(); first += chunk_in_float) {
        if (of_another(together, first / chunk_in_float)) continue;
        const index count = std::min(chunk_in_float, sketch.rows() - first);
        parallel_for(count, [&](index i) { std::copy_n(sketch.row(first + i), n, rows.row(i)); });
        half_solve_rows(t.view(), matrix_view<float>(rows.data(), count, m, n));
        sum = matrix<float>(n, n);
        add_gram(matrix_view<const float>(rows.data(), count, n), sum);
        parallel_for(n, [&](index i) {
            for (index j = i; j < n; ++j) a(i, j) += sum(j, i);
        });
    }
}

// RᵀR = A, R in its upper half; false where a pivot is not positive.
bool factored(matrix<double>& a, const process_group* together) {
    return together ? together->factor(a.data(), static_cast<std::size_t>(a.rows())) : mercer::cholesky_in_place(a);
}

}  // namespace

nystroem_basis::nystroem_basis(matrix<double> k_mm, const process_group* together) {
    const index m = k_mm.rows();
    for (index i = 0; i < m; ++i) largest_ = std::max(largest_, k_mm(i, i));
    if (!(largest_ > 0) || !std::isfinite(largest_))
        fail(errc::data,
             fmt::format("the largest k(z, z) of the centres must satisfy 0 < k(z, z) < infinity, got {}", largest_));
    added_ = 10 * static_cast<double>(m) * 0x1p-52 * largest_;
    for (int attempt = 0; attempt < 6; ++attempt, added_ *= 100) {
        t_ = k_mm;
        for (index i = 0; i < m; ++i) t_(i, i) += added_;
        require_finite_half(t_.view(), "kernel values of the centres");
        if (factored(t_, together)) return;
    }
    fail(errc::not_psd,
         "the kernel matrix of the centres is not positive semidefinite: see `mercer kernel test`, or take other "
         "centres");
}

void nystroem_basis::to_coefficients(matrix_view<double> rows) const {
    cholesky_other_half_solve_rows(t_.view(), rows);
}
void nystroem_basis::to_gradient(matrix_view<double> rows) const { cholesky_half_solve_rows(t_.view(), rows); }

bool nystroem_basis::mild() const {
    constexpr double most = 1000;
    double low = t_(0, 0), high = low;
    for (index i = 0; i < size(); ++i) low = std::min(low, t_(i, i)), high = std::max(high, t_(i, i));
    return high <= most * low;
}

matrix<float> nystroem_basis::turned_in_float() const {
    matrix<float> out(size(), size());
    constexpr index tile = 64;
    parallel_for((size() + tile - 1) / tile, [&](index band) {
        const index end = std::min(size(), (band + 1) * tile);
        for (index first = 0; first < end; first += tile)
            for (index i = band * tile; i < end; ++i)
                for (index j = first; j < std::min(first + tile, i + 1); ++j) out(i, j) = static_cast<float>(t_(j, i));
    });
    return out;
}

sketched_hessian::sketched_hessian(const nystroem_basis& basis, matrix<double> sketch, double lambda,
                                   const process_group* together)
    : a_(sketch.cols(), sketch.cols()) {
    const index m = basis.size();
    const bool constant = sketch.cols() > m;
    double rows = 0;  // of weight 1: what the ones add up to
    // With few centres double costs nothing, and where every row has its own place one step is the answer.
    if (agreed(together, m >= centres_for_float && basis.mild()))
        add_rows_in_float(basis, sketch, a_, together);
    else
        add_rows(basis, sketch, a_, together);
    if (together) together->add(a_.data(), static_cast<std::size_t>(a_.rows() * a_.cols()));
    if (constant) rows = a_(m, m);
    sketch = {};
    double trace = 0;
    for (index i = 0; i < m; ++i) trace += a_(i, i);
    for (index i = 0; i < m; ++i) a_(i, i) += lambda;
    // Without a ridge the constant needs some curvature of its own where the sketch has none.
    if (constant) a_(m, m) += std::max(1e-10 * rows, 1e-300);
    const matrix<double> whole = a_;
    for (double more = 0x1p-46 * (trace + lambda); !factored(a_, together); more *= 100) {
        if (!std::isfinite(more)) fail(errc::data, "Newton's equations: the matrix must be finite");
        a_ = whole;
        for (index i = 0; i < a_.rows(); ++i) a_(i, i) += more;
    }
}

void sketched_hessian::solve(matrix_view<double> rows) const { cholesky_solve(a_, rows); }

double share_out_of_reach(const nystroem_basis& basis, const gram<double>& k, const std::vector<double>& self) {
    double all = 0, reached = 0;
    for (index first = 0; first < k.rows(); first += chunk) {
        const index count = std::min(chunk, k.rows() - first);
        matrix<double> phi(count, basis.size());
        k.block(selection(first, count), selection(0, basis.size()), phi.view());
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
