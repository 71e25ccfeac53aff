// Methods by name: the description of a method, its options, and the functions that fit it and read its model files.
// There is one `method` per method, made by entry() from the method's own description (method_info.h); all_methods.cpp
// lists them. The source of each method contains the adapter of its model, without numerics of its own.
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
class training_rows;
class communicator;
}  // namespace mercer

namespace mercer::api {

using mercer::fit_control;
using mercer::method_family;
using mercer::name;
using mercer::target_kind;

using estimator_ptr = std::shared_ptr<const estimator>;

// The training data of a fit. x and y are borrowed.
struct fit_task {
    examples x;
    matrix_view<const double> y;                            // one row per example; no columns for unsupervised methods
    std::shared_ptr<const kernel> k;                        // null if the method takes no kernel or x is a matrix
    std::vector<double> sample_weight{};                    // empty: all 1
    std::vector<std::pair<double, double>> class_weight{};  // label → factor; other labels have 1
    std::vector<std::string> class_names{};
};

// A fit_task with the options of the method and the settings that all methods share.
struct fit_call : fit_task {
    const option_values& options;
    const fit_control& control;
    fit_monitor& watch;
    const communicator* processes = nullptr;  // the MPI ranks that share the fit; null: one

    std::span<const double> targets() const { return {y.data, static_cast<std::size_t>(y.cols > 0 ? y.rows : 0)}; }
    bool canonical_order() const { return control.canonical_order && has_few_examples(x.size(), sample_weight); }
    // Returns a struct of options in which the members that many methods share are set from this call: memory, weights,
    // progress, checkpoint.
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
    // Returns common() with, in addition, the members set that have the same name in the method value m: C, alpha and
    // others.
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
    // Calls f(kernel, dataset) or f(Gram matrix): fit functions have both forms.
    template <class F>
    auto from(F f) const {
        return x.visit([&](const dataset& objects) { return f(*k, objects); },
                       [&](matrix_view<const double> K) { return f(precomputed<double>(K)); });
    }
    // The status of the fit: time_limit if the time limit caused the cancellation, on any rank.
    fit_status final_status(fit_status of) const;
    // The estimator Fitted of the model, whose status is set by final_status().
    template <class Fitted, class Model, class... More>
    estimator_ptr made(Model m, More&&... more) const {
        if constexpr (requires { m.status; }) m.status = final_status(m.status);
        return std::make_shared<const Fitted>(std::move(m), std::forward<More>(more)...);
    }
};

// A method in the list of methods.
struct method : method_info {
    std::vector<option_info> options;
    std::function<estimator_ptr(const fit_call&)> fit;
    // Fits to rows that need not be in memory; empty if the method cannot.
    std::function<estimator_ptr(const fit_call&, const training_rows&)> fit_streamed_rows;
    std::function<estimator_ptr(std::string_view bytes, const std::string& file)> parse;
};

// The methods that fit a model in each cell of the feature space, for all_methods.cpp.
std::vector<method> cell_methods();

// All methods of the library, sorted by family.
const std::vector<method>& methods();
// Finds a method by name or alias; '-' and '_' are equivalent. Fails with the list of methods and the nearest name.
const method& find_method(std::string_view name);
// The name of a kernel method to suggest instead of a method that takes no kernel.
std::string kernel_counterpart(const method& m);
// The names of the methods that have `fit_streamed_rows`.
std::vector<std::string> streaming_methods();
// The names of the methods that have `fit_streamed_rows` and can share the rows between MPI ranks.
std::vector<std::string> distributed_methods();
// The names of the methods that can write checkpoints, with the required setting if there is one: "kernel_ridge with
// solver=cg".
std::vector<std::string> methods_with_checkpoints();
// The help text of a method: name and formula, then each option with its default, the allowed values, its meaning, the
// meanings of its choices and its requirements.
std::string help(const method& m);

// Throws errc::unsupported if `control` has a checkpoint and the method cannot write one.
void require_checkpoint_support(const method& m, const fit_control& control);

// Fits a method within the limits of `control`.
estimator_ptr fit(const method& m, const option_values& options, fit_task task, const fit_control& control);
// Fits a method that has `fit_streamed_rows`. If several ranks share the rows, y and the weights are those of this
// rank's rows.
struct streamed_task {
    const training_rows& x;
    matrix_view<const double> y;  // no columns for unsupervised methods
    std::vector<double> sample_weight{};
    std::vector<std::pair<double, double>> class_weight{};
};
estimator_ptr fit(const method& m, const option_values& options, const streamed_task& task, const fit_control& control);

// Visitors of the options of a method (methods/method_info.h), and the functions made from them: the table of the
// options, the conversion of a method from and to texts, and its entry in the list of methods.

// Lists the options of a method value as a table; the values of its members are the defaults.
class option_lister {
public:
    std::vector<option_info> options;

