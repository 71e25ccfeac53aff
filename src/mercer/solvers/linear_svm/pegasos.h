// Pegasos (Shalev-Shwartz, Singer, Srebro, Cotter, Mathematical Programming 127, 2011): stochastic subgradient steps on
//
//     λ/2 ‖w‖² + (1/n) Σ vᵢ max(0, 1 - yᵢ(wᵀxᵢ + b)),      λ = 1/ΣCᵢ,  vᵢ = nCᵢλ
//     (if all C are equal, λ = 1/(nC) and vᵢ = 1),
//
// which is J(w, b) of solvers/linear_svm/hinge_problem.h times λ; n is the number of examples. Step t takes k examples
// (`batch`), of which those with yᵢ(wᵀxᵢ + b) < 1 are called violated, and, with η = 1/(λt),
//
//     w ← (1 - ηλ)w + (η/k) Σ_{violated} vᵢyᵢxᵢ,
//     w ← w·min(1, 1/(√λ‖w‖))      if `project` is set: the projection on a ball that contains the optimum.
//
// w is stored as a number times a vector, so the cost of a step is that of its examples. An epoch visits all examples
// once, in a new random order. The result is the weighted average of w over the steps, with weight t for step t, at the
// evaluation where J was smallest (the first candidate is w = 0); or, without `average`, the last w. After E epochs J
// exceeds its minimum by O(log E/(λE)); with large class weights w = 0 may remain the best for many epochs. The offset
// is left out (a constant coordinate of the operand gives a penalised one) or `exact`: it is optimised with w
// (proximal_offset), and the offset of the result minimises J for its w.
//
// The dual point αᵢ = Cᵢ·(n/k)·(steps in which example i violated the margin)/t satisfies w = Σαᵢyᵢxᵢ unless w was
// projected, and 0 <= α <= C at the end of an epoch. The descent ends when (J - D)/J <= tol, or at a limit.
#pragma once

#include <cstdint>
#include <limits>

#include "mercer/solvers/linear_svm/subgradient.h"

namespace mercer {

// Options of solve_pegasos().
struct pegasos_options {
    index batch = 1;  // k
    bool project = false;
    bool average = true;
    offset_rule offset = offset_rule::none;  // or exact
    double tol = 1e-2;                       // tolerance of the relative duality gap (J - D)/J
    std::int64_t max_epochs = 1000;
    std::int64_t max_steps = std::numeric_limits<std::int64_t>::max();
    std::int64_t evaluate_every = 1;  // epochs between two evaluations of J and D
    double max_seconds = std::numeric_limits<double>::infinity();
    std::uint64_t seed = 1;
    // Called after each evaluation. If it returns false, the descent ends with the best result so far.
    std::function<bool(const descent_progress&)> progress;
};
// Throws errc::invalid_argument for an option out of range.
void check(const pegasos_options& options);

// The loop that Pegasos and kernel Pegasos share: epochs, with an evaluation of both objectives after every
// `evaluate_every` epochs, until the gap in `best` is at most tol or a limit is reached. `steps` is the number of steps
// that epoch(clock) has taken; an epoch ends early when the clock passes its limit or throw_if_cancelled() throws.
// evaluate(skip_expensive) evaluates the objectives and updates `best`.
void run_epochs(const pegasos_options& options, descent_result& best, const std::int64_t& steps,
                const std::function<void(const descent_clock&)>& epoch,
                const std::function<void(bool skip_expensive)>& look);

descent_result solve_pegasos(const hinge_problem& problem, const pegasos_options& options);

// The offset b of Pegasos, which is not penalised.
//
// If b were set to the minimiser of J for the current w in every step, the iteration would stop above the optimum,
// because the margin vectors of the two classes then determine b and keep it from moving. So b is optimised together
// with w, as the weight of an additional coordinate of value s, and penalised by its distance from a centre c:
//
//     min ½‖w‖² + (b - c)²/(2s²) + Σ Cᵢ max(0, 1 - yᵢ(wᵀxᵢ + b)),
//     b ← c + (1 - 1/t)(b - c) + (s²n/(kt)) Σ_{violated} Cᵢyᵢ.
//
// The sum of the step runs over the violated ones of the k examples of step t; J, n and t are those of the file
// comment. After 1, 2, 4, 8, … epochs c is set to the mean of b, with weight t for step t, since c was last set. This
// is the proximal point method (Rockafellar 1976), whose limit is a minimum of J without the penalty. s² is half the
// mean of ‖φ(x)‖²: a larger value makes b noisier, a smaller value needs more updates of c.
class proximal_offset {
public:
    // mean_square: the mean of ‖φ(x)‖² over the examples.
    proximal_offset(double start, double mean_square) : square_(mean_square / 2), centre_(start), b_(start) {}

    double value() const { return b_; }
    // Takes step t; `violated` is the sum of (n/k)·Cᵢyᵢ over the examples of the step that violate the margin.
    void step(double t, double violated) {
        b_ += (square_ * violated - (b_ - centre_)) / t;
        sum_ += t * b_, total_ += t;
    }
    // Must be called after each epoch with the number of epochs so far.
    void end_epoch(std::int64_t epochs) {
        if ((epochs & (epochs - 1)) != 0) return;
        if (total_ > 0) centre_ = sum_ / total_;
        sum_ = total_ = 0;
    }

private:
    double square_, centre_, b_;
    double sum_ = 0, total_ = 0;  // Σ t·b and Σ t over the steps since the centre was set
};

}  // namespace mercer
