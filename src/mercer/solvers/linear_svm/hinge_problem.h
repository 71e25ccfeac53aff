// The problem of the linear SVM solvers, its objectives, and the parts that these solvers share: a clock, scaled
// vectors, random numbers.
//
//     J(w, b) = ½‖w‖² + Σ Cᵢ max(0, 1 - yᵢ(wᵀxᵢ + b))
//     D(α) = Σαᵢ - ½‖Σ αᵢyᵢxᵢ‖²,  0 <= αᵢ <= Cᵢ, and Σαᵢyᵢ = 0 if b is free
//
// D(α) <= J(w, b) for all feasible points, so the duality gap J - D bounds the distance of both from the optimum.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/matrix_view.h"

namespace mercer {

// The examples of a problem; all members are borrowed.
struct hinge_problem {
    const linear_operand& x;
    std::span<const double> y;  // ±1
    std::span<const double> C;  // 0 < Cᵢ < ∞
};
// Checks the input of a solver: throws errc::invalid_argument unless sizes agree and every C is positive and finite,
// and errc::data if there are no examples or a label y is not ±1. The messages begin with `owner`.
void check(const hinge_problem& problem, const char* owner);
void check(index examples, std::span<const double> y, std::span<const double> C, const char* owner);

// Σ Cᵢ max(0, 1 - yᵢ(fᵢ + b))
double hinge_loss(std::span<const double> f, double b, std::span<const double> y, std::span<const double> C);

// The b that minimises the loss for given fᵢ = wᵀxᵢ. As a function of b, the slope of the loss starts at -Σ_{y>0} C and
// increases by Cᵢ at yᵢ - fᵢ. The loss is minimal where the slope crosses zero, or in an interval [low, high], of which
// b is the middle. With one class only, the loss is constant beyond some point, and b is that point.
struct offset_choice {
    double b = 0, low = 0, high = 0;
    // Multipliers 0 <= α <= C of the loss at b, with Σαy = 0: Cᵢ if example i violates the margin, a fraction of Cᵢ for
    // the example at yᵢ - fᵢ = b.
    std::vector<double> alpha;
};
offset_choice best_offset(std::span<const double> f, std::span<const double> y, std::span<const double> C,
                          bool with_alpha = false);

// Clips α to 0 <= α <= C and, if `balanced`, scales the class with the larger sum down until Σαy = 0. Returns D at that
// α.
double evaluate_dual(const hinge_problem& problem, std::vector<double>& alpha, bool balanced);

// The state of a running solver, as passed to its callback.
struct descent_progress {
    std::int64_t epoch = 0, steps = 0;
    double primal = 0, dual = 0;
    double seconds = 0;         // time of the solver, without the evaluation of the objectives
    std::span<const double> w;  // valid during the callback only
    double b = 0;
};

// The result of a solver: w and b with their J, and a dual point α with its D.
struct descent_result {
    fit_status status = fit_status::converged;
    std::vector<double> w;
    double b = 0;
    std::vector<double> alpha;  // `dual` is D at this point
    double primal = 0, dual = 0;
    double gap = 0;  // relative duality gap (primal - dual)/primal
    std::int64_t epochs = 0, steps = 0;
    double seconds = 0;
};

// Measures two times of a run in seconds: total_seconds(), to which the time limit applies, and solver_seconds(), which
// excludes the evaluation of the objectives and by which solvers are compared.
class descent_clock {
public:
    explicit descent_clock(double max_seconds) : limit_(max_seconds) {}
    double total_seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    }
    double solver_seconds() const { return total_seconds() - measuring_; }
    bool is_late() const { return total_seconds() > limit_; }
    // Excludes its lifetime from solver_seconds().
    class measurement {
    public:
        explicit measurement(descent_clock& clock) : clock_(clock), from_(clock.total_seconds()) {}
        ~measurement() { clock_.measuring_ += clock_.total_seconds() - from_; }
        measurement(const measurement&) = delete;
        measurement& operator=(const measurement&) = delete;

    private:
        descent_clock& clock_;
        double from_;
    };

private:
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
    double limit_, measuring_ = 0;
};

// A vector w = scale·v, so that w ← cw takes constant time. If `averaged`, it also maintains the sum Σ weight·w over
// the steps at no higher order of cost, as share·v + rest: an addition to v is compensated in rest.
class scaled_vector {
public:
    scaled_vector(index size, bool averaged)
        : v_(static_cast<std::size_t>(size), 0.0),
          rest_(averaged ? static_cast<std::size_t>(size) : 0, 0.0),
          averaged_(averaged) {}

    double scale() const { return scale_; }
    const double* unscaled() const { return v_.data(); }
    void scale_by(double by);
    // w += a·x, where add(c, to) must perform to += c·x.
    template <class Add>
    void add(double a, Add&& add) {
        add(a / scale_, v_.data());
        if (averaged_) add(-share_ * a / scale_, rest_.data());
    }
    void accumulate(double weight) {
        if (averaged_) share_ += weight * scale_, total_ += weight;
    }
    void reset_average();
    std::vector<double> value() const;
    std::vector<double> mean() const;  // the value itself if accumulate() was never called

private:
    std::vector<double> v_, rest_;
    double scale_ = 1, share_ = 0, total_ = 0;
    bool averaged_;
};

// A random number generator (SplitMix64) whose numbers do not depend on the standard library.
class splitmix64 {
public:
    explicit splitmix64(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return z ^ (z >> 31);
    }
    // A number from 0 to n-1, n < 2³².
    index below(index n) { return static_cast<index>(((next() >> 32) * static_cast<std::uint64_t>(n)) >> 32); }

private:
    std::uint64_t state_;
};
// Permutes `order` randomly: the order in which an epoch visits the examples.
void shuffle(std::vector<index>& order, splitmix64& random);

}  // namespace mercer
