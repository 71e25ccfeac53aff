// What preconditions Newton's equations of several functions: a sketched matrix for each, or one for all of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "mercer/methods/nystroem/gram_pass.h"
#include "mercer/methods/nystroem/nystroem_basis.h"
#include "mercer/methods/nystroem/nystroem_newton.h"
#include "mercer/methods/nystroem/row_losses.h"

namespace mercer {

// A few rows that stand for all: S D^½ K with S of s rows that has four entries ±½ in each column (a sparse sign
// sketch, Cohen 2016), so that the expectation of (SD^½K)ᵀ(SD^½K) is KᵀDK and rows that are alone in their direction
// are in it; a uniform sample of rows would mostly miss them. Eight rows, six apart, have their buckets drawn together,
// each its own signs. One pass over K. Where s >= n every row has a bucket for itself.

// Rows of several processes are added up in no fixed order, so the numbers are rounded before to few enough digits that
// no sum rounds (base/reproducible_sums.h): what a preconditioner needs of them, the bits the same for any number of
// processes.
using row_weights = std::function<double(index row, index c)>;
// Entry t of what stands behind row i of K, in [-1, 1].
using row_columns = std::function<double(index row, index t)>;

struct sketch_options {
    index buckets = 1;                             // s
    index count = 1;                               // one sketch for each of so many matrices D, all in the same pass
    row_weights weight;                            // the entry of row i of the c-th D
    row_filter only;                               // none: all rows; else those for which it is true
    double largest_weight = 1, largest_value = 1;  // not below any weight; of the kernel values a guess
    index more = 0;                                // columns behind those of K, sketched with them:
    row_columns behind;                            // their entries
    std::uint64_t seed = 0;
};
struct row_sketches {
    std::vector<matrix<double>> of;  // SD^½K, one for each D
    // (SD^½)ᵀSD^½ <= stretch·D in the order of symmetric matrices, for every D: ‖S‖² is at most the largest sum of |S|
    // along a column, 2, times that along a row, half of what is in its bucket; and what roots of weights are rounded
    // by.
    double stretch = 1;
    double digit = 0;  // entries of K are off by no more than this
};
template <class T>
row_sketches row_sketch(const gram_batches<T>& k, const sketch_options& options);

extern template row_sketches row_sketch(const gram_batches<float>&, const sketch_options&);
extern template row_sketches row_sketch(const gram_batches<double>&, const sketch_options&);

// Rows of a sketch of n rows of K with m columns, s = xm: a fit takes passes in proportion to 2/log x, of nm pairs
// each, and xm³ operations for the square of the sketch, some fifteen of which take as long as a pair. The sum is least
// for an x near this line.
inline index buckets_for(double n, double m) {
    const double size = std::max(m, 1.0);
    return static_cast<index>(std::min(4 + 28 * n / (size * size), 12.0) * size);
}

class sketched_shapes {
public:
    // Where f has an offset the matrices have a row for it. Borrowed.
    sketched_shapes(const nystroem_operator& k, const row_losses& losses, bool offset);
    // From the curvatures as they are now; one matrix for all functions where it is asked for, where they have the same
    // curvature, or where more do not fit. The passes it took.
    // `rows` stand for all.
    index make(double lambda, bool one, const thinned_rows& rows, double theta);
    bool empty() const { return shapes_.empty(); }
    double lambda() const { return lambda_; }  // it was made with
    // What making them again costs, in passes over such a share of the rows: from the operations of both, at the rates
    // of products of matrices and of passes, which only have to be about right.
    double price(double share) const;
    // z ← (AᵀA)⁻¹z, a row for each function.
    void solve(matrix<double>& z) const;
    // Of a quadratic loss: where the loss of the sketched rows is least. No rows: of others, of many
    // functions, or where it is not finite.
    const matrix<double>& start() const { return start_; }
    // Of a quadratic loss without an offset: a bound on ½gᵀ(ΦᵀDΦ + λI)⁻¹g, from g or from gᵀ(AᵀA)⁻¹g; infinity where
    // there is none.
    double gap_of(const matrix<double>& g) const;
    std::vector<double> gaps_of(const matrix<double>& g, index problems) const;  // of each problem
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
