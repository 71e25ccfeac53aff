// min ½xᵀKx - rᵀx, l <= x <= u, Σx = sum in each group, by a primal-dual interior-point method (Mehrotra, SIAM J.
// Optimization 2, 1992).
//
// With multipliers z of x >= l, v of x <= u and λ of the sum of each group, the conditions are
//     Kx - r + λ - z + v = 0,   Σx = sum,   (x-l)z = μ,   (u-x)v = μ,   μ → 0.
// Every step factors K + diag(z/(x-l) + v/(u-x)) once and solves with it for the direction to μ = 0 and for the
// corrected one. The number of steps hardly depends on K, which may be singular, nor on how large the bounds are: it
// ends what pairs of variables and guesses of the active set cannot. (solvers/interior_point/quadratic_program is the
// general method, over LAPACK; this one needs no BLAS.)
//
// It ends when for every bound the multiplier, or what moving x onto it does to F, is <= tol, and so is the residual;
// or when rounding stops it. Then every variable is put where the larger of the two says. Whether that is an optimum is
// for the caller to see.
#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/solvers/smo/quadratic.h"

namespace mercer::smo {
namespace {

using vec = std::vector<double>;
using place = mercer::smo::at;
constexpr int most_steps = 100;
constexpr int patience = 8;  // steps that lead no nearer

class interior {
public:
    interior(free_problem& q, quadratic& K) : q_(q), K_(K), m_(static_cast<index>(q.x.size())) {
        double width = 0, size = 0;
        for (index i = 0; i < m_; ++i) {
            mean_diagonal_ += std::abs(K.diagonal(i)) / static_cast<double>(m_);
            size = std::max({size, std::abs(q.x[i]), std::isfinite(q.lower[i]) ? std::abs(q.lower[i]) : 0.0});
            if (std::isfinite(q.upper[i] - q.lower[i])) width = std::max(width, q.upper[i] - q.lower[i]);
        }
        // Well inside the box, near where pairs have led.
        const double far = width > 0 ? width : std::max(size, 1.0);
        for (index i = 0; i < m_; ++i) {
            const double l = q.lower[i], u = q.upper[i], room = 0.1 * (std::isfinite(u - l) ? u - l : far);
            q.x[i] = std::isfinite(u) ? std::clamp(q.x[i], l + room, u - room) : std::max(q.x[i], l + room);
        }
        s_.resize(at(m_)), t_ = s_, z_ = s_, v_ = s_, dx_ = s_, dz_ = s_, dv_ = s_, g_ = s_;
        for (index i = 0; i < m_; ++i) s_[i] = q_.x[i] - q_.lower[i], t_[i] = q_.upper[i] - q_.x[i];
        gradient();
        double largest = 0;
        for (const double g : g_) largest = std::max(largest, std::abs(g));
        for (index i = 0; i < m_; ++i) {
            z_[i] = std::isfinite(s_[i]) ? largest + 1e-3 : 0;
            v_[i] = std::isfinite(t_[i]) ? largest + 1e-3 : 0;
        }
    }

    void run(double tol) {
        // Rounding ends it in its own way: what was nearest to the conditions counts, not what came last.
        double nearest = std::numeric_limits<double>::infinity();
        state best;
        int last = 0;
        double least_mu = average(0, 0);
        for (int step = 0; step < most_steps; ++step) {
            gradient();
            const double off = beside();
            if (off < nearest) nearest = off, best = {q_.x, s_, t_, z_, v_}, last = step;
            // Far from its end that need not show yet: the first multipliers are nearer to it than those on the central
            // path. μ shows it.
            if (const double mu = average(0, 0); mu < 0.5 * least_mu) least_mu = mu, last = step;
            if (off <= tol || off > 1e6 * nearest || step > last + patience || !advance()) break;
        }
        if (!best.x.empty())
            q_.x = std::move(best.x), s_ = std::move(best.s), t_ = std::move(best.t), z_ = std::move(best.z),
            v_ = std::move(best.v);
        snap();
    }

private:
    static std::size_t at(index i) { return static_cast<std::size_t>(i); }

    void gradient() {  // Kx - r
        K_.multiply(q_.x, g_);
        for (index i = 0; i < m_; ++i) g_[i] -= q_.r[i];
    }
    double residual(index i) const { return g_[i] + lambda_[q_.group[i]] - z_[i] + v_[i]; }

    struct state {
        vec x, s, t, z, v;
    };

    // What moving x_i does to F: to its own by K_ii, and to others' because the sum must stay. Without the second the
    // origin of a linear kernel, K_ii = 0, would be at its lower bound whatever its multipliers say.
    double weight(index i) const { return std::max(std::abs(K_.diagonal(i)), mean_diagonal_); }

