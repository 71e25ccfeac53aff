// Clustering in feature space as methods: kernel_kmeans, kernel_kmedoids.
#include "mercer/api/described.h"
#include "mercer/methods/clusters/any_order.h"
#include "mercer/methods/clusters/kernel_kmeans.h"
#include "mercer/methods/clusters/kernel_kmedoids.h"
#include "mercer/methods/clusters/methods.h"

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

}  // namespace

std::vector<method> cluster_methods() {
    return {entry<kernel_kmeans, kmeans_fitted>(make_kmeans), entry<kernel_kmedoids, kmedoids_fitted>(make_kmedoids)};
}

}  // namespace mercer::api
