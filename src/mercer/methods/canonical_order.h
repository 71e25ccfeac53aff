// An order of examples that depends only on what they are, not on where they stand: by object, then target, then
// weight. A solver that takes them in this order gives the same answer for every permutation of the data; examples that
// cannot be told apart may be exchanged.
#pragma once

#include <span>
#include <vector>

#include "mercer/data/dataset.h"

namespace mercer {

// rank[i] is the place of example i; y and weight may be empty.
std::vector<index> example_ranks(const dataset& x, std::span<const double> y, std::span<const double> weight);

// Clusters that do not depend on the order in which the objects come: seeds and ties fall by what the objects are.

// The objects that have weight, in an order of their own; each knows its number.
struct ordered_objects {
    dataset x;
    std::vector<double> weight;
    std::vector<index> number;
};

inline ordered_objects in_order(const dataset& x, const std::vector<double>& weight) {
    const std::vector<index> rank = example_ranks(x, {}, weight);
    ordered_objects out;
    out.number.resize(rank.size());
    for (std::size_t i = 0; i < rank.size(); ++i) out.number[static_cast<std::size_t>(rank[i])] = static_cast<index>(i);
    std::erase_if(out.number, [&](index i) { return !weight.empty() && weight[static_cast<std::size_t>(i)] == 0; });
    out.x = gather(x, std::span<const index>(out.number));
    if (!weight.empty())
        for (const index i : out.number) out.weight.push_back(weight[static_cast<std::size_t>(i)]);
    return out;
}

// The clusters of all objects: those that the model was fitted on at their places, of the others the nearest.
template <class Model>
std::vector<index> all_labels(const Model& model, const dataset& x, const std::vector<index>& number) {
    std::vector<index> out =
        static_cast<index>(number.size()) < x.size() ? predict(model, x) : std::vector<index>(number.size());
    for (std::size_t i = 0; i < number.size(); ++i) out[static_cast<std::size_t>(number[i])] = model.labels[i];
    return out;
}

}  // namespace mercer
