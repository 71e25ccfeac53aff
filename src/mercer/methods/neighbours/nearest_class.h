// Nearest class mean in feature space: the class c with the least
//     ‖φ(x)-μ_c‖² = k(x,x) - 2 Σᵢ aᵢ k(x,xᵢ) + Σᵢⱼ aᵢaⱼ k(xᵢ,xⱼ),   μ_c = Σᵢ aᵢφ(xᵢ), aᵢ = wᵢ/Σw over the members of c;
// the lowest class of equals. With the linear kernel: the nearest centroid classifier.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/kernel_expansion.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/model_file.h"

namespace mercer {

struct nearest_centroid {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};

    static method_facts facts() {
        return {"nearest_centroid",
                {"nearest_mean"},
                method_family::classification,
                "the nearest class mean in feature space",
                "min ‖φ(x)-μ_c‖²",
                "mercer-nearest-centroid-model",
                answer::classes,
                true,
                true,
                true};
    }
    template <class V>
    void options(V&) {}
};

struct nearest_centroid_options {
    std::vector<double> sample_weight{};  // empty: all 1
    std::size_t memory_bytes = std::size_t{512} << 20;
};

// An example has a weight in the mean of its own class alone. With few classes the means are functions with a
// coefficient for each example and class; with more than most_dense_classes, `weight` and `place` have one number an
// example, and means.coef has no columns.
struct nearest_centroid_model {
    static constexpr index most_dense_classes = 64;

    kernel_expansion means;        // function c is x ↦ ⟨φ(x), μ_c⟩
    std::vector<double> classes;   // ascending
    std::vector<double> norms;     // ‖μ_c‖²
    std::vector<double> weight{};  // of each example in the mean of its class; empty: means.coef has them
    std::vector<index> place{};    // the class of each example, as its place in `classes`; likewise

    bool is_dense() const { return weight.empty(); }
    kernel_expansion dense_means() const;  // with a coefficient for each example and class
};

nearest_centroid_model fit_nearest_centroid(const kernel& k, const dataset& x, std::span<const double> y,
                                            const nearest_centroid_options& options = {});
nearest_centroid_model fit_nearest_centroid(const gram<double>& K, std::span<const double> y,
                                            const nearest_centroid_options& options = {});

std::vector<double> predict(const nearest_centroid_model& model, const dataset& z);
std::vector<double> predict(const nearest_centroid_model& model, const gram<double>& K);
// ‖φ(z)-μ_c‖² for every class; `self` is k(z, z).
matrix<double> squared_distances(const nearest_centroid_model& model, const dataset& z);
matrix<double> squared_distances(const nearest_centroid_model& model, const gram<double>& K,
                                 std::span<const double> self);

// Nearest medoid in feature space: each class is represented by its medoid, the member with the least (weighted) sum of
// distances to all members of the class (the first of equals); a new object gets the class of the nearest medoid, the
// lowest class of equals. A model holds one object a class, so predicting costs as many kernel values as there are
// classes.

struct nearest_medoid {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};

    static method_facts facts() {
        return {"nearest_medoid",
                {},
                method_family::classification,
                "the nearest class medoid: one object stands for each class",
                "min ‖φ(x)-φ(m_c)‖²",
                "mercer-nearest-medoid-model",
                answer::classes};
    }
    template <class V>
    void options(V&) {}
};

struct nearest_medoid_options {
    std::vector<double> sample_weight{};  // empty: all 1
};

struct nearest_medoid_model {
    std::shared_ptr<const kernel> k;  // null: fitted on a matrix
    dataset medoids;                  // object c represents class c; empty where k is null
    std::vector<double> classes;      // ascending
    std::vector<index> rows;          // their numbers among the training examples
    std::vector<double> self;         // k(x, x) of the medoids
    std::vector<double> sums;         // their sums of distances
    index training_size = 0;
};

nearest_medoid_model fit_nearest_medoid(const kernel& k, const dataset& x, std::span<const double> y,
                                        const nearest_medoid_options& options = {});
nearest_medoid_model fit_nearest_medoid(const gram<double>& K, std::span<const double> y,
                                        const nearest_medoid_options& options = {});

std::vector<double> predict(const nearest_medoid_model& model, const dataset& z);
// Kernel values against all training examples, or against the medoids only.
std::vector<double> predict(const nearest_medoid_model& model, const gram<double>& K);

namespace api {
struct method;
method nearest_centroid_method();
method nearest_medoid_method();
}  // namespace api

}  // namespace mercer
