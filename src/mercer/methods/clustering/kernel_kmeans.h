// Kernel k-means (Schölkopf, Smola & Müller 1998): clusters c with means μ_c in feature space that make
//     J = Σᵢ wᵢ ‖φ(xᵢ) - μ_{c(i)}‖² = Σᵢ wᵢkᵢᵢ - Σ_c T_c/W_c,   W_c = Σ_{i∈c} wᵢ,  T_c = Σ_{i,j∈c} wᵢwⱼkᵢⱼ
// small, by Lloyd's rounds: every object moves to the nearest mean (it stays where that is no farther), the means
// follow. Seeded as k-means++ (Arthur & Vassilvitskii 2007, the best of several candidates each time), several
// restarts. A cluster that ran empty takes the object that is farthest from its mean. J never rises; a round that would
// raise it, which only rounding or a matrix that is not positive semidefinite can do, is taken back and the run ends as
// stalled.
//
// All a round needs of K is S(i, c) = Σ_{j∈c} wⱼkᵢⱼ: one pass over K, or, when few objects moved, over their rows only.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/methods/fit_control.h"
#include "mercer/methods/kernel_expansion.h"
#include "mercer/methods/model_file.h"

namespace mercer {

struct kmeans_options {
    index n_clusters = 8;
    index n_init = 10;
    index max_iter = 300;
    std::uint64_t seed = 0;
    std::vector<index> init{};  // first clusters of the objects, 0 … n_clusters-1, instead of seeding: one run
    std::vector<double> sample_weight{};  // empty: all 1. 2 = the object twice
    std::size_t memory_bytes = std::size_t{1} << 30;
    bool exact = false;  // kernel values in double also where K does not fit the budget
    progress_callback progress{};
};

struct kmeans_model {
    kernel_expansion means;                     // function c is x ↦ ⟨φ(x), μ_c⟩
    std::vector<double> norms;                  // ‖μ_c‖²
    std::vector<index> labels;                  // of the training objects
    std::vector<double> weights;                // W_c
    std::vector<double> history;                // J at the start of each round of the best run, and at its end
    fit_status status = fit_status::converged;  // of the best run; cancelled if the fit was
    index runs = 0;

    index clusters() const { return means.functions(); }
    double objective() const { return history.back(); }
};

kmeans_model fit_kernel_kmeans(const kernel& k, const dataset& x, const kmeans_options& options);
kmeans_model fit_kernel_kmeans(const gram<double>& K, const kmeans_options& options);

// The nearest mean, the lowest number of equals.
std::vector<index> predict(const kmeans_model& model, const dataset& z);
std::vector<index> predict(const kmeans_model& model, const gram<double>& K);
// ‖φ(z) - μ_c‖ of every object and cluster.
matrix<double> distances(const kmeans_model& model, const dataset& z);

}  // namespace mercer
