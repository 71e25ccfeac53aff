// Kernel k-means (Schölkopf, Smola & Müller 1998): clusters c with means μ_c in feature space that minimise
//     J = Σᵢ wᵢ ‖φ(xᵢ) - μ_{c(i)}‖² = Σᵢ wᵢkᵢᵢ - Σ_c T_c/W_c,   W_c = Σ_{i∈c} wᵢ,  T_c = Σ_{i,j∈c} wᵢwⱼkᵢⱼ
// locally, by Lloyd's iteration: every example moves to the nearest mean (it stays if no mean is nearer), then the
// means are updated. The first means are chosen by k-means++ (Arthur & Vassilvitskii 2007) with the best of several
// candidates each time; several restarts. An empty cluster receives the example that is farthest from its mean. J never
// increases: an iteration that would increase it, which only rounding or a matrix that is not positive semidefinite can
// cause, is undone and ends the run with status stalled.
//
// An iteration needs only S(i, c) = Σ_{j∈c} wⱼkᵢⱼ from K: one pass over K or, if few examples moved, over their rows.
//
// Example:
//
//     const double numbers[] = {0, 1, 5, 6};
//     const dataset x = dense<double>({numbers, 4, 1});
//     const kmeans_model m = fit_kernel_kmeans(gaussian{0.1}, x, {.n_clusters = 2});
//     assert(m.labels[0] == m.labels[1] && m.labels[1] != m.labels[2] && m.labels[2] == m.labels[3]);
//     assert(predict(m, x) == m.labels);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/canonical_order.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/kernel_expansion.h"
#include "mercer/methods/method.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/model_file.h"

namespace mercer {

// The method kernel_kmeans as a value for fit() of mercer.h: its kernel, its scaling and its options.
struct kernel_kmeans {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    index n_clusters = 8, n_init = 10, max_iter = 300, seed = 0;

    static method_info info() {
        return {"kernel_kmeans",
                {"kmeans", "k_means"},
                method_family::clustering,
                "k-means clustering in feature space",
                "min Σ‖φ(xᵢ)-μ_c(i)‖²",
                "mercer-kernel-kmeans-model",
                target_kind::none,
                true,
                true,
                true};
    }
    template <class V>
    void options(V& v) {
        v.integer("n_clusters", n_clusters, 1, "number of clusters");
        v.integer("n_init", n_init, 1, "number of random starts; the best result is kept");
        v.integer("max_iter", max_iter, 1, "maximum number of iterations");
        v.integer("seed", seed, 0, "random seed of the starting points");
    }
};

// Options of fit_kernel_kmeans(), with the meaning of the options of kernel_kmeans.
struct kmeans_options {
    index n_clusters = 8;
    index n_init = 10;
    index max_iter = 300;
    std::uint64_t seed = 0;
    // initial cluster of each example, 0 … n_clusters-1, instead of k-means++; implies one run
    std::vector<index> init{};
    std::vector<double> sample_weight{};  // one weight per example (2: counts twice); empty: all 1
    std::size_t memory_bytes = std::size_t{1} << 30;
    bool exact = false;  // kernel values in double even if K does not fit into memory_bytes
    progress_callback progress{};
};

// The result of fit_kernel_kmeans(): the means of the clusters, the clusters of the training examples and J.
struct kmeans_model {
    kernel_expansion means;                     // function c is x ↦ ⟨φ(x), μ_c⟩
    std::vector<double> norms;                  // ‖μ_c‖²
    std::vector<index> labels;                  // cluster of each training example
    std::vector<double> weights;                // W_c
    std::vector<double> history;                // J at the start of each iteration of the best run, and at its end
    fit_status status = fit_status::converged;  // status of the best run; cancelled if the fit was cancelled
    index runs = 0;

    index clusters() const { return means.functions(); }  // number of clusters
    double objective() const { return history.back(); }
};

// Fits to the objects x with the kernel k, or to the kernel matrix K of the examples. Throws errc::invalid_argument if
// an option is out of range or K is not square, and errc::data if there are no examples or a value or weight is not
// finite. Time n² per iteration.
kmeans_model fit_kernel_kmeans(const kernel& k, const dataset& x, const kmeans_options& options);
kmeans_model fit_kernel_kmeans(const gram<double>& K, const kmeans_options& options);

// Returns the cluster, 0 … n_clusters-1, with the nearest mean for each object of z; the lowest number of equally near
// ones. K contains kernel values of new objects (rows) against all training examples (columns). The forms with z throw
// errc::unsupported if the model was fitted to a matrix.
std::vector<index> predict(const kmeans_model& model, const dataset& z);
std::vector<index> predict(const kmeans_model& model, const gram<double>& K);
// Returns ‖φ(z) - μ_c‖ for every object of z (row) and cluster (column).
matrix<double> distances(const kmeans_model& model, const dataset& z);

namespace api {

// Base of the adapters of clustering methods. A model may have been fitted to the examples in canonical order: `labels`
// has the clusters of all examples in the order of the caller, `number` the caller's row of each example of the model.
template <class Model>
class cluster_estimator : public estimator_of<Model> {
public:
    explicit cluster_estimator(Model m, std::vector<index> labels = {}, std::vector<index> number = {})
        : estimator_of<Model>(std::move(m)), labels_(std::move(labels)), number_(std::move(number)) {}
    target_kind prediction_kind() const override { return target_kind::clusters; }
    std::vector<index> training_clusters() const override { return labels_.empty() ? this->m_.labels : labels_; }
    std::string warning() const override { return fit_warning(this->m_.status, "max_iter"); }
    part_value part(std::string_view name) const override {
        if (name == "labels") return training_clusters();
        return estimator_of<Model>::part(name);
    }

protected:
    index number(index i) const { return number_.empty() ? i : number_[static_cast<std::size_t>(i)]; }

private:
    std::vector<index> labels_, number_;
};

// Calls fit(o, kernel, objects) or fit(o, Gram matrix) for the examples of the call `t` and returns the model as an
// estimator. If the call asks for it, objects are first sorted in canonical order.
template <class Fitted>
estimator_ptr fit_clusters(const fit_call& t, auto o, auto fit) {
    if (t.x.is_matrix() || !t.canonical_order())
        return t.made<Fitted>(t.from([&](const auto&... source) { return fit(o, source...); }));
    ordered_objects some = canonical_objects(t.x.objects(), o.sample_weight);
    o.sample_weight = some.weight;
    auto model = fit(o, *t.k, some.x);
    std::vector<index> labels = all_labels(model, t.x.objects(), some.number);
    return t.made<Fitted>(std::move(model), std::move(labels), std::move(some.number));
}

// The entry of kernel_kmeans in the list of methods.
method kernel_kmeans_method();

}  // namespace api

}  // namespace mercer
