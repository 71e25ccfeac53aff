// Newton's method on the free variables and those that want to leave their bounds, for when pairs crawl: large C, tiny γ, nearly
// singular K.
//
// With all others fixed, these variables x solve  min ½xᵀKx - rᵀx, l <= x <= u, Σx = s in each group,  r = F + Kx. A primal-dual active set
// method (Bergounioux, Ito, Kunisch, SIAM J. Control Optim. 37, 1999) guesses who is at a bound, solves the equations
//     K_ff x_f + λ = r_f - K_fb x_b,   Σx_f = s - Σx_b in each group, λ one number for each
// by Cholesky, and corrects the guess: free ones outside their box go to the bound, bound ones with F beyond λ become free. It
// ends after a few factorisations, exactly; if it does not, or the objective would not fall, nothing is changed.
#include <algorithm>
#include <cmath>

#include "mercer/solvers/smo/blocked_cholesky.h"
#include "mercer/solvers/smo/low_rank.h"
#include "mercer/solvers/smo/quadratic.h"
#include "mercer/solvers/smo/solver.h"

namespace mercer::smo {

sum_multipliers::sum_multipliers(const matrix<double>& factor, std::vector<std::uint8_t> group) : group_(std::move(group)) {
    for (const std::uint8_t g : group_) ++count_[g];
    for (std::size_t g = 0; g < 2; ++g) {
        if (count_[g] == 0) continue;
        for (const std::uint8_t own : group_) solved_[g].push_back(own == g ? 1.0 : 0.0);
        solve_cholesky(factor, solved_[g]);
        for (std::size_t i = 0; i < group_.size(); ++i) A_[group_[i]][g] += solved_[g][i];
    }
}

two sum_multipliers::apply(std::vector<double>& x, const two& sum) const {
    // Aλ = Σx - sum, in each group
    two b{}, lambda{};
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

bool active_set(free_problem& q) {
    const index m = q.K.rows();
    std::vector<at>& where = q.where;
    double trace = 0;
    for (index i = 0; i < m; ++i) trace += q.K(i, i);
    const double ridge = 1e-12 * trace / static_cast<double>(m);
    // The number of corrections should fall quickly; where it does not, pairs do better for now.
    constexpr int most_rounds = 12;
    index last_changes = m + 1;
    for (int round = 0; round < most_rounds; ++round) {
        std::vector<index> free;
        std::vector<std::uint8_t> group;
        two left = q.sum;
        for (index i = 0; i < m; ++i) {
            if (where[i] == at::free) {
                free.push_back(i);
                group.push_back(q.group[i]);
                continue;
            }
            q.x[i] = where[i] == at::lower ? q.lower[i] : q.upper[i];
            left[q.group[i]] -= q.x[i];
        }
        const index f = static_cast<index>(free.size());
        if (f < 2) return false;
        matrix<double> part(f, f);
        std::vector<double> z(free.size());
        for (index a = 0; a < f; ++a) {
            const double* row = q.K.row(free[a]);
            for (index b = 0; b < f; ++b) part(a, b) = row[free[b]];
            part(a, a) += ridge;
            double fixed = 0;
            for (index j = 0; j < m; ++j)
                if (where[j] != at::free) fixed += row[j] * q.x[j];
            z[a] = q.r[free[a]] - fixed;
        }
        if (!blocked_cholesky(part)) return false;
        solve_cholesky(part, z);
        const sum_multipliers sums(part, group);
        two lambda = sums.apply(z, left);
        for (index a = 0; a < f; ++a) q.x[free[a]] = z[a];
        std::vector<double> F(static_cast<std::size_t>(m));
        two rise{-infinity, -infinity}, fall{infinity, infinity};
        for (index i = 0; i < m; ++i) {
            if (where[i] == at::free) continue;
            F[i] = q.r[i];
            const double* row = q.K.row(i);
            for (index j = 0; j < m; ++j) F[i] -= row[j] * q.x[j];
            double& end = where[i] == at::lower ? rise[q.group[i]] : fall[q.group[i]];
            end = where[i] == at::lower ? std::max(end, F[i]) : std::min(end, F[i]);
        }
        // A group with all at their bounds rests where λ lies between those that could rise and those that could fall.
        for (std::size_t g = 0; g < 2; ++g)
            if (!sums.has(static_cast<int>(g))) lambda[g] = !std::isfinite(rise[g]) ? fall[g] : !std::isfinite(fall[g]) ? rise[g] : (rise[g] + fall[g]) / 2;
        index changes = 0;
        std::vector<at> next = where;
        for (index i = 0; i < m; ++i) {
            if (where[i] == at::free) {
                if (q.x[i] < q.lower[i]) next[i] = at::lower, ++changes;
                if (q.x[i] > q.upper[i]) next[i] = at::upper, ++changes;
                continue;
            }
            const double own = lambda[q.group[i]];
            if (where[i] == at::lower ? F[i] > own : F[i] < own) next[i] = at::free, ++changes;
        }
        if (changes == 0) return true;
        if (changes > 0.8 * static_cast<double>(last_changes)) return false;
        last_changes = changes;
        where = std::move(next);
    }
    return false;
}

// A few factorisations of the free variables' matrix, at about eight operations a cycle.
double solver::newton_work() const {
    if (features_.rows() > 0) return 15 * static_cast<double>(n_) * std::pow(static_cast<double>(features_.cols()) + 2, 2);
    double m = 0;
    for (index i = 0; i < active_; ++i) m += alpha_[i] > lower_[i] && alpha_[i] < upper_[i];
    return factor_cycles * m * m * m;
}

// Φ with K = ΦΦᵀ, where there is one of few columns.
bool solver::find_features() {
    if (!asked_features_) {
        asked_features_ = true;
        features_ = exact_.features(std::min<index>(most_features, n_));
    }
    return features_.rows() > 0;
}

// Where there is, a barrier takes all points at the price of its columns: planes and polynomials on raw columns, on which pairs would crawl.
bool solver::thin_newton() {
    find_features();
    if (features_.rows() == 0 && !asked_low_rank_) find_low_rank();
    if (features_.rows() == 0) return false;
    if (newton_work() > std::max(8 * work_, 2e9)) return false;
    active_ = level_ = n_;
    F_from_features();
    gap_ = measure();
    std::vector<index> all;
    for (index i = 0; i < n_; ++i)
        if (lower_[i] < upper_[i]) all.push_back(i);
    return newton(all, way::thin);
}

// Looks for such a Φ, once pairs have worked as long as that takes.
void solver::find_low_rank() {
    const double most = static_cast<double>(std::min<index>(most_features, n_)), size = static_cast<double>(n_);
    const double cycles = size * most * (exact_.element_cost() + 0.5 * most);
    if (cycles > std::max(work_, quick_barrier) || 2 * sizeof(double) * size * most > static_cast<double>(std::max<std::size_t>(room_, std::size_t{16} << 20))) return;
    asked_low_rank_ = true;
    double mass = 0;
    for (const double a : alpha_) mass += std::abs(a);
    // Errors of F are at most so much of what is left of K times the mass.
    features_ = low_rank_factor(exact_, common_, static_cast<index>(most), 0.01 * options_.tol / std::max(mass, 1.0));
}

// F = p - Φ(Φᵀα) of all points.
void solver::F_from_features() {
    const index d = features_.cols();
    std::vector<double> w(static_cast<std::size_t>(d), 0.0);
    for (index i = 0; i < n_; ++i)
        if (alpha_[i] != 0)
            for (index j = 0; j < d; ++j) w[j] += alpha_[i] * features_(perm_[i], j);
    double sum = 0;  // of α, which K without its common value sees
    for (const double a : alpha_) sum += a;
    for (index i = 0; i < n_; ++i) F_[i] = p_[i] - ops_.dot(features_.row(perm_[i]), w.data(), d) + common_ * sum;
}

bool solver::newton(bool last) {
    if (all_exact()) gap_ = measure();
    if (gap_ <= options_.tol) return true;
    std::vector<index> free;
    for (index i = 0; i < active_; ++i) {
        const bool up = alpha_[i]<upper_[i], down = alpha_[i]> lower_[i];
        const int g = group_[i];
        if ((up && down) || (up && F_[i] > min_low_[g] + options_.tol) || (down && F_[i] < max_up_[g] - options_.tol)) free.push_back(i);
    }
    if (thin_newton()) return true;
    if (guess && newton(free, way::guess)) return true;
    // Guessing who is at a bound leads nowhere: a barrier finds out, at the price of a few dozen factorisations. Few points take part as a whole.
    if (active_ <= most_barrier) {
        free.clear();
        for (index i = 0; i < active_; ++i)
            if (lower_[i] < upper_[i]) free.push_back(i);
    }
    const double m = static_cast<double>(free.size());
    const bool worth = 7.5 * factor_cycles * m * m * m <= std::max(8 * work_, quick_barrier) || (last && active_ <= most_barrier);
    return worth && newton(free, way::barrier);
}

// The gap that x leaves in the problem of its variables alone.
static double gap_of(const free_problem& q, const quadratic& K, const std::vector<double>& x) {
    std::vector<double> Kx(x.size());
    K.multiply(x, Kx);
    two up{-infinity, -infinity}, low{infinity, infinity};
    for (std::size_t a = 0; a < x.size(); ++a) {
        const double F = q.r[a] - Kx[a];
        const int g = q.group[a];
        if (x[a] < q.upper[a]) up[g] = std::max(up[g], F);
        if (x[a] > q.lower[a]) low[g] = std::min(low[g], F);
    }
    return std::max(up[0] - low[0], up[1] - low[1]);
}

bool solver::newton(const std::vector<index>& free, way how) {
    const index m = static_cast<index>(free.size());
    if (m < 2) return false;
    free_problem q;
    std::vector<index> who;
    for (const index i : free) who.push_back(perm_[i]), q.group.push_back(group_[i]);
    std::unique_ptr<quadratic> K;
    if (how == way::thin) {
        matrix<double> rows(m, features_.cols());
        for (index a = 0; a < m; ++a) std::copy_n(features_.row(who[static_cast<std::size_t>(a)]), rows.cols(), rows.row(a));
        K = std::make_unique<thin_quadratic>(rows, q.group, ops_);
    } else {
        // K and what is factored; kept rows make room where both do not fit.
        const std::size_t need = static_cast<std::size_t>(m * m) * 2 * sizeof(double);
        if (m > most_newton || need > std::max<std::size_t>(room_, std::size_t{16} << 20)) return false;
        if (need + store_.bytes() > room_) store_.release();
        q.K = matrix<double>(m, m);
        exact_.square(std::span<const index>(who), q.K.view());
        for (index i = 0; common_ != 0 && i < m * m; ++i) q.K.data()[i] += common_;
        K = std::make_unique<whole_quadratic>(q.K, q.group, ops_);
    }
    for (index a = 0; a < m; ++a) {
        q.x.push_back(alpha_[free[a]]);
        q.lower.push_back(lower_[free[a]]);
        q.upper.push_back(upper_[free[a]]);
        q.where.push_back(q.x.back() <= q.lower.back() ? at::lower : q.x.back() >= q.upper.back() ? at::upper : at::free);
        q.sum[q.group[static_cast<std::size_t>(a)]] += q.x.back();
    }
    q.r.resize(static_cast<std::size_t>(m));
    K->multiply(q.x, q.r);
    for (index a = 0; a < m; ++a) q.r[a] += F_[free[a]];
    const std::vector<double> before = q.x;
    if (how != way::guess) {
        barrier(q, *K, 0.01 * options_.tol);
        // Who is at a bound is known now, as a rule: then the equations give the exact solution. Not where K is singular and many are free.
        const std::vector<double> near = q.x;
        const std::vector<at> where = q.where;
        if (how == way::barrier && !(active_set(q) && gap_of(q, *K, q.x) <= gap_of(q, *K, near))) q.x = near, q.where = where;
    } else if (!active_set(q)) {
        return false;
    }
    std::vector<double> delta;
    for (index a = 0; a < m; ++a) delta.push_back(std::clamp(q.x[a], q.lower[a], q.upper[a]) - before[a]);
    // An ill-conditioned K leaves Σd beside zero: free variables with room take up the difference.
    two excess{};
    for (index a = 0; a < m; ++a) excess[q.group[a]] += delta[a];
    for (index a = 0; a < m; ++a) {
        double& own = excess[q.group[a]];
        if (q.where[a] != at::free || own == 0) continue;
        const double moved = std::clamp(before[a] + delta[a] - own, q.lower[a], q.upper[a]) - before[a];
        own -= delta[a] - moved;
        delta[a] = moved;
    }
    // Objective of the step d: ½dᵀKd - Fᵀd.
    double fall = 0;
    std::vector<double> bent(delta.size());
    K->multiply(delta, bent);
    for (index a = 0; a < m; ++a) fall += delta[a] * (F_[free[a]] - 0.5 * bent[a]);
    double size = 0;
    for (const double each : q.x) size += std::abs(each);
    if (!(fall > 0) || std::abs(excess[0]) + std::abs(excess[1]) > 1e-14 * size) return false;
    for (index a = 0; a < m; ++a) alpha_[free[a]] = std::clamp(before[a] + delta[a], q.lower[a], q.upper[a]);
    looked_ = false;
    // What is left of the gap may be smaller than what float kernel values make of such steps.
    if (how == way::thin)
        F_from_features();
    else if (!all_exact())
        apply(free, delta, 0, active_, false);
    return true;
}

// F of all active points from kernel values in double, if these are not too many; else nothing, and false.
bool solver::all_exact() {
    index support = 0;
    for (const double a : alpha_) support += a != 0;
    if (active_ * support > most_exact) return false;
    std::vector<index> all(static_cast<std::size_t>(active_));
    for (index i = 0; i < active_; ++i) all[i] = i;
    make_exact(all);
    return true;
}

}  // namespace mercer::smo
