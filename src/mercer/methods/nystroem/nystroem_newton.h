// Newton's method for convex losses over the span of M centres: the minimiser over functions f = Φγ + b, in the basis
// of nystroem_basis.h, of
//
//     P(γ, b) = Σ loss(i, fᵢ) + λ/2 ‖γ‖²          (one γ and one b per function; b = 0 without an intercept)
//
// A Newton step solves (ΦᵀDΦ + λI)δ = -g, with D the second derivatives of the losses, by conjugate gradients with a
// sketched preconditioner (sketched_preconditioner.h; one for each function if their curvatures differ). Each of their
// steps is one pass over K (gram_pass.h). Squared loss takes one Newton step, or a few if K is multiplied in float:
// each further step removes the gradient that float has left. It starts from the minimiser of the loss of the sketched
// rows (sketch and solve, Sarlós 2006). A Newton step is shortened until P decreases enough. For other losses D is
// computed on a sample of the rows that is large enough (curvature_sample in row_losses.h), while g uses all rows; and
// the method may start from the solution for some of the rows (start_on_sample).
//
// For losses that are not quadratic the ridge starts at about a thousandth of the largest curvature. After each step
// whose quadratic model was adequate it decreases to a tenth (to 0.3 of it if curvatures are discontinuous, as for the
// squared hinge), down to λ. Overshooting steps, and shortened ones, are rare then (Marteau-Ferey, Bach, Rudi 2019).
// Functions whose losses are independent, such as one class against the rest, have step lengths of their own.
//
// Stopping rule: the gap to the dual point of the derivatives, by Fenchel's equality as in solve_representer.h,
//     P - P* <= gap = ‖g‖²/(2λ) <= tol·P,        g = Φᵀu + λγ, u the derivatives of the losses,
// measured in double; gradient_gap is the bound with an offset. Squared loss without an offset satisfies
// P - P* = ½gᵀ(ΦᵀDΦ + λI)⁻¹g. A sketch S increases no norm by more than the factor ‖S‖, which is known
// (make_row_sketches), so AᵀA <= ‖S‖²(ΦᵀDΦ + λI) and
//     P - P* <= ‖S‖²/2 · gᵀ(AᵀA)⁻¹g.
// This bound is tighter than ‖g‖²/(2λ) while g lies along large curvatures; the smaller of the two is the gap. It is
// used, with an additional factor of two, only if the rounding error of the sketch stays below the ridge by a
// conservative estimate (sketched_preconditioner.cpp). Several targets of squared loss are solved when the gap of each
// is at most tol times its own P, however large the others are; a P below 2⁻⁵² times that of γ = 0 counts as this
// value, because less is rounding.
#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/dense/vector_ops.h"
#include "mercer/methods/nystroem/gram_pass.h"
#include "mercer/methods/nystroem/nystroem_basis.h"
#include "mercer/methods/nystroem/row_losses.h"

