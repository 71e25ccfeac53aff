// The largest eigenvalues of a symmetric matrix A that is accessed only by products: A uᵢ = θᵢuᵢ, θ₁ >= θ₂ >= … >= θ_p.
//
// Block Lanczos with full reorthogonalisation and thick restarts (Golub & Underwood 1977; Wu & Simon 2000). Each pass
// adds one block to the basis Q: AQ = QH + Q⁺R Eᵀ, where E selects the last block and Q⁺ is the next one. So the
// residual norm of a Ritz pair (θ, Qs) is ‖R s_last‖, without another product. When Q has reached its largest size, it
// is replaced by the best Ritz vectors, and the iteration continues with Q⁺. It ends when ‖Auᵢ - θᵢuᵢ‖ <= tol·max|θ|
// for i = 1 … p. A block uses each tile of A many times while the tile is in the cache, and finds eigenvalues of
// multiplicity up to the width of the block.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/matrix_view.h"

namespace mercer {

// Options of block_lanczos().
struct lanczos_options {
    index pairs = 1;
    index block = 16;
    index first_block = 0;  // vectors of the first pass, if fewer than `block`; 0: `block`
    index max_basis = 0;    // largest number of basis vectors; 0: chosen from `pairs` and `block`
    double tol = 1e-12;
    index max_passes = 200;
    std::uint64_t seed = 0;  // random seed of the first block
    std::function<bool(index pass, double residual)>
        progress{};  // returns false to stop with the current pairs; `residual` is relative to max|θ|
};

// The result of block_lanczos().
struct lanczos_result {
    fit_status status = fit_status::converged;
    std::vector<double> values;  // descending
    matrix<double> vectors;      // row i is uᵢ
    std::vector<double> residuals;
    double lowest =
        std::numeric_limits<double>::infinity();  // smallest Ritz value of all passes: an upper bound of λ_min
    index passes = 0;
};

// out = A·v for v of n rows and any number of columns.
using block_operator = std::function<void(matrix_view<const double> v, matrix_view<double> out)>;
// Computes the `pairs` largest eigenvalues of an n × n matrix A and their eigenvectors, 1 <= pairs <= n; multiply(v,
// out) sets out = A·v. Throws errc::cancelled if `progress` returns false before the first pass has ended.
lanczos_result block_lanczos(index n, const block_operator& multiply, const lanczos_options& options);

// An orthonormal basis Q of a Krylov space of A, and H = Q A Qᵀ. Vectors are rows, so each is contiguous.
class krylov_basis {
public:
    krylov_basis(index n, index max_vectors) : q_(max_vectors, n), h_(max_vectors, max_vectors) {}

    index size() const { return size_; }
    index dims() const { return q_.cols(); }
    matrix<double> h() const;

    // w ← w - (w Qᵀ) Q. Returns w Qᵀ.
    matrix<double> project(matrix<double>& w) const;
    // An orthonormal basis of the rows of w, orthogonal to Q. project(w) has been called before. Rows whose remaining
    // norm is at most `floor` are dropped. By rounding, rows of w have a component of about ε·scale in the space of Q.
    // Dividing a row by a norm much smaller than `scale` would increase it, so such rows are projected again.
    matrix<double> orthonormal(const matrix<double>& w, double floor, double scale) const;

    void append(const matrix<double>& block);
    // Sets the rows and columns of H = Q A Qᵀ that belong to the block appended last. `coupling` is Q_last A Qᵀ: a row
    // for each vector of that block, a column for each vector of Q.
    void set_last(const matrix<double>& coupling);
    // The linear combinations s·Q.
    matrix<double> combined(matrix<double> s) const;
    // Q ← s·Q, H ← diag(θ)
    void shrink(matrix<double> s, const std::vector<double>& theta);

private:
    matrix_view<const double> rows(index first, index count) const { return q_.view().block(first, 0, count, dims()); }

    matrix<double> q_, h_;
    index size_ = 0;
};

}  // namespace mercer
