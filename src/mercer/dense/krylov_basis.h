// An orthonormal basis Q of a Krylov space of A, and H = Q A Qᵀ in it.
#pragma once

#include <vector>

#include "mercer/base/matrix_view.h"

namespace mercer {

// All vectors are rows here, so that each lies in one piece.
class krylov_basis {
public:
    krylov_basis(index n, index most) : q_(most, n), h_(most, most) {}

    index size() const { return size_; }
    index dims() const { return q_.cols(); }
    matrix<double> h() const;

    // w ← w - (w Qᵀ) Q; returns what was taken away, w Qᵀ.
    matrix<double> project(matrix<double>& w) const;
    // The rows of w, which was projected before, made orthonormal, and orthogonal to Q; those with nothing left above
    // `floor` are dropped. What they had of Q by rounding is about ε·scale: where no row is small beside `scale`, it
    // has not grown by the division.
    matrix<double> orthonormal(const matrix<double>& w, double floor, double scale) const;

    void append(const matrix<double>& block);
    // H's rows and columns of the last block: (Q A Q_lastᵀ)ᵀ
    void set_last(const matrix<double>& coupling);
    // s·Q
    matrix<double> combined(matrix<double> s) const;
    // Q ← s·Q, H ← diag(θ)
    void shrink(matrix<double> s, const std::vector<double>& theta);

private:
    matrix_view<const double> rows(index first, index count) const { return q_.view().block(first, 0, count, dims()); }

    matrix<double> q_, h_;
    index size_ = 0;
};

}  // namespace mercer
