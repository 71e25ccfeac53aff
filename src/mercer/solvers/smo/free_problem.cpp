#include "mercer/solvers/smo/free_problem.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "mercer/base/threads.h"
#include "mercer/dense/cholesky.h"
#include "mercer/solvers/smo/smo.h"

namespace mercer::smo {

sum_multipliers::sum_multipliers(const matrix<double>& factor, std::vector<std::uint8_t> group)
    : group_(std::move(group)) {
    for (const std::uint8_t g : group_) ++count_[g];
    for (std::size_t g = 0; g < 2; ++g) {
        if (count_[g] == 0) continue;
        for (const std::uint8_t own : group_) solved_[g].push_back(own == g ? 1.0 : 0.0);
        blocked_cholesky_solve(factor, solved_[g]);
        for (std::size_t i = 0; i < group_.size(); ++i) A_[group_[i]][g] += solved_[g][i];
    }
}

per_group sum_multipliers::apply(std::vector<double>& x, const per_group& sum) const {
    // Aλ = Σx - sum, in each group
    per_group b{}, lambda{};
    for (std::size_t i = 0; i < x.size(); ++i) b[group_[i]] += x[i];
    for (std::size_t g = 0; g < 2; ++g) b[g] -= sum[g];
    if (has(0) && has(1)) {
        const double determinant = A_[0][0] * A_[1][1] - A_[0][1] * A_[1][0];
        lambda = {(b[0] * A_[1][1] - b[1] * A_[0][1]) / determinant, (b[1] * A_[0][0] - b[0] * A_[1][0]) / determinant};
    } else {
        const std::size_t g = has(0) ? 0 : 1;
        lambda[g] = b[g] / A_[g][g];
    }
    for (std::size_t g = 0; g < 2; ++g)
        for (std::size_t i = 0; i < solved_[g].size(); ++i) x[i] -= lambda[g] * solved_[g][i];
    return lambda;
}

void dense_quadratic::multiply(const std::vector<double>& x, std::vector<double>& out) const {
    for (index i = 0; i < K_.rows(); ++i) out[static_cast<std::size_t>(i)] = ops_.dot(K_.row(i), x.data(), K_.rows());
}

bool dense_quadratic::factor(const std::vector<double>& d) {
    const index m = K_.rows();
    M_ = K_;
    double trace = 0;
    for (index i = 0; i < m; ++i) trace += std::abs(K_(i, i));
    for (index i = 0; i < m; ++i) M_(i, i) += d[static_cast<std::size_t>(i)] + 1e-14 * trace / static_cast<double>(m);
    if (!blocked_cholesky(M_)) return false;
    sums_ = std::make_unique<sum_multipliers>(M_, group_);
    return true;
}

per_group dense_quadratic::solve(std::vector<double>& b, const per_group& sum) const {
    blocked_cholesky_solve(M_, b);
    return sums_->apply(b, sum);
}

low_rank_quadratic::low_rank_quadratic(const matrix<double>& features, const std::vector<std::uint8_t>& group,
                                       const vector_ops& ops)
    : m_(features.rows()), columns_(features.cols()), group_(group), ops_(ops), centred_(columns_, m_) {
    mean_.assign(static_cast<std::size_t>(columns_), 0.0);
    diagonal_.assign(static_cast<std::size_t>(m_), 0.0);
    for (index i = 0; i < m_; ++i)
        for (index j = 0; j < columns_; ++j)
            mean_[j] += features(i, j) / static_cast<double>(m_), diagonal_[i] += features(i, j) * features(i, j);
    for (index j = 0; j < columns_; ++j)
        for (index i = 0; i < m_; ++i) centred_(j, i) = features(i, j) - mean_[j];
    for (int g = 0; g < 2; ++g)
        if (std::find(group_.begin(), group_.end(), g) != group_.end()) groups_.push_back(g);
}

void low_rank_quadratic::multiply(const std::vector<double>& x, std::vector<double>& out) const {
    double total = 0, shift = 0;
    for (const double each : x) total += each;
    std::fill(out.begin(), out.end(), 0.0);
    for (index j = 0; j < columns_; ++j) {
        const double w = ops_.dot(centred_.row(j), x.data(), m_) + mean_[j] * total;
        shift += w * mean_[j];
        const double* column = centred_.row(j);
        for (index i = 0; i < m_; ++i) out[i] += w * column[i];
    }
    for (double& each : out) each += shift;
}

bool low_rank_quadratic::factor(const std::vector<double>& d) {
    d_ = d;
    // d is bounded below, or (b - Φw)/d would be rounding error only. That shortens a step slightly in directions of
    // nearly zero curvature.
    for (index i = 0; i < m_; ++i) d_[i] += 1e-12 * diagonal_[i];
    const auto few = static_cast<index>(groups_.size()), size = columns_ + few;
    // The centred columns of Φ and the indicators of the groups, and both divided by d.
    matrix<double> weighted(size, m_), all(size, m_);
    for (index j = 0; j < size; ++j)
        for (index i = 0; i < m_; ++i) {
            all(j, i) = j < columns_ ? centred_(j, i)
                        : group_[static_cast<std::size_t>(i)] == groups_[static_cast<std::size_t>(j - columns_)] ? 1.0
                                                                                                                 : 0.0;
            weighted(j, i) = all(j, i) / d_[static_cast<std::size_t>(i)];
        }
    normal_ = matrix<double>(size, size);
    parallel_for(size, [&](index j) {
        for (index k = 0; k <= j; ++k)
            normal_(j, k) = normal_(k, j) =
                ops_.dot(weighted.row(j), all.row(k), m_) + (j == k && j < columns_ ? 1.0 : 0.0);
    });
    scale_.resize(static_cast<std::size_t>(size));
    for (index j = 0; j < size; ++j) scale_[j] = normal_(j, j) > 0 ? 1 / std::sqrt(normal_(j, j)) : 1;
    for (index j = 0; j < size; ++j)
        for (index k = 0; k < size; ++k) normal_(j, k) *= scale_[j] * scale_[k];
    for (index j = 0; j < size; ++j) normal_(j, j) += 1e-15;
    return blocked_cholesky(normal_);
}

per_group low_rank_quadratic::solve_once(std::vector<double>& b, const per_group& sum) const {
    const auto few = static_cast<index>(groups_.size()), size = columns_ + few;
    std::vector<double> over(b.size()), y(static_cast<std::size_t>(size), 0.0);
    for (std::size_t i = 0; i < b.size(); ++i) over[i] = b[i] / d_[i];
    for (index j = 0; j < columns_; ++j)
        y[j] = ops_.dot(centred_.row(j), over.data(), m_) + mean_[j] * (sum[0] + sum[1]);
    for (index g = 0; g < few; ++g) {
        const int own = groups_[static_cast<std::size_t>(g)];
        for (std::size_t i = 0; i < b.size(); ++i)
            if (group_[i] == own) y[columns_ + g] += over[i];
        y[columns_ + g] -= sum[static_cast<std::size_t>(own)];
    }
    for (index j = 0; j < size; ++j) y[j] *= scale_[j];
    blocked_cholesky_solve(normal_, y);
    for (index j = 0; j < size; ++j) y[j] *= scale_[j];
    per_group about{}, lambda{};
    for (index g = 0; g < few; ++g)
        about[static_cast<std::size_t>(groups_[static_cast<std::size_t>(g)])] = y[columns_ + g];
    double means = 0;
    for (index j = 0; j < columns_; ++j) {
        means += mean_[j] * y[j];
        const double* column = centred_.row(j);
        for (index i = 0; i < m_; ++i) b[i] -= y[j] * column[i];
    }
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = (b[i] - about[group_[i]]) / d_[i];
    for (const int g : groups_) lambda[static_cast<std::size_t>(g)] = about[static_cast<std::size_t>(g)] - means;
    return lambda;
}

per_group low_rank_quadratic::solve(std::vector<double>& b, const per_group& sum) const {
    const std::vector<double> wanted = b;
    per_group lambda = solve_once(b, sum);
    // One step of iterative refinement.
    std::vector<double> rest(b.size());
    multiply(b, rest);
    per_group missing = sum;
    for (std::size_t i = 0; i < b.size(); ++i) {
        rest[i] = wanted[i] - d_[i] * b[i] - rest[i] - lambda[group_[i]];
        missing[group_[i]] -= b[i];
    }
    const per_group more = solve_once(rest, missing);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] += rest[i];
    for (std::size_t g = 0; g < 2; ++g) lambda[g] += more[g];
    return lambda;
}

