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
#include <vector>

#include "mercer/base/fit_status.h"
#include "mercer/methods/nystroem/gram_pass.h"
#include "mercer/methods/nystroem/nystroem_basis.h"
#include "mercer/methods/nystroem/row_losses.h"

namespace mercer {

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

}  // namespace mercer
