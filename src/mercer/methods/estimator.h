// Fitted models of all methods behind one interface, `estimator`, which front ends and model files use.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/variant_list.h"
#include "mercer/data/dataset.h"
#include "mercer/gram/gram_views.h"
#include "mercer/methods/kernel_expansion.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/model_file.h"

namespace mercer::api {

// A value in the summary of a fit.
using summary_value =
    std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>, text_list>;

// Converts integers to int64 and texts to std::string, so that no number is narrowed.
template <class T>
summary_value as_summary_value(T value) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
        return static_cast<std::int64_t>(value);
    else if constexpr (std::is_convertible_v<T, std::string_view>)
        return std::string(std::string_view(value));
    else
        return value;
}

// The summary of a fit: named values in the order in which people should read them. Front ends print them, write them
// as JSON and store them in model files.
class summary {
public:
    struct entry {
        std::string name;
        summary_value value;
        template <class T>
        entry(std::string name_, T value_) : name(std::move(name_)), value(as_summary_value(std::move(value_))) {}
    };
    summary() = default;
    summary(std::initializer_list<entry> all) {
        for (const entry& each : all) all_.emplace_back(each.name, each.value);
    }
    template <class T>
    void add(std::string name, T value) {
        all_.emplace_back(std::move(name), as_summary_value(std::move(value)));
    }
    void add(const summary& more) { all_.insert(all_.end(), more.all_.begin(), more.all_.end()); }
    const summary_value* find(std::string_view name) const;
    double number(std::string_view name) const;  // fails if there is no number of that name
    const std::vector<std::pair<std::string, summary_value>>& all() const { return all_; }
    bool empty() const { return all_.empty(); }

    // A text with one name and its value per line.
    std::string text() const;
    // A JSON object. Numbers that JSON cannot represent are the strings "inf", "-inf" and "nan".
    std::string json() const;
    static summary from_json(std::string_view text);  // throws errc::parse

private:
    std::vector<std::pair<std::string, summary_value>> all_;
};

// A value as text: "0.0123"; "1, 2, 3, 4, 5, 6, ... (12 in all)" for a list.
std::string text(const summary_value& value);

// The examples of a fit or a prediction: a data set, or a matrix of kernel values with one row per example and one
// column per training example. Both are borrowed and must outlive this object.
class examples {
public:
    examples(const dataset& x) : objects_(&x) {}           // NOLINT: implicit conversion
    examples(matrix_view<const double> K) : values_(K) {}  // NOLINT: implicit conversion
    bool is_matrix() const { return objects_ == nullptr; }
    index size() const { return objects_ ? objects_->size() : values_.rows; }
    const dataset& objects() const {
        if (!objects_) fail(errc::unsupported, "expected the objects themselves, got a matrix of kernel values");
        return *objects_;
    }
    template <class Objects, class Matrix>
    auto visit(Objects on_objects, Matrix on_matrix) const {
        return objects_ ? on_objects(*objects_) : on_matrix(values_);
    }
    // Calls f(dataset) or f(Gram matrix).
    template <class F>
    auto visit(F f) const {
        return visit(f, [&](matrix_view<const double> K) { return f(precomputed<double>(K)); });
    }

private:
    const dataset* objects_ = nullptr;
    matrix_view<const double> values_;
};

// Numbers for objects: a matrix with one row per object, and a name for each column.
struct columns {
    matrix<double> values;
    std::vector<std::string> names;
};

// Predictions with their details; `details` has no columns if the method has no details.
struct detailed_predictions {
    std::vector<double> predicted;
    columns details;
};

// A part of a model by name ("coef", "weights", ...); std::monostate if the model has no such part.
using part_value = std::variant<std::monostate, bool, std::vector<double>, std::vector<std::int64_t>, std::string,
                                double, matrix<double>, std::vector<matrix<double>>, dataset, std::vector<summary>>;

