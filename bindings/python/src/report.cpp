// Margin reports of classifiers: the checks of src/mercer/insight/machines/margin_report.h as arrays, text, JSON and a
// page.
#include <numeric>

#include "mercer/gram/precomputed.h"
#include "mercer/insight/machines/leave_one_out.h"
#include "mercer/insight/report_text.h"
#include "mercer/pictures/report_html.h"
#include "mercer/pictures/report_pictures.h"
#include "mercer/selection/cross_validation.h"
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

template <class Of>
py::array_t<double> numbers(const margin_problem& p, Of of) {
    std::vector<double> out;
    out.reserve(p.examples.size());
    for (const margin_example& e : p.examples) out.push_back(of(e));
    return to_numpy(std::move(out));
}

template <class Of>
py::object words(const margin_problem& p, Of of) {
    py::list out;
    for (const margin_example& e : p.examples) out.append(of(e));
    return py::module_::import("numpy").attr("array")(out);
}

py::object rows(const margin_problem& p) {
    std::vector<std::int64_t> out;
    for (const margin_example& e : p.examples) out.push_back(e.row);
    return to_numpy(std::move(out));
}

py::dict counts(const margin_problem& p) {
    py::dict out;
    for (const auto which : {alpha_case::zero, alpha_case::free, alpha_case::bound})
        out[name(which)] = p.cases[static_cast<std::size_t>(which)];
    for (const auto which : {margin_side::outside, margin_side::on, margin_side::inside, margin_side::misclassified})
        out[name(which)] = p.sides[static_cast<std::size_t>(which)];
    return out;
}

py::dict conditions(const margin_problem& p) {
    py::dict out;
    for (const kkt_violation& v : p.kkt) out[v.condition.c_str()] = v;
    return out;
}

