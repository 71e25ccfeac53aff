#include "mercer/solvers/nystroem/nystroem_basis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

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

// use(i, j) for i <= j < n, tile by tile, so that a matrix is read across without harm.
template <class Use>
void each_upper(index n, Use use) {
    constexpr index tile = 64;
    parallel_for((n + tile - 1) / tile, [&](index band) {
        for (index first = band * tile; first < n; first += tile)
            for (index i = band * tile; i < std::min(n, (band + 1) * tile); ++i)
                for (index j = std::max(i, first); j < std::min(n, first + tile); ++j) use(i, j);
    });
}

// The largest number of these columns, 1 where all are 0.
double size_of(const matrix<double>& a, index first, index end) {
    std::vector<double> largest(static_cast<std::size_t>(a.rows()));
    parallel_for(a.rows(), [&](index i) {
        for (index j = first; j < end; ++j)
            largest[static_cast<std::size_t>(i)] = std::max(largest[static_cast<std::size_t>(i)], std::abs(a(i, j)));
    });
    const double out = largest.empty() ? 0 : std::ranges::max(largest);
    return out > 0 ? out : 1;
}

// The same with the rows in float, added up in double: half the time, which is most of a fit where there are few
// examples for each centre. Rows and T are brought to size 1 before, for kernel values may be beyond float.
void add_rows_in_float(const nystroem_basis& basis, const matrix<double>& sketch, matrix<double>& a,
                       const process_group* together) {
    const index m = basis.size(), n = sketch.cols();
    const double size = size_of(sketch, 0, m), constant = size_of(sketch, m, n), root = std::sqrt(basis.largest());
    const matrix<float> t = basis.turned_in_float(root);
    const auto unit = [&](index j) { return j < m ? size / root : constant; };
    matrix<float> rows(std::min(chunk_in_float, sketch.rows()), n), sum(n, n);
    for (index first = 0; first < sketch.rows(); first += chunk_in_float) {
        if (of_another(together, first / chunk_in_float)) continue;
        const index count = std::min(chunk_in_float, sketch.rows() - first);
        parallel_for(count, [&](index i) {
            for (index j = 0; j < n; ++j)
                rows(i, j) = static_cast<float>(sketch(first + i, j) / (j < m ? size : constant));
        });
        half_solve_rows(t.view(), matrix_view<float>(rows.data(), count, m, n));
        std::fill_n(sum.data(), n * n, 0.0F);
        add_gram(matrix_view<const float>(rows.data(), count, n), sum);
        each_upper(n, [&](index i, index j) { a(i, j) += unit(i) * unit(j) * static_cast<double>(sum(j, i)); });
    }
}

// Whether what float adds to ΦᵀΦ stays below the ridge: numbers of φ, off by 2⁻²⁴ times the condition of T, in no
// direction, change the matrix by about 2⁻²³·κ·tr ΦᵀΦ/√M. The trace from some rows. With few centres double costs
// nothing, and where every row has its own place one step with it is the answer.
bool float_will_do(const nystroem_basis& basis, const matrix<double>& sketch, double lambda) {
    const index m = basis.size(), some = std::min<index>(sketch.rows(), 64);
    if (m < centres_for_float || some == 0) return false;
    matrix<double> phi(some, m);
    for (index i = 0; i < some; ++i) std::copy_n(sketch.row(i * sketch.rows() / some), m, phi.row(i));
    basis.to_gradient(phi.view());
    double trace = 0;
    for (index i = 0; i < some * m; ++i) trace += phi.data()[i] * phi.data()[i];
    trace *= static_cast<double>(sketch.rows()) / static_cast<double>(some);
    return 0x1p-23 * basis.spread() * trace <= lambda * std::sqrt(static_cast<double>(m));
}

// RᵀR = A, R in its upper half; false where a pivot is not positive.
bool factored(matrix<double>& a, const process_group* together) {
    return together ? together->factor(a.data(), static_cast<std::size_t>(a.rows())) : mercer::cholesky_in_place(a);
}

}  // namespace

nystroem_basis::nystroem_basis(matrix<double> k_mm, const process_group* together) {
    const index m = k_mm.rows();
    for (index i = 0; i < m; ++i) {
        largest_ = std::max(largest_, k_mm(i, i));
        mean_ += k_mm(i, i) / static_cast<double>(m);
    }
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

double nystroem_basis::spread() const {
    double low = t_(0, 0), high = low;
    for (index i = 0; i < size(); ++i) low = std::min(low, t_(i, i)), high = std::max(high, t_(i, i));
    return high / low;
}

matrix<float> nystroem_basis::turned_in_float(double size) const {
    matrix<float> out(t_.rows(), t_.rows());
    each_upper(t_.rows(), [&](index i, index j) { out(j, i) = static_cast<float>(t_(i, j) / size); });
    return out;
}

sketched_hessian::sketched_hessian(const nystroem_basis& basis, matrix<double> sketch, double lambda,
                                   const process_group* together)
    : a_(sketch.cols(), sketch.cols()) {
    const index m = basis.size();
    const bool constant = sketch.cols() > m;
    double rows = 0;  // of weight 1: what the ones add up to
    if (agreed(together, float_will_do(basis, sketch, lambda)))
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
