#include "mercer/solvers/smo/active_set.h"

#include <algorithm>
#include <cmath>

namespace mercer::smo {

void active_set::start(bool from_scratch) {
    if (const double spread = v_.p_deviation(); spread > 0) margin_ = thresholds_.shrink_margin * spread;
    if (!options_.shrinking || !from_scratch || v_.n < 4 * thresholds_.min_sample) return;
    while (sample_size_ / thresholds_.sample_ratio >= thresholds_.min_sample)
        sample_size_ = (sample_size_ + thresholds_.sample_ratio - 1) /
                       thresholds_.sample_ratio;  // rounded up, or a level could have all but a few
    save_reference(0);
    sample(0, sample_size_);
    v_.active = sample_size_;
}

// Fills positions first … last-1 with a random sample of the variables at positions from `first` on: a Fisher-Yates
// shuffle that stops at `last`.
void active_set::sample(index first, index last) {
    std::vector<index> order(static_cast<std::size_t>(v_.n));
    for (index i = 0; i < v_.n; ++i) order[i] = i;
    std::uint64_t seed = 0x9E3779B97F4A7C15ull;  // constant, so that the same fit gives the same result
    for (index i = first; i < last; ++i) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        std::swap(order[i], order[i + static_cast<index>((seed >> 33) % static_cast<std::uint64_t>(v_.n - i))]);
    }
    reorder(order);
}

void active_set::enlarge_sample() {
    const index next = next_sample_size();
    if (next < v_.n) sample(sample_size_, next);
    sample_size_ = next;
    unshrink();
    shrink();
}

// Returns true if variable i can be shrunk: it is at a bound, and by F it would move further out. That is certain where
// F lies beyond the extreme of the variables that could pair with i. It is likely where F lies beyond the present
// offset by more than a margin; later reconstructions of F correct wrong decisions.
bool active_set::can_shrink(index i) const {
    const int g = v_.group[i];
    const bool at_upper = !v_.can_increase(i), at_lower = !v_.can_decrease(i);
    if (at_upper && at_lower) return true;
    if (at_upper) return v_.F[i] > std::min(v_.max_up[g], offset_[g] + margin_);
    if (at_lower) return v_.F[i] < std::max(v_.min_low[g], offset_[g] - margin_);
    return false;
}

// Sets the present offset of each group: the mean of F over free variables, or the middle of the extremes.
void active_set::estimate_offset() {
    for (int g = 0; g < v_.groups; ++g) {
        double sum = 0, count = 0;
        for (index i = 0; i < v_.active; ++i)
            if (v_.group[i] == g && v_.is_free(i)) sum += v_.F[i], ++count;
        offset_[g] = count > 0 ? sum / count : (v_.max_up[g] + v_.min_low[g]) / 2;
    }
}

void active_set::shrink() {
    calls_since_shrink_ = 0;
    if (v_.active <= thresholds_.full_set_size / 2 || F_.rows().is_small()) return;
    if (v_.measure() <= options_.tol) return;
    estimate_offset();
    std::vector<index> stay, leave;
    for (index i = 0; i < v_.active; ++i) (can_shrink(i) ? leave : stay).push_back(i);
    if (static_cast<double>(leave.size()) < thresholds_.shrink_fraction * static_cast<double>(v_.active)) return;
    // α and F of now are the reference for all variables that are shrunk until all are active again. F of the shrunk
    // variables keeps the error that F has now.
    if (v_.active == v_.n) save_reference(F_.sample_error());
    shrunk_are_optimal_ = false;
    for (const index i : leave) v_.F[i] = reference_F_[i];
    std::vector<index> order = stay;
    order.insert(order.end(), leave.begin(), leave.end());
    reorder(order);
    v_.active = static_cast<index>(stay.size());
}

void active_set::save_reference(double error) {
    reference_error_ = error;
    reference_objective_ = objective();
    reference_alpha_ = v_.alpha;
    reference_F_ = v_.F;
}

void active_set::reorder(const std::vector<index>& order) {
    v_.reorder(order);
    permute(reference_alpha_, order), permute(reference_F_, order);
    index same = 0;  // leading positions that do not change
    while (same < static_cast<index>(order.size()) && order[same] == same) ++same;
    F_.rows().reorder(order, v_.original, same);
}

// Appends the variables whose α has changed since save_reference(), and the changes.
void active_set::changes_since_reference(std::vector<index>& changed, std::vector<double>& delta) const {
    for (index i = 0; i < v_.n; ++i)
        if (v_.alpha[i] != reference_alpha_[i])
            changed.push_back(i), delta.push_back(v_.alpha[i] - reference_alpha_[i]);
}

void active_set::unshrink() {
    calls_since_shrink_ = 0;
    if (v_.active == sample_size_) return;
    std::vector<index> changed;
    std::vector<double> delta;
    changes_since_reference(changed, delta);
    F_.update(changed, delta, v_.active, sample_size_, false);
    v_.active = sample_size_;
}

