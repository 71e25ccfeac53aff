// Margin reports of classifiers (src/mercer/inspection/margin_report.h) as text, JSON and a page; mercer._report
// takes its numbers from the JSON.
#include <numeric>

#include "mercer/gram/precomputed.h"
#include "mercer/inspection/leave_one_out.h"
#include "mercer/inspection/margin_report_text.h"
#include "mercer/methods/svm/cross_validation.h"
#include "mercer/plot/report_page.h"
#include "mercer/plot/report_pictures.h"
#include "models.h"

namespace mercer::python {
namespace {

// A report with what is said about it.
struct told_report {
    margin_report report;
    report_subject about;
    report_page page;
};

// Two classes the other way round: scikit-learn's decisions are positive for the second class, ours for the first.
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
                         const told_report& told, const margin_options& how, int folds, std::uint64_t seed) {
    svm_options again = refit_options(model, told.report, how);
    again.tol = how.tol;
    return folds == 0 ? leave_one_out(K, y, again, model, {}, told.report.loo_bound().has_value())
                      : cross_validation(K, y, again, folds, seed);
}

// x is the data, or the matrix of a precomputed kernel. folds: -1 no estimate of the error, 0 leaving one out.
told_report report(const held_model& held, const py::object& x, const doubles& labels, const py::dict& given) {
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
    told_report out;
    out.page.title = "A support vector machine, explained";
    constexpr std::size_t room = std::size_t{1} << 30;
    on_input(
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

void bind_report(py::module_& m) {
    m.def("margin_report", &report);
    py::class_<told_report>(m, "ToldReport")
        .def_property_readonly(
            "error_trouble",
            [](const told_report& r) { return r.report.estimate ? r.report.estimate->ended.trouble() : std::string(); })
        .def("text", [](const told_report& r) { return report_text(r.report, r.about); })
        .def("json", [](const told_report& r) { return report_json(r.report, r.about); })
        .def("html", [](const told_report& r) { return report_html(r.report, r.about, r.page); });
}

}  // namespace mercer::python