// solve_active_set: a primal-dual active-set method (Bergounioux, Ito, Kunisch, SIAM J. Control Optim. 37, 1999). It
// guesses the set b of variables at a bound and solves for the free variables f
//     K_ff x_f + λ = r_f - K_fb x_b,   Σx_f = s - Σx_b in each group, with one λ per group,
// by Cholesky factorisation. Then it corrects the guess: free variables outside their bounds are set to the bound, and
// variables at a bound with F beyond λ become free. It finds the exact solution after a few factorisations, or fails.

namespace {

// The free variables, and their sum in each group given that the others are at their bounds.
struct free_part {
    std::vector<index> members;
    std::vector<std::uint8_t> group;
    per_group sums;
};

free_part fix_bound_variables(free_problem& q) {
    free_part f;
    f.sums = q.sum;
    for (index i = 0; i < q.K.rows(); ++i) {
        if (q.status[i] == bound_status::free) {
            f.members.push_back(i);
            f.group.push_back(q.group[i]);
            continue;
        }
        q.x[i] = q.status[i] == bound_status::lower ? q.lower[i] : q.upper[i];
        f.sums[q.group[i]] -= q.x[i];
    }
    return f;
}

struct multipliers {
    per_group lambda{};
    bool known[2] = {false, false};  // λ of a group is determined only by its free variables
};

// Solves (K_ff + ridge·I) x_f + λ = r_f - K_fb x_b with the sums of `free`. Returns nothing if the matrix is not
// positive definite.
std::optional<multipliers> solve_free(free_problem& q, const free_part& free, double ridge) {
    const index f = static_cast<index>(free.members.size()), m = q.K.rows();
    matrix<double> part(f, f);
    std::vector<double> z(free.members.size());
    for (index a = 0; a < f; ++a) {
        const double* row = q.K.row(free.members[a]);
        for (index b = 0; b < f; ++b) part(a, b) = row[free.members[b]];
        part(a, a) += ridge;
        double fixed = 0;
        for (index j = 0; j < m; ++j)
            if (q.status[j] != bound_status::free) fixed += row[j] * q.x[j];
        z[a] = q.r[free.members[a]] - fixed;
    }
    if (!blocked_cholesky(part)) return {};
    blocked_cholesky_solve(part, z);
    const sum_multipliers sums(part, free.group);
    multipliers out{sums.apply(z, free.sums), {sums.has(0), sums.has(1)}};
    for (index a = 0; a < f; ++a) q.x[free.members[a]] = z[a];
    return out;
}

// F = r - Kx of the variables at a bound. Also sets λ of a group without free variables: such a group is optimal if λ
// lies between F of the variables at the lower bound and F of those at the upper bound.
std::vector<double> F_at_bounds(const free_problem& q, multipliers& found) {
    const index m = q.K.rows();
    std::vector<double> F(static_cast<std::size_t>(m));
    per_group rise{-infinity, -infinity}, fall{infinity, infinity};
    for (index i = 0; i < m; ++i) {
        if (q.status[i] == bound_status::free) continue;
        F[i] = q.r[i];
        const double* row = q.K.row(i);
        for (index j = 0; j < m; ++j) F[i] -= row[j] * q.x[j];
        double& end = q.status[i] == bound_status::lower ? rise[q.group[i]] : fall[q.group[i]];
        end = q.status[i] == bound_status::lower ? std::max(end, F[i]) : std::min(end, F[i]);
    }
    for (std::size_t g = 0; g < 2; ++g)
        if (!found.known[g])
            found.lambda[g] = !std::isfinite(rise[g])   ? fall[g]
                              : !std::isfinite(fall[g]) ? rise[g]
                                                        : (rise[g] + fall[g]) / 2;
    return F;
}

// Computes the next guess and returns the number of corrections.
index correct_guess(const free_problem& q, const std::vector<double>& F, const per_group& lambda,
                    std::vector<bound_status>& next) {
    index changes = 0;
    for (index i = 0; i < q.K.rows(); ++i) {
        if (q.status[i] == bound_status::free) {
            if (q.x[i] < q.lower[i]) next[i] = bound_status::lower, ++changes;
            if (q.x[i] > q.upper[i]) next[i] = bound_status::upper, ++changes;
            continue;
        }
        const double own = lambda[q.group[i]];
        if (q.status[i] == bound_status::lower ? F[i] > own : F[i] < own) next[i] = bound_status::free, ++changes;
    }
    return changes;
}

}  // namespace

