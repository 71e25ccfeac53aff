// What preconditions Newton's equations of several functions: a sketched matrix for each, or one for all of them.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "mercer/solvers/nystroem/nystroem_basis.h"
#include "mercer/solvers/nystroem/nystroem_newton.h"
#include "mercer/solvers/nystroem/row_losses.h"
#include "mercer/solvers/nystroem/row_sketch.h"

namespace mercer {

class sketched_shapes {
public:
    // Where f has an offset the matrices have a row for it. Borrowed.
    sketched_shapes(const nystroem_operator& k, const row_losses& losses, bool offset);
    // From the curvatures as they are now; one matrix for all functions where it is asked for, where they have the same
    // curvature, or where more do not fit. The passes it took.
    index make(double lambda, bool one);
    bool empty() const { return shapes_.empty(); }
    double lambda() const { return lambda_; }  // it was made with
    // What making them again costs, in passes: from the operations of both, at the rates of products of matrices and of
    // passes, which only have to be about right.
    double price() const;
    // z ← (AᵀA)⁻¹z, a row for each function.
    void solve(matrix<double>& z) const;
    // Of a quadratic loss: where the loss of the sketched rows is least. No rows: of others, of many
    // functions, or where it is not finite.
    const matrix<double>& start() const { return start_; }
    // Of a quadratic loss without an offset: a bound on ½gᵀ(ΦᵀDΦ + λI)⁻¹g, from g or from gᵀ(AᵀA)⁻¹g; infinity where
    // there is none.
    double gap_of(const matrix<double>& g) const;
    double gap_of(double square) const { return std::isinf(stretch_) ? stretch_ : 0.5 * stretch_ * square; }

private:
    double stretch_of(const row_sketches& rows, double lambda) const;

    const nystroem_operator& k_;
    const row_losses& losses_;
    bool offset_;
    double largest_weight_, lambda_ = 0;
    index width_, functions_, buckets_;
    std::vector<sketched_hessian> shapes_;
    matrix<double> start_;
    double stretch_ = std::numeric_limits<double>::infinity();  // AᵀA <= stretch·(ΦᵀDΦ + λI), as symmetric matrices
};

}  // namespace mercer
