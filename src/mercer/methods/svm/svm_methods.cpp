// Support vector machines as methods: svc, nu_svc, svr, nu_svr, one_class; linear_svc and pegasos by descent.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/memory.h"
#include "mercer/data/dataset.h"
#include "mercer/methods/method.h"
#include "mercer/methods/svm/calibrated_fit.h"
#include "mercer/methods/svm/methods.h"
#include "mercer/methods/svm/svm_model.h"
#include "mercer/methods/svm/svm_solvers.h"

namespace mercer::api {
namespace {

figures told(const svm_report& r) {
    figures out{{"status", name(r.status)},
                {"gap", r.gap},
                {"objective", r.objective},
                {"steps", r.steps},
                {"rounds", r.rounds},
                {"size", r.size},
                {"margin_vectors", r.margin_vectors},
                {"offset_low", r.offset_low},
                {"offset_high", r.offset_high},
                {"epsilon", r.epsilon},
                {"seconds", r.seconds}};
    if (r.C > 0) out.add({{"C", r.C}, {"no_margin", r.no_margin}});
    return out;
}

class svm_fitted final : public fitted_as<svm_model> {
public:
    explicit svm_fitted(svm_model m, inner_fits calibration = {})
        : fitted_as(std::move(m)), calibration_(calibration), has_function_(m_.k && has_user_function(*m_.k)) {}
    std::string kernel_text() const override { return m_.kernel_text; }
    answer gives() const override {
        return m_.is_classifier() ? answer::classes : m_.task == svm_task::one_class ? answer::sides : answer::values;
    }

    std::vector<double> predict(const examples& x) const override {
        // Twice in double rather than once in float and once more: a call of a user's function is what costs.
        return x.visit(
            [&](const dataset& some) { return has_function_ ? predict_exactly(m_, some) : mercer::predict(m_, some); },
            [&](const auto& K) { return predict_precomputed(m_, K); });
    }
    matrix<double> decide(const examples& x) const override {
        return x.visit([&](const dataset& some) { return mercer::decide(m_, some, arithmetic::exact); },
                       [&](const auto& K) { return decide_precomputed(m_, K); });
    }
    // From the decisions of as many rows at a time as take 64 MB.
    matrix<double> scores(const examples& x) const override {
        const index rows = std::max<index>(1, (index{1} << 23) / std::max<index>(1, m_.problems()));
        if (x.size() <= rows) return class_scores(m_, decide(x).view());
        matrix<double> out(x.size(), std::ssize(m_.classes));
        for (index first = 0; first < x.size(); first += rows) {
            const index count = std::min(rows, x.size() - first);
            const matrix<double> f =
                x.visit([&](const dataset& some) { return decide(examples(mercer::part(some, first, count))); },
                        [&](const auto& K) { return decide(examples(K.block(first, 0, count, K.cols))); });
            const matrix<double> some = class_scores(m_, f.view());
            std::copy_n(some.data(), count * some.cols(), out.row(first));
        }
        return out;
    }
    matrix<double> probabilities(const examples& x) const override {
        if (!m_.probability)
            fail(errc::unsupported, "the model was fitted without probabilities: fit it again with probability=true");
        return predict_probability(m_, decide(x).view());
    }
    columns details(const examples& x) const override { return behind(decide(x)); }
    explained predict_with_details(const examples& x) const override {
        matrix<double> f = decide(x);
        std::vector<double> found = mercer::predict(m_, f.view());
        return {std::move(found), behind(std::move(f))};
    }
    columns behind(matrix<double> f) const {
        if (m_.probability && m_.is_classifier())
            return {predict_probability(m_, f.view()), label_names("p", m_.classes)};
        std::vector<std::string> names =
            f.cols() == 1 ? std::vector<std::string>{"decision"} : numbered("decision", f.cols());
        return {std::move(f), std::move(names)};
    }

    figures about() const override {
        double objective = 0;
        std::int64_t steps = 0;
        for (const auto& report : m_.reports) {
            objective += report.objective;
            steps += report.steps;
        }
        figures out{{"status", name(m_.worst_status())},
                    {"gap", m_.largest_gap()},
                    {"objective", objective},
                    {"steps", steps},
                    {"support_vectors", m_.coef.cols()},
                    {"training_size", m_.training_size}};
        if (m_.is_classifier()) out.add("support_vectors_of_classes", m_.class_support);
        if (m_.task == svm_task::nu_svr && !m_.reports.empty()) out.add("epsilon", m_.reports[0].epsilon);
        return out;
    }

    std::string trouble() const override {
        const fit_status end = m_.worst_status();
        std::string out = trouble_of(
            end, end == fit_status::step_limit ? "max_iter, or take a larger tol" : "max_seconds, or take a larger tol",
            m_.largest_gap());
        if (const std::string none = without_margin(); !none.empty()) out += (out.empty() ? "" : "; ") + none;
        if (calibration_.unfinished > 0)
            out += (out.empty() ? "" : "; ") + ("behind the probabilities, " + calibration_.trouble());
        return out;
    }

