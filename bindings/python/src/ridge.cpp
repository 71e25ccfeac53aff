// Kernel ridge regression: fit, a path over alpha, predict.
#include <algorithm>

#include "convert.h"
#include "mercer/methods/regression/kernel_ridge.h"

namespace mercer::python {
namespace {

kernel_ridge_model fit_one(const py::object& x, const kernel* k, matrix_view<const double> y, const kernel_ridge_options& options, int threads) {
    return on_input(
        k != nullptr, x, threads, [&](const dataset& data) { return fit_kernel_ridge(*k, data, y, options); },
        [&](const auto& K) { return fit_kernel_ridge_precomputed(K, y, options); });
}

void put_column(matrix<double>& to, const matrix<double>& from, index column) {
    for (index i = 0; i < from.rows(); ++i) to(i, column) = from(i, 0);
}

// One alpha for all columns of y, or one for each: then each column is a fit of its own, and the model holds all of them.
kernel_ridge_model fit(const py::object& x, const kernel* k, const matrix_in& y, const std::vector<double>& alpha, const py::object& weight, bool loo,
                       std::size_t memory_bytes, const py::object& n_jobs) {
    const auto targets = view_of(y);
    const int threads = thread_count(n_jobs);
    kernel_ridge_options options;
    options.sample_weight = as_vector(weight);
    options.loo = loo;
    options.memory_bytes = memory_bytes;
    options.alpha = alpha.at(0);
    if (alpha.size() == 1) return fit_one(x, k, targets, options, threads);
    kernel_ridge_model all;
    for (index c = 0; c < targets.cols; ++c) {
        options.alpha = alpha.at(static_cast<std::size_t>(c));
        kernel_ridge_model one = fit_one(x, k, targets.block(0, c, targets.rows, 1), options, threads);
        if (c == 0) {
            all = one;
            all.f.coef = matrix<double>(one.f.coef.rows(), targets.cols);
            all.loo = matrix<double>(one.loo.rows(), targets.cols);
            all.f.offset.assign(static_cast<std::size_t>(targets.cols), 0.0);
        }
        put_column(all.f.coef, one.f.coef, c);
        put_column(all.loo, one.loo, c);
    }
    return all;
}

// (model of the best alpha, its place, {gcv, loo, df}, the coefficients of every alpha)
py::tuple fit_path(const py::object& x, const kernel* k, const matrix_in& y, const std::vector<double>& alphas, bool by_loo, const py::object& weight,
                   std::size_t memory_bytes, const py::object& n_jobs) {
    const auto targets = view_of(y);
    ridge_path_options options;
    options.alphas = alphas;
    options.score = by_loo ? ridge_score::loo : ridge_score::gcv;
    options.sample_weight = as_vector(weight);
    options.memory_bytes = memory_bytes;
    kernel_ridge_path path = on_input(
        k != nullptr, x, thread_count(n_jobs), [&](const dataset& data) { return fit_kernel_ridge_path(*k, data, targets, options); },
        [&](const auto& K) { return fit_kernel_ridge_path_precomputed(K, targets, options); });
    py::dict scores;
    scores["gcv"] = to_numpy(path.gcv);
    scores["loo"] = to_numpy(path.loo);
    scores["df"] = to_numpy(path.df);
    py::list coefficients;
    for (auto& each : path.coef) coefficients.append(to_numpy(std::move(each)));
    return py::make_tuple(std::make_unique<kernel_ridge_model>(std::move(path.model)), path.best, scores, coefficients);
}

py::object predicted(const kernel_ridge_model& model, const py::object& x, const py::object& n_jobs) {
    return to_numpy(on_input(
        model.f.k != nullptr, x, thread_count(n_jobs), [&](const dataset& data) { return predict(model, data); },
        [&](const auto& K) { return predict_precomputed(model, K); }));
}

}  // namespace

void bind_ridge(py::module_& m) {
    m.def("ridge_fit", &fit);
    m.def("ridge_path", &fit_path);
    py::class_<kernel_ridge_model>(m, "KernelRidgeModel")
        .def("predict", &predicted)
        .def("objects", [](const kernel_ridge_model& r) { return objects_of(r.f.x); })
        .def_property_readonly("coef", [](const kernel_ridge_model& r) { return copied(r.f.coef.view()); })
        .def_property_readonly("loo", [](const kernel_ridge_model& r) { return copied(r.loo.view()); })
        .def_property_readonly("alpha", [](const kernel_ridge_model& r) { return r.alpha; })
        .def("to_bytes", [](const kernel_ridge_model& r) { return py::bytes(kernel_ridge_bytes(r)); })
        .def("save", [](const kernel_ridge_model& r, const std::string& path) { without_lock(0, [&] { save_kernel_ridge(r, path); }); })
        .def_static("from_bytes", [](const py::bytes& bytes) { return parse_kernel_ridge(static_cast<std::string_view>(bytes), "the pickled model"); })
        .def_static("load", [](const std::string& path) { return without_lock(0, [&] { return load_kernel_ridge(path); }); });
}

}  // namespace mercer::python
