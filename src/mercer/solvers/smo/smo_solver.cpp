#include "mercer/solvers/smo/smo_solver.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/threads.h"

namespace mercer::smo {

// The bytes of the budget for kept rows and for Newton's matrices: the budget less the arrays of the variables, the
// tile of a working set and the scratch memory of the threads, but at least a quarter of the budget.
static std::size_t row_cache_bytes(index n, std::size_t budget, const smo_thresholds& thresholds) {
    const auto block = static_cast<std::size_t>(
                   std::min(n, std::max(thresholds.max_working_set, max_free_variables(budget, thresholds)))),
               size = static_cast<std::size_t>(n);
    // Counted for four threads: the number of kept rows must not depend on the number of threads.
    const std::size_t scratch = 4 * sizeof(float) * static_cast<std::size_t>(row_chunk * column_tile);
    const std::size_t workspaces = std::size_t{6} << 20;  // of the tile loops, and unused ends of large pages
    const std::size_t taken = 200 * size + sizeof(float) * block * block + scratch + workspaces;
    return budget - std::min(taken, budget / 4 * 3);
}

smo_solver::smo_solver(const gram<float>& fast, const gram<double>& exact, const box_problem& problem,
                       const smo_options& options, double kernel_offset)
    : options_(options),
      v_(problem, fast, kernel_offset),
      memory_bytes_(row_cache_bytes(v_.n, options.cache_bytes, thresholds_)),
      F_(v_, fast, exact, memory_bytes_, done_, thresholds_),
      active_(v_, F_, options, thresholds_),
      working_set_(v_, F_, options, done_, thresholds_),
      certificate_(v_, F_, active_, options, thresholds_),
      newton_(v_, F_, active_, memory_bytes_, options, done_, thresholds_),
      monitor_(v_, done_, options, fast),
      target_(0.98 * options.tol),
      current_tol_(thresholds_.coarse_gap * v_.p_deviation()),
      from_scratch_(problem.start.empty()) {}

smo_result smo_solver::run() {
    F_.reconstruct();
    require_finite_F();
    certificate_.update_best();
    active_.start(from_scratch_);
    next_action then = next_action::work;
    while (then != next_action::end) {
        v_.measure();
        then = v_.gap <= std::max(current_tol_, target_) || no_progress_ ? after_target_gap() : next_action::work;
        if (then != next_action::work) continue;
        if (const auto why = monitor_.stop_reason(active_.shrunk_are_optimal())) {
            finish(*why);
            break;
        }
        if (working_set_.solve_next(target_, current_tol_, active_.uses_all_rows()))
            active_.alpha_changed();
        else
            no_progress_ = true;
        no_progress_ |= gap_is_rounding_error();
        if (!options_.bounded && certificate_.margin_below_precision()) {
            finish(fit_status::unbounded);
            break;
        }
        active_.shrink_periodically();
        if (newton_.is_due()) then = take_newton_step();
        require_finite_F();
    }
    return result();
}

void smo_solver::require_finite_F() const {
    const index i = v_.find_nonfinite_F();
    if (i < 0) return;
    std::vector<index> support = v_.support();
    for (index& each : support) each = v_.original[each];
    fail_nonfinite_gradient(F_.fast(), F_.exact(), v_.original[i], v_.F[i], support);
}

smo_solver::next_action smo_solver::finish(fit_status status) {
    status_ = status;
    return next_action::end;
}

// Returns true if the gap is of the size of the rounding error of F and no longer decreases. Pairs would then change
// only the last digits of α for ever.
bool smo_solver::gap_is_rounding_error() {
    if (v_.gap < 0.5 * min_gap_) min_gap_ = v_.gap, rounds_at_min_gap_ = done_.rounds;
    return done_.rounds - rounds_at_min_gap_ >= thresholds_.max_idle_rounds &&
           v_.gap <= thresholds_.rounding * v_.max_abs_F();
}

// Continues after the gap of the active variables has reached the target gap, or no pair makes progress.
smo_solver::next_action smo_solver::after_target_gap() {
    if (!active_.uses_all_rows()) return enlarge_sample();
    if (!active_.shrunk_are_optimal()) return reconstruct_gradient();
    current_tol_ = std::max(target_, current_tol_ * thresholds_.gap_factor);
    return v_.gap <= target_ || no_progress_ ? check_certificate() : next_action::work;
}

smo_solver::next_action smo_solver::enlarge_sample() {
    if (monitor_.exceeds_time_limit(active_.next_sample_size() - v_.active)) return finish(fit_status::time_limit);
    active_.enlarge_sample();
    no_progress_ = false;
    return next_action::measure_again;
}

smo_solver::next_action smo_solver::reconstruct_gradient() {
    if (monitor_.exceeds_time_limit(v_.n - v_.active)) return finish(fit_status::time_limit);
    active_.unshrink_possible_violators();
    no_progress_ = false;
    // If the gap of all variables is about the gap of those that were active, lower the target gap. Otherwise variables
    // were shrunk too early, so shrink fewer.
    if (v_.measure() <= 10 * current_tol_)
        current_tol_ = std::max(target_, current_tol_ * thresholds_.gap_factor);
    else
        active_.shrink_less();
    // If no working set was solved since the last reconstruction, shrinking the same variables again would not end.
    if (done_.rounds > rounds_at_reconstruction_ && v_.gap > target_) active_.shrink();
    rounds_at_reconstruction_ = done_.rounds;
    return next_action::measure_again;
}

smo_solver::next_action smo_solver::check_certificate() {
    if (certificate_.holds()) return finish(success_status());
    if (certificate_.float_stalled() || (no_progress_ && ++stalls_ > 3)) {
        // Newton's method with double kernel values may succeed where float kernel values lead no further.
        if (!newton_.take_last_resort()) return finish(failure_status());
        no_progress_ = false;
        stalls_ = 0;
        certificate_.reset_refuted();
        return next_action::measure_again;
    }
    no_progress_ = false;
    return v_.gap <= target_ ? next_action::measure_again : next_action::work;
}

smo_solver::next_action smo_solver::take_newton_step() {
    const bool fell = newton_.take();
    if (fell && v_.active == v_.n) newton_.record_outcome(!certificate_.update_best());
    // Before the solver gives up, exact values of F decide, once they cost little compared with the work so far.
    if (!newton_.is_exhausted() || !active_.uses_all_rows() || !F_.make_all_exact(0.25 * newton_.work_before()))
        return next_action::work;
    if (v_.active < v_.n) active_.unshrink();
    const bool certain = certificate_.holds();
    if (!certain && newton_.take_last_resort()) return next_action::work;
    if (!certain && !certificate_.update_best()) certificate_.restore_best();
    return finish(certain ? success_status() : failure_status());
}

// The final reconstruction of F of the shrunk variables, after a run that ended early. After cancellation it may take
// half a second, after a time limit the remaining time.
void smo_solver::final_gradient_reconstruction() {
    constexpr double moment = 0.5;
    if (active_.shrunk_are_optimal()) return;
    if (status_ != fit_status::time_limit && status_ != fit_status::cancelled)
        return active_.unshrink_possible_violators(nullptr);
    const double last = status_ == fit_status::time_limit ? options_.max_seconds : monitor_.seconds() + moment;
    active_.unshrink_possible_violators([&] { return monitor_.seconds() >= last; });
}

// Moves variables to their bound that differ from it by rounding error only. Where variables at their bounds alone give
// the fixed sum, rounding leaves one of them slightly inside, and it must not count as a free variable on the margin.
void smo_solver::snap_to_bounds() {
    double total = 0;
    for (const double a : v_.alpha) total += std::abs(a);
    for (index i = 0; i < v_.n; ++i) {
        const double hair = std::min(4e-15 * total, 1e-9 * (v_.upper[i] - v_.lower[i]));
        if (v_.alpha[i] < v_.lower[i] + hair) v_.alpha[i] = v_.lower[i];
        if (v_.alpha[i] > v_.upper[i] - hair) v_.alpha[i] = v_.upper[i];
    }
}

// Computes the objective, a sum over the support vectors, from exact entries of F if these cost little compared with
// the work so far or if the known error of F would be visible in the sum. After a run that ended early the gap is
// computed from exact entries of F too, unless computing them would take too long.
void smo_solver::compute_exact_objective() {
    const bool certified = is_optimal(status_);
    const bool exact = !certified && v_.active == v_.n && F_.make_all_exact();
    active_.total_gap();
    double weight = 0;
    for (const double a : v_.alpha) weight += std::abs(a);
    const bool shows =
        0.5 * weight * std::max(certificate_.error_seen(), active_.shrunk_error()) > 1e-7 * std::abs(objective_);
    const std::vector<index> support = v_.support();
    const double values = static_cast<double>(support.size()) * static_cast<double>(support.size());
    const double done = static_cast<double>(done_.rows_computed) * static_cast<double>(v_.n);
    if (exact || values <= thresholds_.free_exact_values || thresholds_.exact_value_ratio * values <= done ||
        (shows && values <= 1e8)) {
        std::vector<index> float_only;
        for (const index i : support)
            if (!exact && (!certified || !certificate_.is_exact(i))) float_only.push_back(i);
        F_.make_exact(float_only);
    } else if (shows && newton_.find_features()) {
        newton_.set_F_from_features();  // too many kernel values, but K = ΦΦᵀ with few columns
    } else {
        return;
    }
    active_.total_gap();
    objective_ = 0;
    for (const index i : support) objective_ -= 0.5 * v_.alpha[i] * (v_.p[i] + v_.F[i]);
}

smo_result smo_solver::result() {
    final_gradient_reconstruction();
    objective_ = active_.objective();
    snap_to_bounds();
    compute_exact_objective();
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
    out.seconds = monitor_.seconds();
    return out;
}

// The positions from which the error of F is estimated: a sample, another one at each call, and the variables of the
// largest |α|, around which float errors accumulate. In small problems these are all active variables.
std::vector<index> certificate::choose_initial_sample() {
    const index step =
        v_.n <= thresholds_.full_set_size ? 1 : std::max<index>(1, v_.active / thresholds_.error_sample_size);
    std::vector<index> points = F_.sample_positions(step);
    exact_.assign(static_cast<std::size_t>(v_.n), 0);
    for (const index i : points) exact_[i] = 1;
    if (step == 1) return points;
    std::vector<index> heavy;
    for (index i = 0; i < v_.active; ++i)
        if (v_.alpha[i] != 0 && !exact_[i]) heavy.push_back(i);
    const auto count = std::min<std::size_t>(heavy.size(), static_cast<std::size_t>(thresholds_.error_sample_size));
    std::partial_sort(heavy.begin(), heavy.begin() + static_cast<std::ptrdiff_t>(count), heavy.end(),
                      [&](index i, index j) {
                          const double a = std::abs(v_.alpha[i]), b = std::abs(v_.alpha[j]);
                          return a > b || (a == b && i < j);
                      });
    for (std::size_t k = 0; k < count; ++k) exact_[heavy[k]] = 1, points.push_back(heavy[k]);
    return points;
}

bool certificate::holds() {
    std::vector<index> points = choose_initial_sample();
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
        const double doubt = 2 * thresholds_.error_factor * error;
        active_.unshrink_possible_violators(doubt);
        for (index i = 0; i < v_.active; ++i) {
            const int g = v_.group[i];
            const bool may_be_top = v_.can_increase(i) && v_.F[i] + doubt >= v_.max_up[g],
                       may_be_low = v_.can_decrease(i) && v_.F[i] - doubt <= v_.min_low[g];
            if (exact_[i] || !(may_be_top || may_be_low)) continue;
            exact_[i] = 1;
            points.push_back(i);
        }
    }
    error_seen_ = error;
    return v_.measure() <= options_.tol;
}

