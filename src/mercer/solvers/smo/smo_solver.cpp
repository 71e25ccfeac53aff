#include "mercer/solvers/smo/smo_solver.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/threads.h"

namespace mercer::smo {

// The bytes of the budget for kept rows and for Newton's matrices: the budget less the arrays of the variables, the
// tile of a working set and the scratch memory of the threads, but at least a quarter of the budget.
static std::size_t room_for_rows(index n, std::size_t budget, const limits& by) {
    const auto block = static_cast<std::size_t>(std::min(n, std::max(by.largest_block, room_for_free(budget, by)))),
               size = static_cast<std::size_t>(n);
    // Counted for four threads: the number of kept rows must not depend on the number of threads.
    const std::size_t scratch = 4 * sizeof(float) * static_cast<std::size_t>(row_chunk * stripe);
    const std::size_t workspaces = std::size_t{6} << 20;  // of the tile loops, and unused ends of large pages
    const std::size_t taken = 200 * size + sizeof(float) * block * block + scratch + workspaces;
    return budget - std::min(taken, budget / 4 * 3);
}

solver::solver(const gram<float>& fast, const gram<double>& exact, const box_problem& problem,
               const smo_options& options, double common)
    : options_(options),
      v_(problem, fast, common),
      room_(room_for_rows(v_.n, options.cache_bytes, by_)),
      F_(v_, fast, exact, room_, done_, by_),
      active_(v_, F_, options, by_),
      block_(v_, F_, options, done_, by_),
      certificate_(v_, F_, active_, options, by_),
      newton_(v_, F_, active_, room_, options, done_, by_),
      watch_(v_, done_, options, fast),
      target_(0.98 * options.tol),
      rough_(by_.coarse_gap * v_.spread_of_p()),
      from_scratch_(problem.start.empty()) {}

smo_result solver::run() {
    F_.reconstruct();
    require_finite_F();
    certificate_.remember();
    active_.start(from_scratch_);
    next then = next::work;
    while (then != next::end) {
        v_.measure();
        then = v_.gap <= std::max(rough_, target_) || at_rest_ ? solved_so_far() : next::work;
        if (then != next::work) continue;
        if (const auto why = watch_.interruption(active_.aside_is_settled())) {
            end(*why);
            break;
        }
        if (block_.round(target_, rough_, active_.finest()))
            active_.changed();
        else
            at_rest_ = true;
        at_rest_ |= lost_in_rounding();
        if (!options_.bounded && certificate_.hopeless()) {
            end(fit_status::unbounded);
            break;
        }
        active_.shrink_sometimes();
        if (newton_.due()) then = accelerate();
        require_finite_F();
    }
    return result();
}

void solver::require_finite_F() const {
    const index i = v_.first_not_finite_F();
    if (i < 0) return;
    std::vector<index> support = v_.support();
    for (index& each : support) each = v_.original[each];
    fail_for_gradient(F_.fast(), F_.exact(), v_.original[i], v_.F[i], support);
}

solver::next solver::end(fit_status status) {
    status_ = status;
    return next::end;
}

// Returns true if the gap is of the size of the rounding error of F and no longer decreases. Pairs would then change
// only the last digits of α for ever.
bool solver::lost_in_rounding() {
    if (v_.gap < 0.5 * least_gap_) least_gap_ = v_.gap, rounds_at_least_ = done_.rounds;
    return done_.rounds - rounds_at_least_ >= by_.most_vain_rounds && v_.gap <= by_.rounding * v_.largest_F();
}

// Continues after the gap of the active variables has reached the target gap, or no pair makes progress.
solver::next solver::solved_so_far() {
    if (!active_.finest()) return finer_level();
    if (!active_.aside_is_settled()) return look_at_those_aside();
    rough_ = std::max(target_, rough_ * by_.refinement);
    return v_.gap <= target_ || at_rest_ ? ask_certificate() : next::work;
}

solver::next solver::finer_level() {
    if (watch_.too_late_for(active_.next_level_size() - v_.active)) return end(fit_status::time_limit);
    active_.next_level();
    at_rest_ = false;
    return next::measure_again;
}

solver::next solver::look_at_those_aside() {
    if (watch_.too_late_for(v_.n - v_.active)) return end(fit_status::time_limit);
    active_.unshrink_doubtful();
    at_rest_ = false;
    // If the gap of all variables is about the gap of those that were active, lower the target gap. Otherwise variables
    // were shrunk too early, so shrink fewer.
    if (v_.measure() <= 10 * rough_)
        rough_ = std::max(target_, rough_ * by_.refinement);
    else
        active_.widen_margin();
    // If no working set was solved since the last reconstruction, shrinking the same variables again would not end.
    if (done_.rounds > rounds_at_look_ && v_.gap > target_) active_.shrink();
    rounds_at_look_ = done_.rounds;
    return next::measure_again;
}

solver::next solver::ask_certificate() {
    if (certificate_.holds()) return end(success());
    if (certificate_.leads_no_nearer() || (at_rest_ && ++rests_ > 3)) {
        // Newton's method with double kernel values may succeed where float kernel values lead no further.
        if (!newton_.last_resort()) return end(failure());
        at_rest_ = false;
        rests_ = 0;
        certificate_.start_again();
        return next::measure_again;
    }
    at_rest_ = false;
    return v_.gap <= target_ ? next::measure_again : next::work;
}

solver::next solver::accelerate() {
    const bool fell = newton_.step();
    if (fell && v_.active == v_.n) newton_.was_vain(!certificate_.remember());
    // Before the solver gives up, exact values of F decide, once they cost little compared with the work so far.
    if (!newton_.exhausted() || !active_.finest() || !F_.make_all_exact(0.25 * newton_.work_before()))
        return next::work;
    if (v_.active < v_.n) active_.unshrink();
    const bool certain = certificate_.holds();
    if (!certain && newton_.last_resort()) return next::work;
    if (!certain && !certificate_.remember()) certificate_.restore();
    return end(certain ? success() : failure());
}

// The final reconstruction of F of the shrunk variables, after a run that ended early. After cancellation it may take
// half a second, after a time limit the remaining time.
void solver::look_at_those_aside_at_the_end() {
    constexpr double moment = 0.5;
    if (active_.aside_is_settled()) return;
    if (status_ != fit_status::time_limit && status_ != fit_status::cancelled)
        return active_.unshrink_doubtful(nullptr);
    const double last = status_ == fit_status::time_limit ? options_.most_seconds : watch_.seconds() + moment;
    active_.unshrink_doubtful([&] { return watch_.seconds() >= last; });
}

// Moves variables to their bound that differ from it by rounding error only. Where variables at their bounds alone give
// the fixed sum, rounding leaves one of them slightly inside, and it must not count as a free variable on the margin.
void solver::put_at_bounds() {
    double total = 0;
    for (const double a : v_.alpha) total += std::abs(a);
    for (index i = 0; i < v_.n; ++i) {
        const double hair = std::min(4e-15 * total, 1e-9 * (v_.upper[i] - v_.lower[i]));
        if (v_.alpha[i] < v_.lower[i] + hair) v_.alpha[i] = v_.lower[i];
        if (v_.alpha[i] > v_.upper[i] - hair) v_.alpha[i] = v_.upper[i];
    }
}

// Computes the objective, a sum over the support vectors, from exact values of F if these cost little compared with the
// work so far or if the known error of F would be visible in it. After a run that ended early the gap is taken from
// exact values too, unless they are too many.
void solver::exact_objective() {
    const bool certified = finished(status_);
    const bool exact = !certified && v_.active == v_.n && F_.make_all_exact();
    active_.gap_of_all();
    double weight = 0;
    for (const double a : v_.alpha) weight += std::abs(a);
    const bool shows =
        0.5 * weight * std::max(certificate_.error_seen(), active_.error_aside()) > 1e-7 * std::abs(objective_);
    const std::vector<index> support = v_.support();
    const double values = static_cast<double>(support.size()) * static_cast<double>(support.size());
    const double done = static_cast<double>(done_.rows_computed) * static_cast<double>(v_.n);
    if (exact || values <= by_.little || by_.little_work * values <= done || (shows && values <= 1e8)) {
        std::vector<index> float_only;
        for (const index i : support)
            if (!exact && (!certified || !certificate_.is_exact(i))) float_only.push_back(i);
        F_.make_exact(float_only);
    } else if (shows && newton_.find_features()) {
        newton_.F_from_features();  // too many kernel values, but K = ΦΦᵀ with few columns
    } else {
        return;
    }
    active_.gap_of_all();
    objective_ = 0;
    for (const index i : support) objective_ -= 0.5 * v_.alpha[i] * (v_.p[i] + v_.F[i]);
}

smo_result solver::result() {
    look_at_those_aside_at_the_end();
    objective_ = active_.objective();
    put_at_bounds();
    exact_objective();
    require_finite_F();
    smo_result out;
    out.status = status_;
    out.gap = std::max(0.0, v_.gap);
    out.objective = objective_;
    out.alpha = v_.original_order(v_.alpha);
    out.F = v_.original_order(v_.F);
    out.steps = done_.steps, out.rounds = done_.rounds;
    out.rows_computed = done_.rows_computed, out.rows_reused = done_.rows_reused;
    out.flat_steps = done_.flat_steps, out.concave_steps = done_.concave_steps;
    out.seconds = watch_.seconds();
    return out;
}

// The positions from which the error of F is estimated: a sample, another one at each call, and the variables of the
// largest |α|, around which float errors accumulate. In small problems these are all active variables.
std::vector<index> certificate::first_looked_at() {
    const index step = v_.n <= by_.whole_size ? 1 : std::max<index>(1, v_.active / by_.sample_size);
    std::vector<index> points = F_.sample(step);
    exact_.assign(static_cast<std::size_t>(v_.n), 0);
    for (const index i : points) exact_[i] = 1;
    if (step == 1) return points;
    std::vector<index> heavy;
    for (index i = 0; i < v_.active; ++i)
        if (v_.alpha[i] != 0 && !exact_[i]) heavy.push_back(i);
    const auto count = std::min<std::size_t>(heavy.size(), static_cast<std::size_t>(by_.sample_size));
    std::partial_sort(heavy.begin(), heavy.begin() + static_cast<std::ptrdiff_t>(count), heavy.end(),
                      [&](index i, index j) {
                          const double a = std::abs(v_.alpha[i]), b = std::abs(v_.alpha[j]);
                          return a > b || (a == b && i < j);
                      });
    for (std::size_t k = 0; k < count; ++k) exact_[heavy[k]] = 1, points.push_back(heavy[k]);
    return points;
}

bool certificate::holds() {
    std::vector<index> points = first_looked_at();
    // Then variables follow that could decide the gap if their F had a multiple of that error. Their own errors may
    // increase the estimate.
    double error = 0;
    while (!points.empty()) {
        std::vector<double> before;
        for (const index i : points) before.push_back(v_.F[i]);
        F_.make_exact(points);
        for (std::size_t k = 0; k < points.size(); ++k) error = std::max(error, std::abs(v_.F[points[k]] - before[k]));
        v_.measure();
        points.clear();
        const double doubt = 2 * by_.safety * error;
        active_.recall_doubtful(doubt);
        for (index i = 0; i < v_.active; ++i) {
            const int g = v_.group[i];
            const bool may_be_top = v_.can_rise(i) && v_.F[i] + doubt >= v_.max_up[g],
                       may_be_low = v_.can_fall(i) && v_.F[i] - doubt <= v_.min_low[g];
            if (exact_[i] || !(may_be_top || may_be_low)) continue;
            exact_[i] = 1;
            points.push_back(i);
        }
    }
    error_seen_ = error;
    return v_.measure() <= options_.tol;
}

bool certificate::leads_no_nearer() {
    if (remember()) return false;
    if (++denied_ <= by_.most_denied) return false;
    restore();
    return true;
}

bool certificate::remember() {
    const double now = active_.objective();
    const bool lower = best_alpha_.empty() || now < least_ - 1e-9 * std::abs(least_);
    // Near the minimum the objective no longer distinguishes α, but the gap does.
    if (!lower && !(v_.gap < gap_of_best_ && now <= least_ + 1e-12 * std::abs(least_))) return false;
    best_alpha_ = v_.original_order(v_.alpha);
    gap_of_best_ = v_.gap;
    if (!lower) return false;
    least_ = now;
    denied_ = 0;
    return true;
}

void certificate::restore() {
    for (index i = 0; i < v_.n; ++i) v_.alpha[i] = best_alpha_[v_.original[i]];
    active_.take_all();
    F_.reconstruct();
    v_.measure();
}

// Every w that satisfies all constraints has pᵀα <= ‖w‖·√(αᵀKα) for every feasible α, so α proves a lower bound of ‖w‖.
// Returns true if that bound exceeds limits::hopeless.
bool certificate::needs_too_much() const {
    double linear = 0, quadratic = 0, largest = 0, low = infinity, high = -infinity;
    for (index i = 0; i < v_.n; ++i) {
        largest = std::max(largest, v_.self(i));
        low = std::min(low, v_.p[i]);
        high = std::max(high, v_.p[i]);
        if (v_.alpha[i] == 0) continue;
        linear += v_.alpha[i] * v_.p[i];
        quadratic += v_.alpha[i] * (v_.p[i] - v_.F[i]);
    }
    const double spread = (high - low) / 2;
    return linear > 0 && quadratic * spread * spread * by_.hopeless <= largest * linear * linear;
}

bool certificate::hopeless() {
    // The test with float values is cheap; only double values decide.
    if (!needs_too_much()) return false;
    F_.make_exact(v_.support());
    if (needs_too_much()) return true;
    active_.put_back_aside();
    return false;
}

// The estimated time of the final reconstruction of F of the shrunk variables, which must fit into the time limit
// because the gap of the result is that of all variables. Where K is positive semidefinite, an upper bound of the gap
// can replace the reconstruction, so it is given at most a tenth of the time limit.
double watch::seconds_of_last_look(double now, bool settled) {
    if (!std::isfinite(options_.most_seconds) || settled) return 0;
    if (now - last_estimate_ < 0.02 * options_.most_seconds) return look_seconds_;
    last_estimate_ = now;
    look_seconds_ = seconds_to_look_at(v_.n - v_.active);
    if (K_.positive()) look_seconds_ = std::min(look_seconds_, 0.1 * options_.most_seconds);
    return look_seconds_;
}

double watch::seconds_to_look_at(index points) const {
    // Half the clock rate of processors: a reconstruction was measured to take about twice its estimated cycles.
    constexpr double cycles_in_a_second = 1.6e9;
    return static_cast<double>(points) * static_cast<double>(v_.support_size()) * K_.element_cost() /
           (cycles_in_a_second * threads());
}

bool watch::too_late_for(index points) const {
    return std::isfinite(options_.most_seconds) && seconds() + seconds_to_look_at(points) >= options_.most_seconds;
}

std::optional<fit_status> watch::interruption(bool settled) {
    if (done_.steps >= options_.most_steps) return fit_status::step_limit;
    const double now = seconds();
    if (now >= options_.most_seconds || now + seconds_of_last_look(now, settled) >= options_.most_seconds)
        return fit_status::time_limit;
    if (options_.checkpoint && now - last_checkpoint_ >= options_.checkpoint_seconds) {
        last_checkpoint_ = now;
        options_.checkpoint(v_.original_order(v_.alpha));
    }
    if (options_.progress && now - last_report_ >= 0.1) {
        last_report_ = now;
        if (!options_.progress(progress(now))) return fit_status::cancelled;
    }
    return {};
}

smo_progress watch::progress(double now) {
    smo_progress report{done_.steps, done_.rounds, v_.gap, v_.active, v_.n, 0, now, infinity};
    const double asked = static_cast<double>(done_.rows_computed + done_.rows_reused);
    if (asked > 0) report.cache_hits = static_cast<double>(done_.rows_reused) / asked;
    // The gap decreases about geometrically in time: the remaining time is proportional to log(gap/tol).
    if (first_gap_ <= 0) first_gap_ = v_.gap;
    const double fallen = std::log(first_gap_ / v_.gap), to_fall = std::log(v_.gap / options_.tol);
    if (fallen > 0) report.seconds_left = std::max(0.0, now * to_fall / fallen);
    return report;
}

}  // namespace mercer::smo