// Longer than 60 lines: one line for each member, nothing else.
void bind_problem(py::module_& m) {
    using problem = margin_problem;
    py::class_<kkt_violation>(
        m, "KKTCondition",
        "The largest violation of one condition of optimality, where it is, and what rounding and tol allow.")
        .def_readonly("formula", &kkt_violation::formula)
        .def_readonly("violation", &kkt_violation::size)
        .def_readonly("allowed", &kkt_violation::allowed)
        .def_property_readonly(
            "row", [](const kkt_violation& v) { return v.row < 0 ? py::object(py::none()) : py::int_(v.row); })
        .def_property_readonly("holds", &kkt_violation::holds)
        .def("__bool__", &kkt_violation::holds)
        .def("__repr__", [](const kkt_violation& v) {
            return "KKTCondition(" + v.formula + ": " + std::string(py::repr(py::float_(v.size))) +
                   (v.holds() ? " <= " : " > ") + std::string(py::repr(py::float_(v.allowed))) + ")";
        });
    py::class_<problem>(m, "MarginProblem", "One binary problem of a classifier, example by example.")
        .def_readonly("positive", &problem::positive, "The class that f > 0 stands for.")
        .def_readonly("negative", &problem::negative, "The other class, or 'the rest'.")
        .def_readonly("C", &problem::C, "The price of slack before weights.")
        .def_property_readonly(
            "rows", &rows, "Numbers of the examples among the training examples; the arrays below are in this order.")
        .def_property_readonly(
            "y", [](const problem& p) { return numbers(p, [](const auto& e) { return e.y; }); },
            "The side of each example, 1 or -1.")
        .def_property_readonly(
            "penalty", [](const problem& p) { return numbers(p, [](const auto& e) { return e.C; }); },
            "C of each example, weights included.")
        .def_property_readonly(
            "alpha", [](const problem& p) { return numbers(p, [](const auto& e) { return e.alpha; }); },
            "The multiplier of each example.")
        .def_property_readonly(
            "beta", [](const problem& p) { return numbers(p, [](const auto& e) { return e.beta; }); },
            "C - alpha of each example.")
        .def_property_readonly(
            "slack", [](const problem& p) { return numbers(p, [](const auto& e) { return e.slack; }); },
            "max(0, 1 - y f) of each example.")
        .def_property_readonly(
            "f", [](const problem& p) { return numbers(p, [](const auto& e) { return e.f; }); },
            "The decision for each example.")
        .def_property_readonly(
            "case", [](const problem& p) { return words(p, [](const auto& e) { return name(e.kind); }); },
            "'zero' (alpha = 0), 'free' or 'bound' (alpha = C) for each example.")
        .def_property_readonly(
            "side", [](const problem& p) { return words(p, [](const auto& e) { return name(e.side); }); },
            "'outside' the margin, 'on' it, 'inside' or 'misclassified' for each example.")
        .def_property_readonly("counts", &counts, "How many examples there are of each case and side.")
        .def_readonly("margin", &problem::margin, "1/||w||.")
        .def_readonly("norm", &problem::norm, "||w||.")
        .def_property_readonly(
            "w",
            [](const problem& p) -> py::object { return p.normal ? py::object(to_numpy(p.normal->w)) : py::none(); },
            "w where the features of the kernel are few enough to write down, else None.")
        .def_property_readonly(
            "feature_names",
            [](const problem& p) -> py::object { return p.normal ? py::cast(p.normal->names) : py::none(); },
            "Names of the entries of w, or None.")
        .def_readonly("b", &problem::b, "The offset of f.")
        .def_property_readonly(
            "interval", [](const problem& p) { return py::make_tuple(p.b_low, p.b_high); },
            "The offsets that are equally optimal.")
        .def_readonly("margin_vectors", &problem::margin_vectors, "How many free support vectors b is the mean of.")
        .def_readonly("primal", &problem::primal, "The primal objective.")
        .def_readonly("dual", &problem::dual, "The dual objective.")
        .def_property_readonly("gap", &problem::duality_gap,
                               "Primal less dual: both are from the optimum by at most this.")
        .def_readonly("solver_gap", &problem::solver_gap, "The gap of the most violating pair, measured here.")
        .def_property_readonly("kkt", &conditions, "The conditions of optimality by name.")
        .def_property_readonly("optimal", &problem::optimal, "Whether all of them hold.")
        .def_property_readonly("n_support", &problem::support, "How many examples have alpha > 0.")
        .def_property_readonly(
            "loo_bound", &problem::loo_bound,
            "The share of support vectors: the leave-one-out error is at most this. None: see no_bounds.")
        .def_readonly("no_bounds", &problem::no_bounds,
                      "Why no bound follows from this model; empty where it is the optimum of a convex problem.")
        .def_property_readonly(
            "radius",
            [](const problem& p) -> py::object {
                return p.ball ? py::object(py::float_(p.ball->radius())) : py::none();
            },
            "Of the smallest ball in feature space that holds the examples; None where it was not asked for.")
        .def_readonly("dimension", &problem::dimension, "Of the feature space where it is finite, else None.")
        .def_readonly("vc_bound", &problem::vc_bound,
                      "min(ceil(radius^2/margin^2), dimension) + 1, or None without the radius or an optimum.");
}

}  // namespace

void bind_report(py::module_& m) {
    bind_problem(m);
    m.def("margin_report", &report);
    py::class_<told_report>(m, "ToldReport")
        .def_property_readonly("kernel", [](const told_report& r) { return r.report.kernel_text; })
        .def_property_readonly("proven", [](const told_report& r) { return r.report.proven; })
        .def_property_readonly("n", [](const told_report& r) { return r.report.n; })
        .def_property_readonly("accuracy", [](const told_report& r) { return r.report.accuracy(); })
        .def_property_readonly("support", [](const told_report& r) { return r.report.support; })
        .def_property_readonly("loo_bound", [](const told_report& r) { return r.report.loo_bound(); })
        .def_property_readonly("no_bounds", [](const told_report& r) { return r.report.no_bounds(); })
        .def_property_readonly(
            "error_trouble",
            [](const told_report& r) { return r.report.estimate ? r.report.estimate->ended.trouble() : std::string(); })
        .def_property_readonly("error",
                               [](const told_report& r) -> py::object {
                                   if (!r.report.estimate) return py::none();
                                   return py::make_tuple(r.report.estimate->method, r.report.estimate->rate(),
                                                         r.report.estimate->fits);
                               })
        .def_property_readonly("problems", [](const told_report& r) { return r.report.problems; })
        .def("text", [](const told_report& r) { return report_text(r.report, r.about); })
        .def("json", [](const told_report& r) { return report_json(r.report, r.about); })
        .def("html", [](const told_report& r) { return report_html(r.report, r.about, r.page); });
}

}  // namespace mercer::python
