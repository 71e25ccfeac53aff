// A method by name: what it is, its options, how it is fitted and read from a file. One object for each method, made
// from the method's own description (described.h) and gathered in registry.cpp; each family adapts its models in one
// file (svm_methods.cpp, ...), without numerics of its own.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercer/kernels/kernel.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/methods/estimator.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/option.h"

namespace mercer {
struct svm_model;
class kernel_rows;
class process_group;
}  // namespace mercer

namespace mercer::api {

using mercer::answer;
using mercer::fit_control;
using mercer::method_family;
using mercer::name;

using fitted_ptr = std::shared_ptr<const fitted>;

// What is fitted. Borrowed but for the weights.
struct fit_task {
    examples x;
    matrix_view<const double> y;      // one row an example; no columns where the method learns from the objects alone
    std::shared_ptr<const kernel> k;  // null where the method takes none, or x is a matrix
    std::vector<double> sample_weight{};                    // empty: all 1
    std::vector<std::pair<double, double>> class_weight{};  // label → factor; labels not named have 1
    std::vector<std::string> class_names{};
};

// A task on its way into a method, with what every method is told.
struct fit_call : fit_task {
    const option_values& options;
    const fit_control& control;
    fit_watch& watch;
    const process_group* processes = nullptr;  // those that share the fit

    std::span<const double> targets() const { return {y.data, static_cast<std::size_t>(y.cols > 0 ? y.rows : 0)}; }
    bool any_order() const { return control.any_order && few_examples(x.size(), sample_weight); }
    // The options of a method with those set that are everybody's: memory, weights, who is asked whether to go on.
    template <class Options>
    Options common() const {
        Options o;
        if constexpr (requires { o.memory_bytes; })
            if (control.memory_bytes) o.memory_bytes = control.memory_bytes;
        if constexpr (requires { o.sample_weight; }) o.sample_weight = sample_weight;
        if constexpr (requires { o.class_weight; }) o.class_weight = class_weight;
        if constexpr (requires { o.progress = watch.callback(); }) o.progress = watch.callback();
        if constexpr (requires { o.factors; }) o.factors = control.factors;
        if constexpr (requires { o.checkpoint; }) o.checkpoint = control.checkpoint;
        return o;
    }
    // And those of the method that the mathematics knows by the same name.
    template <class Options>
    Options common(const auto& m) const {
        auto o = common<Options>();
        const auto take = []<class T>(T& to, const auto& from) { to = static_cast<T>(from); };
        if constexpr (requires { o.C, m.C; }) take(o.C, m.C);
        if constexpr (requires { o.alpha, m.alpha; }) take(o.alpha, m.alpha);
        if constexpr (requires { o.fit_intercept, m.fit_intercept; }) take(o.fit_intercept, m.fit_intercept);
        if constexpr (requires { o.n_clusters, m.n_clusters; }) take(o.n_clusters, m.n_clusters);
        if constexpr (requires { o.n_init, m.n_init; }) take(o.n_init, m.n_init);
        if constexpr (requires { o.tol, m.tol; }) take(o.tol, m.tol);
        if constexpr (requires { o.max_iter, m.max_iter; }) take(o.max_iter, m.max_iter);
        if constexpr (requires { o.seed, m.seed; }) take(o.seed, m.seed);
        return o;
    }
    // f(kernel, objects) or f(Gram matrix): functions that fit have both forms.
    template <class F>
    auto from(F f) const {
        return x.visit([&](const dataset& objects) { return f(*k, objects); },
                       [&](matrix_view<const double> K) { return f(precomputed<double>(K)); });
    }
    fit_status ended(fit_status of) const;
    // The fitted model; one that ran out of time says so.
    template <class Fitted, class Model, class... More>
    fitted_ptr made(Model m, More&&... more) const {
        if constexpr (requires { m.status; }) m.status = ended(m.status);
        return std::make_shared<const Fitted>(std::move(m), std::forward<More>(more)...);
    }
};

struct method : method_facts {
    std::vector<option_info> options;
    std::function<fitted_ptr(const fit_call&)> fit;
    // To examples that need not be in memory, for methods that pass over them and keep a few; none: it cannot.
    std::function<fitted_ptr(const fit_call&, const kernel_rows&)> fit_rows;
    std::function<fitted_ptr(std::string_view bytes, const std::string& file)> parse;
};

// The methods of each family, for the registry.
std::vector<method> svm_methods();
std::vector<method> ridge_methods();
std::vector<method> loss_methods();
std::vector<method> neighbour_methods();
std::vector<method> cluster_methods();
std::vector<method> component_methods();
std::vector<method> approximate_methods();
std::vector<method> cell_methods();  // of the approximate ones

// All methods, family by family.
const std::vector<method>& methods();
// By name or alias, '-' and '_' alike; fails with the list of methods and the nearest name.
const method& find_method(std::string_view name);
// The method to take instead of one that knows no kernels.
std::string kernel_twin(const method& m);
// The names of those that have `fit_rows`.
std::vector<std::string> methods_by_passes();
// Those of them whose rows several processes can share.
std::vector<std::string> methods_of_processes();
// And of those that keep checkpoints, each with the option it needs for it: "kernel_ridge with solver=cg".
std::vector<std::string> methods_with_checkpoints();
// For what a method of these options tells people: name, default, condition, meaning, one line each.
std::string help(const method& m);

// Fits within what control allows.
fitted_ptr fit(const method& m, const option_values& options, fit_task task, const fit_control& control);
fitted_ptr as_fitted(svm_model m);
// Fits a method that has `fit_rows`. Where several processes share the examples, y and the weights are of this one's.
struct passes_task {
    const kernel_rows& x;
    matrix_view<const double> y;  // no columns where the method learns from the objects alone
    std::vector<double> sample_weight{};
    std::vector<std::pair<double, double>> class_weight{};
};
fitted_ptr fit(const method& m, const option_values& options, const passes_task& task, const fit_control& control);

// What adapters share.
// `trouble` of methods that end with such a status: what did not converge, and the options that decide when it ends
// ("max_iter or tol").
std::string trouble_of(fit_status status, const char* options, std::optional<double> gap = {});
matrix<double> one_column(const std::vector<double>& y);
std::vector<double> first_column(const matrix<double>& values);
// "decision setosa", ... by label; the caller's model may name classes later
std::vector<std::string> label_names(std::string_view what, const std::vector<double>& labels);
// "component1", "component2", ...
std::vector<std::string> numbered(std::string_view what, index count);

// From the description of a method (methods/method_info.h) to what front ends need of it: the table of its options, its
// value from texts and back, and its entry in the registry.

// The options of a value as a table, its own numbers as the defaults.
class option_lister {
public:
    std::vector<option_info> options;