// A fitted model of any method. Functions that a method does not have throw errc::unsupported.
class estimator {
public:
    virtual ~estimator() = default;
    virtual std::string bytes() const = 0;                  // the contents of the model file
    virtual std::string kernel_text() const { return {}; }  // empty if the model has no kernel
    virtual target_kind prediction_kind() const { return target_kind::none; }
    // One prediction per example, of the kind prediction_kind().
    virtual std::vector<double> predict(const examples& x) const;
    // The decision functions, in double: one column for each binary problem, class or output.
    virtual matrix<double> decide(const examples& x) const;
    // Scores and probabilities: a row for each example, a column for each class in the order of classes(). predict()
    // returns the class of the largest score.
    virtual matrix<double> scores(const examples& x) const;
    virtual matrix<double> probabilities(const examples& x) const;
    // The values from which predictions are derived: probabilities or decision values, fractions of votes, log density.
    virtual columns details(const examples& x) const;
    // predict() and details() from one pass over the model if both use the same values.
    virtual detailed_predictions predict_with_details(const examples& x) const;
    // The features that the method computes, such as scores on components: a row for each example.
    virtual columns transform(const examples& x) const;
    // Stores converted data of the model's objects from now on, so that later predictions of a few rows are faster.
    virtual void keep_prepared() const {}
    // The summary of the fit.
    virtual summary summarise() const = 0;
    // A warning if the result may not be the requested one, with the options that can change that; else empty.
    virtual std::string warning() const { return {}; }
    // The labels of the classes, ascending; empty if there are none.
    virtual std::vector<double> classes() const { return {}; }
    // Clusters and scores (as from transform()) of the training examples if the fit computes them; else empty.
    virtual std::vector<index> training_clusters() const { return {}; }
    virtual columns training_scores() const { return {}; }
    // A part of the model by its name; each method has its own names.
    virtual part_value part(std::string_view name) const;
    // The functions of decide() as kernel expansions Σ coef·k(x, xᵢ) + b, one per column of decide(); nullopt if they
    // do not have this form.
    virtual std::optional<kernel_expansion> kernel_expansions() const { return {}; }
};

// Calls the function predict(model, x) that argument-dependent lookup finds, for use in classes whose member predict()
// hides it.
auto call_predict(const auto& model, const auto& x) -> decltype(predict(model, x)) { return predict(model, x); }

// The common part of the adapters of all models. Kernel expansions are found by the names that models give them.
template <class Model>
class estimator_of : public estimator {
public:
    using model_type = Model;
    explicit estimator_of(Model m) : m_(std::move(m)) {}
    const Model& model() const { return m_; }
    std::vector<double> predict(const examples& x) const override {
        if constexpr (requires(const precomputed<double>& K) { call_predict(m_, K).begin(); })
            return x.visit([&](const auto& some) {
                const auto found = call_predict(m_, some);
                return std::vector<double>(found.begin(), found.end());
            });
        return estimator::predict(x);
    }
    std::string bytes() const override { return model_bytes(m_); }
    std::string kernel_text() const override {
        if (const kernel_expansion* f = expansion()) return f->kernel_text();
        if constexpr (requires { m_.k->text(); }) return m_.k ? m_.k->text() : std::string();
        return {};
    }
    std::vector<double> classes() const override {
        if constexpr (requires { m_.classes; }) return m_.classes;
        return {};
    }
    part_value part(std::string_view name) const override {
        const kernel_expansion* f = expansion();
        if (f && name == "coef") return f->coef;
        if (f && name == "offset") return f->offset;
        if (f && name == "objects") return f->x;
        return estimator::part(name);
    }

    void keep_prepared() const override {
        if (const kernel_expansion* f = expansion()) f->ready.enable();
        if constexpr (requires { m_.ready; }) m_.ready.enable();
    }
    std::optional<kernel_expansion> kernel_expansions() const override {
        if constexpr (requires { m_.f.coef; }) return m_.f;
        return {};
    }

protected:
    Model m_;

private:
    const kernel_expansion* expansion() const {
        if constexpr (requires { m_.f.coef; }) return &m_.f;
        if constexpr (requires { m_.means.coef; }) return &m_.means;
        if constexpr (requires { m_.projection.coef; }) return &m_.projection;
        if constexpr (requires { m_.directions.coef; }) return &m_.directions;
        if constexpr (requires { m_.mean.coef; }) return &m_.mean;
        return nullptr;
    }
};

// The model of an estimator, for functions of one kind of model. Throws errc::invalid_argument for another kind.
template <class Model>
const Model& model_of(const estimator& from) {
    const auto* as = dynamic_cast<const estimator_of<Model>*>(&from);
    if (!as) fail(errc::invalid_argument, "expected a model of another method");
    return as->model();
}

// Scores with one column per class; the largest is that of the predicted class. For two classes they come from the one
// decision function, whose sign for the first class is determined from `predicted`, the predictions for x. A model
// without scores gives its probabilities; nothing is returned if it has neither.
std::optional<matrix<double>> estimator_scores(const estimator& by, const examples& x,
                                               std::span<const double> predicted);
// Probabilities with one column per class, if the model has them.
std::optional<matrix<double>> estimator_probabilities(const estimator& by, const examples& x);

// Functions that adapters share.

// The warning about a fit that ended with this status. `options` names the options that decide when the fit ends
// ("max_iter or tol"). Empty if the fit converged.
std::string fit_warning(fit_status status, const char* options, std::optional<double> gap = {});
matrix<double> as_column(const std::vector<double>& y);
std::vector<double> first_column(const matrix<double>& values);
// Column names from labels: "p(1)", "p(2)", ...
std::vector<std::string> label_names(std::string_view what, const std::vector<double>& labels);
// Numbered column names: "component1", "component2", ...
std::vector<std::string> numbered_names(std::string_view what, index count);

}  // namespace mercer::api
