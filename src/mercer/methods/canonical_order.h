// The canonical order of examples: by object, then target, then weight. It depends only on the examples and not on
// their order in the data, so a solver that processes examples in canonical order gives the same result for every
// permutation of the data. Equal examples keep their order.
#pragma once

#include <span>
#include <vector>

#include "mercer/data/dataset.h"

namespace mercer {

// Returns the rank of each example in the canonical order; y and weight may be empty.
std::vector<index> canonical_ranks(const dataset& x, std::span<const double> y, std::span<const double> weight);

// The objects of nonzero weight in canonical order, for clustering methods, whose random starts and ties depend on the
// order of the objects.
struct ordered_objects {
    dataset x;
    std::vector<double> weight;
    std::vector<index> number;  // position of each object in the original data
};

inline ordered_objects canonical_objects(const dataset& x, const std::vector<double>& weight) {
    const std::vector<index> rank = canonical_ranks(x, {}, weight);
    ordered_objects out;
    out.number.resize(rank.size());
    for (std::size_t i = 0; i < rank.size(); ++i) out.number[static_cast<std::size_t>(rank[i])] = static_cast<index>(i);
    std::erase_if(out.number, [&](index i) { return !weight.empty() && weight[static_cast<std::size_t>(i)] == 0; });
    out.x = gather(x, std::span<const index>(out.number));
    if (!weight.empty())
        for (const index i : out.number) out.weight.push_back(weight[static_cast<std::size_t>(i)]);
    return out;
}

// Returns the cluster of every object of x. number[i] is the position in x of the i-th object on which the model was
// fitted: such an object has the label of the fit, and every other object its predicted cluster.
template <class Model>
std::vector<index> all_labels(const Model& model, const dataset& x, const std::vector<index>& number) {
    std::vector<index> out =
        static_cast<index>(number.size()) < x.size() ? predict(model, x) : std::vector<index>(number.size());
    for (std::size_t i = 0; i < number.size(); ++i) out[static_cast<std::size_t>(number[i])] = model.labels[i];
    return out;
}

}  // namespace mercer
