// Kernel logistic regression: fit, decisions, probabilities.
#include "convert.h"
#include "mercer/methods/regression/kernel_logistic.h"

namespace mercer::python {
namespace {

// (model, was it interrupted)
py::tuple fit(const py::object& x, const kernel* k, const doubles& y, const py::dict& given) {
    kernel_logistic_options o;
    o.C = given["C"].cast<double>();
    o.fit_intercept = given["fit_intercept"].cast<bool>();
    o.tol = given["tol"].cast<double>();
    o.max_iter = given["max_iter"].cast<int>();
    o.sample_weight = as_vector(given["sample_weight"]);
    o.memory_bytes = given["memory_bytes"].cast<std::size_t>();
    const std::vector<double> weights = as_vector(given["class_weight"]);
    for (std::size_t c = 0; c < weights.size(); ++c)
        if (weights[c] != 1) o.class_weight.emplace_back(static_cast<double>(c), weights[c]);
    const auto targets = as_span(y);
    run_control control(given["callback"], given["time_limit"]);
    o.progress = control.watching();
    auto model = std::make_unique<kernel_logistic_model>(on_input(
        k != nullptr, x, thread_count(given["n_jobs"]), [&](const dataset& data) { return fit_kernel_logistic(*k, data, targets, o); },
        [&](const auto& K) { return fit_kernel_logistic_precomputed(K, targets, o); }));
    control.finish();
    return py::make_tuple(std::move(model), control.interrupted());
}

matrix<double> decisions(const kernel_logistic_model& model, const py::object& x, const py::object& n_jobs) {
    return on_input(
        model.f.k != nullptr, x, thread_count(n_jobs), [&](const dataset& data) { return decide(model, data); },
        [&](const auto& K) { return decide_precomputed(model, K); });
}

}  // namespace

void bind_logistic(py::module_& m) {
    using model = kernel_logistic_model;
    m.def("logistic_fit", &fit);
    py::class_<model>(m, "KernelLogisticModel")
        .def("decide", [](const model& l, const py::object& x, const py::object& n_jobs) { return to_numpy(decisions(l, x, n_jobs)); })
        .def("probabilities",
             [](const model& l, const py::object& x, const py::object& n_jobs) { return to_numpy(probabilities(l, decisions(l, x, n_jobs).view())); })
        .def("predict", [](const model& l, const py::object& x, const py::object& n_jobs) { return as_int64(predict(l, decisions(l, x, n_jobs).view())); })
        .def("objects", [](const model& l) { return objects_of(l.f.x); })
        .def_property_readonly("coef", [](const model& l) { return copied(l.f.coef.view()); })
        .def_property_readonly("offset", [](const model& l) { return to_numpy(l.f.offset); })
        .def_property_readonly("status", [](const model& l) { return std::string(name(l.status)); })
        .def_property_readonly("gap", [](const model& l) { return l.gap; })
        .def_property_readonly("objective", [](const model& l) { return l.objective; })
        .def_property_readonly("rounds", [](const model& l) { return l.rounds; })
        .def("to_bytes", [](const model& l) { return py::bytes(kernel_logistic_bytes(l)); })
        .def("save", [](const model& l, const std::string& path) { without_lock(0, [&] { save_kernel_logistic(l, path); }); })
        .def_static("from_bytes", [](const py::bytes& bytes) { return parse_kernel_logistic(static_cast<std::string_view>(bytes), "the pickled model"); })
        .def_static("load", [](const std::string& path) { return without_lock(0, [&] { return load_kernel_logistic(path); }); });
}

}  // namespace mercer::python
