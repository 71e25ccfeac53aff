// Minimisers of a convex loss over the span of M centres: the result of nystroem_ridge, nystroem_logistic and
// nystroem_svc and what their fits share. nystroem_ridge.h states the problems.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "mercer/methods/kernel_expansion.h"
#include "mercer/methods/method.h"
#include "mercer/methods/model_file.h"
#include "mercer/methods/nystroem/nystroem_problem.h"

namespace mercer {

class row_losses;

// The common part of the models: the functions f(x) = Σⱼ βⱼk(x, zⱼ) + b, and how the fit ended.
struct nystroem_fit {
    kernel_expansion f;           // the centres and β; `rows` are the row numbers of the centres
    std::vector<double> classes;  // labels in ascending order; empty for regression
    double lambda = 1;
    fit_status status = fit_status::converged;
    double objective = 0, gap = 0;
    double residual = 0;     // norm of the gradient relative to that of f = 0
    double unexplained = 0;  // unexplained fraction of the trace of K(X, X), estimated on a sample of rows
    // Change of f on the sampled rows if the number of centres is doubled: root mean square, relative to that of f. -1
    // if it was not computed.
    double doubling_change = -1;
    index passes = 0, rounds = 0;  // number of passes over K and of Newton steps
    std::vector<double> trace;     // residual after every step of conjugate gradients
    // For each of several targets; empty for one target, for classes, and in models that earlier versions wrote.
    std::vector<double> objectives{}, gaps{}, residuals{};
    std::vector<index> unsolved{};  // targets whose gap exceeds tol times their objective

    fit_status output_status(index output) const {
        if (std::ranges::find(unsolved, output) != unsolved.end() || gaps.empty()) return status;
        return f.k && !f.k->proof().valid ? fit_status::stationary : fit_status::converged;
    }
};
// Returns the values f(x), a row for each object: for regression one column per target; for classes one column if there
// are two (positive: the second class), otherwise one per class. k contains kernel values of new objects (rows) against
// all training examples or against the centres (columns).
matrix<double> decide(const nystroem_fit& model, const dataset& x);
matrix<double> decide(const nystroem_fit& model, const gram<double>& k);
// Returns the label that each row of decision values predicts.
std::vector<double> predict_classes(const nystroem_fit& model, matrix_view<const double> decisions);
namespace detail {

// Throws errc::invalid_argument unless λ, tol and max_iter are valid; `option` is the name of the option that
// determines λ.
void check_nystroem_options(const nystroem_options& options, double lambda, const char* option, const char* owner);
void check_own_targets(const training_rows& x, matrix_view<const double> y, const char* owner);

// The classes, the position of each example's label among them, and the sample weights multiplied by the class weights.
struct nystroem_labels {
    std::vector<double> classes;
    std::vector<index> place;
    std::vector<double> weight;
};
nystroem_labels labels_of(const training_rows& x, std::span<const double> y, const nystroem_options& options,
                          const char* owner);
inline matrix_view<const double> as_column(std::span<const double> y) { return {y.data(), std::ssize(y), 1}; }

// Minimises the losses over the span of the centres and, with `doubling`, once more over 2M centres.
nystroem_fit fit_losses(const training_rows& x, row_losses& losses, matrix_view<const double> y,
                        std::span<const double> weight, double lambda, const nystroem_options& options,
                        const char* owner);

// Calls once(options, f) for the fit with M centres and, with `doubling`, for a fit with 2M centres, and compares their
// values f on the sampled rows. f is null if it is not needed. The first fit checks the memory that both need.
template <class Once>
nystroem_fit fit_with_doubling(const training_rows& x, const nystroem_options& o, const Once& once) {
    matrix<double> f, twice;
    nystroem_fit out = once(o, o.doubling ? &f : nullptr);
    if (!o.doubling) return out;
    nystroem_options more = o;
    more.n_centres = std::min(x.size(), 2 * out.f.size()), more.trace_tol = 0, more.doubling = false,
    more.checkpoint = {};
    once(more, &twice);
    double change = 0, size = 0;
    for (index i = 0; i < f.rows() * f.cols(); ++i) {
        change += (twice.data()[i] - f.data()[i]) * (twice.data()[i] - f.data()[i]);
        size += f.data()[i] * f.data()[i];
    }
    out.doubling_change = size > 0 ? std::sqrt(change / size) : change > 0 ? 1.0 : 0.0;
    return out;
}

// The fields of a model file that the three methods share.
void archive_fit(auto& a, auto& m) {
    a.status(m.status);
    a.integer("passes", m.passes);
    a.integer("rounds", m.rounds);
    a.numbers(m.lambda, m.objective, m.gap, m.residual, m.unexplained);
    a.list("trace", m.trace);
    if (a.version() >= 2) a.numbers(m.doubling_change);
    a.part(m.f);
}
void archive_classifier(auto& a, auto& m) {
    archive_fit(a, m);
    a.list("classes", m.classes, 1 << 24);
    a.check_finite(m.classes, "a class label");
    const auto classes = std::ssize(m.classes);
    a.check(classes >= 2 && m.f.functions() == (classes == 2 ? 1 : classes), "{} classes, but {} outputs", classes,
            m.f.functions());
}

}  // namespace detail

namespace api {

// The summary of a fitted model (how the fit ended and the quality of the approximation), and its warning.
summary summary_of_fit(const nystroem_fit& model);
std::string warning_of_fit(const nystroem_fit& model);

template <class Model>
class nystroem_estimator : public estimator_of<Model> {
public:
    using estimator_of<Model>::estimator_of;
    matrix<double> decide(const examples& x) const override {
        return x.visit([&](const auto& some) { return mercer::decide(this->m_, some); });
    }
    summary summarise() const override { return summary_of_fit(this->m_); }
    std::string warning() const override { return warning_of_fit(this->m_); }
    part_value part(std::string_view name) const override {
        if (name == "trace") return this->m_.trace;
        if (name == "centre_rows") return std::vector<std::int64_t>(this->m_.f.rows.begin(), this->m_.f.rows.end());
        return estimator_of<Model>::part(name);
    }
};

template <class Model>
class nystroem_classes_estimator : public nystroem_estimator<Model> {
public:
    using nystroem_estimator<Model>::nystroem_estimator;
    target_kind prediction_kind() const override { return target_kind::classes; }
    std::vector<double> predict(const examples& x) const override {
        return predict_classes(this->m_, this->decide(x).view());
    }
};

}  // namespace api

}  // namespace mercer
