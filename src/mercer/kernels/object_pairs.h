// Helpers for kernels of one's own that are computed pair by pair, because no finite feature vector represents an
// object.
//
// Example:
//
//     struct shorter {  // k(s, t) = min(|s|, |t|), an inner product of 0/1 vectors
//         static kernel_info info() {
//             return {"shorter", {}, "min(|s|, |t|)", strings::kind, {}, "an inner product of 0/1 vectors", true, {}};
//         }
//         void check() const {}
//         std::vector<argument> arguments() const { return {}; }
//         int emit(plan_builder& code) const {
//             return emit_pairs<strings>(
//                 code, "shorter", [](const std::string& s) { return static_cast<double>(s.size()); },
//                 [](double a, double b) { return std::min(a, b); });
//         }
//     };
//     assert(pair_value(shorter{}, strings({"GATTACA"}), strings({"TATA"})) == 4);
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

// The data set as objects of type Kind. Throws errc::unsupported, naming the kernel, if the data are of another kind.
template <class Kind>
const Kind& objects_of(const dataset& x, std::string_view owner) {
    const auto* some = x.as<Kind>();
    if (!some)
        fail(errc::unsupported, std::string(owner) + ": expected " + name(Kind::kind) + ", got " + name(x.kind()));
    return *some;
}

// Emits a kernel with the values value(prepare(x), prepare(z)). Each object is prepared once per block of the Gram
// matrix. Both functions are called from several threads.
template <class Kind, class Prepare, class Value>
int emit_pairs(plan_builder& code, const std::string& owner, Prepare prepare, Value value) {
    const auto block = [=](const dataset& x, const row_set& rows, const dataset& z, const row_set& cols,
                           matrix_view<double> out) {
        using prepared = decltype(prepare(objects_of<Kind>(x, owner)[0]));
        const auto all = [&](const dataset& from, const row_set& which) {
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
    step.operation = instruction::op::map;
    step.a = code.use_statistic({pair_statistic::user, code.use_embedding({}), false, block});
    return code.push(std::move(step));
}

// The order in which the pairs of a block are computed, for kernels whose rounding errors depend on the order of the
// two objects. Each pair is computed with the smaller object first, so that k(x, z) and k(z, x) are bit-identical; if a
// block contains both pairs, one of them is computed and copied. Objects are compared by Kind::compare.
class pair_order {
public:
    template <class Kind>
    pair_order(const Kind& x, const row_set& rows, const Kind& z, const row_set& cols)
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
        if (&x == &z) find_copies(rows, cols, x.size());
    }
    // Returns true if the object of row i is not greater than the object of column j.
    bool is_row_first(index i, index j) const { return rank(i) <= rank(rows_ + j); }
    // Returns true if the block also contains the pair (object of column j, object of row i) and that pair is the one
    // to be computed; its element is (row_of_column(j), column_of_row(i)).
    bool is_copied(index i, index j) const {
        return !object_.empty() && object(i) > object(rows_ + j) && row_of_column(j) >= 0 && column_of_row(i) >= 0;
    }
    // The row with the object of column j, and the column with the object of row i; -1 if there is none.
    index row_of_column(index j) const { return other_[static_cast<std::size_t>(rows_ + j)]; }
    index column_of_row(index i) const { return other_[static_cast<std::size_t>(i)]; }
    index rows() const { return rows_; }
    index cols() const { return cols_; }

private:
    index rank(index at) const { return rank_[static_cast<std::size_t>(at)]; }
    index object(index at) const { return object_[static_cast<std::size_t>(at)]; }
    // Finds for every row the column with the same object and for every column the row; -1 if there is none.
    void find_copies(const row_set& rows, const row_set& cols, index objects) {
        std::vector<index> row_of(static_cast<std::size_t>(objects), -1), col_of(row_of);
        for (index i = rows_ - 1; i >= 0; --i) row_of[static_cast<std::size_t>(rows[i])] = i;
        for (index j = cols_ - 1; j >= 0; --j) col_of[static_cast<std::size_t>(cols[j])] = j;
        for (index i = 0; i < rows_; ++i) object_.push_back(rows[i]);
        for (index j = 0; j < cols_; ++j) object_.push_back(cols[j]);
        for (index i = 0; i < rows_; ++i) other_.push_back(col_of[static_cast<std::size_t>(rows[i])]);
        for (index j = 0; j < cols_; ++j) other_.push_back(row_of[static_cast<std::size_t>(cols[j])]);
    }

    index rows_, cols_;
    std::vector<index> rank_, object_, other_;  // by row, then by column
};

// Emits a kernel that values(first, seconds, out) computes for several pairs at once: out[j] = k(first, *seconds[j]),
// where `first` is never greater than *seconds[j]. A value must not depend on the other pairs of the call. Each object
// is prepared once per block.
template <class Kind, class Prepare, class Values>
int emit_ordered_pairs(plan_builder& code, const std::string& owner, Prepare prepare, Values values) {
    const auto block = [=](const dataset& x, const row_set& rows, const dataset& z, const row_set& cols,
                           matrix_view<double> out) {
        const Kind &left = objects_of<Kind>(x, owner), &right = objects_of<Kind>(z, owner);
        using prepared = decltype(prepare(left[0]));
        const auto all = [&](const Kind& some, const row_set& which) {
            std::vector<prepared> made(static_cast<std::size_t>(which.size()));
            parallel_for(which.size(), [&](index i) { made[static_cast<std::size_t>(i)] = prepare(some[which[i]]); });
            return made;
        };
        const std::vector<prepared> as = all(left, rows), bs = all(right, cols);
        const pair_order order(left, rows, right, cols);
        // If the block has few rows or few columns, the pairs of one row or column are divided into chunks, so that a
        // single row of many columns occupies all threads.
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
                if (order.is_row_first(i, j) != row || order.is_copied(i, j)) continue;
                seconds.push_back(&(row ? bs : as)[static_cast<std::size_t>(other)]);
                places.push_back(other);
            }
            if (seconds.empty()) return;
            std::vector<double> found(seconds.size());
            constexpr std::size_t max_at_once = 4096;  // pairs between two checks for cancellation
            for (std::size_t p = 0; p < seconds.size(); p += max_at_once) {
                throw_if_cancelled();
                const std::size_t count = std::min(max_at_once, seconds.size() - p);
                values((row ? as : bs)[static_cast<std::size_t>(first)],
                       std::span<const prepared* const>(seconds).subspan(p, count), found.data() + p);
            }
            for (std::size_t p = 0; p < places.size(); ++p)
                (row ? out(first, places[p]) : out(places[p], first)) = found[p];
        });
        parallel_for(rows.size(), [&](index i) {
            for (index j = 0; j < cols.size(); ++j)
                if (order.is_copied(i, j)) out(i, j) = out(order.row_of_column(j), order.column_of_row(i));
        });
    };
    instruction step;
    step.operation = instruction::op::map;
    step.a = code.use_statistic({pair_statistic::user, code.use_embedding({}), false, block});
    return code.push(std::move(step));
}

}  // namespace mercer
