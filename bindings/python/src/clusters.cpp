// Clusters in feature space: k-means and k-medoids.
#include <optional>

#include "convert.h"
#include "mercer/methods/svm/example_order.h"
#include "mercer/methods/clusters/kernel_kmeans.h"
#include "mercer/methods/clusters/kernel_kmedoids.h"
#include "mercer/gram/precomputed.h"

namespace mercer::python {
namespace {

// The objects that count, in an order of their own, so that seeds and ties fall the same way however the examples come; each knows its number.
struct ordered {
    dataset x;
    std::vector<double> weight;
    std::vector<index> number;
};

ordered in_order(const dataset& x, const std::vector<double>& weight) {
    const std::vector<index> rank = example_ranks(x, {}, weight);
    ordered out;
    out.number.resize(rank.size());
    for (std::size_t i = 0; i < rank.size(); ++i) out.number[static_cast<std::size_t>(rank[i])] = static_cast<index>(i);
    std::erase_if(out.number, [&](index i) { return !weight.empty() && weight[static_cast<std::size_t>(i)] == 0; });
    out.x = gather(x, std::span<const index>(out.number));
    if (!weight.empty())
        for (const index i : out.number) out.weight.push_back(weight[static_cast<std::size_t>(i)]);
    return out;
}

// The labels of all n objects: those of the fit at their places, of objects that were left out those predicted.
template <class Model>
std::vector<std::int64_t> all_labels(const Model& model, const dataset& x, const std::vector<index>& number) {
    std::vector<std::int64_t> out(static_cast<std::size_t>(x.size()), 0);
    if (static_cast<index>(number.size()) < x.size()) {
        const std::vector<index> every = predict(model, x);
        out.assign(every.begin(), every.end());
    }
    for (std::size_t i = 0; i < number.size(); ++i) out[static_cast<std::size_t>(number[i])] = model.labels[i];
    return out;
}

template <class Options>
Options shared_options(const py::dict& given, run_control& control) {
    Options o;
    o.n_clusters = given["n_clusters"].cast<index>();
    o.n_init = given["n_init"].cast<index>();
    o.max_iter = given["max_iter"].cast<index>();
    o.seed = given["seed"].cast<std::uint64_t>();
    o.sample_weight = as_vector(given["sample_weight"]);
    o.memory_bytes = given["memory_bytes"].cast<std::size_t>();
    o.progress = control.watching();
    return o;
}

// (model, labels, numbers of the objects the model was fitted on, was it interrupted). With any_order they are put in an order of their own.
template <class Model, class Options, class Objects, class Matrix>
py::tuple fit(const py::object& x, const kernel* k, const py::dict& given, Options o, run_control& control, Objects on_objects, Matrix on_matrix) {
    const bool any_order = given["any_order"].cast<bool>();
    std::vector<std::int64_t> labels;
    std::vector<index> number;
    auto model = std::make_unique<Model>(on_input(
        k != nullptr, x, thread_count(given["n_jobs"]),
        [&](const dataset& data) {
            std::optional<ordered> some;
            if (any_order && (o.sample_weight.empty() || static_cast<index>(o.sample_weight.size()) == data.size())) {
                some = in_order(data, o.sample_weight);
                o.sample_weight = some->weight;
                number = some->number;
            }
            Model fitted = on_objects(some ? some->x : data, o);
            if (some) labels = all_labels(fitted, data, number);
            return fitted;
        },
        [&](const auto& K) { return on_matrix(precomputed<double>(K), o); }));
    control.finish();
    if (labels.empty()) labels.assign(model->labels.begin(), model->labels.end());
    return py::make_tuple(std::move(model), to_numpy(std::move(labels)), as_int64(number), control.interrupted());
}

py::tuple fit_means(const py::object& x, const kernel* k, const py::dict& given) {
    run_control control(given["callback"], given["time_limit"]);
    return fit<kmeans_model>(
        x, k, given, shared_options<kmeans_options>(given, control), control,
        [&](const dataset& data, const kmeans_options& o) { return fit_kernel_kmeans(*k, data, o); },
        [](const gram<double>& K, const kmeans_options& o) { return fit_kernel_kmeans(K, o); });
}

py::tuple fit_medoids(const py::object& x, const kernel* k, const py::dict& given) {
    run_control control(given["callback"], given["time_limit"]);
    auto options = shared_options<kmedoids_options>(given, control);
    options.start = given["random_start"].cast<bool>() ? medoid_start::random : medoid_start::build;
    return fit<kmedoids_model>(
        x, k, given, std::move(options), control, [&](const dataset& data, const kmedoids_options& o) { return fit_kernel_kmedoids(*k, data, o); },
        [](const gram<double>& K, const kmedoids_options& o) { return fit_kernel_kmedoids(K, o); });
}

template <class Model>
py::object predicted(const Model& model, bool has_kernel, const py::object& x, const py::object& n_jobs) {
    return as_int64(on_input(
        has_kernel, x, thread_count(n_jobs), [&](const dataset& data) { return predict(model, data); },
        [&](const auto& K) { return predict(model, precomputed<double>(K)); }));
}

}  // namespace

void bind_clusters(py::module_& m) {
    m.def("kmeans_fit", &fit_means);
    m.def("kmedoids_fit", &fit_medoids);
    py::class_<kmeans_model>(m, "KernelKMeansModel")
        .def("predict", [](const kmeans_model& c, const py::object& x, const py::object& n_jobs) { return predicted(c, c.means.k != nullptr, x, n_jobs); })
        .def("distances", [](const kmeans_model& c, const dataset& x,
                             const py::object& n_jobs) { return to_numpy(without_lock(thread_count(n_jobs), [&] { return distances(c, x); })); })
        .def_property_readonly("objective", &kmeans_model::objective)
        .def_property_readonly("rounds", [](const kmeans_model& c) { return static_cast<index>(c.history.size()) - 1; })
        .def_property_readonly("status", [](const kmeans_model& c) { return std::string(name(c.status)); })
        .def("to_bytes", [](const kmeans_model& c) { return py::bytes(model_bytes(c)); })
        .def("save", [](const kmeans_model& c, const std::string& path) { without_lock(0, [&] { save_model(c, path); }); })
        .def_static("from_bytes", [](const py::bytes& bytes) { return parse_kernel_kmeans_model(static_cast<std::string_view>(bytes), "the pickled model"); })
        .def_static("load", [](const std::string& path) { return without_lock(0, [&] { return load_kernel_kmeans_model(path); }); });
    py::class_<kmedoids_model>(m, "KernelKMedoidsModel")
        .def("predict", [](const kmedoids_model& c, const py::object& x, const py::object& n_jobs) { return predicted(c, c.k != nullptr, x, n_jobs); })
        .def("objects", [](const kmedoids_model& c) { return objects_of(c.objects); })
        .def_property_readonly("medoids", [](const kmedoids_model& c) { return as_int64(c.medoids); })
        .def_property_readonly("objective", [](const kmedoids_model& c) { return c.objective; })
        .def_property_readonly("silhouette", [](const kmedoids_model& c) { return c.silhouette; })
        .def_property_readonly("rounds", [](const kmedoids_model& c) { return c.passes; })
        .def_property_readonly("status", [](const kmedoids_model& c) { return std::string(name(c.status)); })
        .def("to_bytes", [](const kmedoids_model& c) { return py::bytes(model_bytes(c)); })
        .def("save", [](const kmedoids_model& c, const std::string& path) { without_lock(0, [&] { save_model(c, path); }); })
        .def_static("from_bytes", [](const py::bytes& bytes) { return parse_kernel_kmedoids_model(static_cast<std::string_view>(bytes), "the pickled model"); })
        .def_static("load", [](const std::string& path) { return without_lock(0, [&] { return load_kernel_kmedoids_model(path); }); });
}

}  // namespace mercer::python
