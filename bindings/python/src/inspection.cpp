// Explanations by kernel features, scores of predictions, and margin reports.

#include <numeric>
#include <unordered_map>

#include "convert.h"
#include "mercer/base/error.h"
#include "mercer/gram/gram_views.h"
#include "mercer/inspection/evaluate.h"
#include "mercer/inspection/feature_explanation.h"
#include "mercer/inspection/leave_one_out.h"
#include "mercer/inspection/margin_report_text.h"
#include "mercer/methods/svm/cross_validation.h"
#include "mercer/plot/decision_features.h"
#include "mercer/plot/report_page.h"
#include "models.h"

namespace mercer::python {
namespace {

kernel_expansion sums_of(const python_model& model) {
    auto f = model->kernel_expansions();
    if (!f) fail(errc::unsupported, "this model is not a sum over kernel values, so it has no features to explain");
    return std::move(*f);
}

// The bytes of a string need not be valid UTF-8.
py::str as_text(const std::string& bytes) {
    return py::reinterpret_steal<py::str>(
        PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace"));
}

// Items of sets have numbers; Python may know their names.
using item_names = std::unordered_map<std::string, std::string>;
void name_items(std::vector<feature_share>& all, const item_names& names) {
    for (feature_share& each : all)
        if (const auto known = names.find(each.name); known != names.end()) each.name = known->second;
}

py::list listed(const std::vector<feature_share>& all, double sign) {
    py::list out;
    for (const feature_share& each : all)
        out.append(py::make_tuple(as_text(each.name), sign * each.share(), each.value, sign * each.weight,
                                  as_text(each.kernel)));
    return out;
}

// Returns the labels of the positive and the negative side of a function, None if a side has no label.
py::tuple sides(const api::function_sides& of, double sign) {
    const auto label = [](const std::optional<double>& l) {
        return l ? py::object(py::int_(static_cast<std::int64_t>(*l))) : py::none();
    };
    return sign < 0 ? py::make_tuple(label(of.negative), label(of.positive))
                    : py::make_tuple(label(of.positive), label(of.negative));
}

// Returns the factor that makes f > 0 mean the second of two classes, as in scikit-learn.
double sign_of(const api::function_sides& of, index functions) {
    return functions == 1 && of.positive && of.negative && *of.positive < *of.negative ? -1 : 1;
}

void negate_decision(decision_shares& d) {
    d.f = -d.f, d.offset = -d.offset, d.rest = -d.rest;
    for (feature_share& each : d.largest) each.weight = -each.weight;
    for (double& each : d.parts) each = -each;
}

// Returns one dict for each function.
py::list explained(const python_model& model, const dataset& x, index top, const known_names& names,
                   const item_names& items) {
    const kernel_expansion f = sums_of(model);
    std::vector<decision_shares> found = without_lock(0, [&] { return share_decisions(f, x, 0, top, names); });
    const auto functions = api::class_sides(*model.fitted, f.functions());
    py::list out;
    for (std::size_t j = 0; j < found.size(); ++j) {
        decision_shares& d = found[j];
        const double sign = sign_of(functions[j], f.functions());
        if (sign < 0) negate_decision(d);
        name_items(d.largest, items);
        py::dict one;
        one["sides"] = sides(functions[j], sign);
        one["f"] = d.f, one["offset"] = d.offset, one["rest"] = d.rest, one["count"] = d.features;
        one["features"] = listed(d.largest, 1);
        one["parts"] = to_numpy(std::vector<double>(d.parts));
        one["picture"] = py::cpp_function([x, d](const std::string& title, const std::string& subtitle,
                                                 const std::string& positive, const std::string& negative) {
            return as_text(feature_picture(x, 0, d, {title, subtitle, positive, negative}).finish());
        });
        out.append(one);
    }
    return out;
}

// Returns (sides, features) of each function.
py::list weights(const python_model& model, index top, const known_names& names, const item_names& items) {
    const kernel_expansion f = sums_of(model);
    auto found = without_lock(0, [&] { return largest_weights(f, top, names); });
    const auto functions = api::class_sides(*model.fitted, f.functions());
    py::list out;
    for (std::size_t j = 0; j < found.size(); ++j) {
        const double sign = sign_of(functions[j], f.functions());
        name_items(found[j], items);
        out.append(py::make_tuple(sides(functions[j], sign), listed(found[j], sign)));
    }
    return out;
}

// Scores predictions against targets. The result is JSON, which mercer.evaluate converts to a dict.

matrix<double> as_matrix(const std::optional<doubles>& from) {
    if (!from) return {};
    if (from->ndim() != 2) throw py::value_error("scores must have one column per class");
    matrix<double> out(from->shape(0), from->shape(1));
    std::copy_n(from->data(), from->size(), out.data());
    return out;
}

// Classes are indices into `names`.
std::string evaluate_predictions(bool values, const py::object& y, const py::object& predicted,
                                 const py::object& classes, const std::optional<doubles>& scores,
                                 const std::optional<doubles>& probabilities, const std::vector<std::string>& names,
                                 index resamples, index bins, std::uint64_t seed) {
    const evaluation_input answers{values ? target_kind::values : target_kind::classes,
                                   as_vector(y),
                                   as_vector(predicted),
                                   as_vector(classes),
                                   as_matrix(scores),
                                   as_matrix(probabilities)};
    return without_lock(0, [&] {
        evaluation all = mercer::evaluate(answers, {resamples, bins, seed});
        for (std::size_t c = 0; c < all.names.size(); ++c)
            all.names[c] = names.at(static_cast<std::size_t>(all.table.labels[c]));
        return api::evaluation_json(all);
    });
}

// Margin reports of classifiers (src/mercer/inspection/margin_report.h) as text, JSON and a page. mercer._report reads
// its numbers from the JSON.

// A margin report with its title and pictures.
struct full_report {
    margin_report report;
    report_subject about;
    report_page page;
};

// Exchanges the two classes: decisions are positive for the second class in scikit-learn, for the first class in the
// library.
svm_model second_class_first(const svm_model& from) {
    svm_model to = from;
    const index first = from.class_support[0], all = from.coef.cols();
    std::vector<index> order(static_cast<std::size_t>(all));
    std::iota(order.begin(), order.end() - first, first);
    std::iota(order.end() - first, order.end(), index{0});
    std::swap(to.classes[0], to.classes[1]);
    std::swap(to.class_support[0], to.class_support[1]);
    for (index s = 0; s < all; ++s) {
        const index was = order[static_cast<std::size_t>(s)];
        to.coef(0, s) = -from.coef(0, was);
        to.support_rows[static_cast<std::size_t>(s)] = from.support_rows[static_cast<std::size_t>(was)];
    }
    if (from.k) to.support = gather(from.support, std::span<const index>(order));
    to.offset[0] = -from.offset[0];
    for (svm_report& r : to.reports)
        r.offset_low = -r.offset_low, r.offset_high = -r.offset_high, std::swap(r.offset_low, r.offset_high);
    return to;
}

error_estimate estimated(const shared_gram& K, std::span<const double> y, const svm_model& model,
                         const full_report& told, const margin_options& how, int folds, std::uint64_t seed) {
    svm_options again = refit_options(model, told.report, how);
    again.tol = how.tol;
    return folds == 0 ? leave_one_out(K, y, again, model, {}, told.report.loo_bound().has_value())
                      : cross_validation(K, y, again, folds, seed);
}

// x: the data, or the matrix of a precomputed kernel. folds: -1 for no estimate of the error, 0 for leave-one-out.
full_report report(const python_model& held, const py::object& x, const doubles& labels, const py::dict& given) {
    margin_options how;
    how.tol = given["tol"].cast<double>();
    how.sample_weight = as_vector(given["sample_weight"]);
    const std::vector<double> weights = as_vector(given["class_weight"]);
    for (std::size_t c = 0; c < weights.size(); ++c)
        if (weights[c] != 1) how.class_weight.emplace_back(static_cast<double>(c), weights[c]);
    how.ball = given["ball"].cast<bool>();
    how.feature_names = given["feature_names"].cast<std::vector<std::string>>();
    const int folds = given["folds"].cast<int>();
    const bool drawn = given["pictures"].cast<bool>();
    const auto seed = given["seed"].cast<std::uint64_t>();
    const auto& fitted = api::model_of<svm_model>(*held.fitted);
    svm_model model = fitted.classes.size() == 2 ? second_class_first(fitted) : fitted;
    model.class_names = given["class_names"].cast<std::vector<std::string>>();
    const auto y = as_span(labels);
    full_report out;
    out.page.title = "A support vector machine, explained";
    constexpr std::size_t room = std::size_t{1} << 30;
    visit_input(
        x, thread_count(given["n_jobs"]),
        [&](const dataset& data) {
            out.report = report_margins(model, data, y, how);
            if (folds >= 0)
                out.report.estimate = estimated(shared_gram(*model.k, data, room), y, model, out, how, folds, seed);
            picture_options pictures;
            pictures.feature_names = how.feature_names;
            if (drawn) out.page.regions = classifier_pictures(model, data, y, out.report, pictures);
            return 0;
        },
        [&](const auto& K) {
            out.report = report_margins(model, precomputed<double>(K), y, how);
            if (folds >= 0) out.report.estimate = estimated(shared_gram(K), y, model, out, how, folds, seed);
            return 0;
        });
    out.about.data = given["about"].cast<std::string>();
    return out;
}

}  // namespace

void bind_inspection(py::module_& m) {
    m.def("explain", &explained);
    m.def("explain_weights", &weights);
    m.def("evaluate", &evaluate_predictions);
    m.def("margin_report", &report);
    py::class_<full_report>(m, "ToldReport")
        .def_property_readonly("error_trouble",
                               [](const full_report& r) {
                                   return r.report.estimate ? r.report.estimate->fit_outcomes.warning() : std::string();
                               })
        .def("text", [](const full_report& r) { return report_text(r.report, r.about); })
        .def("json", [](const full_report& r) { return report_json(r.report, r.about); })
        .def("html", [](const full_report& r) { return report_html(r.report, r.about, r.page); });
}

}  // namespace mercer::python
