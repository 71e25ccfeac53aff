#include "mercer/meta/learn_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mercer/base/error.h"
#include "mercer/base/json.h"
#include "mercer/base/threads.h"
#include "mercer/meta/kernel_alignment.h"
#include "mercer/meta/kernel_family.h"
#include "mercer/meta/multiple_kernels.h"
#include "mercer/meta/relevance.h"
#include "mercer/methods/fit_checks.h"
#include "mercer/model_selection/search_space.h"
#include "mercer/model_selection/search_strategy.h"
#include "mercer/preprocess/pipeline.h"

namespace mercer::api {
namespace {

constexpr std::size_t default_memory = std::size_t{2} << 30;

std::string default_sum(const dataset& x) {
    if (x.kind() != object_kind::vectors)
        fail(errc::invalid_argument,
             fmt::format("learn: write the kernels whose weights are to be learnt as a sum, as in --kernel '{}'",
                         "normalize(spectrum(k=2)) + normalize(spectrum(k=4))"));
    const double gamma = median_gamma(x);
    std::string out = "linear()";
    for (const double factor : {1.0 / 16, 1.0 / 4, 1.0, 4.0, 16.0})
        out += fmt::format(" + rbf(gamma={:.3g})", gamma * factor);
    return out;
}

void require_targets(const method& m, const char* by) {
    if (m.targets != target_kind::classes && m.targets != target_kind::values)
        fail(errc::unsupported, fmt::format("learn: method {} uses no targets, but by={} needs them{}", m.name, by,
                                            m.name == "one_class" ? ": take by=mkl" : ""));
}

svm_options machine_options(const method& m, const spec& s, const fit_control& control) {
    svm_options o;
    if (m.name == "svc")
        o.task = svm_task::c_svc;
    else if (m.name == "svr")
        o.task = svm_task::epsilon_svr;
    else if (m.name == "one_class")
        o.task = svm_task::one_class;
    else
        fail(errc::unsupported,
             fmt::format("learn: weights are learnt together with svc, svr or one_class; for {} take "
                         "--by alignment{}",
                         m.name, m.targets == target_kind::none ? "" : " or --by relevance"));
    const option_values given(m.name, m.options, s.options);
    if (o.task != svm_task::one_class) o.C = given.number("C");
    if (o.task == svm_task::epsilon_svr) o.epsilon = given.number("epsilon");
    if (o.task == svm_task::one_class) o.nu = given.number("nu");
    if (o.task == svm_task::c_svc && given.choice("multiclass") == "ovr") o.classes = multiclass::one_vs_rest;
    o.memory_bytes = std::max(control.memory_bytes, o.memory_bytes);
    o.max_seconds = control.seconds;
    return o;
}

void set_weights(learning& out, const kernel_family& family, const std::vector<double>& weights) {
    for (const kernel& k : family.parts()) out.names.push_back(k.text());
    out.weights = weights;
    out.weight_name = "weight";
    out.what.kernel = family.sum(weights).text();
}

void learn_with_machine(learning& out, const method& m, const table& data, const learn_options& options,
                        const fit_control& control) {
    multiple_kernel_options o;
    o.norm = options.norm;
    if (options.tol > 0) o.tol = options.tol;
    if (options.max_iter > 0) o.max_iter = options.max_iter;
    o.machine = machine_options(m, out.what, control);
    o.progress = control.progress;
    const kernel_family family(summands(out.what.kernel), data.x, options.balance,
                               control.memory_bytes ? control.memory_bytes : default_memory);
    const learnt_weights found = learn_weights(family, data.y, o);
    set_weights(out, family, found.weights);
    out.complete = is_optimal(found.status);
    out.about.add({{"status", name(found.status)},
                   {"gap", found.gap},
                   {"objective", found.objective},
                   {"bound", found.bound},
                   {"norm", options.norm},
                   {"machines", found.machines}});
}

void learn_by_alignment(learning& out, const method& m, const table& data, const learn_options& options,
                        const fit_control& control) {
    require_targets(m, "alignment");
    alignment_options o;
    if (options.tol > 0) o.tol = options.tol;
    o.progress = control.progress;
    const kernel_family family(summands(out.what.kernel), data.x, options.balance, 0);
    const aligned_weights found = align_weights(family, data.y, m.targets == target_kind::classes, o);
    set_weights(out, family, found.weights);
    out.complete = is_optimal(found.status);
    out.about.add({{"status", name(found.status)},
                   {"gap", found.gap},
                   {"alignment", found.alignment},
                   {"alignments_alone", found.single}});
}

// The targets as columns: numbers, or an indicator column for each class (with two classes only for the first).
matrix<double> target_columns(const table& data, bool classes) {
    if (!classes) return as_column(data.y);
    const std::vector<double> labels = distinct_labels(data.y, data.x.size(), "learn");
    const std::vector<index> place = class_indices(data.y, labels);
    matrix<double> out(data.x.size(), labels.size() > 2 ? static_cast<index>(labels.size()) : 1);
    for (index i = 0; i < out.rows(); ++i)
        if (const index c = place[static_cast<std::size_t>(i)]; c < out.cols()) out(i, c) = 1;
    return out;
}

void learn_by_relevance(learning& out, const method& m, const table& data, const learn_options& options,
                        const fit_control& control) {
    require_targets(m, "relevance");
    relevance_options o;
    if (options.criterion != "evidence" && options.criterion != "loo")
        fail(errc::invalid_argument,
             fmt::format("learn: option 'criterion' must be 'evidence' or 'loo', got '{}'", options.criterion));
    o.criterion = options.criterion == "loo" ? relevance_criterion::loo : relevance_criterion::evidence;
    if (options.tol > 0) o.tol = options.tol;
    if (options.max_iter > 0) o.max_iter = options.max_iter;
    o.progress = control.progress;
    const bool many = options.max_rows > 0 && data.x.size() > options.max_rows;
    const table part = many ? sample_of(data, options.max_rows, options.seed) : data;
    const kernel start = kernel::parse(out.what.kernel);
    const matrix<double> y = target_columns(part, m.targets == target_kind::classes);
    const learnt_relevance found = learn_relevance(start, part.x, y.view(), o);
    out.what.kernel = found.learnt.text();
    const kernel_form form = start.node().form();
    const double gamma = form.operation == "rbf" ? std::get<double>(form.arguments.front().second) : 0;
    out.weight_name = gamma > 0 ? "gamma" : "factor";
    for (std::size_t a = 0; a < found.factors.size(); ++a) {
        out.names.push_back(a < data.feature_names.size() ? data.feature_names[a] : fmt::format("{}", a + 1));
        out.weights.push_back(gamma > 0 ? gamma * found.factors[a] * found.factors[a] : found.factors[a]);
    }
    // For kernel_ridge the learned noise is the penalty alpha, unless the caller gave one.
    const bool ridge = m.name == "kernel_ridge" && std::ranges::none_of(out.what.options, [](const auto& each) {
                           return each.first == "alpha" || each.first == "alphas";
                       });
    if (ridge) out.what.options.emplace_back("alpha", fmt::format("{:.6g}", found.noise));
    out.complete = is_optimal(found.status);
    out.about.add({{"status", name(found.status)},
                   {"criterion", options.criterion},
                   {"criterion_at_start", found.before},
                   {"criterion_at_end", found.after},
                   {"gradient", found.gradient},
                   {"noise", found.noise},
                   {"steps", found.steps},
                   {"evaluations", found.evaluations},
                   {"rows", part.x.size()},
                   {"of_rows", data.x.size()}});
}

}  // namespace

learning learn(const spec& s, const table& data, const learn_options& options, const fit_control& control) {
    const auto started = std::chrono::steady_clock::now();
    const method& m = find_method(s.method);
    if (!m.takes_kernel)
        fail(errc::unsupported, fmt::format("learn: {} takes no kernel: {} does", m.name, kernel_counterpart(m)));
    if (data.x.size() == 0) fail(errc::data, "learn: the data have no examples");
    if (m.targets != target_kind::none && static_cast<index>(data.y.size()) != data.x.size())
        fail(errc::data, fmt::format("learn: {} examples, but {} targets", data.x.size(), data.y.size()));
    require_finite(data.x);
    const thread_limit limit(control.threads);
    learning out;
    out.what = s;
    out.what.parsed_kernel.reset();
    table part = data;
    if (!s.text.empty()) (void)text_features::fit(part.x, parse_text_options(s.text), &part.x);
    if (const auto scaling = fit_scaling(part.x, s.scale)) part.x = apply_scaling(*scaling, part.x);
    if (s.kernel.empty())
        out.what.kernel =
            options.by == "relevance" ? fmt::format("rbf(gamma={:.3g})", median_gamma(part.x)) : default_sum(part.x);
    out.about.add("by", options.by);
    if (options.by == "mkl")
        learn_with_machine(out, m, part, options, control);
    else if (options.by == "alignment")
        learn_by_alignment(out, m, part, options, control);
    else if (options.by == "relevance")
        learn_by_relevance(out, m, part, options, control);
    else
        fail(errc::invalid_argument,
             fmt::format("learn: option 'by' must be 'mkl', 'alignment' or 'relevance', got '{}'", options.by));
    out.about.add("seconds", std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count());
    return out;
}

std::string to_json(const learning& found) {
    using nlohmann::ordered_json;
    ordered_json out = parse_json<ordered_json>(found.about.json());
    out["kernel"] = found.what.kernel;
    out["spec"] = parse_json<ordered_json>(to_json(found.what));
    const char* who = found.weight_name == "weight" ? "kernel" : "column";
    ordered_json parts = ordered_json::array();
    for (std::size_t i = 0; i < found.names.size(); ++i)
        parts.push_back({{who, found.names[i]}, {found.weight_name, found.weights[i]}});
    if (!parts.empty()) out["parts"] = std::move(parts);
    return out.dump();
}

}  // namespace mercer::api
