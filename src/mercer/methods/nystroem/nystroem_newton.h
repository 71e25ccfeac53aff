// The minimiser over functions of the span of M centres, f = Φγ + b in the basis of nystroem_basis.h, of
//
//     P(γ, b) = Σ loss(i, fᵢ) + λ/2 ‖γ‖²          (one γ and one b a function; b = 0 unless asked for)
//
// by Newton's method. A step solves (ΦᵀDΦ + λI)δ = -g by conjugate gradients with a sketched preconditioner
// (nystroem_basis.h; one for each function where their curvatures differ), each step of them a pass over K
// (gram_pass.h); squared loss takes one step, or a few where K is multiplied in float, for then the gradient of the
// next is what float has left, and begins where the loss of the sketched rows is least (sketch and solve, Sarlós 2006).
// A step is shortened until P falls enough. Of other losses D is of the rows taken in thinned_rows.h, as many as make
// good steps, while g is of all rows; and they may begin with some of the rows, newton_start.h.
//
// Other losses begin with a λ of about a thousandth of the largest curvature, which falls to a tenth (where curvatures
// jump, as those of the squared hinge, to 0.3) after each step that was not too long for the parabola it came from,
// down to λ itself: steps that overshoot, and their halves, are rare then (Marteau-Ferey, Bach, Rudi 2019). Functions
// whose losses do not depend on each other, one class against the rest, have steps of their own.
//
// Stopping rule: the gap to the dual point of the derivatives, by Fenchel's equality as in solve_representer.h,
//     P - P* <= gap = ‖g‖²/(2λ) <= tol·P,        g = Φᵀu + λγ, u the derivatives of the losses,
// from a pass in double; with an offset gradient_gap.h. Squared loss without an offset has P - P* = ½gᵀ(ΦᵀDΦ + λI)⁻¹g,
// and since a sketch S stretches nothing by more than ‖S‖, which is known (row_sketch.h), AᵀA <= ‖S‖²(ΦᵀDΦ + λI) and so
//     P - P* <= ‖S‖²/2 · gᵀ(AᵀA)⁻¹g,
// nearer to the truth than ‖g‖²/(2λ) while g lies along large curvatures: the smaller of the two is the gap. Several
// targets of squared loss are solved when the gap of each is at most tol of its own P, however large those of the
// others are; a P below 2⁻⁵² of that of γ = 0 counts as that much, for less is rounding. It is taken, with a factor of
// two, only where what the sketch rounds stays below the ridge, by an estimate that leaves room
// (sketched_preconditioner.cpp).
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

// Vectors of the space of (γ, b) that Newton's method moves in: a row for each function, M numbers and, with an offset,
// one more. Functions that do not depend on each other are problems of their own; the rows of a problem lie together.

using point = matrix<double>;
using numbers = std::vector<double>;  // one for each problem

inline double dot(const point& a, const point& b) {
    return smo::best_vector_ops().dot(a.data(), b.data(), a.rows() * a.cols());
}
inline numbers dots(const point& a, const point& b, index problems) {
    const index size = a.rows() * a.cols() / problems;
    numbers out;
    for (index q = 0; q < problems; ++q)
        out.push_back(smo::best_vector_ops().dot(a.data() + q * size, b.data() + q * size, size));
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
    const gram_batches<double>* exact = nullptr;
    const gram_batches<float>* rough =
        nullptr;  // the same in float: then only what is measured is in double, while that helps
    const nystroem_basis* basis = nullptr;
    index buckets = 0;                                // rows of a sketch that preconditions
    std::size_t memory_bytes = std::size_t{1} << 30;  // for sketches made in one pass
    std::uint64_t seed = 0;                           // and its signs
    const process_group* together = nullptr;          // who factor preconditioners together, where they do
    double shape_bytes = 0x1p30;  // functions share a preconditioner where theirs take more than a third of it
};

// A point that Newton's method may begin at, a row for each function (points.h), and the ridge it was found with. No
// rows: none.
struct newton_start {
    matrix<double> at;
    double lambda = 0;
};

struct nystroem_newton_options {
    double lambda = 1;  // > 0
    bool intercept = false;
    double tol = 1e-6;                                         // of the gap, relative to P
    index max_passes = 500;                                    // over K
    std::function<bool(index passes, double gap)> progress{};  // false: stop and keep what there is
    // What the fit needs to go on, after every step of conjugate gradients; and such a state to start from: passes that
    // are made again do not count, and the bits are those of a fit that was never interrupted.
    std::function<void(const std::vector<double>& state)> keep{};
    std::vector<double> start{};
    // Of losses that are not quadratic: a point that is likely to be nearer than γ = 0, taken where it is (see
    // newton_start.h); and what is told of the end of each level of the ridge. false: stop there.
    newton_start near{};
    std::function<bool(double lambda, const matrix<double>& at, double objective)> level_done{};
};

