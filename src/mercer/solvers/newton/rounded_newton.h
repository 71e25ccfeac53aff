// Newton's method on a representer problem with a smooth or a rounded loss (solve_representer.h): where it stands, and
// steps from there.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "mercer/solvers/newton/conjugate_gradients.h"
#include "mercer/solvers/newton/solve_representer.h"

namespace mercer {

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
