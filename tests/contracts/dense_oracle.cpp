#include "contracts/dense_oracle.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <numeric>

namespace mercer::testing {
namespace {

using by_rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const by_rows> seen(const real_matrix& a) { return {a.data(), a.rows(), a.cols()}; }
Eigen::Map<by_rows> seen(real_matrix& a) { return {a.data(), a.rows(), a.cols()}; }

template <class Expression>
real_matrix made(const Expression& from) {
    real_matrix out(from.rows(), from.cols());
    seen(out) = from;
    return out;
}
std::vector<double> numbers(const Eigen::VectorXd& from) { return {from.data(), from.data() + from.size()}; }

void must_fit(bool fits, const char* what) {
    if (fits) return;
    std::cerr << "dense_oracle: the sizes of " << what << " do not fit\n";
    std::abort();
}
void must_be_alike(const real_matrix& a, const real_matrix& b, const char* what) {
    must_fit(a.rows() == b.rows() && a.cols() == b.cols(), what);
}
void must_be_square(const real_matrix& a, const char* what) { must_fit(a.rows() == a.cols(), what); }

double inner(const double* a, const double* b, index n) { return std::inner_product(a, a + n, b, 0.0); }
// Subtracts a multiple of row k of b from row i of a.
void subtract(real_matrix& a, index i, double factor, const real_matrix& b, index k) {
    for (index c = 0; c < a.cols(); ++c) a(i, c) -= factor * b(k, c);
}
// L of A = LLᵀ. (Eigen's Cholesky would take longer to compile than the rest of this file.)
real_matrix cholesky_factor(const real_matrix& a) {
    real_matrix l(a.rows(), a.cols());
    for (index i = 0; i < a.rows(); ++i) {
        for (index j = 0; j < i; ++j) l(i, j) = (a(i, j) - inner(l.row(i), l.row(j), j)) / l(j, j);
        l(i, i) = std::sqrt(a(i, i) - inner(l.row(i), l.row(i), i));
    }
    return l;
}
// L⁻¹B
real_matrix lower_solve(const real_matrix& l, real_matrix b) {
    for (index i = 0; i < b.rows(); ++i) {
        for (index k = 0; k < i; ++k) subtract(b, i, l(i, k), b, k);
        for (index c = 0; c < b.cols(); ++c) b(i, c) /= l(i, i);
    }
    return b;
}

}  // namespace

real_matrix::real_matrix(matrix_view<const double> from) : matrix<double>(from.rows, from.cols) {
    for (index i = 0; i < from.rows; ++i) std::copy_n(from.row(i), from.cols, row(i));
}
real_matrix real_matrix::of_rows(std::initializer_list<std::initializer_list<double>> rows) {
    real_matrix out(static_cast<index>(rows.size()), rows.size() == 0 ? 0 : static_cast<index>(rows.begin()->size()));
    double* next = out.data();
    for (const auto& each : rows) {
        must_fit(static_cast<index>(each.size()) == out.cols(), "rows");
        next = std::copy(each.begin(), each.end(), next);
    }
    return out;
}
real_matrix real_matrix::constant(index rows, index cols, double value) {
    real_matrix out(rows, cols);
    std::fill_n(out.data(), out.size(), value);
    return out;
}
real_matrix real_matrix::identity(index n) { return diagonal(std::vector<double>(static_cast<std::size_t>(n), 1.0)); }
real_matrix real_matrix::diagonal(std::span<const double> values) {
    const auto n = static_cast<index>(values.size());
    real_matrix out(n, n);
    for (index i = 0; i < n; ++i) out(i, i) = values[static_cast<std::size_t>(i)];
    return out;
}
real_matrix real_matrix::column(std::span<const double> values) {
    real_matrix out(static_cast<index>(values.size()), 1);
    std::copy(values.begin(), values.end(), out.data());
    return out;
}

real_matrix real_matrix::transpose() const { return made(seen(*this).transpose()); }
real_matrix real_matrix::nth_row(index i) const { return made(seen(*this).row(i)); }
real_matrix real_matrix::nth_column(index j) const { return made(seen(*this).col(j)); }
std::vector<double> real_matrix::on_diagonal() const { return numbers(seen(*this).diagonal()); }
double real_matrix::trace() const { return seen(*this).trace(); }
double real_matrix::norm() const { return seen(*this).norm(); }
double real_matrix::squared_norm() const { return seen(*this).squaredNorm(); }
double real_matrix::stable_norm() const { return seen(*this).stableNorm(); }
double real_matrix::sum() const { return seen(*this).sum(); }
double real_matrix::mean() const { return seen(*this).mean(); }
std::vector<double> real_matrix::row_means() const { return numbers(seen(*this).rowwise().mean()); }

real_matrix operator+(const real_matrix& a, const real_matrix& b) {
    must_be_alike(a, b, "a sum");
    return made(seen(a) + seen(b));
}
real_matrix operator-(const real_matrix& a, const real_matrix& b) {
    must_be_alike(a, b, "a difference");
    return made(seen(a) - seen(b));
}
real_matrix operator*(const real_matrix& a, const real_matrix& b) {
    must_fit(a.cols() == b.rows(), "a product");
    return made(seen(a) * seen(b));
}
real_matrix operator*(double factor, const real_matrix& a) { return made(factor * seen(a)); }
real_matrix operator/(const real_matrix& a, double divisor) { return made(seen(a) / divisor); }
bool operator==(const real_matrix& a, const real_matrix& b) {
    return a.rows() == b.rows() && a.cols() == b.cols() && std::equal(a.data(), a.data() + a.size(), b.data());
}
std::ostream& operator<<(std::ostream& out, const real_matrix& a) {
    out << a.rows() << " × " << a.cols();
    for (index i = 0; i < a.rows(); ++i)
        for (index j = 0; j < a.cols(); ++j) out << (j == 0 ? '\n' : ' ') << a(i, j);
    return out;
}

double dot(const real_matrix& a, const real_matrix& b) {
    must_be_alike(a, b, "an inner product");
    return seen(a).cwiseProduct(seen(b)).sum();
}
real_matrix symmetric_part(const real_matrix& a) {
    must_be_square(a, "a symmetric part");
    return made((seen(a) + seen(a).transpose()) / 2);
}
real_matrix centred_both_ways(const real_matrix& a) {
    by_rows out = seen(a);
    out.rowwise() -= out.colwise().mean().eval();
    out.colwise() -= out.rowwise().mean().eval();
    return made(out);
}

oracle_eigen eigen_of(const real_matrix& a) {
    must_be_square(a, "an eigendecomposition");
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> found(seen(a));
    return {numbers(found.eigenvalues()), made(found.eigenvectors())};
}
std::vector<double> eigenvalues_of(const real_matrix& a) {
    must_be_square(a, "an eigendecomposition");
    return numbers(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(seen(a), Eigen::EigenvaluesOnly).eigenvalues());
}
std::vector<double> generalised_eigenvalues_of(const real_matrix& a, const real_matrix& b) {
    must_be_square(a, "an eigendecomposition");
    must_be_alike(a, b, "an eigendecomposition");
    const real_matrix l = cholesky_factor(b), half = lower_solve(l, a);
    return eigenvalues_of(symmetric_part(lower_solve(l, half.transpose())));  // of L⁻¹AL⁻ᵀ
}
// Gram-Schmidt orthogonalisation, twice for every column.
real_matrix orthogonal_factor(const real_matrix& a) {
    must_be_square(a, "an orthogonal factor");
    real_matrix q = a.transpose();
    for (index i = 0; i < q.rows(); ++i) {
        for (index k = 0; k < 2 * i; ++k) subtract(q, i, inner(q.row(i), q.row(k % i), q.cols()), q, k % i);
        const double length = std::sqrt(inner(q.row(i), q.row(i), q.cols()));
        for (index c = 0; c < q.cols(); ++c) q(i, c) /= length;
    }
    return q.transpose();
}
real_matrix solve_definite(const real_matrix& a, const real_matrix& b) {
    must_be_square(a, "a linear system");
    must_fit(a.rows() == b.rows(), "a linear system");
    const real_matrix l = cholesky_factor(a);
    real_matrix x = lower_solve(l, b);
    for (index i = x.rows() - 1; i >= 0; --i) {
        for (index c = 0; c < x.cols(); ++c) x(i, c) /= l(i, i);
        for (index k = 0; k < i; ++k) subtract(x, k, l(i, k), x, i);
    }
    return x;
}

std::vector<double> evenly(index n, double first, double last) {
    return numbers(Eigen::VectorXd::LinSpaced(n, first, last));
}

}  // namespace mercer::testing
