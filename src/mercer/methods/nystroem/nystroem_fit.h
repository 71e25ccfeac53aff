// Functions of the span of M centres that minimise a convex loss: what nystroem_ridge, nystroem_logistic and nystroem_svc share.
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

struct nystroem_fit {
    kernel_expansion f;           // the centres and β; `rows` are their numbers
    std::vector<double> classes;  // labels, ascending; none: regression
    double lambda = 1;
    fit_status status = fit_status::converged;
    double objective = 0, gap = 0;
    double residual = 0;      // of the gradient, relative to that of f = 0
    double out_of_reach = 0;  // share of the trace of K(X, X), on a sample of rows
    // Of f on these rows when there are twice as many centres: root mean square, relative to that of f. -1: not asked
    double change_when_doubled = -1;
    index passes = 0, rounds = 0;  // over K; Newton steps
    std::vector<double> trace;     // the residual after every step of conjugate gradients
    // Of each of several targets; empty for one target, for classes, and in models of earlier versions.
    std::vector<double> objectives{}, gaps{}, residuals{};
    std::vector<index> unsolved{};  // targets whose gap is above tol of their objective

    fit_status output_status(index output) const {
        if (std::ranges::find(unsolved, output) != unsolved.end() || gaps.empty()) return status;
        return f.k && !f.k->proof().valid ? fit_status::stationary : fit_status::converged;
    }
};
// f(x): a column for each target; for two classes one, else one for each class.
matrix<double> decide(const nystroem_fit& model, const dataset& x);
matrix<double> decide(const nystroem_fit& model, const gram<double>& k);
// The label that these decisions stand for.
std::vector<double> classes_of(const nystroem_fit& model, matrix_view<const double> decisions);
namespace detail {

// Fails unless the options suit a fit with this λ; `option` is the name of the one that decides on λ.
void check_nystroem_options(const nystroem_options& options, double lambda, const char* option, const char* owner);
void check_own_targets(const kernel_rows& x, matrix_view<const double> y, const char* owner);

// Labels as places among the classes, and weights with those of the classes multiplied in.
struct nystroem_labels {
    std::vector<double> classes;
    std::vector<index> place;
    std::vector<double> weight;
};
nystroem_labels labels_of(const kernel_rows& x, std::span<const double> y, const nystroem_options& options,
                          const char* owner);
inline matrix_view<const double> as_column(std::span<const double> y) { return {y.data(), std::ssize(y), 1}; }

// The problem of these losses over the span of the centres, solved.
nystroem_fit fit_losses(const kernel_rows& x, row_losses& losses, matrix_view<const double> y,
                        std::span<const double> weight, double lambda, const nystroem_options& options,
                        const char* owner);

// once(options, f): a fit, and f of some rows where it is not null. The fit that comes first checks the memory of both.
template <class Once>
nystroem_fit fit_and_double(const kernel_rows& x, const nystroem_options& o, const Once& once) {
    matrix<double> f, twice;
    nystroem_fit out = once(o, o.doubling ? &f : nullptr);
    if (!o.doubling) return out;
    nystroem_options more = o;
    more.n_centres = std::min(x.size(), 2 * out.f.size()), more.accuracy = 0, more.doubling = false,
    more.checkpoint = {};
    once(more, &twice);
    double change = 0, size = 0;
    for (index i = 0; i < f.rows() * f.cols(); ++i) {
        change += (twice.data()[i] - f.data()[i]) * (twice.data()[i] - f.data()[i]);
        size += f.data()[i] * f.data()[i];
    }
    out.change_when_doubled = size > 0 ? std::sqrt(change / size) : change > 0 ? 1.0 : 0.0;
    return out;
}

// The parts of a model file.
void common_parts(auto& a, auto& m) {
    a.status(m.status);
    a.whole("passes", m.passes);
    a.whole("rounds", m.rounds);
    a.numbers(m.lambda, m.objective, m.gap, m.residual, m.out_of_reach);
    a.list("trace", m.trace);
    if (a.version() >= 2) a.numbers(m.change_when_doubled);
    a.part(m.f);
}
void classes_parts(auto& a, auto& m) {
    common_parts(a, m);
    a.list("classes", m.classes, 1 << 24);
    a.finite(m.classes, "a class label");
    const auto classes = std::ssize(m.classes);
    a.check(classes >= 2 && m.f.functions() == (classes == 2 ? 1 : classes), "{} classes with {} outputs", classes,
            m.f.functions());
}

}  // namespace detail

namespace api {

// How the fit ended, and how approximate it is.
figures figures_of(const nystroem_fit& model);
std::string trouble_of_fit(const nystroem_fit& model);

template <class Model>
class nystroem_fitted : public fitted_as<Model> {
public:
    using fitted_as<Model>::fitted_as;
    matrix<double> decide(const examples& x) const override {
        return x.visit([&](const auto& some) { return mercer::decide(this->m_, some); });
    }
    figures about() const override { return figures_of(this->m_); }
    std::string trouble() const override { return trouble_of_fit(this->m_); }
    part_value part(std::string_view name) const override {
        if (name == "trace") return this->m_.trace;
        if (name == "centre_rows") return std::vector<std::int64_t>(this->m_.f.rows.begin(), this->m_.f.rows.end());
        return fitted_as<Model>::part(name);
    }
};

template <class Model>
class nystroem_classes_fitted : public nystroem_fitted<Model> {
public:
    using nystroem_fitted<Model>::nystroem_fitted;
    answer gives() const override { return answer::classes; }
    std::vector<double> predict(const examples& x) const override {
        return classes_of(this->m_, this->decide(x).view());
    }
};

}  // namespace api

}  // namespace mercer
