// Methods of distances to examples, means and medoids: knn, knn_regression, nearest_centroid, nearest_medoid.
#include "mercer/api/described.h"
#include "mercer/base/error.h"
#include "mercer/methods/neighbours/knn.h"
#include "mercer/methods/neighbours/methods.h"
#include "mercer/methods/neighbours/nearest_centroid.h"
#include "mercer/methods/neighbours/nearest_medoid.h"

namespace mercer::api {
namespace {

class knn_fitted final : public fitted {
public:
    explicit knn_fitted(knn_model m) : m_(std::move(m)) {}
    std::string bytes() const override { return model_bytes(m_); }
    std::string kernel_text() const override { return m_.k ? m_.k->text() : std::string(); }
    answer gives() const override { return m_.options.task == knn_task::classification ? answer::classes : answer::values; }
    std::vector<double> predict(const dataset& x) const override { return mercer::predict(m_, x); }
    std::vector<double> classes() const override { return m_.classes; }
    columns details(const dataset& x) const override {
        if (m_.options.task == knn_task::regression) fail(errc::unsupported, "regression by neighbours has no shares of votes to show");
        return {class_shares(m_, find_neighbours(m_, x)), label_names("p", m_.classes)};
    }
    figures about() const override {
        figures out;
        out.add("neighbours", std::int64_t{m_.options.n_neighbors});
        out.add("training_size", std::int64_t{m_.size()});
        return out;
    }

private:
    knn_model m_;
};

template <class Method>
std::shared_ptr<const fitted> make_knn(const Method& m, const fit_task& t) {
    knn_options o;
    o.task = std::is_same_v<Method, knn> ? knn_task::classification : knn_task::regression;
    o.n_neighbors = m.n_neighbors;
    o.weights = m.weights == "distance" ? knn_weights::distance : knn_weights::uniform;
    if (t.memory_bytes) o.memory_bytes = t.memory_bytes;
    return std::make_shared<knn_fitted>(fit_knn(*t.k, t.data.x, t.data.y, o));
}

class centroid_fitted final : public fitted {
public:
    explicit centroid_fitted(nearest_centroid_model m) : m_(std::move(m)) {}
    std::string bytes() const override { return model_bytes(m_); }
    std::string kernel_text() const override { return m_.means.kernel_text(); }
    answer gives() const override { return answer::classes; }
    std::vector<double> predict(const dataset& x) const override { return mercer::predict(m_, x); }
    std::vector<double> classes() const override { return m_.classes; }
    columns transform(const dataset& x) const override { return {squared_distances(m_, x), label_names("squared_distance", m_.classes)}; }
    columns details(const dataset& x) const override { return transform(x); }
    figures about() const override {
        figures out;
        out.add("squared_norms_of_means", m_.norms);
        out.add("training_size", std::int64_t{m_.means.size()});
        return out;
    }

private:
    nearest_centroid_model m_;
};

class medoid_fitted final : public fitted {
public:
    explicit medoid_fitted(nearest_medoid_model m) : m_(std::move(m)) {}
    std::string bytes() const override { return model_bytes(m_); }
    std::string kernel_text() const override { return m_.k ? m_.k->text() : std::string(); }
    answer gives() const override { return answer::classes; }
    std::vector<double> predict(const dataset& x) const override { return mercer::predict(m_, x); }
    std::vector<double> classes() const override { return m_.classes; }
    figures about() const override {
        figures out;
        out.add("medoid_rows", std::vector<std::int64_t>(m_.rows.begin(), m_.rows.end()));
        out.add("sums_of_distances", m_.sums);
        out.add("training_size", std::int64_t{m_.training_size});
        return out;
    }

private:
    nearest_medoid_model m_;
};

std::shared_ptr<const fitted> make_centroid(const nearest_centroid&, const fit_task& t) {
    nearest_centroid_options o;
    if (t.memory_bytes) o.memory_bytes = t.memory_bytes;
    return std::make_shared<centroid_fitted>(fit_nearest_centroid(*t.k, t.data.x, t.data.y, o));
}

std::shared_ptr<const fitted> make_medoid(const nearest_medoid&, const fit_task& t) {
    return std::make_shared<medoid_fitted>(fit_nearest_medoid(*t.k, t.data.x, t.data.y));
}

}  // namespace

std::vector<method> neighbour_methods() {
    return {entry<knn>(make_knn, parsed<knn_fitted, parse_knn_model>), entry<knn_regression>(make_knn, parsed<knn_fitted, parse_knn_model>),
            entry<nearest_centroid>(make_centroid, parsed<centroid_fitted, parse_nearest_centroid_model>),
            entry<nearest_medoid>(make_medoid, parsed<medoid_fitted, parse_nearest_medoid_model>)};
}

}  // namespace mercer::api
