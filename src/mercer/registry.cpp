#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "mercer/base/communicator.h"
#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/base/threads.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/methods/clustering/kernel_kmeans.h"
#include "mercer/methods/clustering/kernel_kmedoids.h"
#include "mercer/methods/components/kernel_fisher.h"
#include "mercer/methods/components/kernel_pca.h"
#include "mercer/methods/method.h"
#include "mercer/methods/neighbours/kernel_density.h"
#include "mercer/methods/neighbours/knn.h"
#include "mercer/methods/neighbours/nearest_class.h"
#include "mercer/methods/nystroem/nystroem_features.h"
#include "mercer/methods/nystroem/nystroem_kmeans.h"
#include "mercer/methods/nystroem/nystroem_logistic.h"
#include "mercer/methods/nystroem/nystroem_ridge.h"
#include "mercer/methods/nystroem/nystroem_spectral.h"
#include "mercer/methods/nystroem/nystroem_svc.h"
#include "mercer/methods/nystroem/training_rows.h"
#include "mercer/methods/random_features/random_features.h"
#include "mercer/methods/regression/kernel_logistic.h"
#include "mercer/methods/regression/kernel_ridge.h"
#include "mercer/methods/regression/representer.h"
#include "mercer/methods/regression/ridge.h"

namespace mercer::api {

const std::vector<method>& methods() {
    static const std::vector<method> all = [] {
        std::vector<method> out = svm_methods();
        for (auto part : {ridge_method,
                          kernel_ridge_method,
                          kernel_logistic_method,
                          representer_method,
                          knn_method,
                          knn_regression_method,
                          nearest_centroid_method,
                          nearest_medoid_method,
                          kernel_kmeans_method,
                          kernel_kmedoids_method,
                          nystroem_kmeans_method,
                          nystroem_spectral_method,
                          kernel_pca_method,
                          kernel_fisher_method,
                          kernel_density_method,
                          nystroem_ridge_method,
                          nystroem_logistic_method,
                          nystroem_svc_method,
                          nystroem_pca_method,
                          nystroem_method,
                          random_features_method})
            out.push_back(part());
        for (method& each : cell_methods()) out.push_back(std::move(each));
        std::ranges::stable_sort(out, {}, &method::family);
        return out;
    }();
    return all;
}

namespace {

void check_checkpoint(const method& m, const fit_control& control) {
    if (!control.checkpoint.path.empty() && !m.keeps_checkpoints)
        fail(errc::unsupported, fmt::format("{} keeps no checkpoint; there are checkpoints of {}", m.name,
                                            joined(methods_with_checkpoints(), ", ")));
}

}  // namespace

std::vector<std::string> methods_by_passes() {
    std::vector<std::string> out;
    for (const method& each : methods())
        if (each.fit_rows) out.push_back(each.name);
    return out;
}
std::vector<std::string> methods_of_processes() {
    std::vector<std::string> out;
    for (const method& each : methods())
        if (each.fit_rows && !each.one_process) out.push_back(each.name);
    return out;
}
std::vector<std::string> methods_with_checkpoints() {
    std::vector<std::string> out;
    for (const method& each : methods())
        if (each.keeps_checkpoints)
            out.push_back(each.checkpoints_where.empty() ? each.name : each.name + " with " + each.checkpoints_where);
    return out;
}

const method& find_method(std::string_view name) {
    const std::string wanted = plain_name(name);
    for (const method& each : methods())
        if (each.name == wanted || std::ranges::find(each.aliases, wanted) != each.aliases.end()) return each;
    std::vector<std::string> known;
    std::string there;
    for (const method& each : methods()) {
        known.push_back(each.name);
        known.insert(known.end(), each.aliases.begin(), each.aliases.end());
        there += (there.empty() ? "" : ", ") + each.name;
    }
    const std::string near = nearest_name(wanted, known);
    fail(errc::invalid_argument, near.empty() ? fmt::format("there is no method '{}': there are {}", name, there)
                                              : fmt::format("there is no method '{}', did you mean {}? There are {}",
                                                            name, find_method(near).name, there));
}

std::string kernel_twin(const method& m) {
    const std::string twin = "kernel_" + m.name;
    return std::ranges::find(methods(), twin, &method::name) != methods().end() ? twin : "svc";
}

std::string help(const method& m) {
    std::string out = fmt::format("{}: {}\n  {}\n", m.name, m.about, m.formula);
    for (const auto& o : m.options)
        out += fmt::format("  {:<22} {:<34} {}\n", o.name + (o.initial.empty() ? "" : " = " + o.initial), o.condition(),
                           o.about);
    return out;
}

fitted_ptr fit(const method& m, const option_values& options, fit_task task, const fit_control& control) {
    check_checkpoint(m, control);
    const thread_limit limit(control.threads);
    fit_watch watch(control);
    // Where a step is long its loops listen too, and end a moment after the time is over. Methods with the option see
    // to the time themselves.
    const bool own_clock = std::ranges::find(m.options, "max_seconds", &option_info::name) != m.options.end();
    std::optional<stop_scope> late;
    if (std::isfinite(control.seconds) && !own_clock)
        late.emplace([ask = watch.callback(),
                      end = std::chrono::steady_clock::now() +
                            std::chrono::duration<double>(control.seconds + std::max(1.0, 0.1 * control.seconds))] {
            return std::chrono::steady_clock::now() > end && !ask({});
        });
    try {
        return m.fit({std::move(task), options, control, watch});
    } catch (const error& problem) {
        if (problem.code() == errc::cancelled && watch.ended(fit_status::cancelled) == fit_status::time_limit)
            fail(errc::cancelled, fmt::format("{}: the time limit was reached before there was a model", m.name));
        throw;
    }
}

fitted_ptr fit(const method& m, const option_values& options, const passes_task& task, const fit_control& control) {
    check_checkpoint(m, control);
    const thread_limit limit(control.threads);
    fit_watch watch(control);
    return m.fit_rows({{matrix_view<const double>(), task.y, nullptr, task.sample_weight, task.class_weight},
                       options,
                       control,
                       watch,
                       task.x.processes()},
                      task.x);
}

fit_status fit_call::ended(fit_status of) const {
    of = watch.ended(of);
    // The clock of one process stops all of them, and all say so.
    return everywhere(processes, of != fit_status::time_limit) ? of : fit_status::time_limit;
}

std::vector<double> fitted::predict(const examples&) const {
    fail(errc::unsupported, "this method does not predict: it transforms");
}
matrix<double> fitted::decide(const examples&) const {
    fail(errc::unsupported, "this method has no functions behind its predictions");
}
matrix<double> fitted::scores(const examples&) const {
    fail(errc::unsupported, "this method has no scores of classes");
}
matrix<double> fitted::probabilities(const examples&) const {
    fail(errc::unsupported, "this method has no probabilities");
}
columns fitted::details(const examples&) const {
    fail(errc::unsupported, "this method has nothing behind its predictions to show");
}
explained fitted::predict_with_details(const examples& x) const {
    explained out{predict(x), {}};
    try {
        out.details = details(x);
    } catch (const error& none) {
        if (none.code() != errc::unsupported) throw;
    }
    return out;
}
columns fitted::transform(const examples&) const {
    fail(errc::unsupported, "this method does not transform: it predicts");
}
part_value fitted::part(std::string_view) const { return {}; }

std::string trouble_of(fit_status status, const char* options, std::optional<double> gap) {
    const std::string reached = gap ? fmt::format(", the gap is {:.3g}", *gap) : "";
    switch (status) {
        case fit_status::converged: return {};
        case fit_status::stationary:
            return "the kernel matrix is not positive semidefinite: this need not be the best solution; see `mercer "
                   "kernel test`";
        case fit_status::unbounded:
        case fit_status::infeasible:
            return "there is no solution: without a bound on the errors the classes cannot be separated; give a finite "
                   "C with --set";
        case fit_status::stalled:
            if (gap)
                return fmt::format(
                    "not converged: rounding, or too little memory for a better method, keeps the gap at {:.3g}; scale "
                    "the "
                    "data, allow more memory, or take a larger tol, with --set",
                    *gap);
            return "not converged: no further progress in floating point, or the kernel matrix is not positive "
                   "semidefinite (`mercer kernel test`)";
        default: return fmt::format("not converged ({}{}): raise {}, with --set", in_words(status), reached, options);
    }
}

matrix<double> one_column(const std::vector<double>& y) {
    matrix<double> out(static_cast<index>(y.size()), 1);
    std::ranges::copy(y, out.data());
    return out;
}

std::vector<double> first_column(const matrix<double>& values) {
    std::vector<double> out;
    out.reserve(static_cast<std::size_t>(values.rows()));
    for (index i = 0; i < values.rows(); ++i) out.push_back(values(i, 0));
    return out;
}

std::vector<std::string> label_names(std::string_view what, const std::vector<double>& labels) {
    std::vector<std::string> out;
    for (const double label : labels) out.push_back(fmt::format("{}({})", what, number_text(label)));
    return out;
}

std::vector<std::string> numbered(std::string_view what, index count) {
    std::vector<std::string> out;
    for (index i = 0; i < count; ++i) out.push_back(fmt::format("{}{}", what, i + 1));
    return out;
}

}  // namespace mercer::api