bool certificate::float_stalled() {
    if (update_best()) return false;
    if (++refuted_ <= thresholds_.max_refuted) return false;
    restore_best();
    return true;
}

bool certificate::update_best() {
    const double now = active_.objective();
    const bool lower = best_alpha_.empty() || now < min_objective_ - 1e-9 * std::abs(min_objective_);
    // Near the minimum the objective no longer distinguishes α, but the gap does.
    if (!lower && !(v_.gap < best_gap_ && now <= min_objective_ + 1e-12 * std::abs(min_objective_))) return false;
    best_alpha_ = v_.original_order(v_.alpha);
    best_gap_ = v_.gap;
    if (!lower) return false;
    min_objective_ = now;
    refuted_ = 0;
    return true;
}

void certificate::restore_best() {
    for (index i = 0; i < v_.n; ++i) v_.alpha[i] = best_alpha_[v_.original[i]];
    active_.activate_all();
    F_.reconstruct();
    v_.measure();
}

// Every w that satisfies all constraints has pᵀα <= ‖w‖·√(αᵀKα) for every feasible α, so α proves a lower bound of ‖w‖.
// Returns true if that bound exceeds smo_thresholds::max_squared_norm.
bool certificate::proves_large_norm() const {
    double linear = 0, quadratic = 0, largest = 0, low = infinity, high = -infinity;
    for (index i = 0; i < v_.n; ++i) {
        largest = std::max(largest, v_.self_kernel(i));
        low = std::min(low, v_.p[i]);
        high = std::max(high, v_.p[i]);
        if (v_.alpha[i] == 0) continue;
        linear += v_.alpha[i] * v_.p[i];
        quadratic += v_.alpha[i] * (v_.p[i] - v_.F[i]);
    }
    const double spread = (high - low) / 2;
    return linear > 0 && quadratic * spread * spread * thresholds_.max_squared_norm <= largest * linear * linear;
}

