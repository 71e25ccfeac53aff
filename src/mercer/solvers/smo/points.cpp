// F of all points, and which of them take part.
#include <algorithm>
#include <cmath>

#include "mercer/base/parallel.h"
#include "mercer/solvers/smo/solver.h"

namespace mercer::smo {

namespace {

template <class Value>
void permute(std::vector<Value>& values, const std::vector<index>& order) {
    std::vector<Value> moved(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) moved[i] = values[order[i]];
    std::copy(moved.begin(), moved.end(), values.begin());
}

}  // namespace

// F[from … to) -= Σ delta·K(changed, ·), stripe by stripe; rows come from the store or are computed, and kept where there is room.
void solver::apply(const std::vector<index>& changed, const std::vector<double>& delta, index from, index to, bool keep) {
    if (changed.empty() || from >= to) return;
    const index rows = static_cast<index>(changed.size());
    std::vector<index> original(changed.size());
    std::vector<index> slot(changed.size(), -1), valid(changed.size(), 0);
    for (index r = 0; r < rows; ++r) {
        original[r] = perm_[changed[r]];
        slot[r] = keep ? store_.fetch(original[r], valid[r]) : store_.find(original[r], valid[r]);
        (valid[r] >= to ? result_.rows_reused : result_.rows_computed) += 1;
        work_ += static_cast<double>(to - from) * (valid[r] >= to ? 1.0 : fast_.element_cost());
    }
    const index first = from / stripe, stripes = (to + stripe - 1) / stripe - first;
    parallel_for(stripes, [&](index s) {
        const index c0 = std::max(from, (first + s) * stripe), width = std::min((first + s + 1) * stripe, to) - c0;
        const selection cols = columns(c0, width);
        thread_local buffer<float> scratch;
        thread_local std::vector<index> missing;
        thread_local std::vector<float*> target;
        thread_local std::vector<const float*> ready;
        for (index r0 = 0; r0 < rows; r0 += row_chunk) {
            const index count = std::min(row_chunk, rows - r0);
            missing.clear();
            target.clear();
            ready.clear();
            float* spare = scratch.at_least(row_chunk * stripe);
            for (index r = r0; r < r0 + count; ++r) {
                if (valid[r] >= c0 + width) {
                    ready.push_back(store_.at(slot[r], c0));
                    continue;
                }
                float* at = keep && slot[r] >= 0 ? store_.at(slot[r], c0) : spare + (r - r0) * stripe;
                ready.push_back(at);
                missing.push_back(original[r]);
                target.push_back(at);
            }
            if (!missing.empty()) fast_.block(std::span<const index>(missing), cols, block_rows<float>(target.data()));
            ops_.subtract_rows(F_.data() + c0, ready.data(), delta.data() + r0, count, width);
        }
    });
    if (keep)
        for (index r = 0; r < rows; ++r) store_.extended(original[r], to);
}

selection solver::columns(index first, index count) const {
    if (!permuted_) return {first, count};
    return std::span<const index>(perm_.data() + first, static_cast<std::size_t>(count));
}

void solver::start_F() {
    std::vector<index> changed;
    std::vector<double> delta;
    for (index i = 0; i < n_; ++i)
        if (alpha_[i] != 0) {
            changed.push_back(i);
            delta.push_back(alpha_[i]);
        }
    apply(changed, delta, 0, n_, false);
}

// A variable at a bound can be set aside when F says that it would only want to move further out. That is sure beyond the
// extremes of the other set; it is likely, and put right later where it was not, beyond the present offset and a margin.
bool solver::idle(index i) const {
    const int g = group_[i];
    const bool at_upper = alpha_[i] >= upper_[i], at_lower = alpha_[i] <= lower_[i];
    if (at_upper && at_lower) return true;
    if (at_upper) return F_[i] > std::min(max_up_[g], offset_[g] + margin_);
    if (at_lower) return F_[i] < std::max(min_low_[g], offset_[g] - margin_);
    return false;
}

// The present offset of each group: the mean of F over free variables.
void solver::estimate_offset() {
    for (int g = 0; g < groups_; ++g) {
        double sum = 0, count = 0;
        for (index i = 0; i < active_; ++i)
            if (group_[i] == g && alpha_[i] > lower_[i] && alpha_[i] < upper_[i]) sum += F_[i], ++count;
        offset_[g] = count > 0 ? sum / count : (max_up_[g] + min_low_[g]) / 2;
    }
}

void solver::shrink() {
    since_shrink_ = 0;
    if (active_ <= whole_size / 2 || store_.small()) return;
    gap_ = measure();
    if (gap_ <= options_.tol) return;
    estimate_offset();
    std::vector<index> stay, leave;
    for (index i = 0; i < active_; ++i) (idle(i) ? leave : stay).push_back(i);
    if (static_cast<double>(leave.size()) < shrink_share * static_cast<double>(active_)) return;
    if (active_ == n_) {
        // What is set aside from here on is measured against this moment, and is no more exact than F is now.
        error_then_ = sampled_error();
        objective_then_ = objective();
        alpha_then_ = alpha_;
        F_then_ = F_;
    }
    looked_ = false;
    for (const index i : leave) F_[i] = F_then_[i];
    std::vector<index> order = stay;
    order.insert(order.end(), leave.begin(), leave.end());
    reorder(order);
    active_ = static_cast<index>(stay.size());
}

// Position i of the active part becomes what was at order[i].
void solver::reorder(const std::vector<index>& order) {
    permute(perm_, order), permute(alpha_, order), permute(F_, order), permute(p_, order), permute(lower_, order), permute(upper_, order);
    permute(group_, order), permute(diagonal_, order), permute(alpha_then_, order), permute(F_then_, order);
    index same = 0;  // a start that stays as it is
    while (same < static_cast<index>(order.size()) && order[same] == same) ++same;
    store_.reorder(order, perm_, same);
    permuted_ = true;
}

// A random sample is solved roughly, then a larger one from there, and so on: the first sketch of α costs little when F has
// few entries, and most of the points that come in later are set aside at once. This is only where the solver starts from.
void solver::start_coarse() {
    double mean = 0, spread = 0;
    for (const double v : p_) mean += v / static_cast<double>(n_);
    for (const double v : p_) spread += (v - mean) * (v - mean) / static_cast<double>(n_);
    if (!std::isfinite(spread)) spread = 0;
    if (spread > 0) margin_ = likely_margin * std::sqrt(spread);
    rough_ = spread > 0 ? coarse_gap * std::sqrt(spread) : 0;
    level_ = n_;
    if (!options_.shrinking || has_start_ || n_ < 4 * first_level) return;
    while (level_ / level_ratio >= first_level) level_ = (level_ + level_ratio - 1) / level_ratio;  // rounded up: no level just short of all points
    error_then_ = 0;
    objective_then_ = objective();
    alpha_then_ = alpha_;
    F_then_ = F_;
    sample(0, level_);
    active_ = level_;
}

// Fills positions first … last with a random choice of the points from first on: a shuffle (Fisher-Yates) that stops there.
void solver::sample(index first, index last) {
    std::vector<index> order(static_cast<std::size_t>(n_));
    for (index i = 0; i < n_; ++i) order[i] = i;
    std::uint64_t seed = 0x9E3779B97F4A7C15ull;  // always the same: a fit can be repeated
    for (index i = first; i < last; ++i) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        std::swap(order[i], order[i + static_cast<index>((seed >> 33) % static_cast<std::uint64_t>(n_ - i))]);
    }
    reorder(order);
}

