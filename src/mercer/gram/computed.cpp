#include "mercer/gram/computed.h"

#include <algorithm>
#include <set>

#include "mercer/data/vectors.h"

namespace mercer::detail {
namespace {

// Whether a plan takes sums over coordinates only, so that their order and number do not matter. `seen`: the plans of
// parts that were looked at, which plans share.
bool sums_over_coordinates(const plan& code, std::set<const plan*>& seen) {
    if (!seen.insert(&code).second) return true;
    const auto as_they_are = [](const feature& f) { return !f.apply || f.key == "non_negative"; };
    return std::ranges::all_of(code.features, as_they_are) &&
           std::ranges::none_of(code.statistics, [](const pair_statistic& s) { return s.what == statistic::user; }) &&
           std::ranges::all_of(code.code, [&](const instruction& step) {
               return !step.weight && (!step.self || sums_over_coordinates(*step.self, seen));
           });
}

}  // namespace

std::pair<dataset, dataset> without_empty_columns(const kernel& k, dataset x, dataset z) {
    const bool same = z.size() == 0;
    if (!mostly_empty_columns(x) && !mostly_empty_columns(z)) return {std::move(x), std::move(z)};
    const auto code = k.compile();
    std::set<const plan*> seen;
    if (!x.is_sparse() || !(same || z.is_sparse()) || !sums_over_coordinates(*code, seen))
        return {std::move(x), std::move(z)};
    std::vector<std::int32_t> columns = occurring_columns(x);
    if (!same) {
        std::vector<std::int32_t> both;
        std::ranges::set_union(columns, occurring_columns(z), std::back_inserter(both));
        columns = std::move(both);
    }
    return {renumbered(x, columns), same ? std::move(z) : renumbered(z, columns)};
}

}  // namespace mercer::detail
