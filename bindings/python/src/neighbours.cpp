// What is near in feature space: nearest neighbours, class means, class medoids.
#include "convert.h"
#include "mercer/base/error.h"
#include "mercer/methods/neighbours/knn.h"
#include "mercer/methods/neighbours/nearest_centroid.h"
#include "mercer/methods/neighbours/nearest_medoid.h"
#include "mercer/gram/precomputed.h"

namespace mercer::python {
namespace {

knn_model fit_neighbours(const py::object& x, const kernel* k, const doubles& y, bool classes, index n_neighbors, bool by_distance, const py::object& n_jobs) {
    knn_options o;
    o.task = classes ? knn_task::classification : knn_task::regression;
    o.n_neighbors = n_neighbors;
    o.weights = by_distance ? knn_weights::distance : knn_weights::uniform;
    const auto targets = as_span(y);
    return on_input(
        k != nullptr, x, thread_count(n_jobs), [&](const dataset& data) { return fit_knn(*k, data, targets, o); },
        [&](const auto& K) { return fit_knn(precomputed<double>(K), targets, o); });
}

// The model with another number of neighbours; `self` holds k(z, z) where x is a matrix.
neighbours search(const knn_model& model, const py::object& x, index n_neighbors, const py::object& self, const py::object& n_jobs) {
    knn_model some = model;
    some.options.n_neighbors = n_neighbors;
    run_control control;
    some.options.progress = control.watching();
    const std::vector<double> own = as_vector(self);
    neighbours found = on_input(
        model.k != nullptr, x, thread_count(n_jobs), [&](const dataset& data) { return find_neighbours(some, data); },
        [&](const auto& K) { return find_neighbours(some, precomputed<double>(K), own); });
    control.finish();
    return found;
}

py::object indices_of(const neighbours& found) {
    py::array_t<std::int64_t> out({found.indices.rows(), found.indices.cols()});
    std::copy_n(found.indices.data(), found.indices.rows() * found.indices.cols(), out.mutable_data());
    return out;
}

}  // namespace

void bind_neighbours(py::module_& m) {
    m.def("knn_fit", &fit_neighbours);
    py::class_<neighbours>(m, "Neighbours").def_property_readonly("indices", &indices_of).def_property_readonly("distances", [](const neighbours& f) {
        return copied(f.distances.view());
    });
    py::class_<knn_model>(m, "KnnModel")
        .def("search", &search)
        .def("predict",
             [](const knn_model& n, const neighbours& found) {
                 auto values = without_lock(0, [&] { return predict(n, found); });
                 return n.classes.empty() ? py::object(to_numpy(std::move(values))) : py::object(as_int64(values));
             })
        .def("shares",
             [](const knn_model& n, const neighbours& found, const doubles& codes, index classes) {
                 // Of any labels of the examples, given as places among so many classes.
                 knn_model labelled;
                 labelled.options = n.options;
                 const auto places = as_span(codes);
                 labelled.y.assign(places.begin(), places.end());
                 labelled.classes.resize(static_cast<std::size_t>(classes));
                 return to_numpy(without_lock(0, [&] { return class_shares(labelled, found); }));
             })
        .def("objects", [](const knn_model& n) { return n.x; })
        .def_property_readonly("size", &knn_model::size)
        .def_property_readonly("self", [](const knn_model& n) { return to_numpy(n.self); })
        .def("to_bytes", [](const knn_model& n) { return py::bytes(model_bytes(n)); })
        .def("save", [](const knn_model& n, const std::string& path) { without_lock(0, [&] { save_model(n, path); }); })
        .def_static("from_bytes", [](const py::bytes& bytes) { return parse_knn_model(static_cast<std::string_view>(bytes), "the pickled model"); })
        .def_static("load", [](const std::string& path) { return without_lock(0, [&] { return load_knn_model(path); }); });

    m.def("centroid_fit", [](const py::object& x, const kernel* k, const doubles& y, const py::object& weight, const py::object& n_jobs) {
        nearest_centroid_options o;
        o.sample_weight = as_vector(weight);
        const auto targets = as_span(y);
        return on_input(
            k != nullptr, x, thread_count(n_jobs), [&](const dataset& data) { return fit_nearest_centroid(*k, data, targets, o); },
            [&](const auto& K) { return fit_nearest_centroid(precomputed<double>(K), targets, o); });
    });
    py::class_<nearest_centroid_model>(m, "NearestCentroidModel")
        .def("predict",
             [](const nearest_centroid_model& n, const py::object& x, const py::object& n_jobs) {
                 return as_int64(on_input(
                     n.means.k != nullptr, x, thread_count(n_jobs), [&](const dataset& data) { return predict(n, data); },
                     [&](const auto& K) { return predict(n, precomputed<double>(K)); }));
             })
        .def("objects", [](const nearest_centroid_model& n) { return objects_of(n.means.x); })
        .def_property_readonly("coef", [](const nearest_centroid_model& n) { return copied(n.means.coef.view()); })
        .def("to_bytes", [](const nearest_centroid_model& n) { return py::bytes(model_bytes(n)); })
        .def("save", [](const nearest_centroid_model& n, const std::string& path) { without_lock(0, [&] { save_model(n, path); }); })
        .def_static("from_bytes",
                    [](const py::bytes& bytes) { return parse_nearest_centroid_model(static_cast<std::string_view>(bytes), "the pickled model"); })
        .def_static("load", [](const std::string& path) { return without_lock(0, [&] { return load_nearest_centroid_model(path); }); });

    m.def("medoid_fit", [](const py::object& x, const kernel* k, const doubles& y, const py::object& weight, const py::object& n_jobs) {
        nearest_medoid_options o;
        o.sample_weight = as_vector(weight);
        const auto targets = as_span(y);
        return on_input(
            k != nullptr, x, thread_count(n_jobs), [&](const dataset& data) { return fit_nearest_medoid(*k, data, targets, o); },
            [&](const auto& K) { return fit_nearest_medoid(precomputed<double>(K), targets, o); });
    });
    py::class_<nearest_medoid_model>(m, "NearestMedoidModel")
        .def("predict",
             [](const nearest_medoid_model& n, const py::object& x, const py::object& n_jobs) {
                 return as_int64(on_input(
                     n.k != nullptr, x, thread_count(n_jobs), [&](const dataset& data) { return predict(n, data); },
                     [&](const auto& K) { return predict(n, precomputed<double>(K)); }));
             })
        .def("objects", [](const nearest_medoid_model& n) { return objects_of(n.medoids); })
        .def_property_readonly("rows", [](const nearest_medoid_model& n) { return as_int64(n.rows); })
        .def("to_bytes", [](const nearest_medoid_model& n) { return py::bytes(model_bytes(n)); })
        .def("save", [](const nearest_medoid_model& n, const std::string& path) { without_lock(0, [&] { save_model(n, path); }); })
        .def_static("from_bytes", [](const py::bytes& bytes) { return parse_nearest_medoid_model(static_cast<std::string_view>(bytes), "the pickled model"); })
        .def_static("load", [](const std::string& path) { return without_lock(0, [&] { return load_nearest_medoid_model(path); }); });
}

}  // namespace mercer::python
