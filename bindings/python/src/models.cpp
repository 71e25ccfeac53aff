// Fits, uses and saves models of all methods by name. The names and options of the methods come from the registry; no
// method is named here, except in the functions at the end, which exist for one method only.

#include "models.h"

#include <algorithm>
#include <array>

#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/gram/gram_views.h"
#include "mercer/io/file_contents.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/methods/components/pre_image.h"
#include "mercer/methods/neighbours/knn.h"
#include "mercer/methods/svm/svm_estimator.h"
#include "mercer/methods/svm/svm_model.h"
#include "mercer/model/model_file.h"

namespace mercer::python {
namespace {

using api::option_info;
using api::option_kind;

// --- options and figures

std::string option_text(const option_info& o, const py::handle& value) {
    switch (o.kind) {
        case option_kind::number: return number_text(py::float_(py::reinterpret_borrow<py::object>(value)));
        case option_kind::integer:
            return std::to_string(py::int_(py::reinterpret_borrow<py::object>(value)).cast<index>());
        case option_kind::flag: return PyObject_IsTrue(value.ptr()) == 1 ? "true" : "false";
        case option_kind::choice: return value.cast<std::string>();
        case option_kind::numbers: break;
    }
    return value.is_none() ? std::string() : api::text_of(value.cast<std::vector<double>>());
}

const option_info* find_option(const api::method& m, std::string_view name) {
    const auto at = std::ranges::find(m.options, name, &option_info::name);
    return at == m.options.end() ? nullptr : &*at;
}

}  // namespace

// Options that have no effect together with the others are ignored: only the Python code knows which ones the caller
// has set.
api::option_values values_of(const api::method& m, const py::dict& given) {
    api::settings out;
    for (const auto& [key, value] : given) {
        auto name = key.cast<std::string>();
        const option_info* o = find_option(m, name);
        std::string text = o ? option_text(*o, value) : std::string(py::str(value));
        out.emplace_back(std::move(name), std::move(text));
    }
    return api::option_values::from_model_file(m.name, m.options, out);
}

// An interrupted fit of kernel_ridge has no model.
bool has_steps(const api::method& m) { return find_option(m, "max_iter") && m.name != "kernel_ridge"; }

matrix_view<const double> targets_of(const std::optional<doubles>& y) {
    if (!y) return {};
    return {y->data(), y->shape(0), y->ndim() > 1 ? y->shape(1) : 1};
}

std::vector<std::pair<double, double>> class_weights(const py::object& given) {
    const std::vector<double> weights = as_vector(given);
    std::vector<std::pair<double, double>> out;
    for (std::size_t c = 0; c < weights.size(); ++c)
        if (weights[c] != 1) out.emplace_back(static_cast<double>(c), weights[c]);
    return out;
}

fit_control control_of(const std::pair<std::size_t, std::size_t>& memory, const py::object& time_limit,
                       const py::object& n_jobs, const std::pair<std::string, double>& checkpoint, run_control& run) {
    fit_control out;
    out.memory_bytes = memory.first;
    out.max_bytes = memory.second;
    if (!time_limit.is_none()) out.seconds = time_limit.cast<double>();
    out.threads = thread_count(n_jobs);
    out.canonical_order = true;
    out.checkpoint = {checkpoint.first, checkpoint.second};
    out.progress = run.progress_function();
    return out;
}

namespace {

template <class T>
py::object as_object(T value) {
    return py::cast(std::move(value));
}
template <class T>
    requires std::is_arithmetic_v<T> py::object as_object(std::vector<T> value) { return to_numpy(std::move(value)); }
py::object as_object(text_list value) { return as_object(std::vector<std::string>(std::move(value))); }
py::object as_object(std::monostate) { return py::none(); }
py::object as_object(matrix<double> value) { return to_numpy(std::move(value)); }
py::object as_object(std::vector<matrix<double>> value) {
    py::list out;
    for (auto& each : value) out.append(to_numpy(std::move(each)));
    return out;
}
py::object as_object(const api::summary& all) {
    py::dict out;
    for (const auto& [name, value] : all.all())
        out[py::str(name)] = std::visit([](auto v) { return as_object(std::move(v)); }, value);
    return out;
}
py::object as_object(const std::vector<api::summary>& all) {
    py::list out;
    for (const auto& each : all) out.append(as_object(each));
    return out;
}

py::dict described(const option_info& o, const api::option_values& defaults) {
    py::dict out;
    out["kind"] = std::array{"number", "whole", "flag", "choice", "numbers"}[static_cast<std::size_t>(o.kind)];
    out["about"] = o.about;
    out["condition"] = o.condition();
    out["low"] = o.low, out["high"] = o.high, out["low_open"] = o.low_open, out["high_open"] = o.high_open;
    out["choices"] = o.choices;
    switch (o.kind) {
        case option_kind::number: out["default"] = defaults.number(o.name); break;
        case option_kind::integer: out["default"] = defaults.integer(o.name); break;
        case option_kind::flag: out["default"] = defaults.flag(o.name); break;
        case option_kind::choice: out["default"] = defaults.choice(o.name); break;
        case option_kind::numbers: out["default"] = py::none(); break;
    }
    return out;
}

// Returns {method: {option: description}}.
py::dict all_methods() {
    py::dict out;
    for (const api::method& m : api::methods()) {
        const api::option_values defaults(m.name, m.options, {});
        py::dict options;
        for (const option_info& o : m.options) options[py::str(o.name)] = described(o, defaults);
        out[py::str(m.name)] = options;
    }
    return out;
}

// --- fits

// Calls work(examples) for Data or for a matrix of kernel values, without the interpreter's lock.
template <class Work>
auto visit_examples(const py::object& x, int threads, Work work) {
    const auto any = [&](const auto& some) { return work(api::examples(some)); };
    return visit_input(x, threads, any, any);
}

// Returns (model, was the fit interrupted). x: Data with a kernel, or the kernel matrix without one. y: a vector or
// matrix of targets, or None.
py::tuple fit(const std::string& name, const py::dict& options, const py::object& x, const kernel* k,
              const std::optional<doubles>& y, const py::object& sample_weight, const py::object& class_weight,
              const std::pair<std::size_t, std::size_t>& memory, const py::object& time_limit, const py::object& n_jobs,
              const py::object& callback, const std::pair<std::string, double>& checkpoint) {
    const api::method& m = api::find_method(name);
    const api::option_values values = values_of(m, options);
    run_control run(callback, has_steps(m));  // a method without steps has no unfinished result
    const fit_control control = control_of(memory, time_limit, n_jobs, checkpoint, run);
    const matrix_view<const double> targets = targets_of(y);
    const auto kernel_used = k ? std::make_shared<const kernel>(*k) : nullptr;
    const std::vector<double> weight = as_vector(sample_weight);
    const auto weights = class_weights(class_weight);
    python_model made{visit_examples(x, 0, [&](const api::examples& some) {
        return api::fit(m, values, {some, targets, kernel_used, weight, weights}, control);
    })};
    run.throw_pending();
    return py::make_tuple(std::move(made), run.interrupted());
}

// --- models

// Returns predictions: integers for classes, clusters and sides, else floats.
py::object predicted(const python_model& model, const py::object& x, const py::object& n_jobs) {
    std::vector<double> found =
        visit_examples(x, thread_count(n_jobs), [&](const api::examples& some) { return model->predict(some); });
    return model->prediction_kind() == target_kind::values ? py::object(to_numpy(std::move(found))) : as_int64(found);
}

template <class Ask>
auto model_function(Ask ask) {
    return [ask](const python_model& model, const py::object& x, const py::object& n_jobs) {
        return to_numpy(visit_examples(x, thread_count(n_jobs),
                                       [&](const api::examples& some) { return ask(*model.fitted, some); }));
    };
}

// Returns a part of the model, or a value from its summary.
py::object attribute(const python_model& model, const std::string& name) {
    if (api::part_value part = model->part(name); part.index() != 0)
        return std::visit([](auto& v) { return as_object(std::move(v)); }, part);
    const api::summary about = model->summarise();
    const api::summary_value* found = about.find(name);
    if (!found) throw py::attribute_error("the model has no " + name);
    return std::visit([](auto v) { return as_object(std::move(v)); }, *found);
}

python_model parse(std::string_view bytes, const std::string& name) {
    return {api::parse_estimator(bytes, name).first};
}

// Functions for models of one method: neighbours, pre-images, linear models with other weights.

// Finds the nearest neighbours; n_neighbors may differ from the number in the model. If x holds kernel values k(z,
// training example) instead of objects, `self` holds k(z, z) for every row z.
neighbours search(const python_model& model, const py::object& x, index n_neighbors, const py::object& self,
                  const py::object& n_jobs) {
    knn_model some = api::model_of<knn_model>(*model.fitted);
    some.options.n_neighbors = n_neighbors;
    run_control control;
    some.options.progress = control.progress_function();
    const std::vector<double> own = as_vector(self);
    neighbours found = visit_input(
        x, thread_count(n_jobs), [&](const dataset& data) { return find_neighbours(some, data); },
        [&](const auto& K) { return find_neighbours(some, precomputed<double>(K), own); });
    control.throw_pending();
    return found;
}

// Returns the shares of the classes among the neighbours, for any labels of the examples, given as class indices.
py::object shares(const python_model& model, const neighbours& found, const doubles& codes, index classes) {
    knn_model labelled;
    labelled.options = api::model_of<knn_model>(*model.fitted).options;
    const auto places = as_span(codes);
    labelled.y.assign(places.begin(), places.end());
    labelled.classes.resize(static_cast<std::size_t>(classes));
    return to_numpy(without_lock(0, [&] { return class_shares(labelled, found); }));
}

py::object mean_of(const python_model& model, const neighbours& found) {
    return to_numpy(without_lock(0, [&] { return predict(api::model_of<knn_model>(*model.fitted), found); }));
}

py::object compute_pre_images(const python_model& model, const matrix_in& scores, const std::string& how,
                              const py::object& n_jobs) {
    pre_image_options o;
    using method = pre_image_options::method;
    o.how = how == "fixed_point" ? method::fixed_point : how == "neighbors" ? method::neighbours : method::automatic;
    const auto values = view_of(scores);
    return to_numpy(without_lock(thread_count(n_jobs), [&] {
        return pre_images(api::model_of<kernel_pca_model>(*model.fitted), values, o).points;
    }));
}

// Returns the same model with other weights, one row for each problem, and offsets. Both have the library's sign.
python_model with_weights(const python_model& model, const matrix_in& weights, const doubles& offset) {
    svm_model out = api::model_of<svm_model>(*model.fitted);
    const auto w = view_of(weights);
    const auto b = as_span(offset);
    if (w.rows != out.problems() || w.cols != out.support.dims() || static_cast<index>(b.size()) != w.rows ||
        out.coef.cols() != w.rows)
        fail(errc::invalid_argument, "coef_ and intercept_ must have " + std::to_string(out.problems()) +
                                         " rows, and coef_ " + std::to_string(out.support.dims()) + " columns");
    matrix<double> rows(w.rows, w.cols);
    for (index p = 0; p < w.rows; ++p) std::copy_n(w.row(p), w.cols, rows.row(p));
    out.support = dense<double>(std::move(rows));
    out.offset.assign(b.begin(), b.end());
    return {api::make_estimator(std::move(out))};
}

}  // namespace

void bind_models(py::module_& m) {
    using api::examples, api::estimator;
    m.def("methods", &all_methods);
    m.def("fit", &fit);
    py::class_<python_model>(m, "Model")
        .def("predict", &predicted)
        .def("decide", model_function([](const estimator& f, const examples& x) { return f.decide(x); }))
        .def("class_scores", model_function([](const estimator& f, const examples& x) { return f.scores(x); }))
        .def("probabilities", model_function([](const estimator& f, const examples& x) { return f.probabilities(x); }))
        .def("transform", model_function([](const estimator& f, const examples& x) { return f.transform(x).values; }))
        .def("__getattr__", &attribute)
        .def_property_readonly("kernel_text", [](const python_model& model) { return model->kernel_text(); })
        .def("to_bytes", [](const python_model& model) { return py::bytes(model->bytes()); })
        .def("save", [](const python_model& model,
                        const std::string& path) { without_lock(0, [&] { write_atomically(path, model->bytes()); }); })
        .def_static(
            "from_bytes",
            [](const py::bytes& bytes) { return parse(static_cast<std::string_view>(bytes), "the pickled model"); })
        .def_static("load", [](const std::string& path) {
            return without_lock(0, [&] {
                const file_contents file = read_file(path);
                return parse_untruncated(file, [&] { return parse(file.bytes(), file.name()); });
            });
        });
    py::class_<neighbours>(m, "Neighbours")
        .def_property_readonly("indices", [](const neighbours& f) { return copy_to_numpy(f.indices.view()); })
        .def_property_readonly("distances", [](const neighbours& f) { return copy_to_numpy(f.distances.view()); });
    m.def("neighbours", &search);
    m.def("neighbour_shares", &shares);
    m.def("neighbour_means", &mean_of);
    m.def("pre_images", &compute_pre_images);
    m.def("with_weights", &with_weights);
}

}  // namespace mercer::python
