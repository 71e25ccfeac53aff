// Clustering in feature space as methods: kernel_kmeans, kernel_kmedoids, nystroem_kmeans, nystroem_spectral.
#include <fmt/format.h>

#include "mercer/methods/canonical_order.h"
#include "mercer/methods/clustering/kernel_kmeans.h"
#include "mercer/methods/clustering/kernel_kmedoids.h"
#include "mercer/methods/medoid_distances.h"
#include "mercer/methods/method.h"
#include "mercer/methods/nystroem/centres_told.h"
#include "mercer/methods/nystroem/clusters_methods.h"
#include "mercer/methods/nystroem/nystroem_kmeans.h"
#include "mercer/methods/nystroem/nystroem_spectral.h"

namespace mercer::api {
namespace {

// A model may know its objects in another order than the caller: labels of all objects as they came, and the number of
// each that it was fitted on.
template <class Model>
class cluster_fitted : public fitted_as<Model> {
public:
    explicit cluster_fitted(Model m, std::vector<index> labels = {}, std::vector<index> number = {})
        : fitted_as<Model>(std::move(m)), labels_(std::move(labels)), number_(std::move(number)) {}
    answer gives() const override { return answer::clusters; }
    std::vector<index> training_clusters() const override { return labels_.empty() ? this->m_.labels : labels_; }
    std::string trouble() const override { return trouble_of(this->m_.status, "max_iter"); }
    part_value part(std::string_view name) const override {
        if (name == "labels") return training_clusters();
        return fitted_as<Model>::part(name);
    }

protected:
    index number(index i) const { return number_.empty() ? i : number_[static_cast<std::size_t>(i)]; }

private:
    std::vector<index> labels_, number_;
};

class kmeans_fitted final : public cluster_fitted<kmeans_model> {
public:
    using cluster_fitted::cluster_fitted;
    columns transform(const examples& x) const override {
        return {mercer::distances(m_, x.objects()), numbered("distance", m_.clusters())};
    }
    columns details(const examples& x) const override { return transform(x); }
    figures about() const override {
        return {{"status", name(m_.status)}, {"objective", m_.objective()},   {"rounds", m_.history.size() - 1},
                {"runs", m_.runs},           {"cluster_weights", m_.weights}, {"training_size", m_.means.size()}};
    }
};

class kmedoids_fitted final : public cluster_fitted<kmedoids_model> {
public:
    using cluster_fitted::cluster_fitted;
    figures about() const override {
        return {{"status", name(m_.status)},
                {"objective", m_.objective},
                {"silhouette", m_.silhouette},
                {"swaps", m_.swaps},
                {"passes", m_.passes},
                {"medoid_rows", medoids()},
                {"training_size", m_.labels.size()}};
    }
    columns details(const examples& x) const override {
        return {distances_to(m_.objects, m_.self, *m_.k, x.objects()), numbered("distance", std::ssize(m_.medoids))};
    }
    part_value part(std::string_view name) const override {
        if (name == "objects") return m_.objects;
        return cluster_fitted::part(name);
    }

private:
    std::vector<std::int64_t> medoids() const {
        std::vector<std::int64_t> out;
        for (const index row : m_.medoids) out.push_back(number(row));
        return out;
    }
};

class nystroem_kmeans_fitted final : public cluster_fitted<nystroem_kmeans_model> {
public:
    using cluster_fitted::cluster_fitted;
    columns transform(const examples& x) const override {
        return {mercer::distances(m_, x.objects()), numbered("distance", m_.clusters())};
    }
    columns details(const examples& x) const override { return transform(x); }
    figures about() const override {
        return {{"status", name(m_.status)},
                {"objective", m_.objective()},
                {"clusters", m_.clusters()},
                {"cluster_weights", m_.weights},
                {"passes", m_.passes},
                {"runs", m_.runs},
                {"n_centres", m_.means.size()},
                {"out_of_reach", m_.out_of_reach},
                {"training_size", m_.means.training_size}};
    }
    std::string trouble() const override { return trouble_of(m_.status, "max_iter, or take a larger tol"); }
    part_value part(std::string_view name) const override {
        if (name == "history") return m_.history;
        if (name == "centre_rows") return std::vector<std::int64_t>(m_.means.rows.begin(), m_.means.rows.end());
        return cluster_fitted::part(name);
    }
};

class nystroem_spectral_fitted final : public cluster_fitted<nystroem_spectral_model> {
public:
    using cluster_fitted::cluster_fitted;
    columns details(const examples& x) const override {
        return {mercer::distances(m_, x.objects()), numbered("distance", m_.clusters())};
    }
    figures about() const override {
        return {{"status", name(m_.status)},
                {"objective", m_.objective()},
                {"clusters", m_.clusters()},
                {"cluster_weights", m_.weights},
                {"eigenvalues", m_.eigenvalues},
                {"low_degrees", m_.low_degrees},
                {"passes", m_.passes},
                {"n_centres", m_.projection.size()},
                {"out_of_reach", m_.out_of_reach},
                {"training_size", m_.projection.training_size}};
    }
    std::string trouble() const override {
        if (finished(m_.status) && 2 * m_.low_degrees > m_.projection.training_size)
            return fmt::format(
                "the centres do not reach {} of {} examples: take a wider kernel, or raise n_centres, "
                "with --set",
                m_.low_degrees, m_.projection.training_size);
        return cluster_fitted::trouble();
    }
    part_value part(std::string_view name) const override {
        if (name == "centre_rows")
            return std::vector<std::int64_t>(m_.projection.rows.begin(), m_.projection.rows.end());
        return cluster_fitted::part(name);
    }
};

// fit(o, kernel, objects) or fit(o, Gram matrix)
template <class Fitted>
fitted_ptr cluster(const fit_call& t, auto o, auto fit) {
    if (t.x.is_matrix() || !t.any_order())
        return t.made<Fitted>(t.from([&](const auto&... source) { return fit(o, source...); }));
    ordered_objects some = in_order(t.x.objects(), o.sample_weight);
    o.sample_weight = some.weight;
    auto model = fit(o, *t.k, some.x);
    std::vector<index> labels = all_labels(model, t.x.objects(), some.number);
    return t.made<Fitted>(std::move(model), std::move(labels), std::move(some.number));
}

fitted_ptr make_kmeans(const kernel_kmeans& m, const fit_call& t) {
    return cluster<kmeans_fitted>(t, t.common<kmeans_options>(m), [](const kmeans_options& how, const auto&... from) {
        return fit_kernel_kmeans(from..., how);
    });
}

fitted_ptr make_kmedoids(const kernel_kmedoids& m, const fit_call& t) {
    auto o = t.common<kmedoids_options>(m);
    o.start = m.start == "random" ? medoid_start::random : medoid_start::build;
    return cluster<kmedoids_fitted>(
        t, o, [](const kmedoids_options& how, const auto&... from) { return fit_kernel_kmedoids(from..., how); });
}

kernel_expansion& functions_of(nystroem_kmeans_model& m) { return m.means; }
kernel_expansion& functions_of(nystroem_spectral_model& m) { return m.projection; }

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

}  // namespace

std::vector<method> cluster_methods() {
    return {entry<kernel_kmeans, kmeans_fitted>(make_kmeans), entry<kernel_kmedoids, kmedoids_fitted>(make_kmedoids),
            entry_on_centres<nystroem_kmeans, nystroem_kmeans_fitted, fit_nystroem_kmeans>(),
            entry_on_centres<nystroem_spectral, nystroem_spectral_fitted, fit_nystroem_spectral>()};
}

}  // namespace mercer::api
