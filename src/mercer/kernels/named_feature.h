// Features that people can read: every coordinate has a name, and most have places in the object where they stand.
//
// A kernel whose `source()` (kernel_info.h) is a named_feature says that k(x, z) is the inner product of its rows;
// where the kernel is computed in another way, its `features()` says the same. explicit_features.h makes features of
// whole expressions from them.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "mercer/kernels/plan.h"

namespace mercer {

// Names of the coordinates of vectors and of the items of sets, by number; what is not there goes by its number.
using known_names = std::vector<std::string>;

// Letters of a string, from `first` on: all of them, or those of a mask.
struct stretch {
    std::size_t first = 0, length = 0;
    std::uint64_t mask = ~std::uint64_t{0};  // of the first 64

    std::vector<index> letters() const {
        std::vector<index> out;
        for (std::size_t i = 0; i < length; ++i)
            if (i >= 64 || (mask >> i & 1)) out.push_back(static_cast<index>(first + i));
        return out;
    }
};

// One place of a feature in an object: bytes of a string, nodes of a graph.
struct feature_place {
    index column = 0;
    double weight = 1;  // the value of a feature is shared among its places by their weights
    std::vector<index> parts{};
};

// Objects as vectors, with what the columns mean.
struct named_rows {
    dataset x, z{};  // z is empty where only x was given
    std::function<std::string(index column, const known_names& known)> name{};
    std::function<std::vector<feature_place>(index i)> places{};  // of object i of x; empty: not known
};

struct named_feature : feature {
    using maker = std::function<named_rows(const dataset& x, const dataset* z)>;
    maker named;

    named_feature(std::string key_, maker named_)
        : feature{std::move(key_),
                  [named_](const dataset& x, const dataset* z) {
                      named_rows made = named_(x, z);
                      return std::pair(std::move(made.x), std::move(made.z));
                  }},
          named(std::move(named_)) {}
};

}  // namespace mercer
