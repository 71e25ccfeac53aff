// Kernels on objects that are computed pair by pair, where no finite vector of features stands for an object.
//
//     int emit(plan_builder& code) const {
//         return emit_pairs<strings>(code, "local_alignment", [](std::string_view s) { return coded(s); },
//                                    [](const codes& a, const codes& b) { return score(a, b); });
//     }
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/kernels/plan.h"

namespace mercer {

// The objects of a kind; fails, naming the kernel, where the data are another.
template <class Kind>
const Kind& objects_of(const dataset& x, std::string_view owner) {
    const auto* some = x.as<Kind>();
    if (!some)
        fail(errc::unsupported, std::string(owner) + ": " + name(Kind::where) + " are needed, got " + name(x.kind()));
    return *some;
}

// Emits value(prepare(x), prepare(z)) for every pair; an object is prepared once a call. Both run in several threads.
template <class Kind, class Prepare, class Value>
int emit_pairs(plan_builder& code, const std::string& owner, Prepare prepare, Value value) {
    const auto block = [=](const dataset& x, const selection& rows, const dataset& z, const selection& cols,
                           matrix_view<double> out) {
        using prepared = decltype(prepare(objects_of<Kind>(x, owner)[0]));
        const auto all = [&](const dataset& from, const selection& which) {
            const Kind& some = objects_of<Kind>(from, owner);
            std::vector<prepared> made(static_cast<std::size_t>(which.size()));
            parallel_for(which.size(), [&](index i) { made[static_cast<std::size_t>(i)] = prepare(some[which[i]]); });
            return made;
        };
        const std::vector<prepared> left = all(x, rows), right = all(z, cols);
        parallel_for(out.rows, [&](index i) {
            for (index j = 0; j < out.cols; ++j)
                out(i, j) = value(left[static_cast<std::size_t>(i)], right[static_cast<std::size_t>(j)]);
        });
    };
    instruction step;
    step.what = instruction::op::map;
    step.a = code.use_statistic({statistic::user, code.use_feature({}), false, block});
    return code.push(std::move(step));
}

// Kernels on objects by dynamic programming over a pair, several pairs at once.
//
// Rounding may differ when the two objects change places, so each pair is computed in one order, the lesser object
// first: then k(x, z) = k(z, x) to the bit, and where a block holds both pairs, one of them is copied.

// Which pairs of a block are to be computed, and in which order their objects are.
class pair_order {
public:
    template <class Kind>
    pair_order(const Kind& x, const selection& rows, const Kind& z, const selection& cols)
        : rows_(rows.size()), cols_(cols.size()) {
        const auto count = static_cast<std::size_t>(rows_ + cols_);
        std::vector<index> order(count);
        std::iota(order.begin(), order.end(), index{0});
        const auto compared = [&](index a, index b) {
            const auto& left = a < rows_ ? x : z;
            const auto& right = b < rows_ ? x : z;
            return left.compare(a < rows_ ? rows[a] : cols[a - rows_], right, b < rows_ ? rows[b] : cols[b - rows_]);
        };
        std::ranges::sort(order, [&](index a, index b) { return compared(a, b) < 0; });
        rank_.resize(count);
        for (std::size_t i = 0, rank = 0; i < count; ++i) {
            if (i > 0 && compared(order[i - 1], order[i]) != 0) rank = i;
            rank_[static_cast<std::size_t>(order[i])] = static_cast<index>(rank);
        }
        if (&x == &z) find_mirrored(rows, cols, x.size());
    }
    bool row_first(index i, index j) const { return rank(i) <= rank(rows_ + j); }
    // Is (i, j) another pair of the block with its objects exchanged?
    bool mirrored(index i, index j) const {
        return !object_.empty() && object(i) > object(rows_ + j) && as_row(j) >= 0 && as_col(i) >= 0;
    }
    index as_row(index j) const { return other_[static_cast<std::size_t>(rows_ + j)]; }
    index as_col(index i) const { return other_[static_cast<std::size_t>(i)]; }
    index rows() const { return rows_; }
    index cols() const { return cols_; }

private:
    index rank(index at) const { return rank_[static_cast<std::size_t>(at)]; }
    index object(index at) const { return object_[static_cast<std::size_t>(at)]; }
    // Of every row the column that holds the same object, and the other way round; -1: none.
    void find_mirrored(const selection& rows, const selection& cols, index objects) {
        std::vector<index> row_of(static_cast<std::size_t>(objects), -1), col_of(row_of);
        for (index i = rows_ - 1; i >= 0; --i) row_of[static_cast<std::size_t>(rows[i])] = i;
        for (index j = cols_ - 1; j >= 0; --j) col_of[static_cast<std::size_t>(cols[j])] = j;
        for (index i = 0; i < rows_; ++i) object_.push_back(rows[i]);
        for (index j = 0; j < cols_; ++j) object_.push_back(cols[j]);
        for (index i = 0; i < rows_; ++i) other_.push_back(col_of[static_cast<std::size_t>(rows[i])]);
        for (index j = 0; j < cols_; ++j) other_.push_back(row_of[static_cast<std::size_t>(cols[j])]);
    }

