// Explicit features of whole expressions on objects of any kind: k(x, z) = Σ_f weight_f φ_f(x) φ_f(z), where every
// feature has a name. Features such as substrings, words, subtrees and items come from the kernels (named_embedding in
// kernels/embedding.h), monomials of coordinates from feature_map.h. A sum concatenates the features of its parts, a
// product has all pairs of them, normalize divides them by their norm, and field(name, k) has the features of the
// field.
//
// Example:
//
//     const dataset x = strings({"GATTACA", "TATA"});
//     const object_features phi(spectrum{3}, x);
//     assert(phi.x().size() == 2);         // sparse rows with the number of occurrences of each substring of length 3
//     assert(phi.name(0, {}).text == "GAT");
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mercer/kernels/embedding.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

// The name of a feature.
struct feature_name {
    std::string text;    // "TAT", "title: free", "C(2×H O)"
    std::string kernel;  // the part of the expression that it belongs to
};

// The explicit features of the objects of one or two data sets.
class object_features {
public:
    // Computes the features of the objects x and, unless z is null, of the objects z; both have the same columns.
    // Throws errc::unsupported, naming the part of the kernel that has no explicit features.
    object_features(const kernel& k, const dataset& x, const dataset* z = nullptr);

    const sparse<double>& x() const { return x_; }
    const sparse<double>& z() const { return z_; }  // empty if only x was given
    // The rows of x with every coordinate multiplied by √weight, so that their inner products are kernel values. Throws
    // errc::not_psd if a weight is negative.
    sparse<double> rows() const;
    index size() const { return static_cast<index>(weight_.size()); }  // number of features
    const std::vector<double>& weight() const { return weight_; }      // weight_f of each feature f
    feature_name name(index f, const known_names& known) const { return name_(f, known); }
    // The occurrences of the features in object i of x; empty if they are not known.
    std::vector<feature_place> places(index i) const { return places_ ? places_(i) : std::vector<feature_place>{}; }

private:
    friend class feature_algebra;
    object_features() = default;
    sparse<double> x_, z_;
    std::vector<double> weight_;
    std::function<feature_name(index, const known_names&)> name_;
    std::function<std::vector<feature_place>(index)> places_;
};

// Returns the reason why a kernel has no explicit features, naming the part that has none; nullopt if the kernel has
// explicit features.
std::optional<std::string> missing_features_reason(const kernel& k);
// Returns true if a kernel has explicit features and contains no products of features, so that the number of nonzero
// features of an object is about its number of words, items or substrings.
bool has_sparse_features(const kernel& k);
// Returns the number of objects whose features fit into `bytes` bytes, estimated from the features of up to 16 of the
// objects.
index max_objects_within(const kernel& k, const dataset& objects, std::size_t bytes);

}  // namespace mercer
