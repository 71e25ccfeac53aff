// k-medoids: k of the objects, the medoids, that make TD = Σᵢ wᵢ minₘ d(i, m) small, with d the distance in feature
// space or any matrix of dissimilarities.
//
// FasterPAM (Schubert & Rousseeuw 2021): for a candidate c one look at d(·, c) gives the change of TD for all k swaps
// of a medoid with c, and the best of them is made at once when it lowers TD. It ends when no swap of one medoid with
// one other object lowers TD: a local optimum as PAM's is, but not always the same one. So by default PAM's own swaps,
// the best of all each time (at 1/k of its cost, FastPAM1), are tried from the same start too, and the better end is
// kept: never worse than PAM. Starts with PAM's BUILD (each medoid the one that lowers TD most) or at random.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/gram/gram.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/model_file.h"

namespace mercer {

enum class medoid_start { build, random };
enum class medoid_swaps { eager, steepest, both };

struct kmedoids_options {
    index n_clusters = 8;
    medoid_start start = medoid_start::build;
    medoid_swaps swaps = medoid_swaps::both;
    std::vector<index> init{};  // these medoids instead
    index n_init = 1;           // random starts, of which the best is kept
    index max_iter = 300;       // passes over the candidates
    std::uint64_t seed = 0;
    std::vector<double> sample_weight{};              // empty: all 1
    std::size_t memory_bytes = std::size_t{1} << 30;  // for distances: rows that do not fit are computed again
    progress_callback progress{};
};

struct kmedoids_model {
    std::shared_ptr<const kernel> k;  // null: fitted on a matrix
    dataset objects;                  // the medoids; empty where k is null
    std::vector<index> medoids;       // their rows, ascending; cluster c is that of medoids[c]
    std::vector<index> labels;        // the nearest medoid of each training object, the first of equals
    std::vector<double> self;         // k(m, m); empty where distances were given
    double objective = 0;             // TD
    double silhouette = 0;            // mean over the objects; 0 for one cluster, NaN where a stop left no time for it
    index swaps = 0, passes = 0;
    fit_status status = fit_status::converged;
};

kmedoids_model fit_kernel_kmedoids(const kernel& k, const dataset& x, const kmedoids_options& options);
kmedoids_model fit_kernel_kmedoids(const gram<double>& K, const kmedoids_options& options);
// D holds dissimilarities: symmetric, >= 0, 0 on the diagonal.
kmedoids_model fit_kmedoids(const gram<double>& D, const kmedoids_options& options);

// One fit for each number of clusters first … last: objective and silhouette say which to take.
std::vector<kmedoids_model> scan_kernel_kmedoids(const kernel& k, const dataset& x, index first, index last,
                                                 const kmedoids_options& options);
std::vector<kmedoids_model> scan_kmedoids(const gram<double>& D, index first, index last,
                                          const kmedoids_options& options);

// s(i) = (b - a)/max(a, b), a the mean distance to the others of its cluster, b the least mean distance to another
// cluster; 0 for an object that is alone (Rousseeuw 1987).
std::vector<double> silhouettes(const gram<double>& D, std::span<const index> labels);

std::vector<index> predict(const kmedoids_model& model, const dataset& z);
// Kernel values (distances, for a model of distances) against all training objects or against the medoids only.
std::vector<index> predict(const kmedoids_model& model, const gram<double>& K);

// k-medoids on a matrix of dissimilarities by FasterPAM and FastPAM1 (Schubert & Rousseeuw, Fast and eager k-medoids
// clustering, 2021):
//     min TD = Σᵢ wᵢ min_{m ∈ M} D(i, m),  |M| = k.
// Ends when no swap of one medoid with one other object lowers TD by more than rounding, or after a number of passes.

struct pam_result {
    std::vector<index> medoids;
    double objective = 0;
    index swaps = 0, passes = 0;
    bool finished = false;  // no swap is left
    bool cancelled = false;
};

// Called with the number of passes and TD; false: stop and keep what there is.
using pam_report = std::function<bool(index pass, double objective)>;

// PAM's BUILD: the medoid that lowers TD most, k times.
template <class T>
std::vector<index> pam_build(const gram<T>& D, const std::vector<double>& weight, index k);
// eager: each swap that helps is made at once; few passes over D. steepest: the best of all swaps each time, which is
// PAM itself at 1/k of its cost (FastPAM1); one pass a swap. They may end in different local optima.
enum class pam_rule { eager, steepest };
template <class T>
pam_result faster_pam(const gram<T>& D, const std::vector<double>& weight, std::vector<index> medoids, pam_rule rule,
                      index most_passes, const pam_report& report);

}  // namespace mercer