bool certificate::margin_below_precision() {
    // The test with float values is cheap; only double values decide.
    if (!proves_large_norm()) return false;
    F_.make_exact(v_.support());
    if (proves_large_norm()) return true;
    active_.restore_shrunk();
    return false;
}

// The estimated time of the final reconstruction of F of the shrunk variables, which must fit into the time limit
// because the gap of the result is that of all variables. Where K is positive semidefinite, an upper bound of the gap
// can replace the reconstruction, so it is given at most a tenth of the time limit.
double run_monitor::final_reconstruction_seconds(double now, bool settled) {
    if (!std::isfinite(options_.max_seconds) || settled) return 0;
    if (now - last_estimate_ < 0.02 * options_.max_seconds) return reconstruction_seconds_;
    last_estimate_ = now;
    reconstruction_seconds_ = estimate_reconstruction_seconds(v_.n - v_.active);
    if (K_.is_psd()) reconstruction_seconds_ = std::min(reconstruction_seconds_, 0.1 * options_.max_seconds);
    return reconstruction_seconds_;
}

double run_monitor::estimate_reconstruction_seconds(index points) const {
    // Half the clock rate of processors: a reconstruction was measured to take about twice its estimated cycles.
    constexpr double cycles_in_a_second = 1.6e9;
    return static_cast<double>(points) * static_cast<double>(v_.support_size()) * K_.cycles_per_element() /
           (cycles_in_a_second * threads());
}

bool run_monitor::exceeds_time_limit(index points) const {
    return std::isfinite(options_.max_seconds) &&
           seconds() + estimate_reconstruction_seconds(points) >= options_.max_seconds;
}

std::optional<fit_status> run_monitor::stop_reason(bool settled) {
    if (done_.steps >= options_.max_steps) return fit_status::step_limit;
    const double now = seconds();
    if (now >= options_.max_seconds || now + final_reconstruction_seconds(now, settled) >= options_.max_seconds)
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

smo_progress run_monitor::progress(double now) {
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
