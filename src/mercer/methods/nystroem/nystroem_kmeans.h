// Kernel k-means for millions of examples: the problem of kernel_kmeans.h with means in the span of M centres,
//
//     min  Σᵢ wᵢ min_c ‖φ(xᵢ) - μ_c‖²     over μ_c = Σⱼ βⱼ_c k(·, zⱼ),
//
// which is k-means on the Nyström features of all examples (Chitta, Jin, Havens, Jain 2011), plus what of φ(xᵢ) no
// function of the centres reaches. With every example a centre it is kernel k-means itself.
//
// Lloyd's rounds over passes of K(X, Z) that store none of it (methods/nystroem/nystroem_kmeans.h), begun where k-means on a
// sample of the examples ends, several restarts of it (kmeans_start.h). Time n·M a round, memory n + M².
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

struct nystroem_kmeans {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    index n_clusters = 8, n_centres = 1000;
    std::string centres = "mixed";
    std::vector<double> centre_rows{};
    double tol = 1e-5;
    index n_init = 10, max_iter = 300, seed = 0;

    static method_facts facts() {
        return for_one_process(with_checkpoints({"nystroem_kmeans",
                                                 {},
                                                 method_family::clustering,
                                                 "k-means in the span of a few centres, for millions of examples",
                                                 "min Σ‖φ(xᵢ)-μ_c(i)‖², μ = Σ βⱼk(·, zⱼ)",
                                                 "mercer-nystroem-kmeans-model",
                                                 answer::none,
                                                 true,
                                                 true,
                                                 true}));
    }
    template <class V>
    void options(V& v) {
        v.whole("n_clusters", n_clusters, 1, "how many");
        detail::centre_options(v, n_centres, centres, centre_rows, seed, detail::centres_to_predict());
        v.whole("n_init", n_init, 1, "restarts on a sample of the examples, of which the best is kept");
        v.number("tol", tol, at_least(0), "ends where a round lowers the objective by no more than this share of it");
        v.whole("max_iter", max_iter, 1, "rounds, each a pass over the examples, at most");
    }
};

struct nystroem_clusters_options : nystroem_options {
    index n_clusters = 8;
    index n_init = 10;  // restarts on the sample
};

// Means as functions of the centres; the objective of `history` is that of these means, and no label is farther than
// another mean.
struct nystroem_kmeans_model : kmeans_model {
    double out_of_reach = 0;  // share of the trace of K(X, X), on a sample of rows
    index passes = 0;         // over K
};

// Of the options tol is that of lloyd.h, max_iter bounds the rounds.
nystroem_kmeans_model fit_nystroem_kmeans(const kernel_rows& x, const nystroem_clusters_options& options);

// What both methods of clusters on centres check, and the weights of their rows.
std::vector<double> checked_cluster_weights(const kernel_rows& x, const nystroem_clusters_options& options,
                                            const char* owner);

// k-means on features φ₁ … φ_n of n rows that nobody stores: means μ₁ … μ_k in the space of the features that make
//
//     J(μ) = Σᵢ wᵢ min_c d(i, c),     d(i, c) = sᵢ - 2⟨φᵢ, μ_c⟩ + ‖μ_c‖²,     sᵢ >= ‖φᵢ‖²,
//
// small. Where φᵢ is the part of a longer vector that the features reach, sᵢ is that vector's squared length: d is then
// its distance to the mean, and what is out of reach adds to J whatever the means are.
//
// Lloyd's rounds (Lloyd 1982): every row to its nearest mean, every mean to the middle of its rows. With φ = T⁻ᵀk(Z, x)
// (nystroem_basis.h) the products Φμ = K T⁻¹μ and the sums T⁻ᵀKᵀu, u the weights in the column of each row's cluster,
// are the two halves of one pass over K (gram_pass.h), so a round stores nothing but labels. A row stays where it is
// unless another mean is nearer by more than rounding. A cluster that ran empty takes the row that costs most, one a
// round; where no row costs anything, fewer rows than clusters differ, and the result has fewer clusters.
//
// J never rises. Ends when no row moved, or a round lowered J by no more than tol·J; a round that would raise it by
// more than rounding, which only a K that is no kernel matrix can do, is taken back and ends it as stalled. Where there
// is a K in float, rounds are made with it to that end first, and then in double to theirs.

