// k-medoids: k of the examples, the medoids, that minimise TD = Σᵢ wᵢ minₘ d(i, m) locally, where d is the distance in
// feature space or any matrix of dissimilarities.
//
// FasterPAM (Schubert & Rousseeuw 2021): for a candidate c one row d(·, c) gives the change of TD for all k swaps of a
// medoid with c, and the best of them is made at once if it lowers TD. The algorithm ends when no swap of one medoid
// with one other example lowers TD. This is a local optimum in the sense of PAM, but not always the same one. By
// default PAM's own swaps (the best of all each time, at 1/k of PAM's cost: FastPAM1) are therefore also tried from the
// same start, and the better result is kept, which is never worse than PAM. The start is PAM's BUILD (each medoid the
// one that lowers TD most) or random.
//
// Example:
//
//     const dataset x = strings({"AAAA", "AAAT", "GGGC", "GGGG"});
//     const kmedoids_model m = fit_kernel_kmedoids(normalise(spectrum{2}), x, {.n_clusters = 2});
//     assert(m.labels[0] == m.labels[1] && m.labels[1] != m.labels[2] && m.labels[2] == m.labels[3]);
//     assert(m.silhouette > 0);
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/data/dataset.h"
#include "mercer/gram/gram.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/model_file.h"

namespace mercer {

// The method kernel_kmedoids as a value for fit() of mercer.h: its kernel, its scaling and its options.
struct kernel_kmedoids {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    index n_clusters = 8;
    std::string init = "build";
    index n_init = 1, max_iter = 300, seed = 0;

    static method_info info() {
        return {"kernel_kmedoids",         {"kmedoids", "k_medoids", "pam"},
                method_family::clustering, "k-medoids clustering in feature space by FasterPAM",
                "min Σ minₘ ‖φ(xᵢ)-φ(m)‖", "mercer-kernel-kmedoids-model",
                target_kind::none};
    }
    template <class V>
    void options(V& v) {
        const option_requirements random{{"init", {"random"}}};
        v.integer("n_clusters", n_clusters, 1, "number of clusters");
        v.choice("init", init, {"build", "random"}, "how the initial medoids are chosen");
        v.former_name("start", {});
        v.choice_meanings({{"build", "one after the other, each the one that lowers the objective most (PAM's BUILD)"},
                           {"random", "at random, n_init times"}});
        v.integer("n_init", n_init, 1, "number of random starts; the best result is kept", random);
        v.integer("max_iter", max_iter, 1, "maximum number of iterations");
        v.integer("seed", seed, 0, "random seed of the starting points", random);
    }
};

// The first medoids: by PAM's BUILD, or random examples.
enum class medoid_start { build, random };
// eager: FasterPAM. steepest: FastPAM1. both: both from the same start; the better result is kept.
enum class medoid_swaps { eager, steepest, both };

// Options of fit_kernel_kmedoids().
struct kmedoids_options {
    index n_clusters = 8;
    medoid_start start = medoid_start::build;
    medoid_swaps swaps = medoid_swaps::both;
    std::vector<index> init{};  // initial medoids, instead of `start`
    index n_init = 1;           // number of random starts; the best result is kept
    index max_iter = 300;       // maximum number of passes over the candidates
    std::uint64_t seed = 0;
    std::vector<double> sample_weight{};              // weights; empty: all 1
    std::size_t memory_bytes = std::size_t{1} << 30;  // for distances; rows that do not fit are computed again
    progress_callback progress{};
};

// The result of fit_kernel_kmedoids() and fit_kmedoids(): the medoids, the clusters of the training examples and TD.
struct kmedoids_model {
    std::shared_ptr<const kernel> k;  // null if the model was fitted to a matrix
    dataset objects;                  // the medoids; empty if k is null
    std::vector<index> medoids;       // rows of the medoids in ascending order; cluster c belongs to medoids[c]
    std::vector<index> labels;        // nearest medoid of each training example; the first of equally near ones
    std::vector<double> self;         // k(m, m); empty if distances were given
    double objective = 0;             // TD
    // Mean silhouette of the examples (silhouettes() below); 0 for one cluster, NaN if the fit was stopped before it
    // was computed.
    double silhouette = 0;
    index swaps = 0, passes = 0;
    fit_status status = fit_status::converged;
};

// Fits to the objects x with the distances of kernel k in feature space, or to the kernel matrix K of the examples.
// Throws errc::invalid_argument if an option is out of range or K is not square, and errc::data if there are no
// examples or a value is not finite.
kmedoids_model fit_kernel_kmedoids(const kernel& k, const dataset& x, const kmedoids_options& options);
kmedoids_model fit_kernel_kmedoids(const gram<double>& K, const kmedoids_options& options);
// Fits to the dissimilarities D of all pairs of examples: n × n, symmetric, >= 0, with 0 on the diagonal.
kmedoids_model fit_kmedoids(const gram<double>& D, const kmedoids_options& options);

// Returns a model for every number of clusters first, first + 1, …, last; `objective` and `silhouette` of the models
// help to choose among them. Throws errc::invalid_argument unless 1 <= first <= last <= n.
std::vector<kmedoids_model> scan_kernel_kmedoids(const kernel& k, const dataset& x, index first, index last,
                                                 const kmedoids_options& options);
std::vector<kmedoids_model> scan_kmedoids(const gram<double>& D, index first, index last,
                                          const kmedoids_options& options);

// Returns s(i) = (b - a)/max(a, b) for every example, where a is the mean distance of example i to the other examples
// of its cluster and b its smallest mean distance to the examples of another cluster; 0 for an example that is alone in
// its cluster (Rousseeuw 1987).
std::vector<double> silhouettes(const gram<double>& D, std::span<const index> labels);

// Returns the cluster of the nearest medoid for each object of z. Throws errc::unsupported if the model was fitted to a
// matrix.
std::vector<index> predict(const kmedoids_model& model, const dataset& z);
// Returns the cluster of each new object from its kernel values (or distances, for a model fitted to distances): K has
// a row for each object, and a column for each training example or, in ascending order of their rows, for each medoid.
std::vector<index> predict(const kmedoids_model& model, const gram<double>& K);

// The solver: k-medoids on a matrix of dissimilarities by FasterPAM and FastPAM1 (Schubert & Rousseeuw, Fast and eager
// k-medoids clustering, 2021):
//     min TD = Σᵢ wᵢ min_{m ∈ M} D(i, m),  |M| = k.
// It ends when no swap of one medoid with one other example lowers TD by more than the rounding error, or after a given
// number of passes.

// The result of faster_pam().
struct pam_result {
    std::vector<index> medoids;
    double objective = 0;
    index swaps = 0, passes = 0;
    bool finished = false;  // no swap lowers TD
    bool cancelled = false;
};

// Called with the number of passes and TD. Returns false to stop with the current medoids.
using pam_report = std::function<bool(index pass, double objective)>;

// PAM's BUILD: adds k times the medoid that lowers TD most.
template <class T>
std::vector<index> pam_build(const gram<T>& D, const std::vector<double>& weight, index k);
// eager: every swap that lowers TD is made at once; few passes over D. steepest: the best of all swaps is made, one
// pass per swap; this is PAM at 1/k of its cost (FastPAM1). The two rules may end in different local optima.
enum class pam_rule { eager, steepest };
template <class T>
pam_result faster_pam(const gram<T>& D, const std::vector<double>& weight, std::vector<index> medoids, pam_rule rule,
                      index max_passes, const pam_report& report);

namespace api {
struct method;
// The entry of kernel_kmedoids in the list of methods.
method kernel_kmedoids_method();
}  // namespace api

}  // namespace mercer
