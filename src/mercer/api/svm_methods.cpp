// Support vector machines as methods: svc, nu_svc, svr, nu_svr, one_class.
#include <fmt/format.h>

#include "mercer/api/described.h"
#include "mercer/methods/svm/files/libsvm_model.h"
#include "mercer/methods/svm/files/model_file.h"
#include "mercer/methods/svm/methods.h"
#include "mercer/selection/calibrate.h"

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
        std::string out = trouble_of(m_.worst_status(), "max_seconds, or take a larger tol", m_.largest_gap());
        if (calibration_.unfinished > 0) out += (out.empty() ? "" : "; ") + ("behind the probabilities, " + calibration_.trouble());
        return out;
    }

private:
    svm_model m_;
    inner_fits calibration_;  // only known right after the fit
};

template <class Method>
constexpr svm_task task_of = std::is_same_v<Method, svc>      ? svm_task::c_svc
                             : std::is_same_v<Method, nu_svc> ? svm_task::nu_svc
                             : std::is_same_v<Method, svr>    ? svm_task::epsilon_svr
                             : std::is_same_v<Method, nu_svr> ? svm_task::nu_svr
                                                              : svm_task::one_class;

template <class Method>
std::shared_ptr<const fitted> make(const Method& m, const fit_task& t) {
    svm_options o;
    o.task = task_of<Method>;
    if constexpr (requires { m.C; }) o.C = m.C;
    if constexpr (requires { m.nu; }) o.nu = m.nu;
    if constexpr (requires { m.epsilon; }) o.epsilon = m.epsilon;
    o.tol = m.tol;
    if (m.max_seconds > 0) o.most_seconds = m.max_seconds;
    if (t.memory_bytes) o.memory_bytes = t.memory_bytes;
    if constexpr (requires { m.multiclass; })
        if (m.multiclass == "ovr") o.classes = multiclass::one_vs_rest;
    if (t.progress)
        o.progress = [&](const svm_progress& p) {
            // the solver guesses its own end: the share is that of time
            const double spent = p.solver.seconds, all = spent + p.solver.seconds_left;
            const double share = all > 0 && p.solver.seconds_left >= 0 && all < 1e9 ? spent / all : 0;
            const auto parts = static_cast<double>(p.problems);
            return t.progress(
                {"training", static_cast<index>(1000 * (static_cast<double>(p.problem) + share)), static_cast<index>(1000 * parts), p.solver.gap});
        };
    svm_model made = fit_svm(*t.k, t.data.x, t.data.y, o);
    inner_fits calibration;
    if constexpr (requires { m.probability; }) {
        made.class_names = t.data.class_names;
        o.progress = {};
        if (m.probability) calibration = calibrate(made, *t.k, t.data.x, t.data.y, o);
    }
    return std::make_shared<svm_fitted>(std::move(made), calibration);
}

constexpr auto parse = parsed<svm_fitted, parse_model>;

}  // namespace

std::vector<method> svm_methods() {
    return {entry<svc>(make, parse), entry<nu_svc>(make, parse), entry<svr>(make, parse), entry<nu_svr>(make, parse), entry<one_class>(make, parse)};
}

}  // namespace mercer::api
