// Kernels on multisets with the counts aᵢ, bᵢ of item i: the size of the intersection Σ min(aᵢ, bᵢ), and min-max
// Σ min(aᵢ, bᵢ) / Σ max(aᵢ, bᵢ).
#pragma once

#include "mercer/data/sets.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/kernels/sets/set_kernels.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer {

// The counts of a multiset, one column for each item.
embedding item_counts();
// A multiset as a vector with xᵀz = Σ min(aᵢ, bᵢ) and ‖x‖² = Σ aᵢ. The copies 1, 2, … of an item are 0/1 features;
// consecutive copies that always occur together in the data share one column with the value √(number of copies).
named_embedding item_copies();

struct multiset_intersection {
    static kernel_info info() {
        return {"multiset_intersection",
                {},
                "sum over items of min(count in A, count in B)",
                multisets::kind,
                {},
                "multiset intersection: the set intersection kernel of the sets {(item, 1), ..., (item, count)}",
                true,
                {}};
    }
    static multiset_intersection from(const mercer::arguments&) { return {}; }
    void check() const {}
    std::vector<argument> arguments() const { return {}; }
    mercer::embedding embedding() const { return item_counts(); }
    static constexpr pair_statistic statistic = pair_statistic::min_sum;
    static constexpr map_input input = map_input::value;
    linear map() const { return {}; }
    named_embedding features() const { return item_copies(); }
};

// Ioffe 2010 (weighted min-hash). If every item occurs once, it is the Jaccard kernel.
struct min_max {
    static kernel_info info() {
        return {"min_max",
                {"ruzicka"},
                "sum min(a_i, b_i) / sum max(a_i, b_i), 1 for two empty multisets",
                multisets::kind,
                {},
                "min-max: the Jaccard kernel of the sets {(item, 1), ..., (item, count)}",
                true,
                {.stationary = false, .radial = false, .normalised = true}};
    }
    static min_max from(const mercer::arguments&) { return {}; }
    void check() const {}
    std::vector<argument> arguments() const { return {}; }
    mercer::embedding embedding() const { return item_copies(); }
    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::with_norms;
    jaccard map() const { return {}; }
};

}  // namespace mercer
