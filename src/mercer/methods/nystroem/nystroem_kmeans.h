// Kernel k-means for millions of examples: the problem of kernel_kmeans.h with means in the span of M centres,
//
//     min  Σᵢ wᵢ min_c ‖φ(xᵢ) - μ_c‖²     over μ_c = Σⱼ βⱼ_c k(·, zⱼ).
//
// This is k-means on the Nyström features of all examples (Chitta, Jin, Havens, Jain 2011) plus a constant, the part of
// φ(xᵢ) outside the span of the centres. If every example is a centre it is kernel k-means itself.
//
// Lloyd's iteration runs over passes of K(X, Z), which is not stored. It starts from the result of k-means on a sample
// of the examples with several restarts. Time n·M per iteration, memory n + M².
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/matrix_view.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/canonical_order.h"
#include "mercer/methods/clustering/kernel_kmeans.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/method.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/nystroem/gram_pass.h"
#include "mercer/methods/nystroem/nystroem_basis.h"
#include "mercer/methods/nystroem/nystroem_problem.h"

namespace mercer {

// The method nystroem_kmeans as a value for fit() of mercer.h: its kernel, its scaling and its options.
struct nystroem_kmeans {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    index n_clusters = 8, n_centres = 1000;
    std::string centres = "mixed";
    std::vector<double> centre_rows{};
    double tol = 1e-5;
    index n_init = 10, max_iter = 300, seed = 0;