    void number(const char* name, double value, range r, const char* about, option_requirements needs = {}) {
        add({name, option_kind::number, number_text(value), about, r.low, r.high, r.low_open, r.high_open},
            std::move(needs));
    }
    void integer(const char* name, index value, double low, const char* about, option_requirements needs = {}) {
        add({name, option_kind::integer, std::to_string(value), about, low}, std::move(needs));
    }
    void flag(const char* name, bool value, const char* about, option_requirements needs = {}) {
        add({name, option_kind::flag, value ? "true" : "false", about}, std::move(needs));
    }
    void choice(const char* name, const std::string& value, std::vector<std::string> choices, const char* about,
                option_requirements needs = {}) {
        option_info made{name, option_kind::choice, value, about};
        made.choices = std::move(choices);
        add(std::move(made), std::move(needs));
    }
    void numbers(const char* name, const std::vector<double>& value, range r, const char* about,
                 option_requirements needs = {}) {
        add({name, option_kind::numbers, text_of(value), about, r.low, r.high, r.low_open, r.high_open},
            std::move(needs));
    }

    // A former name of the last option, or former values of it (former_option_name).
    void former_name(const char* name, std::vector<std::pair<std::string, std::string>> values) {
        options.back().former_names.push_back({name, std::move(values)});
    }
    // The meanings of choices of the last option.
    void choice_meanings(std::vector<std::pair<std::string, std::string>> meanings) {
        options.back().choice_meanings = std::move(meanings);
    }

private:
    void add(option_info made, option_requirements needs) {
        made.needs = std::move(needs);
        options.push_back(std::move(made));
    }
};

// Sets the members of a method value from option values.
class option_reader {
public:
    explicit option_reader(const option_values& from) : from_(from) {}
    void number(const char* name, double& value, range, const char*, const option_requirements& = {}) {
        value = from_.number(name);
    }
    void integer(const char* name, index& value, double, const char*, const option_requirements& = {}) {
        value = from_.integer(name);
    }
    void flag(const char* name, bool& value, const char*, const option_requirements& = {}) { value = from_.flag(name); }
    void choice(const char* name, std::string& value, const std::vector<std::string>&, const char*,
                const option_requirements& = {}) {
        value = from_.choice(name);
    }
    void numbers(const char* name, std::vector<double>& value, range, const char*, const option_requirements& = {}) {
        value = from_.numbers(name);
    }
    void former_name(const char*, const std::vector<std::pair<std::string, std::string>>&) {}
    void choice_meanings(const std::vector<std::pair<std::string, std::string>>&) {}

private:
    const option_values& from_;
};

template <class Method>
concept described_method = requires(Method m, option_lister v) {
    { Method::info() } -> std::same_as<method_info>;
    m.options(v);
};

template <described_method Method>
std::vector<option_info> options_of(Method m = {}) {
    option_lister list;
    m.options(list);
    return std::move(list.options);
}

// The options of m that differ from the defaults.
template <described_method Method>
settings settings_of(const Method& m) {
    settings out;
    const std::vector<option_info> mine = options_of(m), usual = options_of<Method>();
    for (std::size_t i = 0; i < mine.size(); ++i)
        if (mine[i].default_value != usual[i].default_value) out.emplace_back(mine[i].name, mine[i].default_value);
    return out;
}

template <described_method Method>
Method value_of(const option_values& from) {
    Method out;
    option_reader read(from);
    out.options(read);
    return out;
}

// The entry of a method in the list of methods. `fit` receives the method value. Files of the method are read as
// Fitted, an adapter of a model (estimator_of).
template <described_method Method, class Fitted>
method entry(estimator_ptr (*fit)(const Method&, const fit_call&)) {
    return {Method::info(),
            options_of<Method>(),
            [fit](const fit_call& t) { return fit(value_of<Method>(t.options), t); },
            {},
            [](std::string_view bytes, const std::string& file) -> estimator_ptr {
                return std::make_shared<const Fitted>(parse_model<typename Fitted::model_type>(bytes, file));
            }};
}

}  // namespace mercer::api
