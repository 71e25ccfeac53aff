// Embeddings: maps φ of objects to vectors, so that a kernel on any kind of object can use the statistics of vectors
// (plan.h). Named embeddings also give names to the coordinates of φ(x) and locate each coordinate in the object.
//
// A map throws errc::invalid_argument if the vectors have another number of coordinates than its parameters.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "mercer/kernels/plan.h"

namespace mercer {

// The identity x ↦ x for kernels on non-negative vectors. Throws errc::data if a coordinate is negative; the message
// names the kernel `owner`.
embedding non_negative(const std::string& owner);
// x ↦ Mx, the matrix M given by rows.
embedding linear_map(std::string key, std::vector<std::vector<double>> m);
// x ↦ M(x - c), where c is a point in the middle of the data, for kernels that depend on x - z only: if the vectors are
// far from the origin, the rounding errors of Mx and Mz can be larger than M(x - z).
embedding linear_map_of_differences(std::string key, std::vector<std::vector<double>> m);
// x ↦ s∘(x - c), coordinate by coordinate, for the same reason; c is the centre of the data or 0. `numbers`, such as
// "scaled: there are factors for vectors", begins the error message if the data have another number of columns.
embedding scale_map_of_differences(std::string key, std::string numbers, std::vector<double> factors);
// Maps every coordinate xₐ to the two coordinates (cos(2πxₐ/p) - 1, sin(2πxₐ/p)) of a point on a circle, where p is
// `period`. Then ‖φ(x)-φ(z)‖² = 4 Σₐ sin²(π(xₐ-zₐ)/p), so a Gaussian of φ is the periodic kernel. 0 is mapped to 0, so
// sparse vectors stay sparse.
embedding circle_map(double period);
// x ↦ φ(x) for a function of one vector.
embedding vector_map(std::string key, std::function<std::vector<double>(std::span<const double>)> phi);
// x ↦ (x_c for c in columns).
embedding column_map(const std::vector<index>& columns);
// x ↦ s∘x, coordinate by coordinate.
embedding scale_map(const std::vector<double>& factors);

// Names of the coordinates of vectors and of the items of sets, by number. A number beyond the list has no name and is
// written as the number.
using known_names = std::vector<std::string>;

// A range of bytes of a string (or of nodes of a tree), or those of its bytes that a mask selects. Bytes from the 65th
// on are always selected.
struct masked_range {
    std::size_t first = 0, length = 0;
    std::uint64_t mask = ~std::uint64_t{0};  // bit i: byte first + i is selected

    std::vector<index> positions() const {
        std::vector<index> out;
        for (std::size_t i = 0; i < length; ++i)
            if (i >= 64 || (mask >> i & 1)) out.push_back(static_cast<index>(first + i));
        return out;
    }
};

// One occurrence of a feature in an object.
struct feature_place {
    index column = 0;
    double weight = 1;           // the value of a feature is divided among its occurrences in proportion to the weights
    std::vector<index> parts{};  // bytes of a string, nodes of a graph or a tree
};

// Objects as vectors, with the meaning of the columns.
struct named_rows {
    dataset x, z{};  // z is empty if only x was given
    std::function<std::string(index column, const known_names& known)> name{};
    std::function<std::vector<feature_place>(index i)> places{};  // in object i of x; empty: not known
};

// An embedding whose coordinates have names. If the embedding() of a kernel (kernel_info.h) is a named_embedding, k(x,
// z) is the inner product of its rows; a kernel that is computed in another way returns such an embedding from
// features(). features/explicit_features.h makes the features of whole expressions from them.
struct named_embedding : embedding {
    using maker = std::function<named_rows(const dataset& x, const dataset* z)>;
    maker named;

    named_embedding(std::string key_, maker named_)
        : embedding{std::move(key_),
                    [named_](const dataset& x, const dataset* z) {
                        named_rows made = named_(x, z);
                        return std::pair(std::move(made.x), std::move(made.z));
                    }},
          named(std::move(named_)) {}
};

}  // namespace mercer