    std::optional<kernel_expansion> sums() const override {
        kernel_expansion f{m_.k,      m_.support,      m_.support_rows, matrix<double>(m_.coef.cols(), m_.problems()),
                           m_.offset, m_.training_size};
        each_coefficient(m_, [&](index s, index problem, double coef) { f.coef(s, problem) = coef; });
        return f;
    }
    part_value part(std::string_view name) const override {
        if (name == "coef") return m_.coef;
        if (name == "offset") return m_.offset;
        if (name == "objects") return m_.support;
        if (name == "support") return m_.support_rows;
        if (name == "weights") return linear_weights(m_);
        if (name == "finite") return finite();
        if (name == "reports") {
            std::vector<figures> out;
            for (const svm_report& each : m_.reports) out.push_back(told(each));
            return out;
        }
        if (name == "sigmoid_slopes") return m_.probability ? m_.probability->A : std::vector<double>{};
        if (name == "sigmoid_offsets") return m_.probability ? m_.probability->B : std::vector<double>{};
        if (name == "calibration_trouble") return calibration_.trouble();
        if (name == "without_margin") return without_margin();
        return fitted_as::part(name);
    }

private:
    // ν-classification: what is wrong where classes have no margin; empty where all have one.
    std::string without_margin() const {
        if (!m_.lacks_margin()) return {};
        const index without = std::ranges::count_if(m_.reports, &svm_report::no_margin);
        const std::string which = m_.problems() == 1 ? "the classes"
                                  : !m_.report_of(0)
                                      ? fmt::format("some of {} problems of two classes", m_.problems())
                                      : fmt::format("{} of {} problems of two classes", without, m_.problems());
        return fmt::format(
            "{} have no margin: they overlap so much that the optimum is w = 0 for this nu, and decisions mean "
            "nothing; "
            "take a larger nu, a richer kernel, or C-classification (svc)",
            which);
    }
    bool finite() const {
        const auto is_finite = [](double v) { return std::isfinite(v); };
        return std::all_of(m_.coef.data(), m_.coef.data() + m_.coef.rows() * m_.coef.cols(), is_finite) &&
               std::ranges::all_of(m_.offset, is_finite);
    }
    inner_fits calibration_;  // only known right after the fit
    bool has_function_;
};

template <class Method>
constexpr svm_task task_of = std::is_same_v<Method, nu_svc>      ? svm_task::nu_svc
                             : std::is_same_v<Method, svr>       ? svm_task::epsilon_svr
                             : std::is_same_v<Method, nu_svr>    ? svm_task::nu_svr
                             : std::is_same_v<Method, one_class> ? svm_task::one_class
                                                                 : svm_task::c_svc;

fit_progress as_progress(const svm_progress& p) {
    const smo_progress& now = p.solver;
    // the solver guesses its own end: the share is that of time
    const double all = now.seconds + now.seconds_left;
    const double share = all > 0 && now.seconds_left >= 0 && all < 1e9 ? now.seconds / all : 0;
    const double done = 1000 * (static_cast<double>(p.problem) + share);
    fit_progress out{"training", static_cast<index>(done), 1000 * p.problems, now.gap, now.seconds, now.seconds_left};
    out.problem = p.problem, out.problems = p.problems;
    out.steps = now.steps, out.rounds = now.rounds;
    out.active = now.active, out.size = now.size;
    return out;
}

// The rows of the solver get what the rest of a fit leaves of the bytes allowed.
std::size_t row_bytes(const dataset& x, std::size_t allowed) {
    svm_options none;
    none.memory_bytes = 0;
    const std::size_t fixed = fit_memory(kernel::parse("linear()"), x, none), least = std::size_t{1} << 20;
    return allowed > fixed + 2 * least ? (allowed - fixed) / 5 * 4 : least;
}

template <class Method>
svm_options options_of(const Method& m, const fit_call& t) {
    auto o = t.common<svm_options>(m);
    o.task = task_of<Method>;
    if constexpr (requires { m.nu; }) o.nu = m.nu;
    if constexpr (requires { m.epsilon; }) o.epsilon = m.epsilon;
    if constexpr (requires { m.shrinking; }) o.shrinking = m.shrinking;
    o.class_weight_of_C = true;
    o.any_order = t.any_order();
    o.most_seconds = m.max_seconds > 0 ? std::min(m.max_seconds, t.control.seconds) : t.control.seconds;
    if (t.control.most_bytes)
        o.memory_bytes = t.x.is_matrix() ? t.control.most_bytes : row_bytes(t.x.objects(), t.control.most_bytes);
    if (t.control.progress) o.progress = [&](const svm_progress& p) { return t.control.progress(as_progress(p)); };
    return o;
}

// What descent and the quadratic programs are told beside the options that all solvers have; max_iter < 0: each has its
// own limit, for stochastic descent may take for ever to a tolerance that suits the others.
train_options train_options_of(const auto& m, const fit_call& t) {
    train_options o;
    o.svm = options_of(m, t);
    if (!t.control.memory_bytes) o.svm.memory_bytes = std::size_t{1} << 30;
    o.coordinate.tol = o.pegasos.tol = m.tol;
    o.coordinate.seed = o.pegasos.seed = static_cast<std::uint64_t>(m.seed);
    if (m.max_iter >= 0) {
        o.qp.most_steps = std::min<std::int64_t>(m.max_iter, o.qp.most_steps);
        o.coordinate.most_epochs = o.pegasos.most_epochs = m.max_iter;
    }
    if (t.control.most_bytes) o.qp_bytes = static_cast<double>(t.control.most_bytes);
    return o;
}

fitted_ptr trained(svm_solver solver, const kernel& k, const fit_call& t, const train_options& o) {
    svm_model made = fit_svm_with(solver, k, t.x.objects(), t.targets(), o).model;
    made.class_names = t.class_names;
    return std::make_shared<const svm_fitted>(std::move(made));
}

// Kernel values of a user's function may take this much.
std::size_t user_bytes(const fit_control& control) {
    if (control.most_bytes) return control.most_bytes;
    return physical_memory() / 4;
}

template <class Method>
fitted_ptr make(const Method& m, const fit_call& t) {
    if constexpr (requires { m.solver; }) {
        if (m.solver != "smo") {
            train_options o = train_options_of(m, t);
            if (m.multiclass == "ovr") o.svm.classes = multiclass::one_vs_rest;
            return trained(svm_solver_named(m.solver), *t.k, t, o);
        }
    }
    svm_options o = options_of(m, t);
    if (m.max_iter >= 0) o.most_steps = m.max_iter;
    calibration_plan plan;
    if constexpr (requires { m.multiclass; }) {
        if (m.multiclass == "ovr") o.classes = multiclass::one_vs_rest;
        plan = {m.probability ? 5 : 0, static_cast<std::uint64_t>(m.seed)};
    }
    const std::vector<double> all_inside(o.task == svm_task::one_class ? static_cast<std::size_t>(t.x.size()) : 0, 1.0);
    const std::span<const double> y = o.task == svm_task::one_class ? all_inside : t.targets();
    calibrated_fit made =
        t.x.visit([&](const dataset& x) { return fit_calibrated(*t.k, x, y, o, plan, user_bytes(t.control)); },
                  [&](const auto& K) { return fit_calibrated(K, y, o, plan); });
    made.model.class_names = t.class_names;
    return std::make_shared<const svm_fitted>(std::move(made.model), made.calibration);
}

fitted_ptr make_linear(const linear_svc& m, const fit_call& t) {
    train_options o = train_options_of(m, t);
    o.svm.classes = multiclass::one_vs_rest;
    o.constant = m.fit_intercept ? m.intercept_scaling : 0;
    o.keep_examples = false;
    o.l1_penalty = m.penalty == "l1";
    o.coordinate.loss = m.loss == "hinge" ? hinge_power::l1 : hinge_power::l2;
    if (!t.k || t.k->text() == "linear()")
        return trained(svm_solver::dual_coordinate_descent, kernel::parse("linear()"), t, o);
    if (o.l1_penalty)
        fail(errc::unsupported, fmt::format("linear_svc: penalty=l1 is for vectors, with {} w is kept as a sum over "
                                            "examples: take penalty=l2",
                                            t.k->text()));
    o.keep_examples = true;
    return trained(svm_solver::dual_coordinate_descent, *t.k, t, o);
}

fitted_ptr make_pegasos(const pegasos& m, const fit_call& t) {
    train_options o = train_options_of(m, t);
    o.svm.classes = multiclass::one_vs_rest;
    o.pegasos.batch = m.batch_size;
    o.pegasos.project = m.projection;
    o.pegasos.average = m.average;
    if (!m.fit_intercept) o.pegasos.offset = offset_rule::none;
    const bool linear = t.k->text() == "linear()";
    if (m.projection && !linear)
        fail(errc::invalid_argument,
             fmt::format("pegasos: projection has no effect with {}, only with the linear kernel", t.k->text()));
    return trained(linear ? svm_solver::pegasos : svm_solver::kernel_pegasos, *t.k, t, o);
}

}  // namespace

fitted_ptr as_fitted(svm_model m) { return std::make_shared<const svm_fitted>(std::move(m)); }

std::vector<method> svm_methods() {
    return {entry<svc, svm_fitted>(make),
            entry<nu_svc, svm_fitted>(make),
            entry<svr, svm_fitted>(make),
            entry<nu_svr, svm_fitted>(make),
            entry<one_class, svm_fitted>(make),
            entry<linear_svc, svm_fitted>(make_linear),
            entry<pegasos, svm_fitted>(make_pegasos)};
}

}  // namespace mercer::api
