// The problem that the descent methods share, and what can be said about it exactly:
//
//     J(w, b) = ½‖w‖² + Σ Cᵢ max(0, 1 - yᵢ(wᵀxᵢ + b))          D(α) = Σαᵢ - ½‖Σ αᵢyᵢxᵢ‖²,  0 <= αᵢ <= Cᵢ, and Σαᵢyᵢ = 0
//     where b is free.
//
// D(α) <= J(w, b) always, so the difference bounds how far both are from the optimum.
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

struct hinge_problem {
    const linear_operand& x;
    std::span<const double> y;  // ±1
    std::span<const double> C;  // 0 < Cᵢ < ∞
};
// Fails unless sizes agree, y is ±1 and C positive and finite.
void check(const hinge_problem& problem, const char* owner);
void check(index examples, std::span<const double> y, std::span<const double> C, const char* owner);

// Σ Cᵢ max(0, 1 - yᵢ(fᵢ + b))
double hinge_loss(std::span<const double> f, double b, std::span<const double> y, std::span<const double> C);

// The b that makes the loss least for given fᵢ = wᵀxᵢ: as a function of b its slope starts at -Σ_{y>0} C and grows by
// Cᵢ at yᵢ - fᵢ. The loss has its minimum where that crosses zero, or all along an interval, of which b is the middle.
// With one class only it is flat from some point on, and b is that point.
struct offset_choice {
    double b = 0, low = 0, high = 0;
    // Multipliers 0 <= α <= C of the loss there, with Σαy = 0: Cᵢ where the margin is violated, a share of it for the
    // example that decides b.
    std::vector<double> alpha;
};
offset_choice best_offset(std::span<const double> f, std::span<const double> y, std::span<const double> C,
                          bool with_alpha = false);

// D at α clipped to the box; `balanced`: the class with the larger sum is scaled down until Σαy = 0. α becomes the
// point it is the value of.
double dual_value(const hinge_problem& problem, std::vector<double>& alpha, bool balanced);

struct descent_progress {
    std::int64_t epoch = 0, steps = 0;
    double primal = 0, dual = 0;
    double seconds = 0;  // without what measuring took
    std::span<const double> w;
    double b = 0;
};

struct descent_result {
    fit_status status = fit_status::converged;
    std::vector<double> w;
    double b = 0;
    std::vector<double> alpha;  // the dual point of `dual`
    double primal = 0, dual = 0;
    double gap = 0;  // (primal - dual)/primal
    std::int64_t epochs = 0, steps = 0;
    double seconds = 0;
};

// The seconds of a run: all of them, which a limit is about, and its own, without what measuring took, by which solvers
// are compared.
class descent_clock {
public:
    explicit descent_clock(double most_seconds) : most_(most_seconds) {}
    double all() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count(); }
    double own() const { return all() - measuring_; }
    bool late() const { return all() > most_; }
    // What passes while it lives is measuring.
    class pause {
    public:
        explicit pause(descent_clock& clock) : clock_(clock), from_(clock.all()) {}
        ~pause() { clock_.measuring_ += clock_.all() - from_; }
        pause(const pause&) = delete;
        pause& operator=(const pause&) = delete;

    private:
        descent_clock& clock_;
        double from_;
    };

private:
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
    double most_, measuring_ = 0;
};

// w = scale·v, so that w ← cw costs nothing, with Σ weight·w over the steps so far kept beside it in the same time: it
// is share·v + rest, and what is added to v is taken from rest.
class scaled_vector {
public:
    scaled_vector(index size, bool averaged)
        : v_(static_cast<std::size_t>(size), 0.0),
          rest_(averaged ? static_cast<std::size_t>(size) : 0, 0.0),
          averaged_(averaged) {}

    double scale() const { return scale_; }
    const double* unscaled() const { return v_.data(); }
    void shrink(double by);
    // add(a, to) must do to += a·(what is added).
    template <class Add>
    void add(double a, Add&& add) {
        add(a / scale_, v_.data());
        if (averaged_) add(-share_ * a / scale_, rest_.data());
    }
    void count(double weight) {
        if (averaged_) share_ += weight * scale_, total_ += weight;
    }
    void forget_average();
    std::vector<double> value() const;
    std::vector<double> mean() const;  // the value itself where nothing was counted

private:
    std::vector<double> v_, rest_;
    double scale_ = 1, share_ = 0, total_ = 0;
    bool averaged_;
};

// Numbers that are the same with every standard library.
class plain_random {
public:
    explicit plain_random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        // SplitMix64
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return z ^ (z >> 31);
    }
    // 0 <= it < n, n < 2³²
    index below(index n) { return static_cast<index>(((next() >> 32) * static_cast<std::uint64_t>(n)) >> 32); }

private:
    std::uint64_t state_;
};
// The order in which an epoch visits n examples: a new permutation of `order` each time.
void shuffle(std::vector<index>& order, plain_random& random);

}  // namespace mercer