    index rows_, cols_;
    std::vector<index> rank_, object_, other_;  // rows, then columns
};

// Emits a kernel by values(first, seconds, out): out[j] = k(first, *seconds[j]), where first is not the greater one of
// any pair. A value may not depend on which others are asked for with it. An object is prepared once a block.
template <class Kind, class Prepare, class Values>
int emit_ordered_pairs(plan_builder& code, const std::string& owner, Prepare prepare, Values values) {
    const auto block = [=](const dataset& x, const selection& rows, const dataset& z, const selection& cols,
                           matrix_view<double> out) {
        const Kind &left = objects_of<Kind>(x, owner), &right = objects_of<Kind>(z, owner);
        using prepared = decltype(prepare(left[0]));
        const auto all = [&](const Kind& some, const selection& which) {
            std::vector<prepared> made(static_cast<std::size_t>(which.size()));
            parallel_for(which.size(), [&](index i) { made[static_cast<std::size_t>(i)] = prepare(some[which[i]]); });
            return made;
        };
        const std::vector<prepared> as = all(left, rows), bs = all(right, cols);
        const pair_order order(left, rows, right, cols);
        // The seconds of few firsts in runs, so that one row of many columns keeps all threads busy.
        const index most = std::max(rows.size(), cols.size()), pieces = index{4} * threads(),
                    run = std::min(rows.size(), cols.size()) >= pieces ? most : std::max<index>(16, most / pieces);
        const index row_runs = (cols.size() + run - 1) / run, col_runs = (rows.size() + run - 1) / run;
        const index by_row = rows.size() * row_runs;
        parallel_for(by_row + cols.size() * col_runs, [&](index item) {
            const bool row = item < by_row;
            const index first = row ? item / row_runs : (item - by_row) / col_runs,
                        begin = (row ? item % row_runs : (item - by_row) % col_runs) * run,
                        end = std::min(begin + run, row ? cols.size() : rows.size());
            std::vector<const prepared*> seconds;
            std::vector<index> places;
            for (index other = begin; other < end; ++other) {
                const index i = row ? first : other, j = row ? other : first;
                if (order.row_first(i, j) != row || order.mirrored(i, j)) continue;
                seconds.push_back(&(row ? bs : as)[static_cast<std::size_t>(other)]);
                places.push_back(other);
            }
            if (seconds.empty()) return;
            std::vector<double> found(seconds.size());
            constexpr std::size_t most_at_once = 4096;  // pairs between two checks for a stop
            for (std::size_t p = 0; p < seconds.size(); p += most_at_once) {
                stop_point();
                const std::size_t count = std::min(most_at_once, seconds.size() - p);
                values((row ? as : bs)[static_cast<std::size_t>(first)],
                       std::span<const prepared* const>(seconds).subspan(p, count), found.data() + p);
            }
            for (std::size_t p = 0; p < places.size(); ++p)
                (row ? out(first, places[p]) : out(places[p], first)) = found[p];
        });
        parallel_for(rows.size(), [&](index i) {
            for (index j = 0; j < cols.size(); ++j)
                if (order.mirrored(i, j)) out(i, j) = out(order.as_row(j), order.as_col(i));
        });
    };
    instruction step;
    step.what = instruction::op::map;
    step.a = code.use_statistic({statistic::user, code.use_feature({}), false, block});
    return code.push(std::move(step));
}

}  // namespace mercer
