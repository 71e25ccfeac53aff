// Pegasos (Shalev-Shwartz, Singer, Srebro, Cotter, Mathematical Programming 127, 2011): stochastic subgradient steps on
//
//     λ/2 ‖w‖² + (1/n) Σ vᵢ max(0, 1 - yᵢ(wᵀxᵢ + b)),      λ = 1/ΣCᵢ,  vᵢ = nCᵢλ  (all 1 where all C are equal, and λ =
//     1/(nC)),
//
// which is J(w, b) of solvers/linear_svm/hinge_problem.h times λ. Step t takes k examples and, with η = 1/(λt),
//
//     w ← (1 - ηλ)w + (η/k) Σ_{violated} vᵢyᵢxᵢ,      then, where asked for, w ← w·min(1, 1/(√λ‖w‖)), a ball that holds
//     the optimum.
//
// w is kept as a number times a vector, so a step costs what its examples store. Examples come in a new order each
// epoch, all of them once. The answer is the average over the steps, step t weighing t, at the look where J was least,
// w = 0 being the first; or the last w. After E epochs J is off by O(log E/E) of λ⁻¹: a class of large weights may
// throw w so far that w = 0 stays the best for long. The offset: none (give the operand a constant coordinate for a
// penalised one), or exact: it descends with w (descended_offset.h), and that of the answer is where J is least for its
// w.
//
// Dual point: αᵢ = Cᵢ·(n/k)·(steps that found i violated)/t keeps w = Σαᵢyᵢxᵢ while nothing was projected; at the end
// of an epoch it is within its box. It ends when (J - D)/J <= tol, or at a limit.
#pragma once

#include <cstdint>
#include <limits>

#include "mercer/solvers/linear_svm/subgradient.h"

namespace mercer {

struct pegasos_options {
    index batch = 1;  // k
    bool project = false;
    bool average = true;
    offset_rule offset = offset_rule::none;  // or exact
    double tol = 1e-2;
    std::int64_t most_epochs = 1000;
    std::int64_t most_steps = std::numeric_limits<std::int64_t>::max();
    std::int64_t look_every = 1;  // epochs between two looks at J and D
    double most_seconds = std::numeric_limits<double>::infinity();
    std::uint64_t seed = 1;
    std::function<bool(const descent_progress&)> progress;  // at each look; false: stop and keep what there is
};
void check(const pegasos_options& options);

// The loop that Pegasos and kernel Pegasos share: epochs, a look at both objectives now and then, until the gap in
// `best` is at most tol or a limit is met. `steps` counts what epoch(clock) does, which ends early when the clock says
// that it is late, or by stop_point(); look(in_a_hurry) improves `best`.
void run_epochs(const pegasos_options& options, descent_result& best, const std::int64_t& steps,
                const std::function<void(const descent_clock&)>& epoch,
                const std::function<void(bool in_a_hurry)>& look);

descent_result solve_pegasos(const hinge_problem& problem, const pegasos_options& options);

// The offset b of Pegasos, which is not penalised.
//
// A b that is set where J is least for the last w comes to rest above the optimum: the margin vectors of both classes
// hold it where they are. So it descends with w, as the weight of a coordinate of value s, penalised by its distance
// from a centre c:
//
//     min ½‖w‖² + (b - c)²/(2s²) + Σ Cᵢ max(0, 1 - yᵢ(wᵀxᵢ + b)),
//     b ← c + (1 - 1/t)(b - c) + (s²n/(kt)) Σ_{violated} Cᵢyᵢ.
//
// After 1, 2, 4, 8, … epochs c moves to the mean of b since it last moved: the proximal point method (Rockafellar
// 1976), whose limit is a minimum of J without the penalty. s² is half the mean of k(x, x): a larger one makes b
// noisier, a smaller one takes more moves of c.

class descended_offset {
public:
    // mean_square: of ‖φ(x)‖ over the examples.
    descended_offset(double start, double mean_square) : square_(mean_square / 2), centre_(start), b_(start) {}

    double value() const { return b_; }
    // Step t with the sum of (n/k)·Cᵢyᵢ over the examples it found violated.
    void step(double t, double violated) {
        b_ += (square_ * violated - (b_ - centre_)) / t;
        sum_ += t * b_, total_ += t;
    }
    // After that many epochs.
    void end_epoch(std::int64_t epochs) {
        if ((epochs & (epochs - 1)) != 0) return;
        if (total_ > 0) centre_ = sum_ / total_;
        sum_ = total_ = 0;
    }

private:
    double square_, centre_, b_;
    double sum_ = 0, total_ = 0;  // of b since the centre moved, step t weighing t
};

}  // namespace mercer
