#include "mercer/solvers/smo/newton_step.h"

#include <algorithm>
#include <cmath>

#include "mercer/gram/low_rank.h"

namespace mercer::smo {

bool newton_step::is_due() const {
    return done_.steps - pair_steps_at_last_ >= min_pair_steps_ * v_.active && done_.work >= estimate_cycles();
}

bool newton_step::take() {
    const bool fell = solve(false);
    if (!fell) min_pair_steps_ = std::min(2 * min_pair_steps_, thresholds_.max_pair_steps);
    pair_steps_at_last_ = done_.steps;
    work_before_ += done_.work;
    done_.work = 0;
    ++steps_;
    return fell;
}

bool newton_step::take_last_resort() { return last_resorts_++ < thresholds_.max_last_resorts && solve(true); }

// The estimated cycles of a step: a few factorisations of the matrix of the free variables, at about eight operations
// per cycle.
double newton_step::estimate_cycles() const {
    if (features_.rows() > 0)
        return 15 * static_cast<double>(v_.n) * std::pow(static_cast<double>(features_.cols()) + 2, 2);
    double m = 0;
    for (index i = 0; i < v_.active; ++i) m += v_.is_free(i);
    return thresholds_.factor_cycles * m * m * m;
}

bool newton_step::find_features() {
    if (!features_tried_) {
        features_tried_ = true;
        features_ = F_.exact().features(std::min<index>(thresholds_.max_features, v_.n));
    }
    return features_.rows() > 0;
}

// Computes a low-rank factor Φ of K, once pairs have taken at least the cycles of that computation.
void newton_step::find_low_rank() {
    const double most = static_cast<double>(std::min<index>(thresholds_.max_features, v_.n)),
                 size = static_cast<double>(v_.n);
    const double cycles = size * most * (F_.exact().cycles_per_element() + 0.5 * most),
                 bytes = 2 * sizeof(double) * size * most;
    if (cycles > std::max(done_.work, thresholds_.barrier_cycles) ||
        bytes > static_cast<double>(std::max<std::size_t>(memory_bytes_, std::size_t{16} << 20)))
        return;
    low_rank_tried_ = true;
    double mass = 0;
    for (const double a : v_.alpha) mass += std::abs(a);
    // The error of F is at most the largest element of K - ΦΦᵀ times Σ|α|.
    features_ =
        low_rank_factor(F_.exact(), v_.kernel_offset, static_cast<index>(most),
                        0.01 * std::max(options_.tol, thresholds_.rounding * v_.max_abs_F()) / std::max(mass, 1.0));
}

void newton_step::set_F_from_features() {
    const index d = features_.cols();
    std::vector<double> w(static_cast<std::size_t>(d), 0.0);
    for (const index i : v_.support())
        for (index j = 0; j < d; ++j) w[j] += v_.alpha[i] * features_(v_.original[i], j);
    double sum = 0;  // Σα, because K of the problem is ΦΦᵀ - kernel_offset
    for (const double a : v_.alpha) sum += a;
    for (index i = 0; i < v_.n; ++i)
        v_.F[i] = v_.p[i] - ops_.dot(features_.row(v_.original[i]), w.data(), d) + v_.kernel_offset * sum;
}

bool newton_step::solve(bool last) {
    if (F_.make_all_exact()) v_.measure();
    if (v_.gap <= options_.tol) return true;
    std::vector<index> free = free_or_violating();
    if (solve_low_rank()) return true;
    if (thresholds_.try_active_set && solve(free, step_method::active_set)) return true;
    // The active-set method has failed. A barrier method takes a few dozen factorisations instead. It includes all
    // active variables if they are few.
    if (v_.active <= thresholds_.max_barrier_size) free = not_fixed(v_.active);
    const double m = static_cast<double>(free.size());
    const bool quick =
        7.5 * thresholds_.factor_cycles * m * m * m <= std::max(8 * done_.work, thresholds_.barrier_cycles);
    return (quick || (last && v_.active <= thresholds_.max_barrier_size)) && solve(free, step_method::barrier);
}

// Where K = ΦΦᵀ with few columns, solves the problem of all variables by a barrier method, whose cost is that of the
// columns. Linear and polynomial kernels on unscaled columns are examples, on which pairs converge slowly.
bool newton_step::solve_low_rank() {
    if (!find_features() && !low_rank_tried_) find_low_rank();
    if (features_.rows() == 0) return false;
    if (estimate_cycles() > std::max(8 * done_.work, 2e9)) return false;
    active_.activate_all();
    set_F_from_features();
    v_.measure();
    return solve(not_fixed(v_.n), step_method::low_rank);
}

std::vector<index> newton_step::free_or_violating() const {
    std::vector<index> out;
    for (index i = 0; i < v_.active; ++i) {
        const bool up = v_.can_increase(i), down = v_.can_decrease(i);
        const int g = v_.group[i];
        if ((up && down) || (up && v_.F[i] > v_.min_low[g] + options_.tol) ||
            (down && v_.F[i] < v_.max_up[g] - options_.tol))
            out.push_back(i);
    }
    return out;
}

// The positions below `count` whose lower and upper bounds differ.
std::vector<index> newton_step::not_fixed(index count) const {
    std::vector<index> out;
    for (index i = 0; i < count; ++i)
        if (v_.lower[i] < v_.upper[i]) out.push_back(i);
    return out;
}

// The gap of x in the free problem.
static double gap_of(const free_problem& q, const quadratic_form& K, const std::vector<double>& x) {
    std::vector<double> Kx(x.size());
    K.multiply(x, Kx);
    per_group up{-infinity, -infinity}, low{infinity, infinity};
    for (std::size_t a = 0; a < x.size(); ++a) {
        const double F = q.r[a] - Kx[a];
        const int g = q.group[a];
        if (x[a] < q.upper[a]) up[g] = std::max(up[g], F);
        if (x[a] > q.lower[a]) low[g] = std::min(low[g], F);
    }
    return std::max(up[0] - low[0], up[1] - low[1]);
}

// The problem of these variables, without K and r.
free_problem newton_step::make_problem(const std::vector<index>& free) const {
    free_problem q;
    for (const index i : free) {
        q.group.push_back(v_.group[i]);
        q.x.push_back(v_.alpha[i]);
        q.lower.push_back(v_.lower[i]);
        q.upper.push_back(v_.upper[i]);
        q.status.push_back(q.x.back() <= q.lower.back()   ? bound_status::lower
                           : q.x.back() >= q.upper.back() ? bound_status::upper
                                                          : bound_status::free);
        q.sum[q.group.back()] += q.x.back();
    }
    return q;
}

// K of the problem q, or nullptr if it does not fit into memory.
std::unique_ptr<quadratic_form> newton_step::make_matrix(free_problem& q, const std::vector<index>& free,
                                                         step_method how) {
    const index m = static_cast<index>(free.size());
    if (how == step_method::low_rank) {
        matrix<double> rows(m, features_.cols());
        for (index a = 0; a < m; ++a)
            std::copy_n(features_.row(v_.original[free[static_cast<std::size_t>(a)]]), rows.cols(), rows.row(a));
        return std::make_unique<low_rank_quadratic>(rows, q.group, ops_);
    }
    // K and its factor. The kept rows are released if both do not fit.
    const std::size_t need = static_cast<std::size_t>(m * m) * 2 * sizeof(double);
    if (m > thresholds_.max_newton_size || need > std::max<std::size_t>(memory_bytes_, std::size_t{16} << 20))
        return nullptr;
    if (need + F_.rows().bytes() > memory_bytes_) F_.rows().release();
    std::vector<index> who;
    for (const index i : free) who.push_back(v_.original[i]);
    q.K = matrix<double>(m, m);
    F_.exact().symmetric_block(std::span<const index>(who), q.K.view());
    for (index i = 0; v_.kernel_offset != 0 && i < m * m; ++i) q.K.data()[i] += v_.kernel_offset;
    return std::make_unique<dense_quadratic>(q.K, q.group, ops_);
}

bool newton_step::solve(const std::vector<index>& free, step_method how) {
    const index m = static_cast<index>(free.size());
    if (m < 2) return false;
    free_problem q = make_problem(free);
    const std::unique_ptr<quadratic_form> K = make_matrix(q, free, how);
    if (!K) return false;
    q.r.resize(static_cast<std::size_t>(m));
    K->multiply(q.x, q.r);
    for (index a = 0; a < m; ++a) q.r[a] += v_.F[free[a]];
    const std::vector<double> before = q.x;
    if (how != step_method::active_set) {
        solve_barrier(q, *K, 0.01 * std::max(options_.tol, thresholds_.rounding * v_.max_abs_F()));
        // The barrier has usually found which variables are at a bound, and then the active-set method gives the exact
        // solution. It does not where K is singular and many variables are free.
        const std::vector<double> near = q.x;
        const std::vector<bound_status> where = q.status;
        if (how == step_method::barrier && !(solve_active_set(q) && gap_of(q, *K, q.x) <= gap_of(q, *K, near)))
            q.x = near, q.status = where;
    } else if (!solve_active_set(q)) {
        return false;
    }
    std::vector<double> delta;
    if (!apply_step(free, q, *K, before, delta)) return false;
    active_.alpha_changed();
    // The remaining gap may be smaller than the float error of an update by such a step, so F becomes exact if
    // possible.
    if (how == step_method::low_rank)
        set_F_from_features();
    else if (!F_.make_all_exact())
        F_.update(free, delta, 0, v_.active, false);
    return true;
}

// Sets α to q.x if that decreases the objective and keeps the sums of the groups; returns false otherwise. `delta`
// receives the changes.
bool newton_step::apply_step(const std::vector<index>& free, const free_problem& q, const quadratic_form& K,
                             const std::vector<double>& before, std::vector<double>& delta) {
    const index m = static_cast<index>(free.size());
    for (index a = 0; a < m; ++a) delta.push_back(std::clamp(q.x[a], q.lower[a], q.upper[a]) - before[a]);
    // With an ill-conditioned K, Σd is not exactly zero: free variables take up the difference as far as their bounds
    // allow.
    per_group excess{};
    for (index a = 0; a < m; ++a) excess[q.group[a]] += delta[a];
    for (index a = 0; a < m; ++a) {
        double& own = excess[q.group[a]];
        if (q.status[a] != bound_status::free || own == 0) continue;
        const double moved = std::clamp(before[a] + delta[a] - own, q.lower[a], q.upper[a]) - before[a];
        own -= delta[a] - moved;
        delta[a] = moved;
    }
    // The step d changes the objective by ½dᵀKd - Fᵀd.
    double fall = 0;
    std::vector<double> bent(delta.size());
    K.multiply(delta, bent);
    for (index a = 0; a < m; ++a) fall += delta[a] * (v_.F[free[a]] - 0.5 * bent[a]);
    double size = 0;
    for (const double each : q.x) size += std::abs(each);
    if (!(fall > 0) || std::abs(excess[0]) + std::abs(excess[1]) > 1e-14 * size) return false;
    for (index a = 0; a < m; ++a) v_.alpha[free[a]] = std::clamp(before[a] + delta[a], q.lower[a], q.upper[a]);
    return true;
}

}  // namespace mercer::smo