void solver::next_level() {
    const index next = level_ * level_ratio >= n_ ? n_ : level_ * level_ratio;
    if (next < n_) sample(level_, next);
    level_ = next;
    bring_back();
    at_rest_ = false;
    shrink();
}

// All points of the level active again, F exact for those set aside.
void solver::bring_back() {
    std::vector<index> changed;
    std::vector<double> delta;
    for (index i = 0; i < n_; ++i)
        if (alpha_[i] != alpha_then_[i]) changed.push_back(i), delta.push_back(alpha_[i] - alpha_then_[i]);
    apply(changed, delta, active_, level_, false);
    active_ = level_;
    since_shrink_ = 0;
}

// All points that could decide the gap active again. With K positive semidefinite, F of a point has changed by ⟨Δw, φ(xᵢ)⟩ since it was
// known, at most ‖Δw‖·√K(i, i) (Cauchy-Schwarz): near the end that leaves few in doubt. ‖Δw‖² = ΔαᵀKΔα = -Σ Δα·ΔF.
void solver::look() {
    looked_ = true;
    if (!fast_.positive()) return bring_back();
    recall_moved();
    const std::vector<index> doubtful = in_doubt();
    if (static_cast<double>(doubtful.size()) > look_share * static_cast<double>(n_ - active_))
        bring_back();
    else
        recall(doubtful);
}

