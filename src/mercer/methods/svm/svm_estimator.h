// The estimator of an svm_model, which front ends use, and the functions by which the methods svc, nu_svc, svr, nu_svr,
// one_class, linear_svc and pegasos convert their options to those of the solvers. It contains no numerics.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/methods/method.h"
#include "mercer/methods/svm/calibrated_fit.h"
#include "mercer/methods/svm/svm_model.h"
#include "mercer/methods/svm/svm_solvers.h"

namespace mercer {
struct nu_svc;
struct svr;
struct nu_svr;
struct one_class;
}  // namespace mercer

namespace mercer::api {

class svm_estimator final : public estimator_of<svm_model> {
public:
    explicit svm_estimator(svm_model m, inner_fits calibration = {});
    std::string kernel_text() const override { return m_.kernel_text; }
    target_kind prediction_kind() const override;
    std::vector<double> predict(const examples& x) const override;
    matrix<double> decide(const examples& x) const override;
    // Computed in batches whose decisions take at most 64 MB.
    matrix<double> scores(const examples& x) const override;
    matrix<double> probabilities(const examples& x) const override;
    columns details(const examples& x) const override;
    detailed_predictions predict_with_details(const examples& x) const override;
    summary summarise() const override;
    std::string warning() const override;
    std::optional<kernel_expansion> kernel_expansions() const override;
    part_value part(std::string_view name) const override;

private:
    columns behind(matrix<double> f) const;
    std::string without_margin() const;
    bool finite() const;

    inner_fits calibration_;  // known only after a fit, not in a model file
    bool has_function_;
};

estimator_ptr make_estimator(svm_model m);

template <class Method>
constexpr svm_task task_of = std::is_same_v<Method, nu_svc>      ? svm_task::nu_svc
                             : std::is_same_v<Method, svr>       ? svm_task::epsilon_svr
                             : std::is_same_v<Method, nu_svr>    ? svm_task::nu_svr
                             : std::is_same_v<Method, one_class> ? svm_task::one_class
                                                                 : svm_task::c_svc;

fit_progress as_progress(const svm_progress& p);
// The bytes for the kernel rows of the solver, if the whole fit may use `allowed` bytes.
std::size_t row_bytes(const dataset& x, std::size_t allowed);
// The bytes for the kernel matrix of a user's function.
std::size_t user_bytes(const fit_control& control);
// Fits a model with the given solver and returns its estimator.
estimator_ptr trained(svm_solver solver, const kernel& k, const fit_call& t, const train_options& o);

template <class Method>
svm_options options_of(const Method& m, const fit_call& t) {
    auto o = t.common<svm_options>(m);
    o.task = task_of<Method>;
    if constexpr (requires { m.nu; }) o.nu = m.nu;
    if constexpr (requires { m.epsilon; }) o.epsilon = m.epsilon;
    if constexpr (requires { m.shrinking; }) o.shrinking = m.shrinking;
    o.class_weight_of_C = true;
    o.canonical_order = t.canonical_order();
    o.max_seconds = m.max_seconds > 0 ? std::min(m.max_seconds, t.control.seconds) : t.control.seconds;
    if (t.control.max_bytes)
        o.memory_bytes = t.x.is_matrix() ? t.control.max_bytes : row_bytes(t.x.objects(), t.control.max_bytes);
    if (t.control.progress) o.progress = [&](const svm_progress& p) { return t.control.progress(as_progress(p)); };
    return o;
}

// The options of the descent methods and the quadratic programs. For max_iter < 0 each solver has its own limit,
// because stochastic descent may not reach a tolerance that the others reach quickly.
train_options train_options_of(const auto& m, const fit_call& t) {
    train_options o;
    o.svm = options_of(m, t);
    if (!t.control.memory_bytes) o.svm.memory_bytes = std::size_t{1} << 30;
    o.coordinate.tol = o.pegasos.tol = m.tol;
    o.coordinate.seed = o.pegasos.seed = static_cast<std::uint64_t>(m.seed);
    if (m.max_iter >= 0) {
        o.qp.max_steps = std::min<std::int64_t>(m.max_iter, o.qp.max_steps);
        o.coordinate.max_epochs = o.pegasos.max_epochs = m.max_iter;
    }
    if (t.control.max_bytes) o.qp_bytes = static_cast<double>(t.control.max_bytes);
    return o;
}

template <class Method>
estimator_ptr fit_by_smo(const Method& m, const fit_call& t) {
    if constexpr (requires { m.solver; }) {
        if (m.solver != "smo") {
            train_options o = train_options_of(m, t);
            if (m.multiclass == "ovr") o.svm.classes = multiclass::one_vs_rest;
            return trained(find_svm_solver(m.solver), *t.k, t, o);
        }
    }
    svm_options o = options_of(m, t);
    if (m.max_iter >= 0) o.max_steps = m.max_iter;
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
    return std::make_shared<const svm_estimator>(std::move(made.model), made.calibration);
}

}  // namespace mercer::api
