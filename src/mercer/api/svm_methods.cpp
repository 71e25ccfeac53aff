// Support vector machines as methods: svc, nu_svc, svr, nu_svr, one_class.
#include <fmt/format.h>

#include "mercer/api/method.h"
#include "mercer/estimators/libsvm_model.h"
#include "mercer/estimators/model_file.h"

namespace mercer::api {
namespace {

class svm_fitted final : public fitted {
public:
    explicit svm_fitted(svm_model m, inner_fits calibration = {}) : m_(std::move(m)), calibration_(calibration) {}
    std::string bytes() const override { return model_bytes(m_); }
    std::string kernel_text() const override { return m_.kernel_text; }
    answer gives() const override { return m_.is_classifier() ? answer::classes : m_.task == svm_task::one_class ? answer::sides : answer::values; }
    std::vector<double> predict(const dataset& x) const override { return mercer::predict(m_, x); }
    std::vector<double> classes() const override { return m_.classes; }

    columns details(const dataset& x) const override {
        if (m_.probability && m_.is_classifier()) return {predict_probability(m_, x), label_names("p", m_.classes)};
        columns out{decide(m_, x, arithmetic::exact), {}};
        for (index c = 0; c < out.values.cols(); ++c) out.names.push_back(out.values.cols() == 1 ? "decision" : fmt::format("decision{}", c + 1));
        return out;
    }

    figures about() const override {
        figures out;
        out.add("status", name(m_.worst_status()));
        out.add("gap", m_.largest_gap());
        double objective = 0;
        std::int64_t steps = 0;
        for (const auto& report : m_.reports) {
            objective += report.objective;
            steps += report.steps;
        }
        out.add("objective", objective);
        out.add("steps", steps);
        out.add("support_vectors", std::int64_t{m_.coef.cols()});
        out.add("training_size", std::int64_t{m_.training_size});
        if (m_.is_classifier()) out.add("support_vectors_of_classes", std::vector<std::int64_t>(m_.class_support.begin(), m_.class_support.end()));
        if (m_.task == svm_task::nu_svr && !m_.reports.empty()) out.add("epsilon", m_.reports[0].epsilon);
        return out;
    }

