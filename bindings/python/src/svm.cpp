// Support vector machines: fit, predict, what a fitted model holds.
#include "svm.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/gram/computed.h"
#include "mercer/gram/narrowed.h"
#include "mercer/gram/precomputed.h"
#include "mercer/insight/dense_gram.h"
#include "mercer/methods/svm/example_order.h"
#include "mercer/methods/svm/files/model_file.h"
#include "mercer/methods/svm/svm_scores.h"
#include "mercer/selection/calibrate.h"
#include "mercer/selection/cross_validation.h"

namespace mercer::python {
namespace {

svm_task task_named(const std::string& wanted) {
    for (const auto each : {svm_task::c_svc, svm_task::nu_svc, svm_task::one_class, svm_task::epsilon_svr, svm_task::nu_svr})
        if (wanted == name(each)) return each;
    fail(errc::invalid_argument, "there is no task " + wanted);
}

}  // namespace

py::dict progress_dict(const svm_progress& now) {
    py::dict out;
    out["steps"] = now.solver.steps;
    out["rounds"] = now.solver.rounds;
    out["gap"] = now.solver.gap;
    out["active"] = now.solver.active;
    out["size"] = now.solver.size;
    out["seconds"] = now.solver.seconds;
    out["seconds_left"] = now.solver.seconds_left;
    out["problem"] = now.problem;
    out["problems"] = now.problems;
    return out;
}

svm_options svm_options_from(const py::dict& given) {
    svm_options o;
    o.task = task_named(given["task"].cast<std::string>());
    o.C = given["C"].cast<double>();
    if (given.contains("nu")) o.nu = given["nu"].cast<double>();
    if (given.contains("epsilon")) o.epsilon = given["epsilon"].cast<double>();
    o.tol = given["tol"].cast<double>();
    if (given.contains("shrinking")) o.shrinking = given["shrinking"].cast<bool>();
    o.memory_bytes = given["memory_bytes"].cast<std::size_t>();
    o.class_weight_of_C = true;
    o.any_order = given["any_order"].cast<bool>();
    if (const auto limit = given["max_iter"].cast<std::int64_t>(); limit >= 0) o.most_steps = limit;
    if (const py::object limit = given["time_limit"]; !limit.is_none()) o.most_seconds = limit.cast<double>();
    o.sample_weight = as_vector(given["sample_weight"]);
    const std::vector<double> weights = as_vector(given["class_weight"]);
    for (std::size_t c = 0; c < weights.size(); ++c)
        if (weights[c] != 1) o.class_weight.emplace_back(static_cast<double>(c), weights[c]);
    return o;
}

namespace {

// A kernel matrix of a user's function, which may be anything but must be symmetric.
matrix<double> symmetric_gram(const kernel& k, const dataset& x) {
    matrix<double> K = formed(computed<double>(k, x));
    double largest = 0;
    for (index i = 0; i < K.rows(); ++i)
        for (index j = 0; j < K.cols(); ++j) {
            if (!std::isfinite(K(i, j)))
                fail(errc::data, k.text() + ": the value for examples " + std::to_string(i) + " and " + std::to_string(j) + " is not a finite number");
            largest = std::max(largest, std::abs(K(i, j)));
        }
    const asymmetry worst = largest_asymmetry(K.view());
    if (worst.size > 1e-7 * largest)
        fail(errc::data, k.text() + ": not symmetric, k(x, z) and k(z, x) differ by " + std::to_string(worst.size) + " for examples " +
                             std::to_string(worst.row) + " and " + std::to_string(worst.col));
    return K;
}

constexpr auto sigmoids = calibration::method::sigmoid;

// All kernel values once, where they fit into so many bytes; on demand otherwise. folds: for probabilities; 0: none.
svm_model fit_user_kernel(const kernel& k, const dataset& x, std::span<const double> y, const svm_options& options, std::size_t bytes, int folds,
                          std::uint64_t seed, inner_fits& inner) {
    if (static_cast<double>(x.size()) * static_cast<double>(x.size()) * sizeof(double) > static_cast<double>(bytes)) {
        const index some = std::min<index>(x.size(), 64);
        symmetric_gram(k, gather(x, selection(0, some)));
        svm_model model = fit_svm(k, x, y, options);
        if (folds > 0) inner = calibrate(model, k, x, y, options, sigmoids, folds, seed);
        return model;
    }
    require_finite(x);
    const matrix<double> K = symmetric_gram(k, x);
    const precomputed<double> exact(K.view());
    const narrowed fast(exact);
    svm_model model = fit_svm(fast, exact, y, options);
    attach(model, k, x);
    const std::vector<index> rank = options.any_order ? example_ranks(x, y, options.sample_weight) : std::vector<index>{};
    if (folds > 0) inner = calibrate(model, shared_gram(K.view()), y, options, sigmoids, folds, seed, rank);
    return model;
}

// x is Data with a kernel, or the matrix of kernel values without one. Returns (model, was it interrupted, what the fits behind probabilities did not
// reach, in words: empty where they did).
py::tuple fit(const py::object& x, const kernel* k, const doubles& y, const py::dict& given) {
    svm_options options = svm_options_from(given);
    const bool user = given["user_kernel"].cast<bool>(), classes = options.task == svm_task::c_svc || options.task == svm_task::nu_svc;
    const int folds = classes && given["probability"].cast<bool>() ? 5 : 0;
    const auto seed = given["seed"].cast<std::uint64_t>();
    const auto user_bytes = given["user_bytes"].cast<std::size_t>();
    const int threads = thread_count(given["n_jobs"]);
    run_control control(given["callback"]);
    options.progress = [&](const svm_progress& now) { return control.go_on([&] { return progress_dict(now); }); };
    const auto targets = as_span(y);
    svm_model model;
    inner_fits inner;
    if (k) {
        const dataset data = x.cast<dataset>();
        without_lock(threads, [&] {
            if (user) {
                model = fit_user_kernel(*k, data, targets, options, user_bytes, folds, seed, inner);
                return;
            }
            model = fit_svm(*k, data, targets, options);
            if (folds > 0) inner = calibrate(model, *k, data, targets, options, sigmoids, folds, seed);
        });
    } else {
        const auto K = x.cast<matrix_in>();
        const auto values = view_of(K);
        without_lock(threads, [&] {
            model = fit_svm_precomputed(values, targets, options);
            if (folds > 0) inner = calibrate_precomputed(model, values, targets, options, sigmoids, folds, seed);
        });
    }
    control.finish();
    return py::make_tuple(std::make_unique<svm_model>(std::move(model)), control.interrupted(), inner.trouble());
}

matrix<double> decisions(const svm_model& model, const py::object& x, const py::object& n_jobs) {
    const int threads = thread_count(n_jobs);
    if (model.k) {
        const dataset data = x.cast<dataset>();
        return without_lock(threads, [&] { return decide(model, data, arithmetic::exact); });
    }
    const auto K = x.cast<matrix_in>();
    const auto values = view_of(K);
    return without_lock(threads, [&] { return decide_precomputed(model, values); });
}

// Positions in the list of classes for a classifier, values otherwise.
py::object labels(const svm_model& model, std::vector<double> predicted) {
    if (!model.is_classifier()) return to_numpy(std::move(predicted));
    return to_numpy(std::vector<std::int64_t>(predicted.begin(), predicted.end()));
}

py::object predicted(const svm_model& model, const py::object& x, bool user_kernel, const py::object& n_jobs) {
    if (!model.k || user_kernel) return labels(model, predict(model, decisions(model, x, n_jobs).view()));
    const dataset data = x.cast<dataset>();
    return labels(model, without_lock(thread_count(n_jobs), [&] { return predict(model, data); }));
}

// The class with the largest score, for break_ties.
py::object best_class(const svm_model& model, const py::object& x, const py::object& n_jobs) {
    const matrix<double> scores = class_scores(model, decisions(model, x, n_jobs).view());
    std::vector<double> out;
    for (index i = 0; i < scores.rows(); ++i)
        out.push_back(model.classes[static_cast<std::size_t>(std::max_element(scores.row(i), scores.row(i) + scores.cols()) - scores.row(i))]);
    return labels(model, std::move(out));
}

py::list reports(const svm_model& model) {
    py::list out;
    for (const auto& r : model.reports) {
        py::dict one;
        one["status"] = name(r.status);
        one["gap"] = r.gap;
        one["objective"] = r.objective;
        one["steps"] = r.steps;
        one["rounds"] = r.rounds;
        one["size"] = r.size;
        one["margin_vectors"] = r.margin_vectors;
        one["offset_low"] = r.offset_low;
        one["offset_high"] = r.offset_high;
        one["epsilon"] = r.epsilon;
        one["seconds"] = r.seconds;
        out.append(one);
    }
    return out;
}

py::object steps(const svm_model& model) {
    std::vector<std::int32_t> out;
    for (const auto& r : model.reports)
        out.push_back(static_cast<std::int32_t>(std::clamp<std::int64_t>(r.steps, 1, std::numeric_limits<std::int32_t>::max())));
    return to_numpy(std::move(out));
}

template <class From>
py::object as_int32(const From& from) {
    return to_numpy(std::vector<std::int32_t>(from.begin(), from.end()));
}

// With the given sign: scikit-learn's binary decisions are positive for the second class, ours for the first.
py::object offset_intervals(const svm_model& model, double sign) {
    matrix<double> out(model.problems(), 2);
    for (index p = 0; p < out.rows(); ++p) {
        const auto& r = model.reports[static_cast<std::size_t>(p)];
        out(p, 0) = sign > 0 ? r.offset_low : -r.offset_high;
        out(p, 1) = sign > 0 ? r.offset_high : -r.offset_low;
    }
    return to_numpy(std::move(out));
}

// The same machine with other weights, one row for each problem, and offsets; both with the library's sign.
svm_model with_weights(const svm_model& model, const matrix_in& weights, const doubles& offset) {
    const auto w = view_of(weights);
    const auto b = as_span(offset);
    if (w.rows != model.problems() || w.cols != model.support.dims() || static_cast<index>(b.size()) != w.rows || model.coef.cols() != w.rows)
        fail(errc::invalid_argument,
             "coef_ and intercept_ must have " + std::to_string(model.problems()) + " rows, and coef_ " + std::to_string(model.support.dims()) + " columns");
    svm_model out = model;
    matrix<double> rows(w.rows, w.cols);
    for (index p = 0; p < w.rows; ++p) std::copy_n(w.row(p), w.cols, rows.row(p));
    out.support = dense<double>(std::move(rows));
    out.offset.assign(b.begin(), b.end());
    return out;
}

}  // namespace

void bind_svm(py::module_& m) {
    m.def("svm_fit", &fit);
    m.def("svm_memory", [](const dataset& x, std::size_t allowed) {
        // The rows of the solver get what the rest of fit_memory leaves of the bytes allowed.
        svm_options none;
        none.memory_bytes = 0;
        const std::size_t fixed = fit_memory(kernel::parse("linear()"), x, none), least = std::size_t{1} << 20;
        return allowed > fixed + 2 * least ? (allowed - fixed) / 5 * 4 : least;
    });
    py::class_<svm_model>(m, "SvmModel")
        .def("decide", [](const svm_model& s, const py::object& x, const py::object& n_jobs) { return to_numpy(decisions(s, x, n_jobs)); })
        .def("scores",
             [](const svm_model& s, const py::object& x, const py::object& n_jobs) { return to_numpy(class_scores(s, decisions(s, x, n_jobs).view())); })
        .def("predict", &predicted)
        .def("best_class", &best_class)
        .def("probabilities",
             [](const svm_model& s, const py::object& x, const py::object& n_jobs) { return to_numpy(predict_probability(s, decisions(s, x, n_jobs).view())); })
        .def("weights", [](const svm_model& s) { return to_numpy(linear_weights(s)); })
        .def("with_weights", &with_weights)
        .def("objects", [](const svm_model& s) { return objects_of(s.support); })
        .def_property_readonly("support", [](const svm_model& s) { return as_int32(s.support_rows); })
        .def_property_readonly("class_support", [](const svm_model& s) { return as_int32(s.class_support); })
        .def_property_readonly("classes", [](const svm_model& s) { return to_numpy(std::vector<std::int64_t>(s.classes.begin(), s.classes.end())); })
        .def_property_readonly("coef", [](const svm_model& s) { return copied(s.coef.view()); })
        .def_property_readonly("offset", [](const svm_model& s) { return to_numpy(s.offset); })
        .def_property_readonly("steps", &steps)
        .def_property_readonly("status", [](const svm_model& s) { return name(s.worst_status()); })
        .def_property_readonly("gap", &svm_model::largest_gap)
        .def_property_readonly("objective",
                               [](const svm_model& s) {
                                   double sum = 0;
                                   for (const auto& r : s.reports) sum += r.objective;
                                   return sum;
                               })
        .def("offset_intervals", &offset_intervals)
        .def_property_readonly("reports", &reports)
        .def_property_readonly("kernel_text", [](const svm_model& s) { return s.kernel_text; })
        .def_property_readonly("training_size", [](const svm_model& s) { return s.training_size; })
        .def_property_readonly("sigmoids",
                               [](const svm_model& s) -> py::object {
                                   if (!s.probability) return py::none();
                                   return py::make_tuple(to_numpy(s.probability->A), to_numpy(s.probability->B));
                               })
        .def("to_bytes", [](const svm_model& s) { return py::bytes(model_bytes(s)); })
        .def("save", [](const svm_model& s, const std::string& path) { without_lock(0, [&] { save_model(s, path); }); })
        .def_static("from_bytes", [](const py::bytes& bytes) { return parse_model(static_cast<std::string_view>(bytes), "the pickled model"); })
        .def_static("load", [](const std::string& path) { return without_lock(0, [&] { return load_any_model(path); }); });
}

}  // namespace mercer::python
