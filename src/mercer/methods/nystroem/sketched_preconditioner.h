// The preconditioner of Newton's equations: a sketch of the rows of K, and the sketched matrices of several functions,
// one for each or one for all of them.
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

// A sparse sign sketch (Cohen 2016): S D^½ K, where S has s rows and in each column four entries ±½, so that
// (SD^½K)ᵀ(SD^½K) has expectation KᵀDK. Rows that are alone in their direction are represented in the sketch, while a
// uniform sample of rows would mostly miss them. Eight rows, at a distance of six, share their four buckets but have
// independent signs. One pass over K. If s >= n every row has its own bucket.

// The sums over rows of several threads and processes have no fixed order. The numbers are therefore rounded to so few
// digits that no addition rounds (base/reproducible_sums.h), which leaves the accuracy that a preconditioner needs; the
// sketch is bit-identical for any number of processes.
using row_weights = std::function<double(index row, index c)>;
// Entry t of the additional columns of row i, in [-1, 1].
using extra_values = std::function<double(index row, index t)>;

struct sketch_options {
    index buckets = 1;   // s, the number of rows of the sketch
    index count = 1;     // number of matrices D, each with a sketch of its own, all in the same pass
    row_weights weight;  // entry of row i in the c-th D
    row_filter only;     // rows that are sketched; empty: all rows
    double max_weight = 1, estimated_max_value = 1;  // upper bound on the weights; estimate of the largest kernel value
    index extra_columns = 0;                         // number of additional columns that are sketched with those of K
    extra_values extra_value;                        // entries of the additional columns
    std::uint64_t seed = 0;
};
struct row_sketches {
    std::vector<matrix<double>> of;  // SD^½K, one for each D
    // (SD^½)ᵀSD^½ <= norm_bound·D as symmetric matrices, for every D: ‖S‖² is at most the largest column sum of |S|, 2,
    // times the largest row sum, half the number of rows in the bucket. The factor also covers the rounding of the
    // roots of the weights.
    double norm_bound = 1;
    double rounding_unit = 0;  // bound on the rounding error of entries of K
};
template <class T>
row_sketches make_row_sketches(const gram_batches<T>& k, const sketch_options& options);

extern template row_sketches make_row_sketches(const gram_batches<float>&, const sketch_options&);
extern template row_sketches make_row_sketches(const gram_batches<double>&, const sketch_options&);

// Returns the number of rows s = xm of a sketch of n rows of K with m columns. A fit takes a number of passes
// proportional to 2/log x, each over nm pairs, and xm³ operations for the square of the sketch; about fifteen of these
// take as long as a pair. The sum is smallest for x close to this line.
inline index buckets_for(double n, double m) {
    const double size = std::max(m, 1.0);
    return static_cast<index>(std::min(4 + 28 * n / (size * size), 12.0) * size);
}

class sketched_preconditioner {
public:
    // The arguments are borrowed. With an offset the matrices have one more row and column.
    sketched_preconditioner(const nystroem_operator& k, const row_losses& losses, bool offset);
    // Computes the preconditioner matrices from the current curvatures of the sampled `rows`. All fitted functions (one
    // per class or target) share one matrix if `one` is set, if their curvatures are equal, or if separate matrices do
    // not fit the memory. Returns the number of passes over the rows.
    index make(double lambda, bool one, const curvature_sample& rows, double theta);
    bool empty() const { return matrices_.empty(); }
    double lambda() const { return lambda_; }  // the ridge of the matrices
    // Returns the cost of making the matrices again, in passes over this fraction of the rows. The estimate compares
    // the operation counts at typical rates of matrix products and of passes.
    double rebuild_cost(double share) const;
    // z ← (AᵀA)⁻¹z, one row per function.
    void solve(matrix<double>& z) const;
    // For a quadratic loss: the minimiser of the loss of the sketched rows. No rows for other losses, for many
    // functions, or if it is not finite.
    const matrix<double>& start() const { return start_; }
    // For a quadratic loss without an offset: an upper bound on ½gᵀ(ΦᵀDΦ + λI)⁻¹g, from g or from gᵀ(AᵀA)⁻¹g; infinity
    // if there is no bound.
    double gap_of(const matrix<double>& g) const;
    std::vector<double> gaps_of(const matrix<double>& g, index problems) const;  // one bound per problem
    double gap_of(double square) const { return std::isinf(norm_bound_) ? norm_bound_ : 0.5 * norm_bound_ * square; }

private:
    double norm_bound_of(const row_sketches& rows, double lambda) const;

    const nystroem_operator& k_;
    const row_losses& losses_;
    bool offset_;
    double max_weight_, lambda_ = 0;
    index width_, functions_, buckets_;
    std::vector<sketched_hessian> matrices_;
    matrix<double> start_;
    double norm_bound_ =
        std::numeric_limits<double>::infinity();  // AᵀA <= norm_bound·(ΦᵀDΦ + λI), as symmetric matrices
};

}  // namespace mercer
