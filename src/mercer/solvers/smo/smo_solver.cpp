
#include "mercer/solvers/smo/smo_solver.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/threads.h"

namespace mercer::smo {

// How far F is from its exact values is seen on a sample of points, a new one each time, and on those of the largest
// |α|: float errors gather around them. Small problems are made exact altogether.
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
    // Then points that could decide the gap if they were as wrong as that; what they turn out to be may widen the
    // doubt.
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
    // At the bottom the objective says nothing more, and the gap does.
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

// A function w that meets all constraints has pᵀα <= ‖w‖·√(αᵀKα) for every feasible α: α is a certificate of how large
// ‖w‖ must be.
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
    // Float values only raise the suspicion.
    if (!needs_too_much()) return false;
    F_.make_exact(v_.support());
    if (needs_too_much()) return true;
    active_.put_back_aside();
    return false;
}

}  // namespace mercer::smo

namespace mercer::smo {

// What the end of the run will take, about, for the points set aside: its gap is that of all points, and the time is to
// suffice for it. Where a bound on the gap can take the place of a look, it may have the last tenth.
double watch::seconds_of_last_look(double now, bool settled) {
    if (!std::isfinite(options_.most_seconds) || settled) return 0;
    if (now - last_estimate_ < 0.02 * options_.most_seconds) return look_seconds_;
    last_estimate_ = now;
    look_seconds_ = seconds_to_look_at(v_.n - v_.active);
    if (K_.positive()) look_seconds_ = std::min(look_seconds_, 0.1 * options_.most_seconds);
    return look_seconds_;
}

double watch::seconds_to_look_at(index points) const {
    constexpr double cycles_in_a_second =
        1.6e9;  // half of what processors do: measured, a look takes about twice its cycles
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
    // The gap falls about geometrically in time: what is left is in proportion to the orders of magnitude left.
    if (first_gap_ <= 0) first_gap_ = v_.gap;
    const double fallen = std::log(first_gap_ / v_.gap), to_fall = std::log(v_.gap / options_.tol);
    if (fallen > 0) report.seconds_left = std::max(0.0, now * to_fall / fallen);
    return report;
}

}  // namespace mercer::smo