    void number(const char* name, double value, range r, const char* about, option_needs needs = {}) {
        add({name, option_kind::number, number_text(value), about, r.low, r.high, r.low_open, r.high_open},
            std::move(needs));
    }
    void whole(const char* name, index value, double low, const char* about, option_needs needs = {}) {
        add({name, option_kind::whole, std::to_string(value), about, low}, std::move(needs));
    }
    void flag(const char* name, bool value, const char* about, option_needs needs = {}) {
        add({name, option_kind::flag, value ? "true" : "false", about}, std::move(needs));
    }
    void choice(const char* name, const std::string& value, std::vector<std::string> choices, const char* about,
                option_needs needs = {}) {
        option_info made{name, option_kind::choice, value, about};
        made.choices = std::move(choices);
        add(std::move(made), std::move(needs));
    }
    void numbers(const char* name, const std::vector<double>& value, range r, const char* about,
                 option_needs needs = {}) {
        add({name, option_kind::numbers, text_of(value), about, r.low, r.high, r.low_open, r.high_open},
            std::move(needs));
    }

    // Of the option before: a name that it had.
    void formerly(const char* name, std::vector<std::pair<std::string, std::string>> values) {
        options.back().formerly.push_back({name, std::move(values)});
    }

private:
    void add(option_info made, option_needs needs) {
        made.needs = std::move(needs);
        options.push_back(std::move(made));
    }
};

// Values of options into the value that has them.
class option_reader {
public:
    explicit option_reader(const option_values& from) : from_(from) {}
    void number(const char* name, double& value, range, const char*, const option_needs& = {}) {
        value = from_.number(name);
    }
    void whole(const char* name, index& value, double, const char*, const option_needs& = {}) {
        value = from_.whole(name);
    }
    void flag(const char* name, bool& value, const char*, const option_needs& = {}) { value = from_.flag(name); }
    void choice(const char* name, std::string& value, const std::vector<std::string>&, const char*,
                const option_needs& = {}) {
        value = from_.choice(name);
    }
    void numbers(const char* name, std::vector<double>& value, range, const char*, const option_needs& = {}) {
        value = from_.numbers(name);
    }
    void formerly(const char*, const std::vector<std::pair<std::string, std::string>>&) {}

private:
    const option_values& from_;
};

template <class Method>
concept described_method = requires(Method m, option_lister v) {
    { Method::facts() } -> std::same_as<method_facts>;
    m.options(v);
};

template <described_method Method>
std::vector<option_info> options_of(Method m = {}) {
    option_lister list;
    m.options(list);
    return std::move(list.options);
}

// Those that differ from the defaults.
template <described_method Method>
settings settings_of(const Method& m) {
    settings out;
    const std::vector<option_info> mine = options_of(m), usual = options_of<Method>();
    for (std::size_t i = 0; i < mine.size(); ++i)
        if (mine[i].initial != usual[i].initial) out.emplace_back(mine[i].name, mine[i].initial);
    return out;
}

template <described_method Method>
Method value_of(const option_values& from) {
    Method out;
    option_reader read(from);
    out.options(read);
    return out;
}

// The entry of the registry: fit is given the value; Fitted, an adapter of a model (fitted_as), is what files of this
// method become.
template <described_method Method, class Fitted>
method entry(fitted_ptr (*fit)(const Method&, const fit_call&)) {
    return {Method::facts(),
            options_of<Method>(),
            [fit](const fit_call& t) { return fit(value_of<Method>(t.options), t); },
            {},
            [](std::string_view bytes, const std::string& file) -> fitted_ptr {
                return std::make_shared<const Fitted>(parse_model<typename Fitted::model_type>(bytes, file));
            }};
}

}  // namespace mercer::api
