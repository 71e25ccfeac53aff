// Directions in feature space and densities as methods: kernel_pca, kernel_fisher, kernel_density.
#include <algorithm>
#include <cmath>

#include "mercer/methods/components/kernel_fisher.h"
#include "mercer/methods/components/kernel_pca.h"
#include "mercer/methods/components/methods.h"
#include "mercer/methods/method.h"
#include "mercer/methods/neighbours/kernel_density.h"

namespace mercer::api {
namespace {

class pca_fitted final : public fitted_as<kernel_pca_model> {
public:
    using fitted_as::fitted_as;
    columns transform(const examples& x) const override {
        return {x.visit([&](const auto& some) { return mercer::transform(m_, some); }),
                numbered("component", m_.components())};
    }
    columns training_scores() const override { return {m_.scores, numbered("component", m_.components())}; }
    figures about() const override {
        figures out{{"status", name(m_.status)},
                    {"components", m_.components()},
                    {"eigenvalues", m_.eigenvalues},
                    {"explained_variance", m_.explained_variance}};
        if (const auto& ratio = m_.explained_variance_ratio; ratio.empty() || !std::isnan(ratio[0]))
            out.add("explained_variance_ratio", ratio);
        if (m_.negative_share > 0) out.add("negative_share", m_.negative_share);
        out.add(
            {{"total_variance", m_.total_variance}, {"passes", m_.passes}, {"training_size", m_.projection.size()}});
        return out;
    }
    std::string trouble() const override { return trouble_of(m_.status, "max_iter, or take a larger tol"); }
    part_value part(std::string_view name) const override {
        if (name == "scores") return m_.scores;
        if (name == "eigenvectors") return eigenvectors();
        if (name == "explained_variance_ratio") return m_.explained_variance_ratio;
        if (name == "negative_share") return m_.negative_share;
        if (name == "residual") return m_.residuals.empty() ? 0.0 : std::max(0.0, std::ranges::max(m_.residuals));
        return fitted_as::part(name);
    }

private:
    // α = u/√λ
    matrix<double> eigenvectors() const {
        matrix<double> u(m_.projection.coef.rows(), m_.components());
        for (index i = 0; i < u.rows(); ++i)
            for (index j = 0; j < u.cols(); ++j)
                u(i, j) = m_.projection.coef(i, j) * std::sqrt(m_.eigenvalues[static_cast<std::size_t>(j)]);
        return u;
    }
};

fitted_ptr make_pca(const kernel_pca& m, const fit_call& t) {
    auto o = t.common<kernel_pca_options>(m);
    o.n_components = m.n_components;
    o.solver = m.solver == "full"        ? eigen_solver::full
               : m.solver == "iterative" ? eigen_solver::iterative
                                         : eigen_solver::automatic;
    return t.made<pca_fitted>(t.from([&](const auto&... from) { return fit_kernel_pca(from..., o); }));
}

class fisher_fitted final : public fitted_as<kernel_fisher_model> {
public:
    using fitted_as::fitted_as;
    answer gives() const override { return answer::classes; }
    columns transform(const examples& x) const override {
        return {x.visit([&](const auto& some) { return mercer::transform(m_, some); }),
                numbered("direction", m_.directions.functions())};
    }
    columns details(const examples& x) const override { return transform(x); }
    figures about() const override {
        return {
            {"directions", m_.directions.functions()}, {"ratios", m_.ratios}, {"training_size", m_.directions.size()}};
    }
};

fitted_ptr make_fisher(const kernel_fisher& m, const fit_call& t) {
    auto o = t.common<kernel_fisher_options>();
    o.regularisation = m.regularisation;
    return t.made<fisher_fitted>(
        t.from([&](const auto&... from) { return fit_kernel_fisher(from..., t.targets(), o); }));
}

class density_fitted final : public fitted_as<kernel_density_model> {
public:
    using fitted_as::fitted_as;
    answer gives() const override { return answer::values; }
    // The logarithm where the kernel's integral is known, else the mean embedding.
    std::vector<double> predict(const examples& x) const override {
        return m_.normalised ? log_density(m_, x.objects()) : embedding(x);
    }
    columns details(const examples& x) const override { return {one_column(embedding(x)), {"mean_embedding"}}; }
    figures about() const override {
        figures out{{"predicts", m_.normalised ? "log density" : "mean embedding"}};
        if (m_.normalised) out.add("log_scale", m_.log_scale);
        out.add("training_size", m_.mean.size());
        return out;
    }

private:
    std::vector<double> embedding(const examples& x) const {
        return x.visit([&](const auto& some) { return mean_embedding(m_, some); });
    }
};

fitted_ptr make_density(const kernel_density&, const fit_call& t) {
    const auto o = t.common<kernel_density_options>();
    return t.made<density_fitted>(t.from([&](const auto&... from) { return fit_kernel_density(from..., o); }));
}

}  // namespace

std::vector<method> component_methods() {
    return {entry<kernel_pca, pca_fitted>(make_pca), entry<kernel_fisher, fisher_fitted>(make_fisher),
            entry<kernel_density, density_fitted>(make_density)};
}

}  // namespace mercer::api