bool solve_active_set(free_problem& q) {
    const index m = q.K.rows();
    double trace = 0;
    for (index i = 0; i < m; ++i) trace += q.K(i, i);
    const double ridge = 1e-12 * trace / static_cast<double>(m);
    // The number of corrections should decrease quickly. If it does not, pairs make better progress for now.
    constexpr int max_rounds = 12;
    index last_changes = m + 1;
    for (int round = 0; round < max_rounds; ++round) {
        const free_part free = fix_bound_variables(q);
        if (free.members.size() < 2) return false;
        std::optional<multipliers> found = solve_free(q, free, ridge);
        if (!found) return false;
        const std::vector<double> F = F_at_bounds(q, *found);
        std::vector<bound_status> next = q.status;
        const index changes = correct_guess(q, F, found->lambda, next);
        if (changes == 0) return true;
        if (changes > 0.8 * static_cast<double>(last_changes)) return false;
        last_changes = changes;
        q.status = std::move(next);
    }
    return false;
}

// solve_barrier: a primal-dual interior-point method (Mehrotra, SIAM J. Optimization 2, 1992).
//
// With multipliers z of x >= l, v of x <= u and λ of the sum of each group, the conditions are
//     Kx - r + λ - z + v = 0,   Σx = sum,   (x-l)z = μ,   (u-x)v = μ,   μ → 0.
// Every step factors K + diag(z/(x-l) + v/(u-x)) once and solves with it for the direction to μ = 0 and for the
// corrected direction. The number of steps hardly depends on K, which may be singular, or on the size of the bounds, so
// the method solves problems on which pairs and the active-set method fail. (solvers/interior_point/quadratic_program
// is the general method and needs LAPACK; this one needs no BLAS.)
//
// It ends when the residual is <= tol and, for every bound, the multiplier or the change of F from moving x to the
// bound is <= tol; or when rounding prevents progress. Then every variable whose multiplier is larger than that change
// of F is set to the bound. The caller has to check if the result is optimal.

