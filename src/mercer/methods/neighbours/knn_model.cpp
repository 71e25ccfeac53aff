// Fitting nearest neighbours, which is to keep the examples, and their files.
#include <fmt/format.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/methods/expansion_archive.h"
#include "mercer/methods/neighbours/knn.h"

namespace mercer {
namespace {

constexpr std::string_view format_name = "mercer-knn-model";

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

std::string model_bytes(const knn_model& m) {
    archive_writer out;
    out.head["task"] = m.options.task == knn_task::classification ? "classification" : "regression";
    out.head["weights"] = m.options.weights == knn_weights::uniform ? "uniform" : "distance";
    out.head["n_neighbors"] = m.options.n_neighbors;
    out.head["memory_bytes"] = m.options.memory_bytes;
    out.head["examples"] = m.size();
    out.head["classes"] = m.classes.size();
    out.head["sample_weights"] = m.options.sample_weight.size();
    out.all(m.self);
    out.all(m.y);
    out.all(m.classes);
    out.all(m.options.sample_weight);
    write_objects(out, m.k, m.x);
    return out.bytes(format_name, 1);
}

knn_model parse_knn_model(std::string_view bytes, const std::string& name) {
    archive_reader in(bytes, format_name, 1, name);
    knn_model m;
    in.read([&] {
        const std::string task = in.head.at("task").get<std::string>(),
                          weights = in.head.at("weights").get<std::string>();
        if (task != "classification" && task != "regression") in.bad("unknown task " + task);
        if (weights != "uniform" && weights != "distance") in.bad("unknown weights " + weights);
        m.options.task = task == "classification" ? knn_task::classification : knn_task::regression;
        m.options.weights = weights == "uniform" ? knn_weights::uniform : knn_weights::distance;
        m.options.n_neighbors = whole(in.head, "n_neighbors");
        m.options.memory_bytes = static_cast<std::size_t>(whole(in.head, "memory_bytes"));
        const index n = whole(in.head, "examples");
        m.self = in.all<double>(n);
        m.y = in.all<double>(n);
        m.classes = in.class_labels(whole(in.head, "classes"));
        m.options.sample_weight = in.all<double>(whole(in.head, "sample_weights"));
        read_objects(in, n, m.k, m.x);
        check_options(m.options, n);
        checked_weights(m.options.sample_weight, n, 0, "nearest neighbours");
        if (m.options.task == knn_task::classification)
            for (const double place : m.y)
                if (!(place >= 0 && place < static_cast<double>(m.classes.size())) || place != std::floor(place))
                    in.bad("a label is not among the classes");
    });
    return m;
}

void save_model(const knn_model& model, const std::string& path) { write_atomically(path, model_bytes(model)); }
knn_model load_knn_model(const std::string& path) { return load_with(path, parse_knn_model); }

}  // namespace mercer
