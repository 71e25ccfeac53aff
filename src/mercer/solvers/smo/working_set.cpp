#include "mercer/solvers/smo/working_set.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/threads.h"
#include "mercer/gram/gram_views.h"

namespace mercer::smo {

index max_free_variables(std::size_t budget, const smo_thresholds& thresholds) {
    const auto side = static_cast<index>(std::sqrt(static_cast<double>(budget) / (8 * sizeof(float))));
    return std::clamp(side, thresholds.min_working_set, thresholds.max_free);
}

working_set::working_set(variables& v, gradient& F, const smo_options& options, counters& done,
                         const smo_thresholds& thresholds)
    : v_(v),
      F_(F),
      options_(options),
      done_(done),
      thresholds_(thresholds),
      max_free_(max_free_variables(options.working_set_bytes, thresholds)),
      is_chosen_(static_cast<std::size_t>(v.n), 0) {}

bool working_set::solve_next(double target, double current_tol, bool uses_all_rows) {
    choose(uses_all_rows);
    solve(target, current_tol);
    ++done_.rounds;
    // Δα of the working set, and the resulting change of F.
    std::vector<index> changed;
    std::vector<double> delta;
    std::vector<const float*> rows;
    const auto q = static_cast<index>(block_.size());
    for (index k = 0; k < q; ++k) {
        const index i = block_[k];
        if (i < 0) continue;
        const double d = alpha_[k] - v_.alpha[i];
        if (d == 0) continue;
        changed.push_back(i);
        delta.push_back(d);
        rows.push_back(tile_.data() + k * q);
        v_.alpha[i] = alpha_[k];
    }
    if (is_full_set_) {
        // The tile contains all kernel rows.
        std::vector<double> change(static_cast<std::size_t>(q), 0.0);
        ops_.subtract_rows(change.data(), rows.data(), delta.data(), static_cast<index>(rows.size()), q);
        for (index k = 0; k < q; ++k)
            if (block_[k] >= 0) v_.F[block_[k]] += change[k];
    } else {
        F_.update(changed, delta, 0, v_.active, true);
    }
    return !changed.empty();
}

// Returns true if the working set should be all active variables. Usually only a few of many variables are free, and
// small working sets converge. Where they have not converged after full_set_rows·n kernel rows, most variables are
// free, and choosing pairs among all of them pays for the whole matrix. Where the values of K hardly vary, the whole
// matrix is used at once, because only a whole tile can be stored as K - c, whose differences float can represent.
bool working_set::should_use_full_set(bool uses_all_rows) {
    if (v_.active <= thresholds_.full_set_size) return true;
    const auto room =
        static_cast<index>(std::sqrt(static_cast<double>(options_.working_set_bytes) / (2 * sizeof(float))));
    if (!uses_all_rows || v_.active > std::min(thresholds_.max_full_set, room)) return false;
    return static_cast<double>(done_.rows_computed + done_.rows_reused) >=
               thresholds_.full_set_rows * static_cast<double>(v_.active) ||
           is_nearly_constant();
}

bool working_set::is_nearly_constant() {
    if (!is_nearly_constant_) is_nearly_constant_ = kernel_offset(F_.fast(), v_.original) != 0;
    return *is_nearly_constant_;
}

void working_set::choose(bool uses_all_rows) {
    std::vector<index> chosen;
    is_full_set_ = should_use_full_set(uses_all_rows);
    if (is_full_set_) {
        for (index i = 0; i < v_.active; ++i) chosen.push_back(i);
    } else {
        // Free variables interact: the more of them are in one working set, the fewer working sets are needed.
        index inside = 0;
        for (index i = 0; i < v_.active; ++i) inside += v_.is_free(i);
        const index share =
            std::clamp<index>(v_.active / 8 / 16 * 16, thresholds_.min_working_set, thresholds_.max_working_set);
        choose_violators(std::max(share, std::min(max_free_, inside * 13 / 10 / 16 * 16)), chosen);
    }
    size_ = static_cast<index>(chosen.size());
    // Sort by group, and pad each group to whole vectors.
    previous_.clear();
    block_.clear();
    for (int g = 0; g < v_.groups; ++g) {
        begin_[g] = static_cast<index>(block_.size());
        for (const index i : chosen)
            if (v_.group[i] == g) block_.push_back(i);
        while (block_.size() % pairs_.padding) block_.push_back(-1);
        end_[g] = static_cast<index>(block_.size());
    }
    for (const index i : chosen) {
        is_chosen_[i] = 0;
        previous_.push_back(v_.original[i]);
    }
}

void working_set::choose_violators(index limit, std::vector<index>& chosen) {
    const auto take = [&](index i) {
        if (is_chosen_[i]) return;
        is_chosen_[i] = 1;
        chosen.push_back(i);
    };
    // Candidates are the variables that violate optimality, because α should rise or because it should fall.
    using candidate = std::pair<double, index>;
    std::vector<candidate> up[2], low[2];
    for (index i = 0; i < v_.active; ++i) {
        const int g = v_.group[i];
        if (v_.can_increase(i) && v_.F[i] > v_.min_low[g]) up[g].emplace_back(-v_.F[i], i);
        if (v_.can_decrease(i) && v_.F[i] < v_.max_up[g]) low[g].emplace_back(v_.F[i], i);
    }
    const auto worst = [&](std::vector<candidate>& from, index count) {
        if (static_cast<index>(from.size()) > count) {
            std::nth_element(from.begin(), from.begin() + count, from.end());
            from.resize(static_cast<std::size_t>(count));
        }
        std::sort(from.begin(), from.end());
        for (const auto& each : from) take(each.second);
    };
    // Free variables of the last working set stay, up to half of the new one. The worst violators fill the remainder.
    std::vector<index> moving;
    for (const index original : previous_) {
        const index i = F_.rows().position(original);
        if (i < v_.active && v_.is_free(i)) moving.push_back(i);
    }
    const index kept = std::min<index>(static_cast<index>(moving.size()), limit / 2);
    const index each = (limit - kept) / (index{2} * v_.groups);
    for (int g = 0; g < v_.groups; ++g) {
        worst(up[g], each);
        worst(low[g], each);
    }
    for (const index i : moving) {
        if (static_cast<index>(chosen.size()) >= limit) break;
        take(i);
    }
}

double kernel_offset(const gram<float>& K, std::span<const index> among) {
    constexpr float near = 0.02f;
    constexpr index most_rows = 8, most_columns = 64;
    const auto n = static_cast<index>(among.size());
    const index rows = std::min(n, most_rows), columns = std::min(n, most_columns);
    if (n == 0) return 0;
    std::vector<index> r, c;
    for (index i = 0; i < rows; ++i) r.push_back(among[static_cast<std::size_t>(i * n / rows)]);
    for (index j = 0; j < columns; ++j) c.push_back(among[static_cast<std::size_t>(j * n / columns)]);
    matrix<float> some(rows, columns);
    K.block(std::span<const index>(r), std::span<const index>(c), some.view());
    const auto [low, high] = std::minmax_element(some.data(), some.data() + rows * columns);
    return *high > *low && *low > 0 && *high - *low < near * *high ? 0.5 * (static_cast<double>(*low) + *high) : 0;
}

// Computes the kernel matrix of the working set, unless the last working set was the same.
void working_set::compute_tile() {
    const index q = static_cast<index>(block_.size());
    // Allocate for the largest working set at once: growing the buffer would touch new memory each time.
    const index most = std::max(q, std::min(v_.active, max_free_) + 2 * pairs_.padding);
    const index room = tile_.size();
    float* tile = tile_.at_least(most * most);
    std::vector<index> who, place, of = block_;
    std::vector<float*> rows;
    for (index k = 0; k < q; ++k) {
        if (block_[k] < 0) continue;
        of[k] = v_.original[block_[k]];
        who.push_back(of[k]), place.push_back(k), rows.push_back(tile + k * q);
    }
    const bool there = of == tile_variables_ && tile_.size() == room;
    tile_variables_ = std::move(of);
    if (there) return;
    const auto real = static_cast<index>(who.size());
    tile_diagonal_.clear();
    // K - c instead of K is the same problem, because the steps of each group sum to 0.
    if (const double common = is_full_set_ ? kernel_offset(F_.fast(), who) : 0; common != 0) {
        shifted_gram<float>(F_.exact(), common)
            .symmetric_block(std::span<const index>(who), row_pointers<float>(rows.data()));
        tile_diagonal_.assign(static_cast<std::size_t>(q), 1.0f);
        for (index r = 0; r < real; ++r) tile_diagonal_[place[r]] = rows[r][r];
    } else {
        F_.fast().symmetric_block(std::span<const index>(who), row_pointers<float>(rows.data()));
    }
    if (v_.groups == 1) {
        for (float* row : rows) std::fill(row + real, row + q, 0.0f);
        return;
    }
    // Move the columns to their padded positions, from the right so that no unread element is overwritten.
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

void working_set::solve(double target, double current_tol) {
    compute_tile();
    const auto q = static_cast<index>(block_.size());
    diagonal_.assign(static_cast<std::size_t>(q), 1.0f);
    alpha_.assign(static_cast<std::size_t>(q), 0.0);
    lower_.assign(static_cast<std::size_t>(q), 0.0);
    upper_.assign(static_cast<std::size_t>(q), 0.0);
    double largest = 1;
    for (index k = 0; k < q; ++k) {
        const index i = block_[k];
        if (i < 0) continue;
        diagonal_[k] = tile_diagonal_.empty() ? v_.diagonal[i] : tile_diagonal_[k];
        alpha_[k] = v_.alpha[i];
        lower_[k] = v_.lower[i];
        upper_[k] = v_.upper[i];
        largest = std::max(largest, std::abs(v_.F[i]));
    }
    const double enough = size_ == v_.active ? std::max(target, thresholds_.inner_gap_fraction * current_tol)
                                             : std::max(thresholds_.inner_gap_fraction * v_.gap, 0.5 * target);
    // Float is accurate enough for choosing pairs unless the tolerance is near its rounding error.
    if (enough > 1e-5 * largest)
        solve_pairs(float_, enough);
    else
        solve_pairs(double_, enough);
}

template <class R>
void working_set::solve_pairs(pair_loop_arrays<R>& a, double enough) {
    const auto q = static_cast<index>(block_.size());
    pair_problem<R> p;
    p.F = a.F.at_least(q);
    p.up = a.up.at_least(q);
    p.low = a.low.at_least(q);
    for (index k = 0; k < q; ++k) {
        const index i = block_[k];
        p.F[k] = i < 0 ? R(0) : static_cast<R>(v_.F[i]);
        p.up[k] = i >= 0 && v_.can_increase(i) ? R(0) : static_cast<R>(-infinity);
        p.low[k] = i >= 0 && v_.can_decrease(i) ? R(0) : static_cast<R>(infinity);
    }
    p.size = p.stride = q;
    p.K = tile_.data();
    p.diagonal = diagonal_.data();
    p.alpha = alpha_.data();
    p.lower = lower_.data();
    p.upper = upper_.data();
    p.groups = v_.groups;
    for (int g = 0; g < v_.groups; ++g) p.begin[g] = begin_[g], p.end[g] = end_[g];
    p.target_gap = enough;
    p.max_steps = std::min<std::int64_t>(options_.max_steps - done_.steps, std::max<std::int64_t>(20 * q, 20000));
    if constexpr (sizeof(R) == 4)
        pairs_.solve_float(p);
    else
        pairs_.solve_double(p);
    done_.steps += p.steps;
    done_.work += static_cast<double>(p.steps * q) / 2;
    done_.flat_steps += p.flat_steps;
    done_.concave_steps += p.concave_steps;
}

}  // namespace mercer::smo
