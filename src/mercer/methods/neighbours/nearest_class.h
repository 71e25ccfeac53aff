// Two classifiers that represent each class by one point of feature space: its mean (nearest_centroid) or its medoid
// (nearest_medoid). Of equally near classes the lowest label wins.
//
// nearest_centroid: the class c with the smallest
//     ‖φ(x)-μ_c‖² = k(x,x) - 2 Σᵢ aᵢ k(x,xᵢ) + Σᵢⱼ aᵢaⱼ k(xᵢ,xⱼ),   μ_c = Σᵢ aᵢφ(xᵢ), aᵢ = wᵢ/Σw over the members of c.
// With the linear kernel this is the usual nearest centroid classifier.
//
// nearest_medoid: the medoid of a class is the member with the smallest (weighted) sum of distances to all members, the
// first one if several have the same sum. The model stores one example per class, so a prediction takes one kernel
// value per class.
//
// Example:
//
//     const double numbers[] = {0, 1, 5, 6};
//     const dataset x = dense<double>({numbers, 4, 1});
//     const std::vector<double> y = {-1, -1, 1, 1};
//     const nearest_centroid_model m = fit_nearest_centroid(linear{}, x, y);
//     assert(predict(m, x) == y);
//     assert(std::abs(squared_distances(m, x)(0, 0) - 0.25) < 1e-12);  // (0 - ½)², ½ the mean of the first class
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

// The method nearest_centroid as a value for fit() of mercer.h: its kernel, its scaling and its options.
struct nearest_centroid {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};

    static method_info info() {
        return {"nearest_centroid",
                {"nearest_mean"},
                method_family::classification,
                "classification by the nearest class mean in feature space",
                "min ‖φ(x)-μ_c‖²",
                "mercer-nearest-centroid-model",
                target_kind::classes,
                true,
                true,
                true};
    }
    template <class V>
    void options(V&) {}
};

// Options of fit_nearest_centroid().
struct nearest_centroid_options {
    std::vector<double> sample_weight{};  // weights; empty: all 1
    std::size_t memory_bytes = std::size_t{512} << 20;
};

// The result of fit_nearest_centroid(): the class means. Every example contributes to the mean of its own class only.
// With at most max_dense_classes classes `means` has a coefficient for each example and class. With more classes
// `weight` and `place` have one entry per example, and means.coef has no columns.
struct nearest_centroid_model {
    static constexpr index max_dense_classes = 64;

    kernel_expansion means;       // function c is x ↦ ⟨φ(x), μ_c⟩
    std::vector<double> classes;  // labels in ascending order
    std::vector<double> norms;    // ‖μ_c‖²
    // weight of each example in the mean of its class; empty if `means` has the coefficients
    std::vector<double> weight{};
    // position in `classes` of the class of each example; empty if `means` has the coefficients
    std::vector<index> place{};

    bool is_dense() const { return weight.empty(); }
    kernel_expansion dense_means() const;  // returns `means` with a coefficient for each example and class
};

// Computes the class means from objects x or from the kernel matrix K of the examples. y contains one class label per
// example. Throws errc::invalid_argument if sizes differ, and errc::data if there are no examples, a value is not
// finite, or all examples of a class have weight 0.
nearest_centroid_model fit_nearest_centroid(const kernel& k, const dataset& x, std::span<const double> y,
                                            const nearest_centroid_options& options = {});
nearest_centroid_model fit_nearest_centroid(const gram<double>& K, std::span<const double> y,
                                            const nearest_centroid_options& options = {});

// Returns the label of the nearest class for each object. K contains kernel values of new objects (rows) against all
// training examples (columns).
std::vector<double> predict(const nearest_centroid_model& model, const dataset& z);
std::vector<double> predict(const nearest_centroid_model& model, const gram<double>& K);
// Returns ‖φ(z)-μ_c‖² for every object (row) and class (column); `self` contains k(z, z) of each row of K.
matrix<double> squared_distances(const nearest_centroid_model& model, const dataset& z);
matrix<double> squared_distances(const nearest_centroid_model& model, const gram<double>& K,
                                 std::span<const double> self);

// The method nearest_medoid as a value for fit() of mercer.h: its kernel, its scaling and its options.
struct nearest_medoid {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};

    static method_info info() {
        return {"nearest_medoid",
                {},
                method_family::classification,
                "classification by the nearest class medoid, one training example per class",
                "min ‖φ(x)-φ(m_c)‖²",
                "mercer-nearest-medoid-model",
                target_kind::classes};
    }
    template <class V>
    void options(V&) {}
};

// Options of fit_nearest_medoid().
struct nearest_medoid_options {
    std::vector<double> sample_weight{};  // weights; empty: all 1
};

// The result of fit_nearest_medoid(): the medoid of every class. predict() returns the class of the nearest medoid.
struct nearest_medoid_model {
    std::shared_ptr<const kernel> k;  // null if the model was fitted to a matrix
    dataset medoids;                  // medoid c represents class c; empty if k is null
    std::vector<double> classes;      // labels in ascending order
    std::vector<index> rows;          // rows of the medoids among the training examples
    std::vector<double> self;         // k(x, x) of the medoids
    std::vector<double> sums;         // sum of distances of each medoid
    index training_size = 0;
};

// Finds the medoid of every class, from objects or from the kernel matrix K of the examples. y and the errors are those
// of fit_nearest_centroid(). Computes n_c² kernel values for each class of n_c examples.
nearest_medoid_model fit_nearest_medoid(const kernel& k, const dataset& x, std::span<const double> y,
                                        const nearest_medoid_options& options = {});
nearest_medoid_model fit_nearest_medoid(const gram<double>& K, std::span<const double> y,
                                        const nearest_medoid_options& options = {});

// Returns the label of the class with the nearest medoid for each object of z.
std::vector<double> predict(const nearest_medoid_model& model, const dataset& z);
// Returns these labels from kernel values: K has a row for each new object, and a column for each training example or,
// in the order of model.medoids, for each medoid.
std::vector<double> predict(const nearest_medoid_model& model, const gram<double>& K);

namespace api {
struct method;
// Entries of the list of methods.
method nearest_centroid_method();
method nearest_medoid_method();
}  // namespace api

}  // namespace mercer
