// Ridge regression as methods: ridge on vectors, kernel_ridge with any kernel, each with a path over λ.
#include "mercer/api/described.h"
#include "mercer/base/error.h"
#include "mercer/methods/regression/kernel_ridge.h"
#include "mercer/methods/regression/methods.h"
#include "mercer/methods/regression/ridge.h"

namespace mercer::api {
namespace {

void add_path(figures& out, const std::vector<double>& alphas, const std::vector<double>& gcv, const std::vector<double>& loo, const std::vector<double>& df) {
    out.add("path_alpha", alphas);
    out.add("path_gcv", gcv);
    if (!loo.empty()) out.add("path_loo", loo);
    out.add("path_df", df);
}

class kernel_ridge_fitted final : public fitted {
public:
    explicit kernel_ridge_fitted(kernel_ridge_model m, figures path = {}) : m_(std::move(m)), path_(std::move(path)) {}
    std::string bytes() const override { return kernel_ridge_bytes(m_); }
    std::string kernel_text() const override { return m_.f.kernel_text(); }
    answer gives() const override { return answer::values; }
    std::vector<double> predict(const dataset& x) const override { return first_column(mercer::predict(m_, x)); }
    columns details(const dataset& x) const override {
        if (m_.factor.rows() == 0) fail(errc::unsupported, "the model was fitted without variance: fit it again with variance=true");
        return {one_column(predict_variance(m_, x)), {"variance"}};
    }
    figures about() const override {
        figures out;
        out.add("alpha", m_.alpha);
        out.add("training_size", std::int64_t{m_.f.size()});
        if (m_.loo.rows() > 0) {
            double sum = 0;
            for (index i = 0; i < m_.loo.rows(); ++i) sum += m_.loo(i, 0) * m_.loo(i, 0);
            out.add("loo_mean_squared_error", sum / static_cast<double>(m_.loo.rows()));
        }
        for (const auto& [name, value] : path_.all()) out.add(name, value);
        return out;
    }

private:
    kernel_ridge_model m_;
    figures path_;
};

std::shared_ptr<const fitted> make_kernel_ridge(const kernel_ridge& m, const fit_task& t) {
    const matrix<double> y = one_column(t.data.y);
    kernel_ridge_options o;
    o.loo = m.loo;
    o.variance = m.variance;
    if (t.memory_bytes) o.memory_bytes = t.memory_bytes;
    o.progress = t.progress;
    if (m.alphas.empty()) {
        o.alpha = m.alpha;
        return std::make_shared<kernel_ridge_fitted>(fit_kernel_ridge(*t.k, t.data.x, y.view(), o));
    }
    ridge_path_options several;
    several.alphas = m.alphas;
    several.score = m.score == "loo" ? ridge_score::loo : ridge_score::gcv;
    several.memory_bytes = o.memory_bytes;
    several.progress = t.progress;
    kernel_ridge_path path = fit_kernel_ridge_path(*t.k, t.data.x, y.view(), several);
    figures about;
    about.add("chosen_by", m.score);
    add_path(about, path.alphas, path.gcv, path.loo, path.df);
    // A path keeps neither errors of leaving out nor the factor: the chosen λ is fitted once more for them.
    if (o.loo || o.variance) {
        o.alpha = path.model.alpha;
        path.model = fit_kernel_ridge(*t.k, t.data.x, y.view(), o);
    }
    return std::make_shared<kernel_ridge_fitted>(std::move(path.model), std::move(about));
}

class ridge_fitted final : public fitted {
public:
    explicit ridge_fitted(ridge_model m, figures path = {}) : m_(std::move(m)), path_(std::move(path)) {}
    std::string bytes() const override { return ridge_bytes(m_); }
    answer gives() const override { return answer::values; }
    std::vector<double> predict(const dataset& x) const override { return first_column(mercer::predict(m_, x)); }
    figures about() const override {
        figures out;
        out.add("alpha", m_.alpha);
        out.add("form", m_.form == ridge_form::dual ? "dual" : "primal");
        out.add("coefficients", first_column(m_.coef));
        out.add("intercept", m_.intercept.at(0));
        for (const auto& [name, value] : path_.all()) out.add(name, value);
        return out;
    }

private:
    ridge_model m_;
    figures path_;
};

std::shared_ptr<const fitted> make_ridge(const ridge& m, const fit_task& t) {
    ridge_options o;
    o.alpha = m.alpha;
    o.fit_intercept = m.fit_intercept;
    o.form = m.form == "primal" ? ridge_form::primal : m.form == "dual" ? ridge_form::dual : ridge_form::cheaper;
    if (t.memory_bytes) o.memory_bytes = t.memory_bytes;
    const matrix<double> y = one_column(t.data.y);
    if (m.alphas.empty()) return std::make_shared<ridge_fitted>(fit_ridge(t.data.x, y.view(), o));
    ridge_path path = fit_ridge_path(t.data.x, y.view(), m.alphas, m.score == "loo" ? ridge_score::loo : ridge_score::gcv, o);
    figures about;
    about.add("chosen_by", m.score);
    add_path(about, path.alphas, path.gcv, path.loo, path.df);
    return std::make_shared<ridge_fitted>(std::move(path.models[static_cast<std::size_t>(path.best)]), std::move(about));
}

}  // namespace

std::vector<method> ridge_methods() {
    return {entry<ridge>(make_ridge, parsed<ridge_fitted, parse_ridge>), entry<kernel_ridge>(make_kernel_ridge, parsed<kernel_ridge_fitted, parse_kernel_ridge>)};
}

}  // namespace mercer::api
