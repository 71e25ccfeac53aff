// Kernel principal components: fit, scores, pre-images.
#include <cmath>

#include "convert.h"
#include "mercer/base/error.h"
#include "mercer/methods/components/kernel_pca.h"
#include "mercer/methods/components/pre_image.h"
#include "mercer/gram/precomputed.h"

namespace mercer::python {
namespace {

// (model, was it interrupted)
py::tuple fit(const py::object& x, const kernel* k, const py::dict& given) {
    kernel_pca_options o;
    o.n_components = given["n_components"].cast<index>();
    const auto solver = given["solver"].cast<std::string>();
    o.solver = solver == "full" ? eigen_solver::full : solver == "iterative" ? eigen_solver::iterative : eigen_solver::automatic;
    o.tol = given["tol"].cast<double>();
    o.max_iter = given["max_iter"].cast<index>();
    o.seed = given["seed"].cast<std::uint64_t>();
    o.memory_bytes = given["memory_bytes"].cast<std::size_t>();
    run_control control(given["callback"], given["time_limit"]);
    o.progress = control.watching();
    auto model = std::make_unique<kernel_pca_model>(on_input(
        k != nullptr, x, thread_count(given["n_jobs"]), [&](const dataset& data) { return fit_kernel_pca(*k, data, o); },
        [&](const auto& K) { return fit_kernel_pca(precomputed<double>(K), o); }));
    control.finish();
    return py::make_tuple(std::move(model), control.interrupted());
}

py::object scores(const kernel_pca_model& model, const py::object& x, const py::object& n_jobs) {
    return to_numpy(on_input(
        model.projection.k != nullptr, x, thread_count(n_jobs), [&](const dataset& data) { return transform(model, data); },
        [&](const auto& K) { return transform(model, precomputed<double>(K)); }));
}

// alpha = u/sqrt(lambda)
py::object eigenvectors(const kernel_pca_model& model) {
    matrix<double> u(model.projection.coef.rows(), model.components());
    for (index i = 0; i < u.rows(); ++i)
        for (index j = 0; j < u.cols(); ++j) u(i, j) = model.projection.coef(i, j) * std::sqrt(model.eigenvalues[static_cast<std::size_t>(j)]);
    return to_numpy(std::move(u));
}

// (points, status)
py::tuple back(const kernel_pca_model& model, const matrix_in& from, const std::string& how, const py::object& n_jobs) {
    pre_image_options o;
    using method = pre_image_options::method;
    o.how = how == "fixed_point" ? method::fixed_point : how == "neighbors" ? method::neighbours : method::automatic;
    const auto values = view_of(from);
    pre_image_result found = without_lock(thread_count(n_jobs), [&] { return pre_images(model, values, o); });
    return py::make_tuple(to_numpy(std::move(found.points)), std::string(name(found.status)));
}

}  // namespace

void bind_pca(py::module_& m) {
    using model = kernel_pca_model;
    m.def("pca_fit", &fit);
    py::class_<model>(m, "KernelPcaModel")
        .def("transform", &scores)
        .def("pre_images", &back)
        .def("objects", [](const model& p) { return objects_of(p.projection.x); })
        .def_property_readonly("scores", [](const model& p) { return copied(p.scores.view()); })
        .def_property_readonly("eigenvectors", &eigenvectors)
        .def_readonly("negative_share", &model::negative_share)
        .def_property_readonly("eigenvalues", [](const model& p) { return to_numpy(p.eigenvalues); })
        .def_property_readonly("explained_variance", [](const model& p) { return to_numpy(p.explained_variance); })
        .def_property_readonly("explained_variance_ratio", [](const model& p) { return to_numpy(p.explained_variance_ratio); })
        .def_property_readonly("status", [](const model& p) { return std::string(name(p.status)); })
        .def_property_readonly("residual",
                               [](const model& p) {
                                   double largest = 0;
                                   for (const double each : p.residuals) largest = std::max(largest, each);
                                   return largest;
                               })
        .def_property_readonly("passes", [](const model& p) { return p.passes; })
        .def("to_bytes", [](const model& p) { return py::bytes(model_bytes(p)); })
        .def("save", [](const model& p, const std::string& path) { without_lock(0, [&] { save_model(p, path); }); })
        .def_static("from_bytes", [](const py::bytes& bytes) { return parse_kernel_pca_model(static_cast<std::string_view>(bytes), "the pickled model"); })
        .def_static("load", [](const std::string& path) { return without_lock(0, [&] { return load_kernel_pca_model(path); }); });
}

}  // namespace mercer::python