// The same for a run that has to end: as many of them as there is time for. The others count in gap_of_all() with what they could be.
void solver::look_until(double end) {
    constexpr std::size_t portion = 4096;
    recall_moved();
    for (looked_ = true;;) {
        std::vector<index> doubtful = in_doubt();
        if (doubtful.empty()) return;
        if (seconds() >= end) break;
        if (std::isfinite(end)) doubtful.resize(std::min(doubtful.size(), portion));
        recall(doubtful);
    }
    looked_ = false;
}

// Points set aside whose α has changed since then are active again, and reach_ is what that and the others' change can do.
void solver::recall_moved() {
    std::vector<index> moved;
    for (index i = active_; i < n_; ++i)
        if (alpha_[i] != alpha_then_[i]) moved.push_back(i);
    recall(moved);
    double square = 0, sum = 0, norm = 0;
    for (index i = 0; i < active_; ++i) {
        const double d = alpha_[i] - alpha_then_[i];
        square -= d * (F_[i] - F_then_[i]);
        sum += std::abs(d);
        norm += d * d;
    }
    reach_ = std::sqrt(std::max(square, 0.0) + 1e-6 * sum * std::sqrt(norm));  // the second: float errors of F
}

std::vector<index> solver::in_doubt() {
    std::vector<index> doubtful;
    measure();
    for (index i = active_; i < n_; ++i)
        if (!beyond_doubt(i, 0)) doubtful.push_back(i);
    return doubtful;
}

// The gap of all points: that of the active ones where the others were looked at, else at most this.
double solver::gap_of_all() {
    double gap = measure();
    if (active_ == n_ || looked_) return gap;
    for (index i = active_; i < n_; ++i) {
        const int g = group_[i];
        const double off = reach_ * std::sqrt(self(i));
        if (alpha_[i] < upper_[i]) max_up_[g] = std::max(max_up_[g], F_then_[i] + off);
        if (alpha_[i] > lower_[i]) min_low_[g] = std::min(min_low_[g], F_then_[i] - off);
    }
    for (int g = 0; g < groups_; ++g) gap = std::max(gap, max_up_[g] - min_low_[g]);
    return gap;
}

// Whether point i, set aside, leaves the gap as it is, if F were off by `doubt` beside what reach_ allows.
bool solver::beyond_doubt(index i, double doubt) const {
    const int g = group_[i];
    const double off = reach_ * std::sqrt(self(i)) + 2 * safety * error_then_ + doubt;
    return (alpha_[i] >= upper_[i] || F_then_[i] + off < std::max(max_up_[g], min_low_[g])) &&
           (alpha_[i] <= lower_[i] || F_then_[i] - off > std::min(max_up_[g], min_low_[g]));
}

// These of the points set aside (ascending) active again, F exact.
void solver::recall(const std::vector<index>& which) {
    if (which.empty()) return;
    std::vector<index> changed, order = which;
    std::vector<double> delta;
    for (index i = 0; i < n_; ++i)
        if (alpha_[i] != alpha_then_[i]) changed.push_back(i), delta.push_back(alpha_[i] - alpha_then_[i]);
    std::vector<bool> chosen(static_cast<std::size_t>(n_), false);
    for (const index i : which) chosen[i] = true;
    for (index i = active_; i < n_; ++i)
        if (!chosen[i]) order.push_back(i);
    std::vector<index> whole(static_cast<std::size_t>(active_));
    for (index i = 0; i < active_; ++i) whole[i] = i;
    whole.insert(whole.end(), order.begin(), order.end());
    const std::vector<index> before = perm_;
    reorder(whole);
    // Those that changed and are set aside have new places.
    for (index& i : changed) i = store_.position(before[i]);
    const index from = active_;
    active_ += static_cast<index>(which.size());
    apply(changed, delta, from, active_, false);
    since_shrink_ = 0;
}

// ½αᵀKα - pᵀα. All points whose α changed since alpha_then_ must be active.
double solver::objective() const {
    double value = active_ == n_ ? 0 : objective_then_;
    for (index i = 0; i < n_; ++i) value -= active_ == n_ ? 0.5 * alpha_[i] * (p_[i] + F_[i]) : 0.5 * (alpha_[i] - alpha_then_[i]) * (F_[i] + F_then_[i]);
    return value;
}

}  // namespace mercer::smo
