// Methods of distances to examples, means and medoids: knn, knn_regression, nearest_centroid, nearest_medoid.
#include "mercer/api/method.h"
#include "mercer/base/error.h"
#include "mercer/estimators/knn.h"
#include "mercer/estimators/nearest_centroid.h"
#include "mercer/estimators/nearest_medoid.h"

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

std::shared_ptr<const fitted> make_knn(knn_task task, const fit_task& t) {
    knn_options o;
    o.task = task;
    o.n_neighbors = t.options.whole("n_neighbors");
    o.weights = t.options.choice("weights") == "distance" ? knn_weights::distance : knn_weights::uniform;
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

}  // namespace

std::vector<method> neighbour_methods() {
    const std::vector<option_info> options{whole("n_neighbors", "5", "how many vote", 1),
                                           choice("weights", {"uniform", "distance"}, "votes: 1 each, or 1/distance")};
    const auto parse_knn = [](std::string_view bytes, const std::string& file) { return std::make_shared<const knn_fitted>(parse_knn_model(bytes, file)); };
    method knn{"knn",
               {"nearest_neighbours", "k_nearest_neighbours"},
               method_family::classification,
               "k nearest neighbours in feature space",
               "the class with most votes among the nearest",
               "mercer-knn-model",
               answer::classes,
               true,
               true,
               false,
               options,
               [](const fit_task& t) { return make_knn(knn_task::classification, t); },
               parse_knn};
    method regression{"knn_regression",
                      {"knn_regressor"},
                      method_family::regression,
                      "the mean of the k nearest neighbours in feature space",
                      "Σ wᵢyᵢ/Σ wᵢ over the nearest",
                      "mercer-knn-model",
                      answer::values,
                      true,
                      true,
                      false,
                      options,
                      [](const fit_task& t) { return make_knn(knn_task::regression, t); },
                      parse_knn};
    method centroid{
        "nearest_centroid",
        {"nearest_mean"},
        method_family::classification,
        "the nearest class mean in feature space",
        "min ‖φ(x)-μ_c‖²",
        "mercer-nearest-centroid-model",
        answer::classes,
        true,
        true,
        true,
        {},
        [](const fit_task& t) {
            nearest_centroid_options o;
            if (t.memory_bytes) o.memory_bytes = t.memory_bytes;
            return std::make_shared<const centroid_fitted>(fit_nearest_centroid(*t.k, t.data.x, t.data.y, o));
        },
        [](std::string_view bytes, const std::string& file) { return std::make_shared<const centroid_fitted>(parse_nearest_centroid_model(bytes, file)); }};
    method medoid{
        "nearest_medoid",
        {},
        method_family::classification,
        "the nearest class medoid: one object stands for each class",
        "min ‖φ(x)-φ(m_c)‖²",
        "mercer-nearest-medoid-model",
        answer::classes,
        true,
        true,
        false,
        {},
        [](const fit_task& t) { return std::make_shared<const medoid_fitted>(fit_nearest_medoid(*t.k, t.data.x, t.data.y)); },
        [](std::string_view bytes, const std::string& file) { return std::make_shared<const medoid_fitted>(parse_nearest_medoid_model(bytes, file)); }};
    return {std::move(knn), std::move(regression), std::move(centroid), std::move(medoid)};
}

}  // namespace mercer::api
