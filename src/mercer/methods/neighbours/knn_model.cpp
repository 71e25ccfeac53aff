// Fitting nearest neighbours, which is to keep the examples, and their files.
#include <fmt/format.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/methods/codec.h"
#include "mercer/methods/neighbours/knn.h"

namespace mercer {
namespace {

void check_options(const knn_options& o, index n) {
    if (o.n_neighbors < 1 || o.n_neighbors > n)
        fail(errc::invalid_argument,
             fmt::format("nearest neighbours: must satisfy 1 <= n_neighbors <= n, got {} with n = {}", o.n_neighbors,
                         n));
}

knn_model made(std::vector<double> self, std::span<const double> y, const knn_options& o) {
    knn_model m;
    const auto n = static_cast<index>(self.size());
    check_options(o, n);
    checked_weights(o.sample_weight, n, 0, "nearest neighbours");
    m.options = o;
    m.self = std::move(self);
    const std::vector<double> labels = distinct_labels(y, n, "nearest neighbours");
    if (o.task == knn_task::classification) {
        m.classes = labels;
        for (const index place : label_places(y, labels)) m.y.push_back(static_cast<double>(place));
    } else {
        m.y.assign(y.begin(), y.end());
    }
    return m;
}

}  // namespace

knn_model fit_knn(const kernel& k, const dataset& x, std::span<const double> y, const knn_options& options) {
    require_objects(x, "nearest neighbours");
    knn_model m = made(self_values(k, x), y, options);
    m.k = std::make_shared<const kernel>(k);
    m.x = x;
    return m;
}

knn_model fit_knn(const gram<double>& K, std::span<const double> y, const knn_options& options) {
    return made(checked_diagonal(K, "nearest neighbours"), y, options);
}

template <>
struct file_form<knn_model> {
    static constexpr std::string_view format = "mercer-knn-model";
    static constexpr int version = 1;

    static void parts(auto& a, auto& m) {
        a.choice("task", m.options.task, {"classification", "regression"});
        a.choice("weights", m.options.weights, {"uniform", "distance"});
        a.whole("n_neighbors", m.options.n_neighbors);
        a.whole("memory_bytes", m.options.memory_bytes);
        const index n = a.count("examples", m.size());
        a.list(m.self, n);
        a.list(m.y, n);
        a.list("classes", m.classes);
        a.finite(m.classes, "a class label");
        a.list("sample_weights", m.options.sample_weight);
        kernel_and_objects(a, m.k, m.x, n);
        check_options(m.options, n);
        checked_weights(m.options.sample_weight, n, 0, "nearest neighbours");
        if (m.options.task != knn_task::classification) return;
        for (const double place : m.y)
            a.check(0 <= place && place < static_cast<double>(m.classes.size()) && place == std::floor(place),
                    "a label is not among the classes");
    }
};
template struct model_file<knn_model>;

}  // namespace mercer
