#include "mercer/solvers/smo/active_set.h"

#include <algorithm>
#include <cmath>

namespace mercer::smo {

void active_set::start(bool from_scratch) {
    if (const double spread = v_.spread_of_p(); spread > 0) margin_ = by_.likely_margin * spread;
    if (!options_.shrinking || !from_scratch || v_.n < 4 * by_.first_level) return;
    while (level_ / by_.level_ratio >= by_.first_level)
        level_ = (level_ + by_.level_ratio - 1) / by_.level_ratio;  // rounded up, or a level could have all but a few
    remember_now(0);
    sample(0, level_);
    v_.active = level_;
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

void active_set::next_level() {
    const index next = next_level_size();
    if (next < v_.n) sample(level_, next);
    level_ = next;
    unshrink();
    shrink();
}

// Returns true if variable i can be shrunk: it is at a bound, and by F it would move further out. That is certain where
// F lies beyond the extreme of the variables that could pair with i. It is likely where F lies beyond the present
// offset by more than a margin; later reconstructions of F correct wrong decisions.
bool active_set::idle(index i) const {
    const int g = v_.group[i];
    const bool at_upper = !v_.can_rise(i), at_lower = !v_.can_fall(i);
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
    since_shrink_ = 0;
    if (v_.active <= by_.whole_size / 2 || F_.rows().small()) return;
    if (v_.measure() <= options_.tol) return;
    estimate_offset();
    std::vector<index> stay, leave;
    for (index i = 0; i < v_.active; ++i) (idle(i) ? leave : stay).push_back(i);
    if (static_cast<double>(leave.size()) < by_.shrink_share * static_cast<double>(v_.active)) return;
    // α and F of now are the reference for all variables that are shrunk until all are active again. F of the shrunk
    // variables keeps the error that F has now.
    if (v_.active == v_.n) remember_now(F_.sampled_error());
    settled_ = false;
    for (const index i : leave) v_.F[i] = F_then_[i];
    std::vector<index> order = stay;
    order.insert(order.end(), leave.begin(), leave.end());
    reorder(order);
    v_.active = static_cast<index>(stay.size());
}

void active_set::remember_now(double error) {
    error_then_ = error;
    objective_then_ = objective();
    alpha_then_ = v_.alpha;
    F_then_ = v_.F;
}

void active_set::reorder(const std::vector<index>& order) {
    v_.reorder(order);
    permute(alpha_then_, order), permute(F_then_, order);
    index same = 0;  // leading positions that do not change
    while (same < static_cast<index>(order.size()) && order[same] == same) ++same;
    F_.rows().reorder(order, v_.original, same);
}

// Appends the variables whose α has changed since remember_now(), and the changes.
void active_set::changes_since(std::vector<index>& changed, std::vector<double>& delta) const {
    for (index i = 0; i < v_.n; ++i)
        if (v_.alpha[i] != alpha_then_[i]) changed.push_back(i), delta.push_back(v_.alpha[i] - alpha_then_[i]);
}

void active_set::unshrink() {
    since_shrink_ = 0;
    if (v_.active == level_) return;
    std::vector<index> changed;
    std::vector<double> delta;
    changes_since(changed, delta);
    F_.update(changed, delta, v_.active, level_, false);
    v_.active = level_;
}

void active_set::unshrink_doubtful() {
    settled_ = true;
    if (!F_.fast().positive()) return unshrink();
    recall_moved();
    v_.measure();
    const std::vector<index> doubtful = in_doubt(0);
    if (static_cast<double>(doubtful.size()) > by_.look_share * static_cast<double>(v_.n - v_.active))
        unshrink();
    else
        recall(doubtful);
}

void active_set::unshrink_doubtful(const std::function<bool()>& late) {
    level_ = v_.n;
    if (!F_.fast().positive()) return unshrink();
    constexpr std::size_t portion = 4096;
    recall_moved();
    for (settled_ = true;;) {
        v_.measure();
        std::vector<index> doubtful = in_doubt(0);
        if (doubtful.empty()) return;
        if (late && late()) break;
        if (late) doubtful.resize(std::min(doubtful.size(), portion));
        recall(doubtful);
    }
    settled_ = false;
}

void active_set::recall_doubtful(double error) { recall(in_doubt(error)); }

// Makes the shrunk variables active whose α has changed since remember_now(), and sets reach_ = ‖Δw‖.
void active_set::recall_moved() {
    std::vector<index> moved;
    for (index i = v_.active; i < v_.n; ++i)
        if (v_.alpha[i] != alpha_then_[i]) moved.push_back(i);
    recall(moved);
    double square = 0, sum = 0, norm = 0;
    for (index i = 0; i < v_.active; ++i) {
        const double d = v_.alpha[i] - alpha_then_[i];
        square -= d * (v_.F[i] - F_then_[i]);
        sum += std::abs(d);
        norm += d * d;
    }
    reach_ = std::sqrt(std::max(square, 0.0) + 1e-6 * sum * std::sqrt(norm));  // second term: float errors of F
}

std::vector<index> active_set::in_doubt(double error) const {
    std::vector<index> doubtful;
    for (index i = v_.active; i < v_.n; ++i)
        if (!beyond_doubt(i, error)) doubtful.push_back(i);
    return doubtful;
}

// Returns true if the shrunk variable i cannot change the gap, even if its F differs from F_then_ by the bound from
// reach_ and by `error`.
bool active_set::beyond_doubt(index i, double error) const {
    const int g = v_.group[i];
    const double off = reach_ * std::sqrt(v_.self(i)) + 2 * by_.safety * error_then_ + error;
    return (!v_.can_rise(i) || F_then_[i] + off < std::max(v_.max_up[g], v_.min_low[g])) &&
           (!v_.can_fall(i) || F_then_[i] - off > std::min(v_.max_up[g], v_.min_low[g]));
}

// Makes these shrunk variables (ascending positions) active, with reconstructed F.
void active_set::recall(const std::vector<index>& which) {
    if (which.empty()) return;
    std::vector<index> changed;
    std::vector<double> delta;
    changes_since(changed, delta);
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
    since_shrink_ = 0;
}

double active_set::gap_of_all() {
    v_.measure();
    if (aside_is_settled()) return v_.gap;
    for (index i = v_.active; i < v_.n; ++i) {
        const int g = v_.group[i];
        const double off = reach_ * std::sqrt(v_.self(i));
        if (v_.can_rise(i)) v_.max_up[g] = std::max(v_.max_up[g], F_then_[i] + off);
        if (v_.can_fall(i)) v_.min_low[g] = std::min(v_.min_low[g], F_then_[i] - off);
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
    value = objective_then_;
    for (index i = 0; i < v_.n; ++i) value -= 0.5 * (v_.alpha[i] - alpha_then_[i]) * (v_.F[i] + F_then_[i]);
    return value;
}

void active_set::put_back_aside() {
    for (index i = v_.active; i < v_.n; ++i) v_.F[i] = F_then_[i];
}

}  // namespace mercer::smo