struct lloyd_rows {
    const gram_batches<double>* exact = nullptr;
    const gram_batches<float>* rough = nullptr;  // the same in float, or none
    const nystroem_basis* basis = nullptr;       // none: the rows of K are the features
    std::span<const double> self, weight;        // s, w
};

struct lloyd_options {
    index clusters = 1;
    double tol = 0;
    index max_rounds = 300;
    std::function<bool(index round, double objective)> progress{};  // false: stop and keep what there is
    // What is needed to go on, after every round; and such a state to start from, with the bits of rounds that were
    // never interrupted.
    std::function<void(const std::vector<double>& state)> keep{};
    std::vector<double> start{};
};

struct lloyd_result {
    matrix<double> means;         // clusters × features
    std::vector<double> norms;    // ‖μ_c‖²
    std::vector<double> weights;  // of the rows of each cluster
    std::vector<index> labels;    // the nearest mean of every row
    std::vector<double> history;  // J of the means of each round, those of the result last; what was measured in float,
                                  // and by that too low, is left out
    fit_status status = fit_status::converged;
    index passes = 0;
};

// start: the first means as rows; where there are fewer than clusters, the others begin empty.
lloyd_result lloyd_rounds(const lloyd_rows& x, matrix<double> start, const lloyd_options& options);

// Where k-means on many rows begins: the means of k-means on a sample of them, whose features are in memory. Seeded as
// k-means++ (Arthur & Vassilvitskii 2007, the best of several candidates each time), several restarts, of which the
// best is kept. The library's own use.

struct kmeans_start_options {
    index clusters = 1, n_init = 1;
    double tol = 0;
    index max_rounds = 300;
    std::uint64_t seed = 0;
    progress_callback progress{};
};

struct kmeans_start {
    matrix<double> means;  // clusters × features; fewer where fewer rows differ
    index runs = 0;
};

// x: one row of features a row of the sample, weights above 0.
kmeans_start start_kmeans(matrix_view<const double> x, std::span<const double> weight,
                          const kmeans_start_options& options);

// Number of rows in the sample: all rows, or enough that a cluster of 1 % of the rows is not missed.
index rows_to_start_from(index n, index clusters, index features);

namespace api {

// The functions of the centres of a model: the means, or the projection on the eigenvectors.
template <class Model>
kernel_expansion& functions_of(Model& m) {
    if constexpr (requires { m.projection; })
        return m.projection;
    else
        return m.means;
}

// fit(rows, o)
template <class Fitted>
fitted_ptr cluster_on_centres(const fit_call& t, nystroem_clusters_options o, auto fit) {
    if (t.x.is_matrix() || !t.any_order() || o.centres == centre_choice::given)
        return t.made<Fitted>(t.from([&](const auto&... source) { return fit(rows_of(source...), o); }));
    const ordered_objects some = in_order(t.x.objects(), o.sample_weight);
    o.sample_weight = some.weight;
    auto model = fit(rows_of(*t.k, some.x), o);
    // Told in the caller's numbers.
    model.labels = all_labels(model, t.x.objects(), some.number);
    kernel_expansion& f = functions_of(model);
    for (index& row : f.rows) row = some.number[static_cast<std::size_t>(row)];
    f.training_size = t.x.size();
    return t.made<Fitted>(std::move(model));
}

// The entry of one of them, for examples that need not be in memory too.
template <described_method Method, class Fitted, auto Fit>
method entry_on_centres() {
    method out = entry<Method, Fitted>(+[](const Method& m, const fit_call& t) {
        return cluster_on_centres<Fitted>(t, nystroem_told<nystroem_clusters_options>(m, t), Fit);
    });
    out.fit_rows = [](const fit_call& t, const kernel_rows& x) {
        return t.made<Fitted>(Fit(x, nystroem_told<nystroem_clusters_options>(value_of<Method>(t.options), t)));
    };
    return out;
}

method nystroem_kmeans_method();

}  // namespace api

}  // namespace mercer
