// Kernels on finite sets: |A∩B|, 2^|A∩B| (the number of common subsets), e^|A∩B|, and Jaccard |A∩B|/|A∪B|.
// 2^|A∩B| and e^|A∩B| overflow for large sets, and the evaluator then throws; normalize(set_power()) does not overflow,
// because it is computed from logarithms.
#pragma once

#include <cmath>
#include <numbers>

#include "mercer/data/sets.h"
#include "mercer/kernels/embedding.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer {

// The 0/1 indicator vector of a set over all items of the data: xᵀz = |A∩B|.
named_embedding indicator();

struct set_intersection {
    static kernel_info info() {
        return {"set_intersection",
                {"common_items"},
                "|A ∩ B|",
                sets::kind,
                {},
                "set intersection: the inner product of 0/1 indicator vectors",
                true,
                {}};
    }
    static set_intersection from(const mercer::arguments&) { return {}; }
    void check() const {}
    std::vector<argument> arguments() const { return {}; }
    named_embedding embedding() const { return indicator(); }
    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::value;
    linear map() const { return {}; }
};

// Emits log k = rate·|A∩B|.
inline int emit_common_items(plan_builder& code, double rate) {
    const int count = code.use_statistic({pair_statistic::dot, code.use_embedding(indicator()), false, {}});
    instruction read;
    read.operation = instruction::op::map;
    read.a = count;
    instruction times;
    times.operation = instruction::op::affine;
    times.a = code.push(std::move(read));
    times.scale = rate;
    return code.push(std::move(times));
}

struct set_power {
    static kernel_info info() {
        return {"set_power", {"common_subsets"},
                "2^|A ∩ B|", sets::kind,
                {},          "common subsets: the all-subsets kernel ∏(1 + aᵢbᵢ) of 0/1 indicator vectors",
                true,        {}};
    }
    static set_power from(const mercer::arguments&) { return {}; }
    void check() const {}
    std::vector<argument> arguments() const { return {}; }
    mercer::embedding embedding() const { return indicator(); }
    static constexpr bool may_overflow = true;
    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::value;
    int emit_log(plan_builder& code) const { return emit_common_items(code, std::numbers::ln2); }

    template <class R>
    R operator()(R count) const {
        using std::exp2;
        return exp2(count);
    }
};

struct set_exp {
    static kernel_info info() {
        return {"set_exp", {}, "e^|A ∩ B|", sets::kind, {}, "exponential: exp of the set intersection kernel",
                true,      {}};
    }
    static set_exp from(const mercer::arguments&) { return {}; }
    void check() const {}
    std::vector<argument> arguments() const { return {}; }
    mercer::embedding embedding() const { return indicator(); }
    static constexpr bool may_overflow = true;
    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::value;
    int emit_log(plan_builder& code) const { return emit_common_items(code, 1); }

    template <class R>
    R operator()(R count) const {
        using std::exp;
        return exp(count);
    }
};

struct jaccard {
    static kernel_info info() {
        return {"jaccard",
                {},
                "|A ∩ B| / |A ∪ B|, 1 for two empty sets",
                sets::kind,
                {},
                "Jaccard: the probability that a random order of all items has the same first item in A and in B "
                "(min-hash)",
                true,
                {.stationary = false, .radial = false, .normalised = true}};
    }
    static jaccard from(const mercer::arguments&) { return {}; }
    void check() const {}
    std::vector<argument> arguments() const { return {}; }
    mercer::embedding embedding() const { return indicator(); }
    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::with_norms;

    // |A| is the squared norm of the indicator vector.
    template <class R>
    R operator()(R common, R size_a, R size_b) const {
        return ratio(common, R(size_a + size_b - common), 1);
    }
};

}  // namespace mercer
