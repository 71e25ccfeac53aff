#include "mercer/data/folds.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "mercer/base/error.h"

namespace mercer {
namespace {

void check_folds(index n, int folds) {
    if (folds < 2 || folds > n)
        fail(errc::invalid_argument,
             fmt::format("cross-validation: must satisfy 2 <= folds <= {} examples, got {}", n, folds));
}

void shuffle(std::span<index> items, const random_below& random) {
    const index n = static_cast<index>(items.size());
    for (index i = 0; i < n; ++i)
        std::swap(items[static_cast<std::size_t>(i)], items[static_cast<std::size_t>(i + random(n - i))]);
}

// The examples of each class, with the classes in LIBSVM's order.
std::vector<std::vector<index>> group(std::span<const double> y) {
    std::map<double, std::size_t> place;
    std::vector<double> labels;
    std::vector<std::vector<index>> members;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const auto [at, fresh] = place.try_emplace(y[i], members.size());
        if (fresh) members.emplace_back(), labels.push_back(y[i]);
        members[at->second].push_back(static_cast<index>(i));
    }
    if (labels.size() == 2 && labels[0] == -1 && labels[1] == 1) std::swap(members[0], members[1]);
    return members;
}

}  // namespace

random_below make_random_below(std::uint64_t seed) {
    // splitmix64: every seed gives a good sequence, which is the same on every machine.
    return [state = seed](index n) mutable {
        state += 0x9E3779B97F4A7C15ull;
        std::uint64_t z = state;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        z ^= z >> 31;
        return static_cast<index>(z % static_cast<std::uint64_t>(n));  // the bias, at most n/2⁶⁴, is negligible
    };
}

std::vector<index> fold_plan::training(int fold) const {
    std::vector<index> out(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(from(fold)));
    out.insert(out.end(), order.begin() + static_cast<std::ptrdiff_t>(from(fold + 1)), order.end());
    return out;
}

fold_plan plain_folds(index n, int folds, const random_below& random) {
    check_folds(n, folds);
    fold_plan plan;
    plan.order.resize(static_cast<std::size_t>(n));
    std::iota(plan.order.begin(), plan.order.end(), 0);
    shuffle(plan.order, random);
    for (index f = 0; f <= folds; ++f) plan.start.push_back(f * n / folds);
    return plan;
}

fold_plan stratified_folds(std::span<const double> y, int folds, const random_below& random) {
    check_folds(static_cast<index>(y.size()), folds);
    auto members = group(y);
    for (auto& each : members) shuffle(each, random);
    fold_plan plan;
    plan.start.push_back(0);
    for (index f = 0; f < folds; ++f) {
        for (const auto& each : members) {
            const index n = static_cast<index>(each.size());
            plan.order.insert(plan.order.end(), each.begin() + f * n / folds, each.begin() + (f + 1) * n / folds);
        }
        plan.start.push_back(static_cast<index>(plan.order.size()));
    }
    return plan;
}

fold_plan grouped_folds(std::span<const std::int64_t> group, int folds, const random_below& random) {
    std::map<std::int64_t, std::vector<index>> members;
    for (std::size_t i = 0; i < group.size(); ++i) members[group[i]].push_back(static_cast<index>(i));
    if (folds < 2 || folds > static_cast<index>(members.size()))
        fail(errc::invalid_argument,
             fmt::format("cross-validation: must satisfy 2 <= folds <= {} groups, got {}", members.size(), folds));
    std::vector<const std::vector<index>*> order;
    for (const auto& [name, rows] : members) order.push_back(&rows);
    std::vector<index> place(order.size());
    std::iota(place.begin(), place.end(), 0);
    shuffle(place, random);
    std::ranges::stable_sort(place, [&](index a, index b) {
        return order[static_cast<std::size_t>(a)]->size() > order[static_cast<std::size_t>(b)]->size();
    });
    std::vector<std::vector<index>> parts(static_cast<std::size_t>(folds));
    for (const index g : place) {
        auto& least = *std::ranges::min_element(parts, {}, [](const auto& each) { return each.size(); });
        const auto& rows = *order[static_cast<std::size_t>(g)];
        least.insert(least.end(), rows.begin(), rows.end());
    }
    fold_plan plan;
    plan.start.push_back(0);
    for (const auto& each : parts) {
        plan.order.insert(plan.order.end(), each.begin(), each.end());
        plan.start.push_back(static_cast<index>(plan.order.size()));
    }
    return plan;
}

fold_plan time_folds(index n, int folds) {
    check_folds(n, folds);
    fold_plan plan;
    plan.order.resize(static_cast<std::size_t>(n));
    std::iota(plan.order.begin(), plan.order.end(), 0);
    for (index f = 0; f <= folds; ++f) plan.start.push_back(f * n / folds);
    return plan;
}

std::vector<index> select_weighted_examples(index n, std::span<const double> weight, std::span<const index> rank) {
    std::vector<index> out(static_cast<std::size_t>(n));
    for (index i = 0; i < n; ++i)
        out[static_cast<std::size_t>(rank.empty() ? i : rank[static_cast<std::size_t>(i)])] = i;
    std::erase_if(out, [&](index i) { return !weight.empty() && weight[static_cast<std::size_t>(i)] == 0; });
    return out;
}

fold_plan map_to_examples(fold_plan plan, std::span<const index> which) {
    for (index& i : plan.order) i = which[static_cast<std::size_t>(i)];
    return plan;
}

}  // namespace mercer
