#include "mercer/dense/krylov_basis.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/dense/tall_product.h"
#include "mercer/dense/vector_ops.h"

namespace mercer {
namespace {

// x ← x - c·y
void subtract(double* __restrict x, double c, const double* __restrict y, index n) {
    for (index a = 0; a < n; ++a) x[a] -= c * y[a];
}

// The rows of w made orthonormal, without those that have nothing left above `floor`; least: of the norms that were
// divided by
matrix<double> gram_schmidt(const matrix<double>& w, double floor, double* least = nullptr) {
    const auto dot = smo::best_vector_ops().dot;
    matrix<double> out(w.rows(), w.cols());
    index kept = 0;
    double smallest = std::numeric_limits<double>::infinity();
    for (index i = 0; i < w.rows(); ++i) {
        double* x = out.row(kept);
        std::copy_n(w.row(i), w.cols(), x);
        for (int twice = 0; twice < 2; ++twice)
            for (index j = 0; j < kept; ++j) {
                const double c = dot(x, out.row(j), w.cols());
                subtract(x, c, out.row(j), w.cols());
            }
        const double size = std::sqrt(dot(x, x, w.cols()));
        if (!(size > floor)) continue;
        smallest = std::min(smallest, size);
        for (index a = 0; a < w.cols(); ++a) x[a] /= size;
        ++kept;
    }
    if (least) *least = smallest;
    matrix<double> fit(kept, w.cols());
    std::copy_n(out.data(), kept * w.cols(), fit.data());
    return fit;
}

}  // namespace

matrix<double> krylov_basis::h() const {
    matrix<double> out(size_, size_);
    for (index i = 0; i < size_; ++i) std::copy_n(h_.row(i), size_, out.row(i));
    return out;
}

matrix<double> krylov_basis::project(matrix<double>& w) const {
    matrix<double> taken = row_products(w.view(), rows(0, size_));
    subtract_combinations(w.view(), taken.view(), rows(0, size_));
    return taken;
}

matrix<double> krylov_basis::orthonormal(const matrix<double>& w, double floor, double scale) const {
    double least = 0;
    matrix<double> kept = gram_schmidt(w, floor, &least);
    if (kept.rows() == 0 || (least > 0.01 * scale && kept.rows() == w.rows())) return kept;
    if (size_ > 0) project(kept);
    return gram_schmidt(kept, 0.5);  // what was mostly made of Q by rounding goes
}

void krylov_basis::append(const matrix<double>& block) {
    for (index i = 0; i < block.rows(); ++i) std::copy_n(block.row(i), dims(), q_.row(size_ + i));
    size_ += block.rows();
}

void krylov_basis::set_last(const matrix<double>& coupling) {
    const index first = size_ - coupling.rows();
    for (index i = 0; i < coupling.rows(); ++i)
        for (index j = 0; j < size_; ++j)
            h_(first + i, j) = h_(j, first + i) =
                j < first ? coupling(i, j) : (coupling(i, j) + coupling(j - first, first + i)) / 2;
}

matrix<double> krylov_basis::combined(matrix<double> s) const {
    for (index i = 0; i < s.rows() * s.cols(); ++i) s.data()[i] = -s.data()[i];
    matrix<double> out(s.rows(), dims());
    subtract_combinations(out.view(), s.view(), rows(0, size_));
    return out;
}

void krylov_basis::shrink(matrix<double> s, const std::vector<double>& theta) {
    const matrix<double> y = combined(std::move(s));
    size_ = 0;
    append(y);
    for (index i = 0; i < size_; ++i) {
        std::fill_n(h_.row(i), size_, 0.0);
        h_(i, i) = theta[static_cast<std::size_t>(i)];
    }
}

}  // namespace mercer
