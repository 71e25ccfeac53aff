#include "mercer/methods/svm/svm_estimator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/memory.h"

namespace mercer::api {
namespace {

summary summary_of(const svm_report& r) {
    summary out{{"status", name(r.status)},
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

}  // namespace

svm_estimator::svm_estimator(svm_model m, inner_fits calibration)
    : estimator_of(std::move(m)), calibration_(calibration), has_function_(m_.k && has_user_function(*m_.k)) {}

target_kind svm_estimator::prediction_kind() const {
    return m_.is_classifier()               ? target_kind::classes
           : m_.task == svm_task::one_class ? target_kind::sides
                                            : target_kind::values;
}

std::vector<double> svm_estimator::predict(const examples& x) const {
    // With a user's function only in double: its calls dominate the time, so a first pass in float would not pay.
    return x.visit(
        [&](const dataset& some) { return has_function_ ? predict_exactly(m_, some) : mercer::predict(m_, some); },
        [&](const auto& K) { return predict_precomputed(m_, K); });
}
matrix<double> svm_estimator::decide(const examples& x) const {
    return x.visit([&](const dataset& some) { return mercer::decide(m_, some, arithmetic::exact); },
                   [&](const auto& K) { return decide_precomputed(m_, K); });
}
matrix<double> svm_estimator::scores(const examples& x) const {
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
matrix<double> svm_estimator::probabilities(const examples& x) const {
    if (!m_.probability)
        fail(errc::unsupported, "the model was fitted without probabilities: fit it again with probability=true");
    return predict_probability(m_, decide(x).view());
}
columns svm_estimator::details(const examples& x) const { return behind(decide(x)); }
detailed_predictions svm_estimator::predict_with_details(const examples& x) const {
    matrix<double> f = decide(x);
    std::vector<double> found = mercer::predict(m_, f.view());
    return {std::move(found), behind(std::move(f))};
}
columns svm_estimator::behind(matrix<double> f) const {
    if (m_.probability && m_.is_classifier()) return {predict_probability(m_, f.view()), label_names("p", m_.classes)};
    std::vector<std::string> names =
        f.cols() == 1 ? std::vector<std::string>{"decision"} : numbered_names("decision", f.cols());
    return {std::move(f), std::move(names)};
}

summary svm_estimator::summarise() const {
    double objective = 0;
    std::int64_t steps = 0;
    for (const auto& report : m_.reports) {
        objective += report.objective;
        steps += report.steps;
    }
    summary out{{"status", name(m_.worst_status())},
                {"gap", m_.largest_gap()},
                {"objective", objective},
                {"steps", steps},
                {"support_vectors", m_.coef.cols()},
                {"training_size", m_.training_size}};
    if (m_.is_classifier()) out.add("support_vectors_of_classes", m_.class_support);
    if (m_.task == svm_task::nu_svr && !m_.reports.empty()) out.add("epsilon", m_.reports[0].epsilon);
    return out;
}

std::string svm_estimator::warning() const {
    const fit_status end = m_.worst_status();
    std::string out = fit_warning(
        end, end == fit_status::step_limit ? "max_iter, or take a larger tol" : "max_seconds, or take a larger tol",
        m_.largest_gap());
    if (const std::string none = without_margin(); !none.empty()) out += (out.empty() ? "" : "; ") + none;
    if (calibration_.unfinished > 0)
        out += (out.empty() ? "" : "; ") + ("in the fit of the probabilities, " + calibration_.warning());
    return out;
}

std::optional<kernel_expansion> svm_estimator::kernel_expansions() const {
    kernel_expansion f{m_.k,      m_.support,      m_.support_rows, matrix<double>(m_.coef.cols(), m_.problems()),
                       m_.offset, m_.training_size};
    for_each_coefficient(m_, [&](index s, index problem, double coef) { f.coef(s, problem) = coef; });
    return f;
}
part_value svm_estimator::part(std::string_view name) const {
    if (name == "coef") return m_.coef;
    if (name == "offset") return m_.offset;
    if (name == "objects") return m_.support;
    if (name == "support") return m_.support_rows;
    if (name == "weights") return linear_weights(m_);
    if (name == "finite") return finite();
    if (name == "reports") {
        std::vector<summary> out;
        for (const svm_report& each : m_.reports) out.push_back(summary_of(each));
        return out;
    }
    if (name == "sigmoid_slopes") return m_.probability ? m_.probability->A : std::vector<double>{};
    if (name == "sigmoid_offsets") return m_.probability ? m_.probability->B : std::vector<double>{};
    if (name == "calibration_trouble") return calibration_.warning();
    if (name == "without_margin") return without_margin();
    return estimator_of::part(name);
}

// A warning about problems of ν-classification without a margin; empty if all have one.
std::string svm_estimator::without_margin() const {
    if (!m_.lacks_margin()) return {};
    const index without = std::ranges::count_if(m_.reports, &svm_report::no_margin);
    const std::string which = m_.problems() == 1 ? "the classes"
                              : !m_.report_of(0)
                                  ? fmt::format("some of {} problems of two classes", m_.problems())
                                  : fmt::format("{} of {} problems of two classes", without, m_.problems());
    return fmt::format(
        "{} have no margin: they overlap so much that the optimum for this nu is w = 0, and the decision values are "
        "meaningless; take a larger nu, a richer kernel, or C-classification (svc)",
        which);
}
bool svm_estimator::finite() const {
    const auto is_finite = [](double v) { return std::isfinite(v); };
    return std::all_of(m_.coef.data(), m_.coef.data() + m_.coef.rows() * m_.coef.cols(), is_finite) &&
           std::ranges::all_of(m_.offset, is_finite);
}

estimator_ptr make_estimator(svm_model m) { return std::make_shared<const svm_estimator>(std::move(m)); }

fit_progress as_progress(const svm_progress& p) {
    const smo_progress& now = p.solver;
    // The fraction of this problem is that of the time, from the solver's estimate of the remaining time.
    const double all = now.seconds + now.seconds_left;
    const double share = all > 0 && now.seconds_left >= 0 && all < 1e9 ? now.seconds / all : 0;
    const double done = 1000 * (static_cast<double>(p.problem) + share);
    fit_progress out{"training", static_cast<index>(done), 1000 * p.problems, now.gap, now.seconds, now.seconds_left};
    out.problem = p.problem, out.problems = p.problems;
    out.steps = now.steps, out.rounds = now.rounds;
    out.active = now.active, out.size = now.size;
    return out;
}

std::size_t row_bytes(const dataset& x, std::size_t allowed) {
    svm_options none;
    none.memory_bytes = 0;
    const std::size_t fixed = fit_memory(kernel::parse("linear()"), x, none), least = std::size_t{1} << 20;
    return allowed > fixed + 2 * least ? (allowed - fixed) / 5 * 4 : least;
}

std::size_t user_bytes(const fit_control& control) {
    if (control.max_bytes) return control.max_bytes;
    return physical_memory() / 4;
}

estimator_ptr trained(svm_solver solver, const kernel& k, const fit_call& t, const train_options& o) {
    svm_model made = train_svm(solver, k, t.x.objects(), t.targets(), o).model;
    made.class_names = t.class_names;
    return std::make_shared<const svm_estimator>(std::move(made));
}

}  // namespace mercer::api
