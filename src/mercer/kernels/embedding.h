// Objects turned into vectors, so that the statistics of vectors serve every kind of object.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "mercer/kernels/plan.h"

namespace mercer {

// The vectors as they are, after a check that no coordinate is negative; `owner` asks for it.
feature non_negative(const std::string& owner);
// x ↦ Mx with M given by rows.
feature linear_map(std::string key, std::vector<std::vector<double>> m);
// The same up to a shift, for kernels that ask for differences only: far from the origin Mx would lose what M(x-z)
// needs.
feature linear_map_of_differences(std::string key, std::vector<std::vector<double>> m);
// x ↦ s∘x, coordinate by coordinate, up to a shift too. `numbers`, such as "scaled: there are factors for vectors",
// begins the error where the data have another number of columns.
feature scale_map_of_differences(std::string key, std::string numbers, std::vector<double> factors);
// x ↦ (cos 2πx/p - 1, sin 2πx/p), coordinate by coordinate: ‖φ(x)-φ(z)‖² = 4 Σ sin²(π(xₐ-zₐ)/p).
feature circle_map(double period);
// x ↦ φ(x) for a function of one vector.
feature vector_map(std::string key, std::function<std::vector<double>(std::span<const double>)> phi);
// x ↦ the chosen coordinates.
feature column_map(const std::vector<index>& columns);
// x ↦ s∘x, coordinate by coordinate.
feature scale_map(const std::vector<double>& factors);

// Features that people can read: every coordinate has a name, and most have places in the object where they stand.
//
// A kernel whose `source()` (kernel_info.h) is a named_feature says that k(x, z) is the inner product of its rows;
// where the kernel is computed in another way, its `features()` says the same. explicit_features.h makes features of
// whole expressions from them.

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
