// A fitted model of any method, as front ends see it.
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
#include "mercer/base/text_list.h"
#include "mercer/data/dataset.h"
#include "mercer/gram/gram_views.h"
#include "mercer/methods/kernel_expansion.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/model_file.h"

namespace mercer::api {

// Named figures of a fit, in the order in which a person reads them: what front ends print, write as JSON and keep in
// model files.

using figure_value =
    std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>, text_list>;

// Any whole number is an int64, any text a string: nothing is narrowed on the way.
template <class T>
figure_value as_figure(T value) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
        return static_cast<std::int64_t>(value);
    else if constexpr (std::is_convertible_v<T, std::string_view>)
        return std::string(std::string_view(value));
    else
        return value;
}

class figures {
public:
    struct entry {
        std::string name;
        figure_value value;
        template <class T>
        entry(std::string name_, T value_) : name(std::move(name_)), value(as_figure(std::move(value_))) {}
    };
    figures() = default;
    figures(std::initializer_list<entry> all) {
        for (const entry& each : all) all_.emplace_back(each.name, each.value);
    }
    template <class T>
    void add(std::string name, T value) {
        all_.emplace_back(std::move(name), as_figure(std::move(value)));
    }
    void add(const figures& more) { all_.insert(all_.end(), more.all_.begin(), more.all_.end()); }
    const figure_value* find(std::string_view name) const;
    double number(std::string_view name) const;  // one that is there and a number; else fails with the names there are
    const std::vector<std::pair<std::string, figure_value>>& all() const { return all_; }
    bool empty() const { return all_.empty(); }

    // For people: a name and its value on each line.
    std::string text() const;
    // One object; numbers that JSON cannot hold are the texts "inf", "-inf" and "nan".
    std::string json() const;
    static figures from_json(std::string_view text);  // fails with errc::parse

private:
    std::vector<std::pair<std::string, figure_value>> all_;
};

// One value for people: "0.0123", "12 numbers from 1 to 0.1".
std::string text(const figure_value& value);

// What a fit learns from, and what a model is asked about: objects, or, where only kernel values are known, a matrix of
// them against the training examples. Borrowed.
class examples {
public:
    examples(const dataset& x) : objects_(&x) {}           // NOLINT: objects are examples
    examples(matrix_view<const double> K) : values_(K) {}  // NOLINT: so are their kernel values
    bool is_matrix() const { return objects_ == nullptr; }
    index size() const { return objects_ ? objects_->size() : values_.rows; }
    const dataset& objects() const {
        if (!objects_)
            fail(errc::unsupported, "a matrix of kernel values is not enough here: the objects themselves are needed");
        return *objects_;
    }
    template <class Objects, class Matrix>
    auto visit(Objects on_objects, Matrix on_matrix) const {
        return objects_ ? on_objects(*objects_) : on_matrix(values_);
    }
    // f(objects) or f(a Gram matrix)
    template <class F>
    auto visit(F f) const {
        return visit(f, [&](matrix_view<const double> K) { return f(precomputed<double>(K)); });
    }

private:
    const dataset* objects_ = nullptr;
    matrix_view<const double> values_;
};

// Columns of numbers, one row an object.
struct columns {
    matrix<double> values;
    std::vector<std::string> names;
};

// Predictions with what stands behind them; no columns where nothing does.
struct explained {
    std::vector<double> predicted;
    columns details;
};

// A part of a model by name, for front ends that show its insides; none where there is no such part.
using part_value = std::variant<std::monostate, bool, std::vector<double>, std::vector<std::int64_t>, std::string,
                                double, matrix<double>, std::vector<matrix<double>>, dataset, std::vector<figures>>;

// What a method cannot do fails with errc::unsupported.
class fitted {
public:
    virtual ~fitted() = default;
    virtual std::string bytes() const = 0;                  // of the estimator's own file form
    virtual std::string kernel_text() const { return {}; }  // empty: none
    virtual answer gives() const { return answer::none; }
    virtual std::vector<double> predict(const examples& x) const;
    // The functions that predictions come from: one column for each binary problem, class or output; in double.
    virtual matrix<double> decide(const examples& x) const;
    // One column for each class: scores of which the largest wins, and probabilities.
    virtual matrix<double> scores(const examples& x) const;
    virtual matrix<double> probabilities(const examples& x) const;
    // What stands behind predictions, with names: probabilities or decision values, shares of votes, log density.
    virtual columns details(const examples& x) const;
    // Both, from one pass over the model where they come from the same numbers.
    virtual explained predict_with_details(const examples& x) const;
    virtual columns transform(const examples& x) const;
    // Keeps from now on what it makes of its own objects for a prediction, for those who ask again and again.
    virtual void keep_ready() const {}
    // How it was fitted and how that ended.
    virtual figures about() const = 0;
    // Why the answer may not be the one that was asked for, and which options of the method bear on it; empty where all
    // is well.
    virtual std::string trouble() const { return {}; }
    // The labels behind classes, ascending; empty where there are none.
    virtual std::vector<double> classes() const { return {}; }
    // Of the training objects, where the fit found them: clusters, scores. Empty otherwise.
    virtual std::vector<index> training_clusters() const { return {}; }
    virtual columns training_scores() const { return {}; }
    virtual part_value part(std::string_view name) const;
    // decide() as sums Σ coef·k(x, xᵢ) + b, a function a column; none where it is something else.
    virtual std::optional<kernel_expansion> sums() const { return {}; }
};

// predict() of a model, wherever it is declared, on objects or a Gram matrix.
auto predicted(const auto& model, const auto& x) -> decltype(predict(model, x)) { return predict(model, x); }

// What the adapters of all models share. Functions of the form Σ coef·k(x, xᵢ) + b are found by the names they have.
template <class Model>
class fitted_as : public fitted {
public:
    using model_type = Model;
    explicit fitted_as(Model m) : m_(std::move(m)) {}
    const Model& model() const { return m_; }
    std::vector<double> predict(const examples& x) const override {
        if constexpr (requires(const precomputed<double>& K) { predicted(m_, K).begin(); })
            return x.visit([&](const auto& some) {
                const auto found = predicted(m_, some);
                return std::vector<double>(found.begin(), found.end());
            });
        return fitted::predict(x);
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
        return fitted::part(name);
    }

    void keep_ready() const override {
        if (const kernel_expansion* f = expansion()) f->ready.keep();
        if constexpr (requires { m_.ready; }) m_.ready.keep();
    }
    std::optional<kernel_expansion> sums() const override {
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

// The model behind it, for what only models of one kind can do.
template <class Model>
const Model& model_of(const fitted& from) {
    const auto* as = dynamic_cast<const fitted_as<Model>*>(&from);
    if (!as) fail(errc::invalid_argument, "a model of another method is needed here");
    return as->model();
}

// Scores and probabilities of classes, a column each, from whatever a model has of them.

// Scores of which the largest wins. Two classes have one function between them; on which side of 0 the first class lies
// is the method's own affair, and seen from its predictions. Probabilities where there is nothing else; none where the
// model has neither.
std::optional<matrix<double>> scores_of_classes(const fitted& by, const examples& x, std::span<const double> predicted);
std::optional<matrix<double>> probabilities_of_classes(const fitted& by, const examples& x);

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

}  // namespace mercer::api