namespace mercer {

namespace newton_vectors {

// Vectors in the space of (γ, b): one row per fitted function, with one number for each of the M centres and, with an
// offset, one more. A problem is a set of functions with a common loss, such as the classes of a softmax; its rows are
// adjacent. Functions with losses of their own are problems of one row.

using point = matrix<double>;
using numbers = std::vector<double>;  // one number per problem

inline double dot(const point& a, const point& b) {
    return best_vector_ops().dot(a.data(), b.data(), a.rows() * a.cols());
}
inline numbers dots(const point& a, const point& b, index problems) {
    const index size = a.rows() * a.cols() / problems;
    numbers out;
    for (index q = 0; q < problems; ++q)
        out.push_back(best_vector_ops().dot(a.data() + q * size, b.data() + q * size, size));
    return out;
}
// a ← a·by + more·times
inline void combine(point& a, const numbers& by, const point& more, const numbers& times) {
    const index size = a.rows() * a.cols() / std::ssize(by);
    for (std::size_t q = 0; q < by.size(); ++q)
        for (index i = static_cast<index>(q) * size, end = i + size; i < end; ++i)
            a.data()[i] = by[q] * a.data()[i] + times[q] * more.data()[i];
}
inline double sum(const numbers& a) { return std::accumulate(a.begin(), a.end(), 0.0); }

}  // namespace newton_vectors

struct nystroem_operator {
    const gram_batches<double>* in_double = nullptr;
    // K in float, or null. With it, only measurements are in double as long as float makes progress.
    const gram_batches<float>* in_float = nullptr;
    const nystroem_basis* basis = nullptr;
    index buckets = 0;                                // number of rows of the sketch for the preconditioner
    std::size_t memory_bytes = std::size_t{1} << 30;  // for the sketches that are made in one pass
    std::uint64_t seed = 0;                           // random seed of the sketch
    const communicator* factor_group = nullptr;       // processes that factor preconditioners together, or null
    // functions share one preconditioner if their own would take more than a third of this
    double preconditioner_bytes = 0x1p30;
};

// A starting point for Newton's method, one row per function, and the ridge for which it was found. Without rows: none.
struct newton_start {
    matrix<double> at;
    double lambda = 0;
};

struct nystroem_newton_options {
    double lambda = 1;  // > 0
    bool intercept = false;
    double tol = 1e-6;                                         // maximum gap, relative to P
    index max_passes = 500;                                    // maximum number of passes over K
    std::function<bool(index passes, double gap)> progress{};  // returns false to stop with the current result
    // `keep` receives the state after every step of conjugate gradients. `start` is such a state, from which the fit
    // continues. The passes that led to this state are not counted again, and the result is bit-identical to that of an
    // uninterrupted fit.
    std::function<void(const std::vector<double>& state)> keep{};
    std::vector<double> start{};
    // For losses that are not quadratic: a point that is probably closer to the minimum than γ = 0, used if P is
    // smaller there (start_on_sample); and a callback at the end of each level of the ridge, which returns false
    // to stop there.
    newton_start suggested_start{};
    std::function<bool(double lambda, const matrix<double>& at, double objective)> on_level{};
};

struct nystroem_newton_result {
    matrix<double> coef;         // β: M × functions
    std::vector<double> offset;  // b
    double objective = 0, gap = 0;
    double residual = 0;  // ‖g‖ relative to its value at γ = 0
    fit_status status = fit_status::step_limit;
    index rounds = 0;  // number of Newton steps
    index passes = 0;
    // For each of several targets of squared loss: P, its gap, and ‖g‖ relative to its value at γ = 0; and the targets
    // whose gap exceeds tol times P.
    std::vector<double> objectives, gaps, residuals;
    std::vector<index> unsolved;
    std::vector<double> trace;  // residual norm after every step of conjugate gradients, relative to ‖g‖ at γ = 0
};

nystroem_newton_result nystroem_newton(const nystroem_operator& k, row_losses& losses,
                                       const nystroem_newton_options& options);

// An upper bound on P(γ, b) - min P for P(γ, b) = Σ loss(i, fᵢ) + λ/2 ‖γ‖², f = Φγ + b, from the gradient at (γ, b).
//
// Without offsets the bound is ‖g‖²/(2λ), because the curvature of P is at least λ. An offset has no ridge. Let
// s = |Σu| be its slope, ΣD its curvature and κ the largest k(x, x) of the centres (and, by assumption, of the rows).
// Consider a change β of b. Either the accompanying change δ of γ compensates half of it on some row; then
// ‖δ‖ >= |β|/(2√κ), and P decreases by at most
//     (‖g‖ + 2√κ·s)²/(2λ).
// Or no row compensates half of it; then the curvature of P along the change is at least ΣD/4, and P decreases by at
// most
//     ‖g‖²/(2λ) + 2s²/ΣD
// if curvatures stay constant. Curvatures of logistic losses decrease no faster than e^-|β|, which gives
// ΣD·(t + (1 - t)log(1 - t)) with t = 2s/ΣD instead of 2s²/ΣD, and no bound for t >= 1. For softmax, whose functions
// share rows (4√κ instead of 2√κ), and for the squared hinge the second case holds near the minimum. The gap is the
// larger of the two cases.

// The quantities on which the bound depends. m: the position of the offset in a row of g, if there is one.
struct gradient_gap_terms {
    index m = 0, problems = 1;
    double lambda = 1, largest = 1;            // κ
    const newton_vectors::numbers& curvature;  // ΣD of each function
};
double gradient_gap(const newton_vectors::point& g, const gradient_gap_terms& shape, const row_losses& losses);
// The bound under the assumption of constant curvatures. It is finite and determines how accurately a step is solved.
double estimated_gap(const newton_vectors::point& g, const gradient_gap_terms& shape);
// The same for each problem.
newton_vectors::numbers estimated_gaps(const newton_vectors::point& g, const gradient_gap_terms& shape);

// Passes over K for the losses of functions f = Φγ + b (nystroem_basis.h): their values and first derivatives at a
// point, and their second derivatives times a direction. A point has one row per function.

// Value and derivatives of the losses at a point, without the ridge.
struct losses_at {
    newton_vectors::numbers value;      // value of each problem
    newton_vectors::numbers curvature;  // ΣD of each function
    newton_vectors::point slope;        // Φᵀu with u the derivatives of the losses
};

class loss_passes {
public:
    loss_passes(const nystroem_operator& k, row_losses& losses, bool offset);

    // Evaluates the losses at p, in double if `precisely`, otherwise in float.
    losses_at at(const newton_vectors::point& p, bool precisely);
    // Evaluates the losses at p and at 0 in one pass; only for independent losses.
    std::pair<losses_at, losses_at> at_point_and_zero(const newton_vectors::point& p, bool precisely);
    // Returns ΦᵀDΦp over the sampled rows.
    newton_vectors::point multiply_curvature(const newton_vectors::point& p, bool precisely,
                                             const curvature_sample& rows) const;
    // Returns β followed by b, one column per function.
    matrix<double> coefficients(newton_vectors::point p) const;

private:
    void add_curvatures(index first, index rows, double* sums) const;
    // Returns Φᵀ step(Φp), or Φᵀ step(0) if p is null.
    newton_vectors::point pass(const newton_vectors::point* p, const row_function& step, bool precisely,
                               std::span<double> totals, const row_filter& only = {}) const;

    const nystroem_operator& k_;
    row_losses& losses_;
    index m_, n_, r_;
};

// Starting point for many rows: the solution for a sample of them.
//
// The problem of n rows and that of s sampled rows, each counted n/s times, have close minima while the ridge is large
// compared with the sampling error, and a pass over the sample costs s/n of a pass over all rows. The ridge is
// therefore first decreased on the sample, and the point at the end of each level is validated on other rows, which
// estimate P over all rows. The result is the last point before this estimate increases or exceeds by half the value of
// P on the sample itself; beyond it the sample is overfitted. (Measured on mnist with M = 200 and C = 100: 53 passes;
// 92 passes if the sample is solved to the end, 67 passes from γ = 0.)

// k has the sampled rows, `others` the rows for validation; `rows` is the number of rows of the whole problem and
// `whole` its options.
newton_start start_on_sample(const nystroem_operator& k, row_losses& some, const gram_batches<double>& others,
                             row_losses& judges, double rows, const nystroem_newton_options& whole);

}  // namespace mercer
