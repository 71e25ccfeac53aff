// What is true in double, whatever floats said.
#include <algorithm>
#include <cmath>

#include "mercer/base/parallel.h"
#include "mercer/solvers/smo/solver.h"

namespace mercer::smo {

// How far F is from its exact values at a few of the active points, a new choice each time; they are exact then.
double solver::sampled_error() {
    std::vector<index> points;
    std::vector<double> before;
    const index step = std::max<index>(1, active_ / sample_size);
    for (index i = certified_++ % step; i < active_; i += step) points.push_back(i), before.push_back(F_[i]);
    make_exact(points);
    double error = 0;
    for (std::size_t k = 0; k < points.size(); ++k) error = std::max(error, std::abs(F_[points[k]] - before[k]));
    return error;
}

// Whether the gap, in double, is at most tol. Replaces F by exact values where they matter.
bool solver::certify() {
    // How far F is from its exact values is seen on a sample of points, a new one each time, and on those of the largest |α|:
    // float errors gather around them. Small problems are made exact altogether.
    std::vector<index> points;
    const index step = n_ <= whole_size ? 1 : std::max<index>(1, active_ / sample_size);
    for (index i = certified_++ % step; i < active_; i += step) points.push_back(i);
    std::vector<std::uint8_t>& known = known_;
    known.assign(static_cast<std::size_t>(n_), 0);
    for (const index i : points) known[i] = 1;
    if (step > 1) {
        std::vector<index> heavy;
        for (index i = 0; i < active_; ++i)
            if (alpha_[i] != 0 && !known[i]) heavy.push_back(i);
        const auto count = std::min<std::size_t>(heavy.size(), static_cast<std::size_t>(sample_size));
        std::partial_sort(heavy.begin(), heavy.begin() + static_cast<std::ptrdiff_t>(count), heavy.end(), [&](index i, index j) {
            const double a = std::abs(alpha_[i]), b = std::abs(alpha_[j]);
            return a > b || (a == b && i < j);
        });
        for (std::size_t k = 0; k < count; ++k) known[heavy[k]] = 1, points.push_back(heavy[k]);
    }
    // Points that could decide the gap if they were as wrong as that; what they turn out to be may widen the doubt.
    double error = 0;
    while (!points.empty()) {
        std::vector<double> before;
        for (const index i : points) before.push_back(F_[i]);
        make_exact(points);
        for (std::size_t k = 0; k < points.size(); ++k) error = std::max(error, std::abs(F_[points[k]] - before[k]));
        measure();
        points.clear();
        const double doubt = 2 * safety * error;
        std::vector<index> late;
        for (index i = active_; i < n_; ++i)
            if (!beyond_doubt(i, doubt)) late.push_back(i);
        recall(late);
        for (index i = 0; i < active_; ++i) {
            const int g = group_[i];
            const bool may_be_top = alpha_[i] < upper_[i] && F_[i] + doubt >= max_up_[g], may_be_low = alpha_[i] > lower_[i] && F_[i] - doubt <= min_low_[g];
            if (known[i] || !(may_be_top || may_be_low)) continue;
            known[i] = 1;
            points.push_back(i);
        }
    }
    error_seen_ = error;
    gap_ = measure();
    return gap_ <= options_.tol;
}

// Whether float kernel values lead nowhere any more: time and again they promised an end that the exact ones denied, and the
// objective has not fallen since. Then the best α there was takes its place again.
bool solver::no_nearer() {
    if (remember()) return false;
    if (++denied_ <= most_denied) return false;
    restore();
    return true;
}

// Keeps α if it is the best so far.
bool solver::remember() {
    const double now = objective();
    if (!best_alpha_.empty() && !(now < least_ - 1e-9 * std::abs(least_))) return false;
    least_ = now;
    best_alpha_ = original_order(alpha_);
    denied_ = 0;
    return true;
}

// The best α there was, and its F.
void solver::restore() {
    for (index i = 0; i < n_; ++i) alpha_[i] = best_alpha_[perm_[i]];
    F_ = p_;
    active_ = level_ = n_;
    start_F();
    gap_ = measure();
}

void solver::make_exact(const std::vector<index>& points) {
    std::vector<index> support;
    std::vector<double> weight;
    for (index j = 0; j < n_; ++j)
        if (alpha_[j] != 0) support.push_back(perm_[j]), weight.push_back(alpha_[j]);
    constexpr index band = 96, strip = 1024;
    const index count = static_cast<index>(points.size()), terms = static_cast<index>(support.size());
    parallel_for((count + band - 1) / band, [&](index b) {
        thread_local buffer<double> tile;
        const index first = b * band, rows = std::min(band, count - first);
        std::vector<index> who;
        for (index i = first; i < first + rows; ++i) {
            who.push_back(perm_[points[i]]);
            F_[points[i]] = p_[points[i]];
        }
        for (index c = 0; c < terms; c += strip) {
            const index width = std::min(strip, terms - c);
            const matrix_view<double> k(tile.at_least(band * strip), rows, width);
            exact_.block(std::span<const index>(who), std::span<const index>(support.data() + c, static_cast<std::size_t>(width)), k);
            for (index i = 0; i < rows; ++i) F_[points[first + i]] -= ops_.dot(k.row(i), weight.data() + c, width);
        }
    });
}

// A function w that meets all constraints has pᵀα <= ‖w‖·√(αᵀKα) for every feasible α: α is a certificate of how large ‖w‖
// must be. Beyond what double can tell from infinity there is none. Float values only raise the suspicion.
bool solver::grows() {
    const auto needs_too_much = [&] {
        double linear = 0, quadratic = 0, largest = 0, low = infinity, high = -infinity;
        for (index i = 0; i < n_; ++i) {
            largest = std::max(largest, self(i));
            low = std::min(low, p_[i]);
            high = std::max(high, p_[i]);
            if (alpha_[i] == 0) continue;
            linear += alpha_[i] * p_[i];
            quadratic += alpha_[i] * (p_[i] - F_[i]);
        }
        const double spread = (high - low) / 2;
        return linear > 0 && quadratic * spread * spread * hopeless <= largest * linear * linear;
    };
    if (!needs_too_much()) return false;
    std::vector<index> support;
    for (index i = 0; i < n_; ++i)
        if (alpha_[i] != 0) support.push_back(i);
    make_exact(support);
    if (needs_too_much()) return true;
    for (index i = active_; i < n_; ++i) F_[i] = F_then_[i];  // points set aside keep what they were set aside with
    return false;
}

}  // namespace mercer::smo