struct nystroem_newton_result {
    matrix<double> coef;         // β: M × functions
    std::vector<double> offset;  // b
    double objective = 0, gap = 0;
    double residual = 0;  // ‖g‖ relative to that at γ = 0
    fit_status status = fit_status::step_limit;
    index rounds = 0;  // Newton steps
    index passes = 0;
    // Of each of several targets of squared loss: P, its gap, ‖g‖ relative to that at γ = 0; and the targets whose gap
    // is above tol.
    std::vector<double> objectives, gaps, residuals;
    std::vector<index> unsolved;
    std::vector<double> trace;  // ‖residual‖ relative to ‖g‖ at γ = 0, after every step of conjugate gradients
};

nystroem_newton_result nystroem_newton(const nystroem_operator& k, row_losses& losses,
                                       const nystroem_newton_options& options);

// How far P(γ, b) = Σ loss(i, fᵢ) + λ/2 ‖γ‖², f = Φγ + b, is above its minimum at most, from its gradient there.
//
// Without offsets ‖g‖²/(2λ), for P bends by λ at least. An offset has no ridge. With s = |Σu| its slope, ΣD its
// curvature and κ the largest k(x, x) of the centres (and, it is assumed, of the rows), a change β of b either comes
// with a δ that takes half of it back somewhere, so that ‖δ‖ >= |β|/(2√κ) and P falls by no more than
//     (‖g‖ + 2√κ·s)²/(2λ),
// or no row takes half of it back, P is bent by a quarter of ΣD along it, and falls by no more than
//     ‖g‖²/(2λ) + 2s²/ΣD
// where curvatures stay. Those of logistic losses fall no faster than e^-|β|: ΣD·(t + (1 - t)log(1 - t)) with t = 2s/ΣD
// in place of 2s²/ΣD, and no bound from t = 1 on. For softmax, whose functions share rows (4√κ for 2√κ), and the
// squared hinge the second case holds near the minimum. The gap is the larger of the two cases.

// m: where an offset stands in a row of g, if there is one.
struct gradient_shape {
    index m = 0, problems = 1;
    double lambda = 1, largest = 1;       // κ
    const newton_vectors::numbers& bend;  // ΣD of each function
};
double gradient_gap(const newton_vectors::point& g, const gradient_shape& shape, const row_losses& losses);
// The same as if curvatures stayed as they are: finite, for deciding how far to go.
double gradient_size(const newton_vectors::point& g, const gradient_shape& shape);
// That of each problem.
newton_vectors::numbers gradient_sizes(const newton_vectors::point& g, const gradient_shape& shape);

// Passes over K for the losses of functions f = Φγ + b (nystroem_basis.h): their values and first derivatives at a
// point, and their second derivatives times a direction. A point has a row for each function (points.h).

// Of the losses alone, without the ridge.
struct losses_at {
    newton_vectors::numbers value;  // of each problem
    newton_vectors::numbers bend;   // ΣD of each function
    newton_vectors::point slope;    // Φᵀu, u the derivatives
};

class loss_passes {
public:
    loss_passes(const nystroem_operator& k, row_losses& losses, bool offset);

    // In double where `precisely`, else in float.
    losses_at at(const newton_vectors::point& p, bool precisely);
    // At p and at 0, by one pass; of losses that do not depend on each other.
    std::pair<losses_at, losses_at> at_both_ends(const newton_vectors::point& p, bool precisely);
    // ΦᵀDΦp, of the rows taken
    newton_vectors::point curved(const newton_vectors::point& p, bool precisely, const thinned_rows& rows) const;
    // β with b behind it, a column a function.
    matrix<double> coefficients(newton_vectors::point p) const;

private:
    void add_curvatures(index first, index rows, double* sums) const;
    // Φᵀ step(Φp); without p it is 0.
    newton_vectors::point pass(const newton_vectors::point* p, const row_step& step, bool precisely,
                               std::span<double> totals, const row_filter& only = {}) const;

    const nystroem_operator& k_;
    row_losses& losses_;
    index m_, n_, r_;
};

// Where to begin with many rows: where some of them lead.
//
// The problem of n rows and that of s of them, each standing for n/s, have minima near each other while the ridge is
// large beside what chance makes of s rows; and a pass over the s costs s/n of one over all. So the ridge comes down on
// these first (nystroem_newton.h), and where each level ends is judged by other rows: P of all, as they estimate it.
// The last point before it rises, or leaves what the s rows themselves say of P by half of that, is the start, with its
// level: from there on they fit themselves and not the others. (Solved to the end, mnist with M = 200 and C = 100 took
// 92 passes in place of 53; from γ = 0 it takes 67.)

// `rows`: of the whole problem, whose options `whole` are. k has the s rows, `others` those that judge.
newton_start start_on_some(const nystroem_operator& k, row_losses& some, const gram_batches<double>& others,
                           row_losses& judges, double rows, const nystroem_newton_options& whole);

}  // namespace mercer
