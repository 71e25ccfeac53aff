// Methods of distances to examples, means and medoids: knn, knn_regression, nearest_centroid, nearest_medoid.
#include "mercer/methods/medoid_distances.h"
#include "mercer/methods/method.h"
#include "mercer/methods/neighbours/knn.h"
#include "mercer/methods/neighbours/methods.h"
#include "mercer/methods/neighbours/nearest_class.h"

namespace mercer::api {
namespace {

class knn_fitted final : public fitted_as<knn_model> {
public:
    using fitted_as::fitted_as;
    answer gives() const override {
        return m_.options.task == knn_task::classification ? answer::classes : answer::values;
    }
    std::vector<double> predict(const examples& x) const override { return mercer::predict(m_, x.objects()); }
    matrix<double> probabilities(const examples& x) const override {
        if (m_.options.task == knn_task::regression)
            fail(errc::unsupported, "regression by neighbours has no shares of votes to show");
        return class_shares(m_, find_neighbours(m_, x.objects()));
    }
    columns details(const examples& x) const override { return {probabilities(x), label_names("p", m_.classes)}; }
    figures about() const override { return {{"neighbours", m_.options.n_neighbors}, {"training_size", m_.size()}}; }
    part_value part(std::string_view name) const override {
        if (name == "objects") return m_.x;
        if (name == "self") return m_.self;
        return fitted_as::part(name);
    }
};

template <class Method>
fitted_ptr make_knn(const Method& m, const fit_call& t) {
    auto o = t.common<knn_options>();
    o.task = std::is_same_v<Method, knn> ? knn_task::classification : knn_task::regression;
    o.n_neighbors = m.n_neighbors;
    o.weights = m.weights == "distance" ? knn_weights::distance : knn_weights::uniform;
    o.progress = {};  // the model keeps it for its predictions, which are not this fit's
    return t.made<knn_fitted>(t.from([&](const auto&... from) { return fit_knn(from..., t.targets(), o); }));
}

class centroid_fitted final : public fitted_as<nearest_centroid_model> {
public:
    using fitted_as::fitted_as;
    answer gives() const override { return answer::classes; }
    columns transform(const examples& x) const override {
        return {squared_distances(m_, x.objects()), label_names("squared_distance", m_.classes)};
    }
    columns details(const examples& x) const override { return transform(x); }
    matrix<double> scores(const examples& x) const override {
        matrix<double> out = squared_distances(m_, x.objects());
        for (index i = 0; i < out.rows() * out.cols(); ++i) out.data()[i] = -out.data()[i];
        return out;
    }
    figures about() const override {
        return {{"squared_norms_of_means", m_.norms}, {"training_size", m_.means.size()}};
    }
    part_value part(std::string_view name) const override {
        if (name == "coef" && !m_.is_dense()) return m_.dense_means().coef;
        if (name == "offset" && !m_.is_dense()) return std::vector<double>(m_.classes.size(), 0.0);
        return fitted_as::part(name);
    }
};

class medoid_fitted final : public fitted_as<nearest_medoid_model> {
public:
    using fitted_as::fitted_as;
    answer gives() const override { return answer::classes; }
    figures about() const override {
        return {{"medoid_rows", m_.rows}, {"sums_of_distances", m_.sums}, {"training_size", m_.training_size}};
    }
    columns details(const examples& x) const override {
        return {distances_to(m_.medoids, m_.self, *m_.k, x.objects()), label_names("distance", m_.classes)};
    }
    part_value part(std::string_view name) const override {
        if (name == "objects") return m_.medoids;
        return fitted_as::part(name);
    }
};

fitted_ptr make_centroid(const nearest_centroid&, const fit_call& t) {
    const auto o = t.common<nearest_centroid_options>();
    return t.made<centroid_fitted>(
        t.from([&](const auto&... from) { return fit_nearest_centroid(from..., t.targets(), o); }));
}

fitted_ptr make_medoid(const nearest_medoid&, const fit_call& t) {
    const auto o = t.common<nearest_medoid_options>();
    return t.made<medoid_fitted>(
        t.from([&](const auto&... from) { return fit_nearest_medoid(from..., t.targets(), o); }));
}

}  // namespace

std::vector<method> neighbour_methods() {
    return {entry<knn, knn_fitted>(make_knn), entry<knn_regression, knn_fitted>(make_knn),
            entry<nearest_centroid, centroid_fitted>(make_centroid), entry<nearest_medoid, medoid_fitted>(make_medoid)};
}

}  // namespace mercer::api