namespace {

using vec = std::vector<double>;
using place = mercer::smo::bound_status;
constexpr int max_steps = 100;
constexpr int max_idle_steps = 8;  // consecutive steps without progress before the method ends

class barrier_method {
public:
    barrier_method(free_problem& q, quadratic_form& K) : q_(q), K_(K), m_(static_cast<index>(q.x.size())) {
        double width = 0, size = 0;
        for (index i = 0; i < m_; ++i) {
            mean_diagonal_ += std::abs(K.diagonal(i)) / static_cast<double>(m_);
            size = std::max({size, std::abs(q.x[i]), std::isfinite(q.lower[i]) ? std::abs(q.lower[i]) : 0.0});
            if (std::isfinite(q.upper[i] - q.lower[i])) width = std::max(width, q.upper[i] - q.lower[i]);
        }
        // Start well inside the bounds, near the x from the pairs.
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
        // Rounding errors may spoil the last steps: the result is the state with the smallest error.
        double nearest = std::numeric_limits<double>::infinity();
        state best;
        int last = 0;
        double min_mu = mean_product(0, 0);
        for (int step = 0; step < max_steps; ++step) {
            gradient();
            const double off = error();
            if (off < nearest) nearest = off, best = {q_.x, s_, t_, z_, v_}, last = step;
            // Progress need not show in the error at first: the initial multipliers may be nearer to the solution than
            // those on the central path. A decrease of μ counts as progress too.
            if (const double mu = mean_product(0, 0); mu < 0.5 * min_mu) min_mu = mu, last = step;
            if (off <= tol || off > 1e6 * nearest || step > last + max_idle_steps || !take_step()) break;
        }
        if (!best.x.empty())
            q_.x = std::move(best.x), s_ = std::move(best.s), t_ = std::move(best.t), z_ = std::move(best.z),
            v_ = std::move(best.v);
        snap_to_bounds();
    }

private:
    static std::size_t at(index i) { return static_cast<std::size_t>(i); }

    // g = Kx - r
    void gradient() {
        K_.multiply(q_.x, g_);
        for (index i = 0; i < m_; ++i) g_[i] -= q_.r[i];
    }
    double residual(index i) const { return g_[i] + lambda_[q_.group[i]] - z_[i] + v_[i]; }

    struct state {
        vec x, s, t, z, v;
    };

    // The change of F per unit of x_i: F_i changes by K_ii, and F of other variables because the sum is fixed. Without
    // the second effect an example at the origin of a linear kernel, K_ii = 0, would always be set to its lower bound.
    double weight(index i) const { return std::max(std::abs(K_.diagonal(i)), mean_diagonal_); }

