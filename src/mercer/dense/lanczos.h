// The largest eigenvalues of a symmetric matrix that is only ever multiplied by: A uᵢ = θᵢuᵢ, θ₁ >= θ₂ >= … >= θ_p.
//
// Block Lanczos with full reorthogonalisation and thick restarts (Golub & Underwood 1977; Wu & Simon 2000). The basis Q
// grows by one block a pass, AQ = QH + Q⁺R Eᵀ with E the last block, so the residual of a Ritz pair (θ, Qs) is ‖R
// s_last‖ without another product. When Q is full it shrinks to the best Ritz vectors and goes on from Q⁺. Ends when
// ‖Auᵢ - θᵢuᵢ‖ <= tol·|θ₁| for i = 1 … p. A block uses each tile of A many times while it is in cache, and finds
// eigenvalues of multiplicity up to its width.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/matrix_view.h"

namespace mercer {

struct lanczos_options {
    index pairs = 1;
    index block = 16;
    index first_block = 0;  // vectors of the first pass where they are to be fewer
    index most_basis = 0;   // vectors kept at once; 0: what suits the number of pairs
    double tol = 1e-12;
    index most_passes = 200;
    std::uint64_t seed = 0;  // of the starting block
    std::function<bool(index pass, double residual)>
        progress{};  // false: stop and keep what there is; residual relative to θ₁
};

struct lanczos_result {
    fit_status status = fit_status::converged;
    std::vector<double> values;  // descending
    matrix<double> vectors;      // row i is uᵢ
    std::vector<double> residuals;
    double lowest =
        std::numeric_limits<double>::infinity();  // the smallest Ritz value met: the smallest eigenvalue is no larger
    index passes = 0;
};

// out = A·v for v of n × (any number of) columns.
using block_operator = std::function<void(matrix_view<const double> v, matrix_view<double> out)>;
lanczos_result block_lanczos(index n, const block_operator& multiply, const lanczos_options& options);

// An orthonormal basis Q of a Krylov space of A, and H = Q A Qᵀ in it.

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
