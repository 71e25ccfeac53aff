// Ridge regression as methods: ridge on vectors, kernel_ridge with any kernel, each with a path over λ.
#include "mercer/api/method.h"
#include "mercer/base/error.h"
#include "mercer/estimators/kernel_ridge.h"
#include "mercer/estimators/ridge.h"

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
    kernel_ridge_fitted(kernel_ridge_model m, figures path) : m_(std::move(m)), path_(std::move(path)) {}
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

std::shared_ptr<const fitted> make_kernel_ridge(const fit_task& t) {
    const std::vector<double> alphas = t.options.numbers("alphas");
    const matrix<double> y = one_column(t.data.y);
    kernel_ridge_options o;
    o.loo = t.options.flag("loo");
    o.variance = t.options.flag("variance");
    if (t.memory_bytes) o.memory_bytes = t.memory_bytes;
    o.progress = t.progress;
    if (alphas.empty()) {
        o.alpha = t.options.number("alpha");
        return std::make_shared<kernel_ridge_fitted>(fit_kernel_ridge(*t.k, t.data.x, y.view(), o), figures{});
    }
    ridge_path_options several;
    several.alphas = alphas;
    several.score = t.options.choice("score") == "loo" ? ridge_score::loo : ridge_score::gcv;
    several.memory_bytes = o.memory_bytes;
    several.progress = t.progress;
    kernel_ridge_path path = fit_kernel_ridge_path(*t.k, t.data.x, y.view(), several);
    figures about;
    about.add("chosen_by", t.options.choice("score"));
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
    ridge_fitted(ridge_model m, figures path) : m_(std::move(m)), path_(std::move(path)) {}
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

std::shared_ptr<const fitted> make_ridge(const fit_task& t) {
    ridge_options o;
    o.alpha = t.options.number("alpha");
    o.fit_intercept = t.options.flag("fit_intercept");
    const std::string& form = t.options.choice("form");
    o.form = form == "primal" ? ridge_form::primal : form == "dual" ? ridge_form::dual : ridge_form::cheaper;
    if (t.memory_bytes) o.memory_bytes = t.memory_bytes;
    const matrix<double> y = one_column(t.data.y);
    const std::vector<double> alphas = t.options.numbers("alphas");
    if (alphas.empty()) return std::make_shared<ridge_fitted>(fit_ridge(t.data.x, y.view(), o), figures{});
    ridge_path path = fit_ridge_path(t.data.x, y.view(), alphas, t.options.choice("score") == "loo" ? ridge_score::loo : ridge_score::gcv, o);
    figures about;
    about.add("chosen_by", t.options.choice("score"));
    add_path(about, path.alphas, path.gcv, path.loo, path.df);
    return std::make_shared<ridge_fitted>(std::move(path.models[static_cast<std::size_t>(path.best)]), std::move(about));
}

}  // namespace

std::vector<method> ridge_methods() {
    const option_info alpha = only_with(number("alpha", "1", "λ, the price of large coefficients", 0), "alphas", {""});
    const option_info alphas = numbers("alphas", "", "several λ: the best by `score` is kept");
    method ridge{"ridge",
                 {},
                 method_family::regression,
                 "ridge regression on vectors",
                 "min Σ(yᵢ - βᵀxᵢ - b)² + λ‖β‖²",
                 "mercer-ridge-model",
                 answer::values,
                 false,
                 true,
                 false,
                 {alpha, alphas, only_with(choice("score", {"loo", "gcv"}, "how λ is chosen: leave-one-out or generalised cross-validation"), "alphas"),
                  flag("fit_intercept", true, "with an offset b"), choice("form", {"cheaper", "primal", "dual"}, "which equations are solved")},
                 make_ridge,
                 [](std::string_view bytes, const std::string& file) { return std::make_shared<const ridge_fitted>(parse_ridge(bytes, file), figures{}); }};
    method kernel_ridge{"kernel_ridge",
                        {"krr"},
                        method_family::regression,
                        "kernel ridge regression",
                        "min Σ(yᵢ - f(xᵢ))² + λ‖f‖²",
                        "mercer-kernel-ridge-model",
                        answer::values,
                        true,
                        true,
                        false,
                        {alpha, alphas, only_with(choice("score", {"gcv", "loo"}, "how λ is chosen: generalised cross-validation or leave-one-out"), "alphas"),
                         flag("loo", false, "leave-one-out error as well"), flag("variance", false, "keep what variances of predictions need")},
                        make_kernel_ridge,
                        [](std::string_view bytes, const std::string& file) {
                            return std::make_shared<const kernel_ridge_fitted>(parse_kernel_ridge(bytes, file), figures{});
                        }};
    return {std::move(ridge), std::move(kernel_ridge)};
}

}  // namespace mercer::api