    static method_info info() {
        return for_single_rank(with_checkpoints({"nystroem_kmeans",
                                                 {},
                                                 method_family::clustering,
                                                 "kernel k-means by the Nyström method, for millions of examples",
                                                 "min Σ‖φ(xᵢ)-μ_c(i)‖², μ = Σ βⱼk(·, zⱼ)",
                                                 "mercer-nystroem-kmeans-model",
                                                 target_kind::none,
                                                 true,
                                                 true,
                                                 true}));
    }
    template <class V>
    void options(V& v) {
        v.integer("n_clusters", n_clusters, 1, "number of clusters");
        detail::centre_options(v, n_centres, centres, centre_rows, seed, detail::prediction_centre_choices());
        v.integer("n_init", n_init, 1, option_text::sample_starts);
        v.number("tol", tol, at_least(0), "relative decrease of the objective at which the iteration stops");
        v.integer("max_iter", max_iter, 1, "maximum number of iterations, each a pass over the examples");
    }
};

// Options of fit_nystroem_kmeans().
struct nystroem_clusters_options : nystroem_options {
    index n_clusters = 8;
    index n_init = 10;  // number of restarts on the sample
};

// The means are functions of the centres. `history` contains the objective of these means, and every label is the
// nearest mean.
struct nystroem_kmeans_model : kmeans_model {
    double unexplained = 0;  // unexplained fraction of the trace of K(X, X), estimated on a sample of rows
    index passes = 0;        // number of passes over K
};

// Finds the clusters of the examples x; fit_nystroem_features() describes x and the errors. Option tol is that of
// lloyd_options; max_iter bounds the number of iterations.
nystroem_kmeans_model fit_nystroem_kmeans(const training_rows& x, const nystroem_clusters_options& options);

// Checks the options that nystroem_kmeans and nystroem_spectral share and returns the weights of the rows.
std::vector<double> checked_cluster_weights(const training_rows& x, const nystroem_clusters_options& options,
                                            const char* owner);

// Lloyd's iteration (Lloyd 1982) on features φ₁ … φ_n of n rows that are not stored. It finds means μ₁ … μ_k in the
// space of the features that locally minimise
//
//     J(μ) = Σᵢ wᵢ min_c d(i, c),     d(i, c) = sᵢ - 2⟨φᵢ, μ_c⟩ + ‖μ_c‖²,     sᵢ >= ‖φᵢ‖².
//
// If φᵢ is the projection of a longer vector onto the span of the features, sᵢ is the squared length of that vector and
// d its squared distance to the mean; the component outside the span adds a constant to J.
//
// Every row moves to its nearest mean, then every mean to the weighted average of its rows. With φ = T⁻ᵀk(Z, x)
// (nystroem_basis.h) the products Φμ = K T⁻¹μ and the sums T⁻ᵀKᵀu, where u has the weight of each row in the column of
// its cluster, are the two halves of one pass over K (gram_pass.h), so an iteration stores nothing but labels. A row
// keeps its cluster unless another mean is nearer by more than the rounding error. An empty cluster receives the row
// with the highest cost, one per iteration. If no row has a cost, there are fewer distinct rows than clusters, and the
// result has fewer clusters.
//
// J never increases. The iteration ends if no row moved or if J decreased by at most tol·J. An iteration that would
// increase J by more than the rounding error, which happens only if K is not a kernel matrix, is undone and ends the
// run with status stalled. If K is also available in float, the iteration first runs to its end in float, then in
// double.

// The input of run_lloyd(): the matrix K(X, Z), whose rows give the features, and sᵢ and wᵢ of every row.
struct lloyd_problem {
    const gram_batches<double>* in_double = nullptr;
    const gram_batches<float>* in_float = nullptr;  // K(X, Z) in float, or null
    const nystroem_basis* basis = nullptr;          // null: the rows of K are the features
    std::span<const double> self, weight;           // s, w
};

// Options of run_lloyd().
struct lloyd_options {
    index clusters = 1;
    double tol = 0;
    index max_rounds = 300;
    std::function<bool(index round, double objective)> progress{};  // returns false to stop with the current result
    // `keep` receives the state after every iteration. `start` is such a state to continue from; the result is then
    // bit-identical to that of an uninterrupted run.
    std::function<void(const std::vector<double>& state)> keep{};
    std::vector<double> start{};
};

// The result of run_lloyd().
struct lloyd_result {
    matrix<double> means;         // clusters × features
    std::vector<double> norms;    // ‖μ_c‖²
    std::vector<double> weights;  // total weight of the rows of each cluster
    std::vector<index> labels;    // nearest mean of every row
    // J of the means of each iteration and, as the last entry, of the result. Values of J that float measured below it
    // are left out.
    std::vector<double> history;
    fit_status status = fit_status::converged;
    index passes = 0;
};

// `start` contains the initial means as rows. If there are fewer than clusters, the remaining clusters start empty.
lloyd_result run_lloyd(const lloyd_problem& x, matrix<double> start, const lloyd_options& options);

// Initial means for k-means on many rows: the best of several restarts of k-means on a sample of the rows, whose
// features are in memory. Each restart is seeded by k-means++ (Arthur & Vassilvitskii 2007) with the best of several
// candidates each time. Internal to the library.

struct kmeans_start_options {
    index clusters = 1, n_init = 1;
    double tol = 0;
    index max_rounds = 300;
    std::uint64_t seed = 0;
    progress_callback progress{};
};

struct kmeans_start {
    matrix<double> means;  // clusters × features; fewer rows if fewer rows of the sample differ
    index runs = 0;
};

// Computes the initial means. Each row of x contains the features of a sampled row; weight[i] > 0 is the weight of row
// i of x.
kmeans_start start_kmeans(matrix_view<const double> x, std::span<const double> weight,
                          const kmeans_start_options& options);

// Returns the number of rows to sample, out of n, for the initial means: 4096 or 32·clusters rows, whichever is larger,
// but not more than 2²⁵/features rows (the memory of their features), at least `clusters` rows and at most n. A cluster
// of 1 % of the rows is missed by 4096 rows with a probability below 10⁻¹⁷.
index start_sample_size(index n, index clusters, index features);

namespace api {

// Returns the functions of a model that depend on the centres: the means, or the projection on the eigenvectors.
template <class Model>
kernel_expansion& centre_functions(Model& m) {
    if constexpr (requires { m.projection; })
        return m.projection;
    else
        return m.means;
}

// Calls fit(rows, o) for the examples of the call `t` and returns the model as an estimator. If the call asks for it,
// the examples are first sorted in canonical order.
template <class Fitted>
estimator_ptr fit_clusters_on_centres(const fit_call& t, nystroem_clusters_options o, auto fit) {
    if (t.x.is_matrix() || !t.canonical_order() || o.centres == centre_choice::given)
        return t.made<Fitted>(t.from([&](const auto&... source) { return fit(make_rows(source...), o); }));
    const ordered_objects some = canonical_objects(t.x.objects(), o.sample_weight);
    o.sample_weight = some.weight;
    auto model = fit(make_rows(*t.k, some.x), o);
    // Labels and row numbers in the order of the caller.
    model.labels = all_labels(model, t.x.objects(), some.number);
    kernel_expansion& f = centre_functions(model);
    for (index& row : f.rows) row = some.number[static_cast<std::size_t>(row)];
    f.training_size = t.x.size();
    return t.made<Fitted>(std::move(model));
}

// Returns the description of a Nyström clustering method for the list of methods (all_methods.cpp). Such a method can
// also fit examples that are not in memory.
template <described_method Method, class Fitted, auto Fit>
method entry_of_clusters() {
    method out = entry<Method, Fitted>(+[](const Method& m, const fit_call& t) {
        return fit_clusters_on_centres<Fitted>(t, to_nystroem_options<nystroem_clusters_options>(m, t), Fit);
    });
    out.fit_streamed_rows = [](const fit_call& t, const training_rows& x) {
        return t.made<Fitted>(Fit(x, to_nystroem_options<nystroem_clusters_options>(value_of<Method>(t.options), t)));
    };
    return out;
}

// The entry of nystroem_kmeans in the list of methods.
method nystroem_kmeans_method();

}  // namespace api

}  // namespace mercer