    // How far it is from its end.
    double beside() const {
        double off = 0;
        for (index i = 0; i < m_; ++i) {
            const double k = weight(i);
            off = std::max({off, std::abs(residual(i)), std::min(k * s_[i], z_[i]), std::min(k * t_[i], v_[i])});
        }
        return std::isfinite(off) ? off : std::numeric_limits<double>::infinity();
    }

    // Variables whose multiplier outweighs what is left to the bound are at it.
    void snap() {
        for (index i = 0; i < m_; ++i) {
            const double k = weight(i);
            q_.where[i] = z_[i] > k * s_[i] ? place::lower : v_[i] > k * t_[i] ? place::upper : place::free;
            if (q_.where[i] == place::lower) q_.x[i] = q_.lower[i];
            if (q_.where[i] == place::upper) q_.x[i] = q_.upper[i];
        }
    }

    bool advance() {
        vec d(at(m_));
        for (index i = 0; i < m_; ++i) d[i] = z_[i] / s_[i] + v_[i] / t_[i];
        if (!K_.factor(d)) return false;
        // Towards μ = 0, then towards σμ with the products of that direction taken off.
        vec zero(at(m_), 0.0);
        const double mu = average(0, 0);
        direction(zero, zero);
        const double affine = average(length(s_, dx_, 1), length_of_multipliers());
        const double sigma = std::pow(affine / mu, 3);
        vec first(at(m_)), second(at(m_));
        for (index i = 0; i < m_; ++i)
            first[i] = sigma * mu - dx_[i] * dz_[i], second[i] = sigma * mu + dx_[i] * dv_[i];
        direction(first, second);
        const double step = 0.995 * std::min({length(s_, dx_, 1), length(t_, dx_, -1), length_of_multipliers()});
        double sum = 0;
        for (index i = 0; i < m_; ++i) sum += dx_[i] + dz_[i] + dv_[i];
        if (!(step > 1e-10) || !std::isfinite(sum)) return false;
        const double by = std::min(1.0, step);
        // The slacks go their own way: x - l would be rounded to zero near the end.
        for (index i = 0; i < m_; ++i) {
            q_.x[i] += by * dx_[i];
            s_[i] += by * dx_[i], t_[i] -= by * dx_[i];
            z_[i] += by * dz_[i], v_[i] += by * dv_[i];
        }
        for (std::size_t g = 0; g < 2; ++g) lambda_[g] += by * dlambda_[g];
        return true;
    }

    // dx, dλ, dz, dv for (x-l)z → first, (u-x)v → second.
    void direction(const vec& first, const vec& second) {
        two missing = q_.sum;
        for (index i = 0; i < m_; ++i) {
            const double a = bounded(s_[i]) ? (first[i] - s_[i] * z_[i]) / s_[i] : 0,
                         b = bounded(t_[i]) ? (second[i] - t_[i] * v_[i]) / t_[i] : 0;
            dx_[i] = -residual(i) + a - b;
            missing[q_.group[i]] -= q_.x[i];
        }
        dlambda_ = K_.solve(dx_, missing);
        for (index i = 0; i < m_; ++i) {
            dz_[i] = bounded(s_[i]) ? (first[i] - s_[i] * z_[i] - z_[i] * dx_[i]) / s_[i] : 0;
            dv_[i] = bounded(t_[i]) ? (second[i] - t_[i] * v_[i] + v_[i] * dx_[i]) / t_[i] : 0;
        }
    }

    static bool bounded(double slack) { return std::isfinite(slack); }

    // The longest step that keeps slack + sign·step·d >= 0.
    double length(const vec& slack, const vec& d, double sign) const {
        double most = 1 / 0.995;
        for (index i = 0; i < m_; ++i)
            if (sign * d[i] < 0) most = std::min(most, -slack[i] / (sign * d[i]));
        return most;
    }
    double length_of_multipliers() const { return std::min(length(z_, dz_, 1), length(v_, dv_, 1)); }

    // The mean of the products after steps along the direction.
    double average(double primal, double dual) const {
        primal = std::min({primal, length(t_, dx_, -1), 1.0});
        dual = std::min(dual, 1.0);
        double sum = 0, count = 0;
        for (index i = 0; i < m_; ++i) {
            if (bounded(s_[i])) sum += (s_[i] + primal * dx_[i]) * (z_[i] + dual * dz_[i]), ++count;
            if (bounded(t_[i])) sum += (t_[i] - primal * dx_[i]) * (v_[i] + dual * dv_[i]), ++count;
        }
        return count > 0 ? sum / count : 0;
    }

    free_problem& q_;
    quadratic& K_;
    const index m_;
    double mean_diagonal_ = 0;
    vec s_, t_, z_, v_, g_, dx_, dz_, dv_;
    two lambda_{}, dlambda_{};
};

}  // namespace

void barrier(free_problem& q, quadratic& K, double tol) { interior(q, K).run(tol); }

}  // namespace mercer::smo