    // The error: the largest violation of the conditions for ending.
    double error() const {
        double off = 0;
        for (index i = 0; i < m_; ++i) {
            const double k = weight(i);
            off = std::max({off, std::abs(residual(i)), std::min(k * s_[i], z_[i]), std::min(k * t_[i], v_[i])});
        }
        return std::isfinite(off) ? off : std::numeric_limits<double>::infinity();
    }

    // Sets the variables to a bound whose multiplier is larger than the change of F from moving to the bound.
    void snap_to_bounds() {
        for (index i = 0; i < m_; ++i) {
            const double k = weight(i);
            q_.status[i] = z_[i] > k * s_[i] ? place::lower : v_[i] > k * t_[i] ? place::upper : place::free;
            if (q_.status[i] == place::lower) q_.x[i] = q_.lower[i];
            if (q_.status[i] == place::upper) q_.x[i] = q_.upper[i];
        }
    }

    bool take_step() {
        vec d(at(m_));
        for (index i = 0; i < m_; ++i) d[i] = z_[i] / s_[i] + v_[i] / t_[i];
        if (!K_.factor(d)) return false;
        // First the direction to μ = 0, then the direction to σμ corrected by the products of the first direction.
        vec zero(at(m_), 0.0);
        const double mu = mean_product(0, 0);
        direction(zero, zero);
        const double affine = mean_product(max_step(s_, dx_, 1), max_multiplier_step());
        const double sigma = std::pow(affine / mu, 3);
        vec first(at(m_)), second(at(m_));
        for (index i = 0; i < m_; ++i)
            first[i] = sigma * mu - dx_[i] * dz_[i], second[i] = sigma * mu + dx_[i] * dv_[i];
        direction(first, second);
        const double step = 0.995 * std::min({max_step(s_, dx_, 1), max_step(t_, dx_, -1), max_multiplier_step()});
        double sum = 0;
        for (index i = 0; i < m_; ++i) sum += dx_[i] + dz_[i] + dv_[i];
        if (!(step > 1e-10) || !std::isfinite(sum)) return false;
        const double by = std::min(1.0, step);
        // The slacks are updated separately, because x - l would be rounded to zero near the solution.
        for (index i = 0; i < m_; ++i) {
            q_.x[i] += by * dx_[i];
            s_[i] += by * dx_[i], t_[i] -= by * dx_[i];
            z_[i] += by * dz_[i], v_[i] += by * dv_[i];
        }
        for (std::size_t g = 0; g < 2; ++g) lambda_[g] += by * dlambda_[g];
        return true;
    }

    // Computes dx, dλ, dz and dv towards (x-l)z = first, (u-x)v = second.
    void direction(const vec& first, const vec& second) {
        per_group missing = q_.sum;
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

    // The longest step, up to 1/0.995, that keeps slack + sign·step·d >= 0.
    double max_step(const vec& slack, const vec& d, double sign) const {
        double most = 1 / 0.995;
        for (index i = 0; i < m_; ++i)
            if (sign * d[i] < 0) most = std::min(most, -slack[i] / (sign * d[i]));
        return most;
    }
    double max_multiplier_step() const { return std::min(max_step(z_, dz_, 1), max_step(v_, dv_, 1)); }

    // The mean of the products (x-l)z and (u-x)v after steps of these lengths along the direction.
    double mean_product(double primal, double dual) const {
        primal = std::min({primal, max_step(t_, dx_, -1), 1.0});
        dual = std::min(dual, 1.0);
        double sum = 0, count = 0;
        for (index i = 0; i < m_; ++i) {
            if (bounded(s_[i])) sum += (s_[i] + primal * dx_[i]) * (z_[i] + dual * dz_[i]), ++count;
            if (bounded(t_[i])) sum += (t_[i] - primal * dx_[i]) * (v_[i] + dual * dv_[i]), ++count;
        }
        return count > 0 ? sum / count : 0;
    }

    free_problem& q_;
    quadratic_form& K_;
    const index m_;
    double mean_diagonal_ = 0;
    vec s_, t_, z_, v_, g_, dx_, dz_, dv_;
    per_group lambda_{}, dlambda_{};
};

}  // namespace

void solve_barrier(free_problem& q, quadratic_form& K, double tol) { barrier_method(q, K).run(tol); }

}  // namespace mercer::smo
