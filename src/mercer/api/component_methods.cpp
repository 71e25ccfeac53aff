// Directions in feature space and densities as methods: kernel_pca, kernel_fisher, kernel_density.
#include <fmt/format.h>

#include <cmath>

#include "mercer/api/described.h"
#include "mercer/base/error.h"
#include "mercer/methods/components/kernel_fisher.h"
#include "mercer/methods/components/kernel_pca.h"
#include "mercer/methods/components/methods.h"
#include "mercer/methods/density/kernel_density.h"
#include "mercer/methods/density/methods.h"

namespace mercer::api {
namespace {

std::vector<std::string> numbered(const char* what, index count) {
    std::vector<std::string> out;
    for (index i = 0; i < count; ++i) out.push_back(fmt::format("{}{}", what, i + 1));
    return out;
}

class pca_fitted final : public fitted {
public:
    explicit pca_fitted(kernel_pca_model m) : m_(std::move(m)) {}
    std::string bytes() const override { return model_bytes(m_); }
    std::string kernel_text() const override { return m_.projection.kernel_text(); }
    columns transform(const dataset& x) const override { return {mercer::transform(m_, x), numbered("component", m_.components())}; }
    columns training_scores() const override { return {m_.scores, numbered("component", m_.components())}; }
    figures about() const override {
        figures out;
        out.add("status", name(m_.status));
        out.add("components", std::int64_t{m_.components()});
        out.add("eigenvalues", m_.eigenvalues);
        out.add("explained_variance", m_.explained_variance);
        if (const auto& ratio = m_.explained_variance_ratio; ratio.empty() || !std::isnan(ratio[0])) out.add("explained_variance_ratio", ratio);
        out.add("total_variance", m_.total_variance);
        out.add("passes", std::int64_t{m_.passes});
        out.add("training_size", std::int64_t{m_.projection.size()});
        return out;
    }

    std::string trouble() const override { return trouble_of(m_.status, "max_iter, or take a larger tol"); }

private:
    kernel_pca_model m_;
};

std::shared_ptr<const fitted> make_pca(const kernel_pca& m, const fit_task& t) {
    kernel_pca_options o;
    o.n_components = m.n_components;
    o.solver = m.solver == "full" ? eigen_solver::full : m.solver == "iterative" ? eigen_solver::iterative : eigen_solver::automatic;
    o.tol = m.tol;
    o.max_iter = m.max_iter;
    o.seed = static_cast<std::uint64_t>(m.seed);
    if (t.memory_bytes) o.memory_bytes = t.memory_bytes;
    o.progress = t.progress;
    return std::make_shared<pca_fitted>(fit_kernel_pca(*t.k, t.data.x, o));
}

class fisher_fitted final : public fitted {
public:
    explicit fisher_fitted(kernel_fisher_model m) : m_(std::move(m)) {}
    std::string bytes() const override { return model_bytes(m_); }
    std::string kernel_text() const override { return m_.directions.kernel_text(); }
    answer gives() const override { return answer::classes; }
    std::vector<double> predict(const dataset& x) const override { return mercer::predict(m_, x); }
    std::vector<double> classes() const override { return m_.classes; }
    columns transform(const dataset& x) const override { return {mercer::transform(m_, x), numbered("direction", m_.directions.functions())}; }
    columns details(const dataset& x) const override { return transform(x); }
    figures about() const override {
        figures out;
        out.add("directions", std::int64_t{m_.directions.functions()});
        out.add("ratios", m_.ratios);
        out.add("training_size", std::int64_t{m_.directions.size()});
        return out;
    }

private:
    kernel_fisher_model m_;
};

class density_fitted final : public fitted {
public:
    explicit density_fitted(kernel_density_model m) : m_(std::move(m)) {}
    std::string bytes() const override { return model_bytes(m_); }
    std::string kernel_text() const override { return m_.mean.kernel_text(); }
    answer gives() const override { return answer::values; }
    // The logarithm where the kernel's integral is known, else the mean embedding.
    std::vector<double> predict(const dataset& x) const override { return m_.normalised ? log_density(m_, x) : mean_embedding(m_, x); }
    columns details(const dataset& x) const override { return {one_column(mean_embedding(m_, x)), {"mean_embedding"}}; }
    figures about() const override {
        figures out;
        out.add("predicts", m_.normalised ? "log density" : "mean embedding");
        if (m_.normalised) out.add("log_scale", m_.log_scale);
        out.add("training_size", std::int64_t{m_.mean.size()});
        return out;
    }

private:
    kernel_density_model m_;
};

std::shared_ptr<const fitted> make_fisher(const kernel_fisher& m, const fit_task& t) {
    kernel_fisher_options o;
    o.regularisation = m.regularisation;
    if (t.memory_bytes) o.memory_bytes = t.memory_bytes;
    o.progress = t.progress;
    return std::make_shared<fisher_fitted>(fit_kernel_fisher(*t.k, t.data.x, t.data.y, o));
}

std::shared_ptr<const fitted> make_density(const kernel_density&, const fit_task& t) {
    return std::make_shared<density_fitted>(fit_kernel_density(*t.k, t.data.x));
}

}  // namespace

std::vector<method> component_methods() {
    return {entry<kernel_pca>(make_pca, parsed<pca_fitted, parse_kernel_pca_model>), entry<kernel_fisher>(make_fisher, parsed<fisher_fitted, parse_kernel_fisher_model>),
            entry<kernel_density>(make_density, parsed<density_fitted, parse_kernel_density_model>)};
}

}  // namespace mercer::api
