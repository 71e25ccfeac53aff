// Ridge regression as methods: ridge on vectors, kernel_ridge with any kernel, each with a path over λ.
#include <fmt/format.h>

#include "mercer/methods/method.h"
#include "mercer/methods/regression/kernel_ridge.h"
#include "mercer/methods/regression/methods.h"
#include "mercer/methods/regression/ridge.h"

namespace mercer::api {
namespace {

// What was found for every λ, and the coefficients there, where several were tried.
struct tried_path {
    figures found{};
    std::vector<matrix<double>> coef{};
};

template <class Path>
tried_path told(Path& path, const std::string& chosen_by) {
    tried_path out{{{"chosen_by", chosen_by}, {"path_alpha", path.alphas}, {"path_gcv", path.gcv}}};
    if (!path.loo.empty()) out.found.add("path_loo", path.loo);
    out.found.add("path_df", path.df);
    if constexpr (requires { path.coef; }) out.coef = std::move(path.coef);
    return out;
}

template <class Model>
class path_fitted : public fitted_as<Model> {
public:
    explicit path_fitted(Model m, tried_path path = {}) : fitted_as<Model>(std::move(m)), path_(std::move(path)) {}
    answer gives() const override { return answer::values; }
    std::vector<double> predict(const examples& x) const override { return first_column(this->decide(x)); }
    part_value part(std::string_view name) const override {
        if (name == "path_coef") return path_.coef;
        return fitted_as<Model>::part(name);
    }

protected:
    tried_path path_;
};

class kernel_ridge_fitted final : public path_fitted<kernel_ridge_model> {
public:
    using path_fitted::path_fitted;
    matrix<double> decide(const examples& x) const override {
        return x.visit([&](const dataset& some) { return mercer::predict(m_, some); },
                       [&](const auto& K) { return predict_precomputed(m_, K); });
    }
    columns details(const examples& x) const override {
        if (m_.factor.rows() == 0)
            fail(errc::unsupported, "the model was fitted without variance: fit it again with variance=true");
        return {one_column(predict_variance(m_, x.objects())), {"variance"}};
    }
    figures about() const override {
        figures out;
        if (m_.output_alphas.empty())
            out.add("alpha", m_.alpha);
        else
            out.add("output_alphas", m_.output_alphas);
        out.add("training_size", m_.f.size());
        if (m_.residual > 0 || !m_.residuals.empty() || m_.status != fit_status::converged)
            out.add({{"status", name(m_.status)}, {"residual", m_.residual}, {"products", m_.refinements}});
        if (m_.residuals.size() > 1) {
            std::vector<std::string> ends;
            for (index c = 0; c < m_.f.functions(); ++c) ends.emplace_back(name(m_.output_status(c)));
            out.add({{"output_status", ends}, {"output_residuals", m_.residuals}});
        }
        if (m_.loo.rows() > 0) {  // the mean over examples and outputs
            double sum = 0;
            for (index i = 0; i < m_.loo.rows(); ++i)
                for (index c = 0; c < m_.loo.cols(); ++c) sum += m_.loo(i, c) * m_.loo(i, c);
            out.add("loo_mean_squared_error", sum / static_cast<double>(m_.loo.rows() * m_.loo.cols()));
        }
        out.add(path_.found);
        return out;
    }
    std::string trouble() const override {
        std::string out = trouble_of(m_.status, "max_products, or take a larger tol");
        if (out.empty() || m_.residuals.size() < 2) return out;
        std::vector<index> unsolved;
        for (index c = 0; c < m_.f.functions(); ++c)
            if (!finished(m_.output_status(c))) unsolved.push_back(c + 1);
        return fmt::format("target{} {}: {}", unsolved.size() > 1 ? "s" : "", fmt::join(unsolved, ", "), out);
    }
    part_value part(std::string_view name) const override {
        if (name == "loo") return m_.loo;
        if (name == "residuals") return m_.residuals;
        return path_fitted::part(name);
    }
};

fitted_ptr make_kernel_ridge(const kernel_ridge& m, const fit_call& t) {
    auto o = t.common<kernel_ridge_options>();
    o.loo = m.loo;
    o.variance = m.variance;
    o.output_alphas = m.output_alphas;
    o.solver = m.solver == "direct" ? ridge_solver::direct
               : m.solver == "cg"   ? ridge_solver::cg
                                    : ridge_solver::automatic;
    o.tol = m.tol;
    o.max_products = m.max_products;
    const auto fit_one = [&](double alpha) {
        o.alpha = alpha;
        return t.x.visit([&](const dataset& x) { return fit_kernel_ridge(*t.k, x, t.y, o); },
                         [&](const auto& K) { return fit_kernel_ridge_precomputed(K, t.y, o); });
    };
    if (m.alphas.empty()) return t.made<kernel_ridge_fitted>(fit_one(m.alpha));
    auto several = t.common<ridge_path_options>();
    several.alphas = m.alphas;
    several.score = m.score == "loo" ? ridge_score::loo : ridge_score::gcv;
    kernel_ridge_path path =
        t.x.visit([&](const dataset& x) { return fit_kernel_ridge_path(*t.k, x, t.y, several); },
                  [&](const auto& K) { return fit_kernel_ridge_path_precomputed(K, t.y, several); });
    // A path keeps neither errors of leaving out nor the factor: the chosen λ is fitted once more for them.
    if (o.loo || o.variance) path.model = fit_one(path.model.alpha);
    return t.made<kernel_ridge_fitted>(std::move(path.model), told(path, m.score));
}

class ridge_fitted final : public path_fitted<ridge_model> {
public:
    using path_fitted::path_fitted;
    matrix<double> decide(const examples& x) const override { return mercer::predict(m_, x.objects()); }
    figures about() const override {
        figures out{{"alpha", m_.alpha}, {"form", m_.form == ridge_form::dual ? "dual" : "primal"}};
        if (m_.outputs() == 1)
            out.add({{"coefficients", first_column(m_.coef)}, {"intercept", m_.intercept.at(0)}});
        else
            out.add("intercept", m_.intercept);
        out.add(path_.found);
        return out;
    }
};

fitted_ptr make_ridge(const ridge& m, const fit_call& t) {
    auto o = t.common<ridge_options>(m);
    o.form = m.form == "primal" ? ridge_form::primal : m.form == "dual" ? ridge_form::dual : ridge_form::cheaper;
    if (m.alphas.empty()) return t.made<ridge_fitted>(fit_ridge(t.x.objects(), t.y, o));
    ridge_path path =
        fit_ridge_path(t.x.objects(), t.y, m.alphas, m.score == "loo" ? ridge_score::loo : ridge_score::gcv, o);
    return t.made<ridge_fitted>(std::move(path.models[static_cast<std::size_t>(path.best)]), told(path, m.score));
}

}  // namespace

std::vector<method> ridge_methods() {
    return {entry<ridge, ridge_fitted>(make_ridge), entry<kernel_ridge, kernel_ridge_fitted>(make_kernel_ridge)};
}

}  // namespace mercer::api