void active_set::unshrink_possible_violators() {
    shrunk_are_optimal_ = true;
    if (!F_.fast().is_psd()) return unshrink();
    unshrink_changed();
    v_.measure();
    const std::vector<index> doubtful = possible_violators(0);
    if (static_cast<double>(doubtful.size()) > thresholds_.reconstruct_fraction * static_cast<double>(v_.n - v_.active))
        unshrink();
    else
        activate(doubtful);
}

void active_set::unshrink_possible_violators(const std::function<bool()>& late) {
    sample_size_ = v_.n;
    if (!F_.fast().is_psd()) return unshrink();
    constexpr std::size_t portion = 4096;
    unshrink_changed();
    for (shrunk_are_optimal_ = true;;) {
        v_.measure();
        std::vector<index> doubtful = possible_violators(0);
        if (doubtful.empty()) return;
        if (late && late()) break;
        if (late) doubtful.resize(std::min(doubtful.size(), portion));
        activate(doubtful);
    }
    shrunk_are_optimal_ = false;
}

void active_set::unshrink_possible_violators(double error) { activate(possible_violators(error)); }

// Makes the shrunk variables active whose α has changed since save_reference(), and sets w_change_ = ‖Δw‖.
void active_set::unshrink_changed() {
    std::vector<index> moved;
    for (index i = v_.active; i < v_.n; ++i)
        if (v_.alpha[i] != reference_alpha_[i]) moved.push_back(i);
    activate(moved);
    double square = 0, sum = 0, norm = 0;
    for (index i = 0; i < v_.active; ++i) {
        const double d = v_.alpha[i] - reference_alpha_[i];
        square -= d * (v_.F[i] - reference_F_[i]);
        sum += std::abs(d);
        norm += d * d;
    }
    w_change_ = std::sqrt(std::max(square, 0.0) + 1e-6 * sum * std::sqrt(norm));  // second term: float errors of F
}

std::vector<index> active_set::possible_violators(double error) const {
    std::vector<index> doubtful;
    for (index i = v_.active; i < v_.n; ++i)
        if (!is_surely_optimal(i, error)) doubtful.push_back(i);
    return doubtful;
}

// Returns true if the shrunk variable i cannot change the gap, even if its F differs from reference_F_ by the bound
// from w_change_ and by `error`.
bool active_set::is_surely_optimal(index i, double error) const {
    const int g = v_.group[i];
    const double off =
        w_change_ * std::sqrt(v_.self_kernel(i)) + 2 * thresholds_.error_factor * reference_error_ + error;
    return (!v_.can_increase(i) || reference_F_[i] + off < std::max(v_.max_up[g], v_.min_low[g])) &&
           (!v_.can_decrease(i) || reference_F_[i] - off > std::min(v_.max_up[g], v_.min_low[g]));
}

// Makes these shrunk variables (ascending positions) active, with reconstructed F.
void active_set::activate(const std::vector<index>& which) {
    if (which.empty()) return;
    std::vector<index> changed;
    std::vector<double> delta;
    changes_since_reference(changed, delta);
    std::vector<bool> chosen(static_cast<std::size_t>(v_.n), false);
    for (const index i : which) chosen[i] = true;
    std::vector<index> order(static_cast<std::size_t>(v_.active));
    for (index i = 0; i < v_.active; ++i) order[i] = i;
    order.insert(order.end(), which.begin(), which.end());
    for (index i = v_.active; i < v_.n; ++i)
        if (!chosen[i]) order.push_back(i);
    const std::vector<index> before = v_.original;
    reorder(order);
    // reorder() has moved the variables that changed.
    for (index& i : changed) i = F_.rows().position(before[i]);
    const index from = v_.active;
    v_.active += static_cast<index>(which.size());
    F_.update(changed, delta, from, v_.active, false);
    calls_since_shrink_ = 0;
}

double active_set::total_gap() {
    v_.measure();
    if (shrunk_are_optimal()) return v_.gap;
    for (index i = v_.active; i < v_.n; ++i) {
        const int g = v_.group[i];
        const double off = w_change_ * std::sqrt(v_.self_kernel(i));
        if (v_.can_increase(i)) v_.max_up[g] = std::max(v_.max_up[g], reference_F_[i] + off);
        if (v_.can_decrease(i)) v_.min_low[g] = std::min(v_.min_low[g], reference_F_[i] - off);
    }
    for (int g = 0; g < v_.groups; ++g) v_.gap = std::max(v_.gap, v_.max_up[g] - v_.min_low[g]);
    return v_.gap;
}

double active_set::objective() const {
    double value = 0;
    if (v_.active == v_.n) {
        for (index i = 0; i < v_.n; ++i) value -= 0.5 * v_.alpha[i] * (v_.p[i] + v_.F[i]);
        return value;
    }
    value = reference_objective_;
    for (index i = 0; i < v_.n; ++i) value -= 0.5 * (v_.alpha[i] - reference_alpha_[i]) * (v_.F[i] + reference_F_[i]);
    return value;
}

void active_set::restore_shrunk() {
    for (index i = v_.active; i < v_.n; ++i) v_.F[i] = reference_F_[i];
}

}  // namespace mercer::smo