    std::string trouble() const override {
        const smo_status end = m_.worst_status();
        std::string out;
        if (end == smo_status::stationary)
            out = not_definite;
        else if (end == smo_status::unbounded)
            out = "there is no solution: without a bound on the errors the classes cannot be separated; give a finite C with --set";
        else if (end == smo_status::stalled)
            out = fmt::format("not converged: rounding keeps the gap at {:.3g}; scale the data, or take a larger tol, with --set", m_.largest_gap());
        else if (!finished(end))
            out = fmt::format("not converged ({}, the gap is {:.3g}): raise max_seconds, or take a larger tol, with --set", name(end), m_.largest_gap());
        if (calibration_.unfinished > 0) out += (out.empty() ? "" : "; ") + ("behind the probabilities, " + calibration_.trouble());
        return out;
    }

private:
    svm_model m_;
    inner_fits calibration_;  // only known right after the fit
};

std::shared_ptr<const fitted> fit_task_of(svm_task task, const fit_task& t) {
    svm_options o;
    o.task = task;
    if (task != svm_task::nu_svc && task != svm_task::one_class) o.C = t.options.number("C");
    if (task == svm_task::nu_svc || task == svm_task::nu_svr || task == svm_task::one_class) o.nu = t.options.number("nu");
    if (task == svm_task::epsilon_svr) o.epsilon = t.options.number("epsilon");
    o.tol = t.options.number("tol");
    if (const double most = t.options.number("max_seconds"); most > 0) o.most_seconds = most;
    if (t.memory_bytes) o.memory_bytes = t.memory_bytes;
    const bool classifies = task == svm_task::c_svc || task == svm_task::nu_svc;
    if (classifies && t.options.choice("multiclass") == "ovr") o.classes = multiclass::one_vs_rest;
    if (t.progress)
        o.progress = [&](const svm_progress& p) {
            // the solver guesses its own end: the share is that of time
            const double spent = p.solver.seconds, all = spent + p.solver.seconds_left;
            const double share = all > 0 && p.solver.seconds_left >= 0 && all < 1e9 ? spent / all : 0;
            const auto parts = static_cast<double>(p.problems);
            return t.progress(
                {"training", static_cast<index>(1000 * (static_cast<double>(p.problem) + share)), static_cast<index>(1000 * parts), p.solver.gap});
        };
    svm_model m = fit_svm(*t.k, t.data.x, t.data.y, o);
    if (classifies) m.class_names = t.data.class_names;
    inner_fits calibration;
    if (classifies && t.options.flag("probability")) {
        o.progress = {};
        calibration = calibrate(m, *t.k, t.data.x, t.data.y, o);
    }
    return std::make_shared<svm_fitted>(std::move(m), calibration);
}

method svm_method(svm_task task, std::string name, std::vector<std::string> aliases, method_family family, std::string about, std::string formula,
                  answer targets) {
    const option_info C = number("C", "1", "price of an error; inf: none allowed", 0, true, std::numeric_limits<double>::infinity(), false);
    const option_info nu = number("nu", "0.5", "bound on the share of errors, and below it on that of support vectors", 0, true, 1, false);
    std::vector<option_info> options;
    if (task != svm_task::nu_svc && task != svm_task::one_class) options.push_back(C);
    if (task == svm_task::nu_svc || task == svm_task::nu_svr || task == svm_task::one_class) options.push_back(nu);
    if (task == svm_task::epsilon_svr) options.push_back(number("epsilon", "0.1", "half the width of the tube in which errors cost nothing", 0));
    options.push_back(number("tol", "0.001", "the gap at which training ends", 0, true));
    options.push_back(number("max_seconds", "0", "stop after so long and keep what there is; 0: no limit", 0));
    if (family == method_family::classification) {
        options.push_back(choice("multiclass", {"ovo", "ovr"}, "more than two: each against each, or each against the rest"));
        options.push_back(flag("probability", false, "probabilities as well, by cross-validation"));
    }
    return {std::move(name),
            std::move(aliases),
            family,
            std::move(about),
            std::move(formula),
            "mercer-svm-model",
            targets,
            true,
            true,
            false,
            std::move(options),
            [task](const fit_task& t) { return fit_task_of(task, t); },
            [](std::string_view bytes, const std::string& file) { return std::make_shared<const svm_fitted>(parse_model(bytes, file)); }};
}

}  // namespace

std::vector<method> svm_methods() {
    return {svm_method(svm_task::c_svc, "svc", {"svm", "c_svc"}, method_family::classification, "support vector classification",
                       "min ½‖w‖² + C Σξᵢ, yᵢ(wᵀφ(xᵢ)+b) >= 1-ξᵢ", answer::classes),
            svm_method(svm_task::nu_svc, "nu_svc", {}, method_family::classification, "support vector classification with a bound on the errors",
                       "min ½‖w‖² - νρ + (1/n) Σξᵢ, yᵢ(wᵀφ(xᵢ)+b) >= ρ-ξᵢ", answer::classes),
            svm_method(svm_task::epsilon_svr, "svr", {"epsilon_svr"}, method_family::regression, "support vector regression",
                       "min ½‖w‖² + C Σξᵢ, |yᵢ-f(xᵢ)| <= ε+ξᵢ", answer::values),
            svm_method(svm_task::nu_svr, "nu_svr", {}, method_family::regression, "support vector regression that finds the width of its tube",
                       "as svr, with about νn examples outside the tube", answer::values),
            svm_method(svm_task::one_class, "one_class", {"one_class_svm"}, method_family::outliers, "the region that holds most of the objects",
                       "min ½‖w‖² - ρ + 1/(νn) Σξᵢ, wᵀφ(xᵢ) >= ρ-ξᵢ", answer::none)};
}

}  // namespace mercer::api
