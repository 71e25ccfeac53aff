// Explicit features of whole expressions on objects of any kind: k(x, z) = Σ_f weight_f φ_f(x) φ_f(z), every feature
// with a name. Substrings, words, subtrees, items come from the kernels themselves (named_feature.h), coordinates of
// vectors from feature_map.h; sums put features beside each other, products pair them, normalize divides them by their
// length, field(name, k) has those of the field.
//
//     const object_features phi(kernel::parse("normalize(spectrum(k=3))"), x, &z);
//     phi.x();                 // sparse rows
//     phi.name(7, {}).text;    // "TAT"
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mercer/kernels/embedding.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

struct feature_name {
    std::string text;    // "TAT", "title: free", "C(2×H O)"
    std::string kernel;  // the part of the expression that it belongs to
};

class object_features {
public:
    // Fails with errc::unsupported, naming the part of the kernel that has no explicit features.
    object_features(const kernel& k, const dataset& x, const dataset* z = nullptr);

    const sparse<double>& x() const { return x_; }
    const sparse<double>& z() const { return z_; }  // empty where only x was given
    // x with √weight in every coordinate: their inner products are kernel values. Fails where a weight is negative.
    sparse<double> rows() const;
    index size() const { return static_cast<index>(weight_.size()); }
    const std::vector<double>& weight() const { return weight_; }
    feature_name name(index f, const known_names& known) const { return name_(f, known); }
    // Where the features of object i of x stand in it; empty where that is not known.
    std::vector<feature_place> places(index i) const { return places_ ? places_(i) : std::vector<feature_place>{}; }

private:
    friend class feature_algebra;
    object_features() = default;
    sparse<double> x_, z_;
    std::vector<double> weight_;
    std::function<feature_name(index, const known_names&)> name_;
    std::function<std::vector<feature_place>(index)> places_;
};

// Why a kernel has no explicit features, naming the part at fault; nothing where it has some.
std::optional<std::string> without_features(const kernel& k);
// Are there explicit features, and of an object no more than it has words, with no products of them?
bool has_sparse_features(const kernel& k);
// About how many objects have features that fit into so many bytes, judged by a few of them.
index objects_within(const kernel& k, const dataset& objects, std::size_t bytes);

}  // namespace mercer
