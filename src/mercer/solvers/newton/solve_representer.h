// The minimiser over f = Σαᵢk(xᵢ, ·) + b, which by the representer theorem is the one over all functions of the
// kernel's space, of
//
//     P(α, b) = Σ wᵢℓ(yᵢ, fᵢ) + λ/2 αᵀKα,     fᵢ = (Kα)ᵢ + b          (b = 0 unless asked for)
//
// for any convex loss. K is seen only through gram<double>.
//
// Smooth losses: Newton's method. With gᵢ = wᵢℓ'(fᵢ), D = diag(wᵢℓ''(fᵢ)) and r = g + λα (zero at the minimum) a step
// solves
//     (λI + DK)Δα + D1Δb = -r,  1ᵀ(α + Δα) = 0,
// by a Cholesky decomposition, symmetrically and only on the examples of positive curvature, where that is small enough
// for time and memory, else by conjugate gradients, exact enough for superlinear convergence (Dembo, Eisenstat,
// Steihaug 1982). After every step b is minimised over exactly, and the step is halved until P falls enough.
//
// Stopping rule, in double: the gap to the dual point a = -g/λ, which is feasible since Σg = 0 when b is the best one.
// By Fenchel's equality
//     P(α) - P* <= gap = λ/2 (α-a)ᵀK(α-a) = rᵀKr/(2λ)  <=  tol·|P|,
// measured with Kα multiplied out afresh, not as it was carried along.
//
// Losses with corners: the same on a rounded loss (loss.h), round after round with the dual variables u as the next
// centre and a smaller μ; then the gap is that of the problem itself, through the conjugate: P(α, b) + Σwᵢℓ*(uᵢ) + λ/2
// aᵀKa with a = -wu/λ.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/gram/gram.h"
#include "mercer/solvers/newton/conjugate_gradients.h"
#include "mercer/solvers/newton/loss.h"

namespace mercer {

enum class newton_system { automatic, cholesky, conjugate_gradient };

struct representer_options {
    double lambda = 1;  // > 0
    bool intercept = false;
    double tol = 1e-6;      // of the gap, relative to |P|
    int most_rounds = 500;  // Newton steps, over all μ
    newton_system system = newton_system::automatic;
    std::size_t memory_bytes = std::size_t{1} << 30;  // for the matrix of a Newton step
    std::function<bool(int rounds, double objective, double gap)>
        progress{};  // before every step and product within; false: stop and keep what there is
    // Of a smooth loss: what is needed to go on, after every step; and such a state to start from, with the bits of a
    // solution that was never interrupted.
    std::function<void(const std::vector<double>& state)> keep{};
    std::vector<double> start{};
};

// How it ends: stationary: the stopping rule is met, but nothing says that K is positive semidefinite, without which it
// proves nothing (set by those who know the kernel). stalled: rounding, or a matrix that is not positive semidefinite,
// lets P fall no further; the gap says how far it came.
struct representer_result {
    std::vector<double> alpha;
    double offset = 0;
    std::vector<double> f;  // Kα + b
    double objective = 0;   // P
    double gap = 0;         // measured, of the problem itself
    fit_status status = fit_status::step_limit;
    int rounds = 0;             // Newton steps
    std::int64_t products = 0;  // multiplications by K
};

// weight > 0 for all; empty: all 1. Targets are what the loss takes (±1, >= 0, …).
representer_result solve_representer(const gram<double>& K, std::span<const double> y, std::span<const double> weight,
                                     const loss& l, const representer_options& options);

// The b that minimises Σwᵢℓ(yᵢ, fᵢ + b). Fails where the sum falls for ever.
double best_offset(const rounded_loss& l, std::span<const double> y, std::span<const double> weight,
                   std::span<const double> f, std::span<const double> centre, double start);

// Newton's method on a representer problem with a smooth or a rounded loss (solve_representer.h): where it stands, and
// steps from there.

class rounded_newton {
public:
    using vec = std::vector<double>;

    rounded_newton(const gram<double>& K, std::span<const double> y, std::span<const double> weight, const loss& l,
                   const representer_options& o);

    // Steps on the loss rounded by μ until `enough(gap, P)`; gap() is what was reached.
    fit_status minimise(double mu, const std::function<bool(double gap, double value)>& enough);

    // P of the rounded problem.
    double objective() const;
    // Measured where it last stood, above where it stands now.
    double gap() const { return gap_; }

    vec times(const vec& v);  // Kv
    const vec& weight() const { return w_; }
    const vec& alpha() const { return alpha_; }
    const vec& fixed() const { return fixed_; }    // Kα
    const vec& slopes() const { return g_; }       // wℓ'
    const vec& centre() const { return centre_; }  // of the rounding
    double offset() const { return b_; }
    int rounds() const { return rounds_; }
    std::int64_t products() const { return products_; }

    // The dual variables u = g/w as the next centre.
    void recentre();

private:
    rounded_loss rounded() const { return {loss_, mu_}; }
    // P of the rounded problem at Kα = fixed, with αᵀKα given.
    double value_at(const vec& fixed, double b, double square) const;
    double offset_for(const vec& fixed, double start) const {
        return o_.intercept ? best_offset(rounded(), y_, w_, fixed, centre_, start) : 0.0;
    }
    void differentiate();
    void refresh(double& value);
    // P and how often it did not fall, with where it stands.
    std::vector<double> state(double value, int flat) const;
    void take(const std::vector<double>& state, double& value, int& flat);
    bool may_go_on(double value);
    double rounding() const;  // of the gap

    // One Newton step with its line search. False when P falls no further.
    bool step(double& value);
    bool polish(const vec& direction, const vec& along, double& value);

    // Δα and KΔα
    std::pair<vec, vec> solve_system();
    // Where there is no curvature Δα = -r/λ. On the other examples Δα = D^½z, (λI + D^½KD^½)z = -D^(-½)r - D^½q -
    // D^½1Δb with q what the first ones add to KΔα. False where that matrix is not positive definite.
    bool by_cholesky(const std::vector<index>& active, vec& direction);
    // (λI + D'K)Δα = -r with D' = D - D11ᵀD/1ᵀD1, what D becomes when Δb is the best one. They end at min(0.1,
    // 0.1√(relative gap)) of the residual, which makes the convergence superlinear.
    std::pair<vec, vec> by_conjugate_gradients();

    const gram<double>& K_;
    std::span<const double> y_;
    const loss& loss_;
    const representer_options& o_;
    std::size_t n_;
    vec w_, alpha_;
    vec fixed_;  // Kα
    vec centre_, g_, d_, r_, Kr_;
    newton_equations equations_;
    double b_ = 0, mu_ = 0;
    double gap_ = std::numeric_limits<double>::infinity();
    int rounds_ = 0;
    std::int64_t products_ = 0;
    bool stopped_ = false;
};

}  // namespace mercer
