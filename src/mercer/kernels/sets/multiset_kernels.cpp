#include "mercer/kernels/sets/multiset_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "mercer/kernels/word_counts.h"

namespace mercer {
namespace {

// The different counts of an item in the data, ascending.
struct levels {
    std::vector<std::int64_t> counts;
    std::int32_t first = 0;  // 1 + the column of the first count; 0: no column yet
};
using level_table = std::unordered_map<std::int64_t, levels>;

level_table levels_of(const multisets& x, const multisets* z) {
    level_table out;
    for (const multisets* part : {&x, z})
        for (index i = 0; part && i < part->size(); ++i)
            for (const counted_item& each : (*part)[i]) out[each.item].counts.push_back(each.count);
    return out;
}

// Numbers the columns in the order of the first occurrence of the items; returns the number of columns.
std::int32_t number_columns(level_table& table, const multisets& x, const multisets* z) {
    std::int32_t next = 0;
    for (const multisets* part : {&x, z})
        for (index i = 0; part && i < part->size(); ++i)
            for (const counted_item& each : (*part)[i]) {
                levels& of = table[each.item];
                if (of.first > 0 || of.counts.empty()) continue;
                std::ranges::sort(of.counts);
                of.counts.erase(std::unique(of.counts.begin(), of.counts.end()), of.counts.end());
                of.first = next + 1;
                next += static_cast<std::int32_t>(of.counts.size());
            }
    return next;
}

dataset copies(const multisets& from, const level_table& table, index dims) {
    std::vector<index> start{0};
    std::vector<std::int32_t> col;
    std::vector<double> val;
    std::vector<std::pair<std::int32_t, double>> here;
    for (index i = 0; i < from.size(); ++i) {
        here.clear();
        for (const counted_item& each : from[i]) {
            const levels& of = table.at(each.item);
            std::int64_t before = 0;
            for (std::size_t l = 0; l < of.counts.size() && of.counts[l] <= each.count; ++l) {
                here.emplace_back(of.first - 1 + static_cast<std::int32_t>(l),
                                  std::sqrt(static_cast<double>(of.counts[l] - before)));
                before = of.counts[l];
            }
        }
        std::ranges::sort(here, {}, &std::pair<std::int32_t, double>::first);
        for (const auto& [c, value] : here) {
            col.push_back(c);
            val.push_back(value);
        }
        start.push_back(static_cast<index>(col.size()));
    }
    return sparse<double>(std::move(start), std::move(col), std::move(val), dims);
}

}  // namespace

embedding item_counts() {
    return word_counts<std::int64_t, multisets>(
        "item counts",
        [](const multisets& from, index i, auto add) {
            for (const counted_item& each : from[i]) add(each.item, static_cast<double>(each.count));
        },
        item_text);
}

named_embedding item_copies() {
    return {"item copies", [](const dataset& x, const dataset* z) {
                const auto& left = objects_of<multisets>(x, "min_max");
                const auto* right = z ? &objects_of<multisets>(*z, "min_max") : nullptr;
                level_table table = levels_of(left, right);
                const index dims = number_columns(table, left, right);
                named_rows out{copies(left, table, dims), right ? copies(*right, table, dims) : dataset()};
                out.name = [table = std::move(table)](index c, const known_names& known) {
                    for (const auto& [item, of] : table)
                        if (const index level = c - (of.first - 1);
                            level >= 0 && level < static_cast<index>(of.counts.size())) {
                            const auto at = static_cast<std::size_t>(level);
                            const std::int64_t from = at ? of.counts[at - 1] + 1 : 1, to = of.counts[at];
                            return item_text(item, known) + (from == to ? fmt::format(" (copy {})", to)
                                                                        : fmt::format(" (copies {} to {})", from, to));
                        }
                    return std::string();
                };
                return out;
            }};
}

}  // namespace mercer
