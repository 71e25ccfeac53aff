// A block: which variables, and their small problem.
#include <algorithm>
#include <cmath>

#include "mercer/base/parallel.h"
#include "mercer/gram/narrowed.h"
#include "mercer/solvers/smo/common_value.h"
#include "mercer/solvers/smo/solver.h"

namespace mercer::smo {

// Whether all active points are one block. Of many points only a few end up in motion, as a rule, and blocks of those lead to the end; where they do
// not, most points take part, and pairs chosen among all of them are worth the whole matrix.
bool solver::worth_whole() const {
    if (active_ <= whole_size) return true;
    const auto room = static_cast<index>(std::sqrt(static_cast<double>(options_.block_bytes / 2 / sizeof(float))));
    return active_ <= std::min(most_whole, room) && level_ == n_ &&
           static_cast<double>(result_.rows_computed + result_.rows_reused) >= whole_rows * static_cast<double>(active_);
}

void solver::choose_block() {
    // Free variables pull at each other: the more of them in one block the fewer rounds they take.
    index inside = 0;
    for (index i = 0; i < active_; ++i) inside += alpha_[i] > lower_[i] && alpha_[i] < upper_[i];
    const index limit = std::max(std::clamp<index>(active_ / 8 / 16 * 16, smallest_block, largest_block), std::min(most_free_, inside * 13 / 10 / 16 * 16));
    std::vector<index> chosen;
    whole_ = worth_whole();
    if (whole_) {
        for (index i = 0; i < active_; ++i) chosen.push_back(i);
    } else {
        choose_violators(limit, chosen);
    }
    // Grouped, each group padded to whole vectors.
    previous_.clear();
    block_.clear();
    for (int g = 0; g < groups_; ++g) {
        begin_[g] = static_cast<index>(block_.size());
        for (const index i : chosen)
            if (group_[i] == g) block_.push_back(i);
        while (block_.size() % ops_.padding) block_.push_back(-1);
        end_[g] = static_cast<index>(block_.size());
    }
    for (const index i : chosen) {
        mark_[i] = 0;
        previous_.push_back(perm_[i]);
    }
}

void solver::choose_violators(index limit, std::vector<index>& chosen) {
    const auto take = [&](index i) {
        if (mark_[i]) return;
        mark_[i] = 1;
        chosen.push_back(i);
    };
    // The worst from both ends, half the block.
    using candidate = std::pair<double, index>;
    std::vector<candidate> up[2], low[2];
    for (index i = 0; i < active_; ++i) {
        const int g = group_[i];
        if (alpha_[i] < upper_[i] && F_[i] > min_low_[g]) up[g].emplace_back(-F_[i], i);
        if (alpha_[i] > lower_[i] && F_[i] < max_up_[g]) low[g].emplace_back(F_[i], i);
    }
    const auto worst = [&](std::vector<candidate>& from, index count) {
        if (static_cast<index>(from.size()) > count) {
            std::nth_element(from.begin(), from.begin() + count, from.end());
            from.resize(static_cast<std::size_t>(count));
        }
        std::sort(from.begin(), from.end());
        for (const auto& each : from) take(each.second);
    };
    // Free variables of the last block are still in motion: they stay, up to half of the block.
    std::vector<index> moving;
    for (const index original : previous_) {
        const index i = store_.position(original);
        if (i < active_ && alpha_[i] > lower_[i] && alpha_[i] < upper_[i]) moving.push_back(i);
    }
    const index kept = std::min<index>(static_cast<index>(moving.size()), limit / 2);
    const index each = (limit - kept) / (2 * groups_);
    for (int g = 0; g < groups_; ++g) {
        worst(up[g], each);
        worst(low[g], each);
    }
    for (const index i : moving) {
        if (static_cast<index>(chosen.size()) >= limit) break;
        take(i);
    }
}

double common_value(std::span<const float> values) {
    constexpr float near = 0.02f;
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return *high > *low && *low > 0 && *high - *low < near * *high ? 0.5 * (static_cast<double>(*low) + *high) : 0;
}

// Of a few rows of a tile.
static double common_value(const std::vector<float*>& rows, index count) {
    constexpr index looked_at = 8;
    std::vector<float> some;
    for (index s = 0; s < std::min(looked_at, count); ++s) {
        const float* row = rows[static_cast<std::size_t>(s * count / std::min(looked_at, count))];
        some.insert(some.end(), row, row + count);
    }
    return common_value(some);
}

void solver::solve_block(double target) {
    const index q = static_cast<index>(block_.size());
    // Room for the largest block at once: growing it would mean fresh memory every time.
    const index most = std::min(active_, most_free_) + 2 * ops_.padding;
    const index room = tile_.size();
    float* tile = tile_.at_least(std::max(q, most) * std::max(q, most));
    std::vector<index> who, place;
    for (index k = 0; k < q; ++k)
        if (block_[k] >= 0) who.push_back(perm_[block_[k]]), place.push_back(k);
    const index real = static_cast<index>(who.size());
    std::vector<float*> rows;
    for (const index k : place) rows.push_back(tile + k * q);
    std::vector<index> of = block_;
    for (index& each : of)
        if (each >= 0) each = perm_[each];
    const bool there = of == tile_of_ && tile_.size() == room;
    tile_of_ = std::move(of);
    if (!there) {
        fast_.square(std::span<const index>(who), block_rows<float>(rows.data()));
        tile_diagonal_.clear();
        // K - c instead of K: steps have sum 0 in every group, so it is the same problem.
        if (const double common = whole_ ? common_value(rows, real) : 0; common != 0) {
            lowered<float>(exact_, common).square(std::span<const index>(who), block_rows<float>(rows.data()));
            tile_diagonal_.assign(static_cast<std::size_t>(q), 1.0f);
            for (index r = 0; r < real; ++r) tile_diagonal_[place[r]] = rows[r][r];
        }
    }
    if (there) {
        // The same block as before.
    } else if (groups_ == 1) {
        for (float* row : rows) std::fill(row + real, row + q, 0.0f);
    } else {
        // Spread the columns to their padded places, from the right so that nothing is overwritten.
        parallel_for(real, [&](index r) {
            float* row = rows[r];
            index k = q - 1;
            for (index m = real - 1; m >= 0; --m) {
                for (; k > place[m]; --k) row[k] = 0;
                row[k--] = row[m];
            }
            for (; k >= 0; --k) row[k] = 0;
        });
    }
    inner_diagonal_.assign(static_cast<std::size_t>(q), 1.0f);
    inner_alpha_.assign(static_cast<std::size_t>(q), 0.0);
    inner_lower_.assign(static_cast<std::size_t>(q), 0.0);
    inner_upper_.assign(static_cast<std::size_t>(q), 0.0);
    for (index k = 0; k < q; ++k) {
        const index i = block_[k];
        if (i < 0) continue;
        inner_diagonal_[k] = tile_diagonal_.empty() ? diagonal_[i] : tile_diagonal_[k];
        inner_alpha_[k] = alpha_[i];
        inner_lower_[k] = lower_[i];
        inner_upper_[k] = upper_[i];
    }
    const double enough = active_ == static_cast<index>(who.size()) ? std::max(target, inner_share * rough_) : std::max(inner_share * gap_, 0.5 * target);
    // Float is fine enough for choosing pairs unless the tolerance is near its rounding.
    double largest = 1;
    for (const index i : block_)
        if (i >= 0) largest = std::max(largest, std::abs(F_[i]));
    if (enough > 1e-5 * largest)
        solve_inner(inner_float_, enough, tile, q);
    else
        solve_inner(inner_double_, enough, tile, q);
}

template <class R>
void solver::solve_inner(inner_arrays<R>& a, double enough, const float* tile, index q) {
    inner_problem<R> p;
    p.F = a.F.at_least(q);
    p.up = a.up.at_least(q);
    p.low = a.low.at_least(q);
    for (index k = 0; k < q; ++k) {
        const index i = block_[k];
        p.F[k] = i < 0 ? R(0) : static_cast<R>(F_[i]);
        p.up[k] = i >= 0 && alpha_[i] < upper_[i] ? R(0) : static_cast<R>(-infinity);
        p.low[k] = i >= 0 && alpha_[i] > lower_[i] ? R(0) : static_cast<R>(infinity);
    }
    p.size = p.stride = q;
    p.K = tile;
    p.diagonal = inner_diagonal_.data();
    p.alpha = inner_alpha_.data();
    p.lower = inner_lower_.data();
    p.upper = inner_upper_.data();
    p.groups = groups_;
    for (int g = 0; g < groups_; ++g) p.begin[g] = begin_[g], p.end[g] = end_[g];
    p.enough = enough;
    p.most_steps = std::min<std::int64_t>(options_.most_steps - result_.steps, std::max<std::int64_t>(20 * q, 20000));
    if constexpr (sizeof(R) == 4)
        ops_.solve_float(p);
    else
        ops_.solve_double(p);
    result_.steps += p.steps;
    work_ += static_cast<double>(p.steps * q) / 2;
    result_.flat_steps += p.flat_steps;
    result_.concave_steps += p.concave_steps;
}

}  // namespace mercer::smo
