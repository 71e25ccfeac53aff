#include "mercer/solvers/smo/smo.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/gram/narrowed.h"
#include "mercer/solvers/smo/common_value.h"
#include "mercer/solvers/smo/solver.h"

namespace mercer {

namespace smo {

limits& limits_in_force() {
    static limits now;
    return now;
}

namespace {
// Free variables in a block: its tile takes an eighth of the budget at most.
index room_for_free(std::size_t budget, const limits& l) {
    const auto side = static_cast<index>(std::sqrt(static_cast<double>(budget / 8 / sizeof(float))));
    return std::clamp(side, l.smallest_block, l.most_free);
}
// What the budget leaves for rows and for Newton's matrices, when α, F and the like, a block's tile and the threads' scratch are taken off; but a
// quarter of it at least.
std::size_t room_for_rows(index n, std::size_t budget, const limits& l) {
    const auto block = static_cast<std::size_t>(std::min(n, std::max(l.largest_block, room_for_free(budget, l)))), size = static_cast<std::size_t>(n);
    // Of four threads, however many there are: what is kept must not depend on that.
    const std::size_t scratch = 4 * sizeof(float) * static_cast<std::size_t>(row_chunk * stripe);
    const std::size_t workspaces = std::size_t{6} << 20;  // of the tile loops, and the unused ends of large pages
    const std::size_t taken = 200 * size + sizeof(float) * block * block + scratch + workspaces;
    return budget - std::min(taken, budget / 4 * 3);
}
}  // namespace

solver::solver(const gram<float>& fast, const gram<double>& exact, const box_problem& problem, const smo_options& options, double common)
    : limits(limits_in_force()),
      fast_(fast),
      exact_(exact),
      common_(common),
      options_(options),
      n_(static_cast<index>(problem.p.size())),
      active_(n_),
      ops_(best_vector_ops()),
      most_free_(room_for_free(options.block_bytes, *this)),
      room_(room_for_rows(n_, options.cache_bytes, *this)),
      store_(n_, room_, fast.element_cost(), rows_kept) {
    const auto copy = [&](std::span<const double> from) { return std::vector<double>(from.begin(), from.end()); };
    p_ = copy(problem.p);
    lower_ = copy(problem.lower);
    upper_ = copy(problem.upper);
    groups_ = problem.group.empty() ? 1 : 2;
    group_.assign(problem.group.begin(), problem.group.end());
    if (group_.empty()) group_.assign(static_cast<std::size_t>(n_), 0);
    alpha_ = problem.start.empty() ? std::vector<double>(static_cast<std::size_t>(n_), 0.0) : copy(problem.start);
    has_start_ = !problem.start.empty();
    perm_.resize(static_cast<std::size_t>(n_));
    for (index i = 0; i < n_; ++i) perm_[i] = i;
    F_ = p_;
    mark_.assign(static_cast<std::size_t>(n_), 0);
    diagonal_.resize(static_cast<std::size_t>(n_));
    fast_.diagonal(diagonal_);
}

smo_result solver::run() {
    start_F();
    no_nearer();  // the start is the first to beat
    start_coarse();
    const double target = 0.98 * options_.tol;  // what is left of tol covers the float error, as a rule
    while (true) {
        gap_ = measure();
        if (gap_ <= (rough_ > target ? rough_ : target) || at_rest_) {
            if (level_ < n_) {
                if (too_late_for(std::min(n_, level_ * level_ratio) - active_)) break;
                next_level();
                continue;
            }
            if (active_ < n_ && !looked_) {
                if (too_late_for(n_ - active_)) break;
                look();
                at_rest_ = false;
                // All points looked at: go on to a finer gap if this one is about true, else be more careful whom to set aside.
                gap_ = measure();
                if (gap_ <= 10 * rough_)
                    rough_ = std::max(target, rough_ * refinement);
                else
                    margin_ *= 4;
                // Nothing was done since the last look: setting the same points aside again would go on for ever.
                if (result_.rounds > rounds_at_look_ && gap_ > target) shrink();
                rounds_at_look_ = result_.rounds;
                continue;
            }
            rough_ = std::max(target, rough_ * refinement);
            if (gap_ <= target || at_rest_) {
                if (certify()) {
                    result_.status = success();
                    break;
                }
                if (no_nearer() || (at_rest_ && ++rests_ > 3)) {
                    // Float kernel values lead no further: double ones may.
                    if (last_tries_++ < most_last_tries && newton(true)) {
                        at_rest_ = false;
                        rests_ = denied_ = 0;
                        continue;
                    }
                    result_.status = failure();
                    break;
                }
                at_rest_ = false;
                if (gap_ <= target) continue;
            }
        }
        if (interrupted()) break;
        round(target);
        if (!options_.bounded && grows()) {
            result_.status = fit_status::unbounded;
            break;
        }
        if (options_.shrinking && ++since_shrink_ >= 4) shrink();
        // Pairs crawl: many steps for every active point, and no end yet, at no less work than Newton's method would be.
        if (result_.steps - steps_at_newton_ >= patience_ * active_ && work_ >= newton_work()) {
            if (!newton())
                patience_ = std::min(2 * patience_, most_patience);
            else if (active_ == n_)
                vain_newtons_ = remember() ? 0 : vain_newtons_ + 1;
            steps_at_newton_ = result_.steps;
            work_ = 0;
            // Solved in double time and again, and float kernel values lead away every time: K is too large for them.
            // Where that cannot be seen, for there are too many of them, it goes on.
            if ((++newtons_ > most_newtons || vain_newtons_ > most_vain_newtons) && level_ == n_ && all_exact()) {
                if (active_ < n_) bring_back();
                const bool certain = certify();
                if (!certain && last_tries_++ < most_last_tries && newton(true)) continue;
                if (!certain && !remember()) restore();
                result_.status = certain ? success() : failure();
                break;
            }
        }
    }
    return finish();
}

double solver::measure() {
    double gap = -infinity;
    for (int g = 0; g < groups_; ++g) {
        if (groups_ == 1) {
            ops_.extremes(F_.data(), alpha_.data(), lower_.data(), upper_.data(), active_, max_up_[0], min_low_[0]);
        } else {
            max_up_[g] = -infinity;
            min_low_[g] = infinity;
            for (index i = 0; i < active_; ++i) {
                if (group_[i] != g) continue;
                if (alpha_[i] < upper_[i]) max_up_[g] = std::max(max_up_[g], F_[i]);
                if (alpha_[i] > lower_[i]) min_low_[g] = std::min(min_low_[g], F_[i]);
            }
        }
        gap = std::max(gap, max_up_[g] - min_low_[g]);
    }
    return gap;
}

void solver::round(double target) {
    choose_block();
    solve_block(target);
    ++result_.rounds;
    // Δα of the block, and what it does to everybody's F.
    std::vector<index> changed;
    std::vector<double> delta;
    std::vector<bool> moved(block_.size(), false);
    for (std::size_t k = 0; k < block_.size(); ++k) {
        const index i = block_[k];
        if (i < 0) continue;
        const double d = inner_alpha_[k] - alpha_[i];
        if (d == 0) continue;
        changed.push_back(i);
        delta.push_back(d);
        moved[k] = true;
        alpha_[i] = inner_alpha_[k];
    }
    if (changed.empty())
        at_rest_ = true;
    else
        looked_ = false;
    if (whole_) {
        // The tile holds all the rows.
        const auto q = static_cast<index>(block_.size());
        std::vector<const float*> rows;
        for (index k = 0; k < q; ++k)
            if (moved[static_cast<std::size_t>(k)]) rows.push_back(tile_.data() + k * q);
        std::vector<double> change(static_cast<std::size_t>(q), 0.0);
        ops_.subtract_rows(change.data(), rows.data(), delta.data(), static_cast<index>(rows.size()), q);
        for (index k = 0; k < q; ++k)
            if (block_[k] >= 0) F_[block_[k]] += change[k];
        return;
    }
    apply(changed, delta, 0, active_, true);
}

// What finish() will take, about, for the points set aside: its gap is that of all points, and the time is to suffice for it. Where a bound on the gap
// can take the place of a look, it may have the last tenth.
double solver::seconds_of_last_look(double now) {
    if (!std::isfinite(options_.most_seconds) || active_ == n_ || looked_) return 0;
    if (now - last_estimate_ < 0.02 * options_.most_seconds) return look_seconds_;
    last_estimate_ = now;
    look_seconds_ = seconds_to_look_at(n_ - active_);
    if (fast_.positive()) look_seconds_ = std::min(look_seconds_, 0.1 * options_.most_seconds);
    return look_seconds_;
}

double solver::seconds_to_look_at(index points) const {
    constexpr double cycles_in_a_second = 1.6e9;  // half of what processors do: measured, a look takes about twice its cycles
    const auto support = static_cast<double>(std::count_if(alpha_.begin(), alpha_.end(), [](double a) { return a != 0; }));
    return static_cast<double>(points) * support * fast_.element_cost() / (cycles_in_a_second * threads());
}

// Whether a look at so many points would still be under way at the end of the time: then it is better taken as the last one, which knows when to stop.
bool solver::too_late_for(index points) {
    if (!std::isfinite(options_.most_seconds) || seconds() + seconds_to_look_at(points) < options_.most_seconds) return false;
    result_.status = fit_status::time_limit;
    return true;
}

bool solver::interrupted() {
    if (result_.steps >= options_.most_steps) {
        result_.status = fit_status::step_limit;
        return true;
    }
    const double now = seconds();
    if (now >= options_.most_seconds || now + seconds_of_last_look(now) >= options_.most_seconds) {
        result_.status = fit_status::time_limit;
        return true;
    }
    if (options_.checkpoint && now - last_checkpoint_ >= options_.checkpoint_seconds) {
        last_checkpoint_ = now;
        options_.checkpoint(original_order(alpha_));
    }
    if (options_.progress && now - last_report_ >= 0.1) {
        last_report_ = now;
        smo_progress report{result_.steps, result_.rounds, gap_, active_, n_, 0, now, infinity};
        const double asked = static_cast<double>(result_.rows_computed + result_.rows_reused);
        if (asked > 0) report.cache_hits = static_cast<double>(result_.rows_reused) / asked;
        // The gap falls about geometrically in time: what is left is in proportion to the orders of magnitude left.
        if (first_gap_ <= 0) first_gap_ = gap_;
        const double fallen = std::log(first_gap_ / gap_), to_fall = std::log(gap_ / options_.tol);
        if (fallen > 0) report.seconds_left = std::max(0.0, now * to_fall / fallen);
        if (!options_.progress(report)) {
            result_.status = fit_status::cancelled;
            return true;
        }
    }
    return false;
}

std::vector<double> solver::original_order(const std::vector<double>& values) const {
    std::vector<double> out(static_cast<std::size_t>(n_));
    for (index i = 0; i < n_; ++i) out[perm_[i]] = values[i];
    return out;
}

smo_result solver::finish() {
    if (active_ < n_ && !looked_) {
        constexpr double moment = 0.5;  // seconds for who has asked to stop
        level_ = n_;
        if (!fast_.positive())
            bring_back();
        else
            look_until(result_.status == fit_status::time_limit  ? options_.most_seconds
                       : result_.status == fit_status::cancelled ? seconds() + moment
                                                                 : infinity);
    }
    result_.objective = objective();
    // Where variables at their bounds alone meet the sum, rounding leaves one of them a hair inside; it says nothing of the margin.
    double total = 0;
    for (const double a : alpha_) total += std::abs(a);
    for (index i = 0; i < n_; ++i) {
        const double hair = std::min(4e-15 * total, 1e-9 * (upper_[i] - lower_[i]));
        if (alpha_[i] < lower_[i] + hair) alpha_[i] = lower_[i];
        if (alpha_[i] > upper_[i] - hair) alpha_[i] = upper_[i];
    }
    // Cut short, the gap and the objective are those of exact values too, unless they are too many.
    const bool certified = result_.status == fit_status::converged || result_.status == fit_status::stationary;
    const bool exact = !certified && active_ == n_ && all_exact();
    gap_ = gap_of_all();
    // The objective is a sum over support points: of exact values, where these are little work beside what was done, or the error seen in F would show.
    double weight = 0;
    for (const double a : alpha_) weight += std::abs(a);
    const bool shows = 0.5 * weight * std::max(error_seen_, error_then_) > 1e-7 * std::abs(result_.objective);
    std::vector<index> support, float_only;
    for (index i = 0; i < n_; ++i) {
        if (alpha_[i] == 0) continue;
        support.push_back(i);
        if (!exact && (!certified || !known_[i])) float_only.push_back(i);
    }
    const double values = static_cast<double>(support.size()) * static_cast<double>(support.size());
    const double done = static_cast<double>(result_.rows_computed) * static_cast<double>(n_);
    if (exact || values <= little || little_work * values <= done || (shows && values <= 1e8)) {
        make_exact(float_only);
        gap_ = gap_of_all();
        result_.objective = 0;
        for (const index i : support) result_.objective -= 0.5 * alpha_[i] * (p_[i] + F_[i]);
    } else if (shows && find_features()) {
        // Too many of them, but all that K is lies in a few columns.
        F_from_features();
        gap_ = gap_of_all();
        result_.objective = 0;
        for (const index i : support) result_.objective -= 0.5 * alpha_[i] * (p_[i] + F_[i]);
    }
    result_.gap = std::max(0.0, gap_);
    result_.alpha = original_order(alpha_);
    result_.F = original_order(F_);
    result_.seconds = seconds();
    return std::move(result_);
}

double common_value(const gram<float>& K) {
    constexpr index most_rows = 8, most_columns = 64;
    const index n = K.rows(), rows = std::min(n, most_rows), columns = std::min(n, most_columns);
    std::vector<index> r, c;
    for (index i = 0; i < rows; ++i) r.push_back(i * n / rows);
    for (index j = 0; j < columns; ++j) c.push_back(j * n / columns);
    matrix<float> some(rows, columns);
    K.block(std::span<const index>(r), std::span<const index>(c), some.view());
    return common_value({some.data(), static_cast<std::size_t>(rows * columns)});
}

}  // namespace smo

void smo_result::add_run_before(const smo_result& first) {
    seconds += first.seconds, steps += first.steps, rounds += first.rounds;
    flat_steps += first.flat_steps, concave_steps += first.concave_steps;
    rows_computed += first.rows_computed, rows_reused += first.rows_reused;
}

smo_result solve_smo(const gram<float>& fast, const gram<double>& exact, const box_problem& problem, const smo_options& options) {
    const auto n = static_cast<index>(problem.p.size());
    if (fast.rows() != n || fast.cols() != n || exact.rows() != n || exact.cols() != n)
        fail(errc::invalid_argument,
             "smo: the Gram matrix must be n × n with n = " + std::to_string(n) + ", got " + std::to_string(fast.rows()) + " × " + std::to_string(fast.cols()));
    if (!(options.tol > 0)) fail(errc::invalid_argument, "smo: tol must satisfy tol > 0, got " + std::to_string(options.tol));
    for (std::size_t i = 0; i < problem.p.size(); ++i)
        if (!(problem.lower[i] <= problem.upper[i]))
            fail(errc::invalid_argument, "smo: bounds must satisfy lower <= upper, got " + std::to_string(problem.lower[i]) + " and " +
                                             std::to_string(problem.upper[i]) + " for variable " + std::to_string(i));
    smo_result r = smo::solver(fast, exact, problem, options).run();
    const double c = r.status == fit_status::stalled ? smo::common_value(fast) : 0;
    if (c == 0) return r;
    // What tells the points apart is lost in the rounding of what they have in common: on from here without that. The sum of α is fixed, so it is the same
    // problem, F but for a constant.
    const lowered<float> low_fast(exact, c);
    const lowered<double> low_exact(exact, c);
    smo_options rest = options;
    rest.most_seconds -= r.seconds;
    rest.most_steps -= r.steps;
    smo_result again = smo::solver(low_fast, low_exact, {problem.p, problem.lower, problem.upper, problem.group, r.alpha}, rest, c).run();
    double sum = 0;
    for (const double each : again.alpha) sum += each;
    for (double& each : again.F) each -= c * sum;
    again.objective += 0.5 * c * sum * sum;
    again.add_run_before(r);
    return again;
}

}  // namespace mercer
