#include "mercer/methods/neighbours/kernel_density.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "mercer/base/error.h"
#include "mercer/kernels/vectors/gaussian.h"
#include "mercer/kernels/vectors/laplacian.h"
#include "mercer/kernels/vectors/matern.h"
#include "mercer/kernels/vectors/rational_quadratic.h"
#include "mercer/methods/archive.h"
#include "mercer/methods/fit_checks.h"
#include "mercer/methods/method.h"

namespace mercer {
namespace {

constexpr const char* density_owner = "kernel density";
using std::numbers::pi;

// Returns the parameters of k if it is a kernel F, in the order of kernel_info.
template <class F>
std::optional<std::vector<double>> parameters_of(const kernel& k) {
    if (!dynamic_cast<const leaf_node<F>*>(&k.node())) return {};
    const kernel_info info = F::info();
    // The text form preserves every bit of the parameters.
    std::vector<double> out;
    const std::string text = k.text();
    for (const auto& parameter : info.parameters) {
        const std::size_t at = text.find(parameter.name + "=");
        if (at == std::string::npos) return {};
        out.push_back(std::strtod(text.c_str() + at + parameter.name.size() + 1, nullptr));
    }
    return out;
}

std::optional<double> log_integral(const kernel& k, double d) {
    if (const auto a = parameters_of<gaussian>(k)) return d / 2 * std::log(pi / (*a)[0]);
    if (const auto a = parameters_of<laplacian>(k)) return d * std::log(2 / (*a)[0]);
    if (const auto a = parameters_of<matern>(k)) {
        const double nu = (*a)[0], l = (*a)[1];
        return d * std::log(2.0) + d / 2 * std::log(pi) + std::lgamma(nu + d / 2) - std::lgamma(nu) +
               d / 2 * std::log(l * l / (2 * nu));
    }
    if (const auto a = parameters_of<rational_quadratic>(k)) {
        const double alpha = (*a)[0], l = (*a)[1];
        if (2 * alpha > d)
            return d / 2 * std::log(2 * alpha * l * l * pi) + std::lgamma(alpha - d / 2) - std::lgamma(alpha);
    }
    return {};
}

kernel_density_model make_mean(index n, const kernel_density_options& o) {
    const std::vector<double> weight = checked_weights(o.sample_weight, n, 1, density_owner);
    double W = 0;
    for (const double w : weight) W += w;
    kernel_density_model m;
    m.mean.coef = matrix<double>(n, 1);
    for (index i = 0; i < n; ++i) m.mean.coef(i, 0) = weight[static_cast<std::size_t>(i)] / W;
    m.mean.offset = {0.0};
    return m;
}

// Returns log Σᵢ aᵢ exp(-γ‖z-xᵢ‖²), computed relative to the largest term.
double log_sum(const kernel_density_model& m, const dense<double>& x, const double* z, double gamma) {
    std::vector<double> terms;
    double largest = -std::numeric_limits<double>::infinity();
    for (index i = 0; i < x.size(); ++i) {
        double d = 0;
        for (index c = 0; c < x.dims(); ++c) d += (z[c] - x.row(i)[c]) * (z[c] - x.row(i)[c]);
        if (m.mean.coef(i, 0) > 0)
            terms.push_back(std::log(m.mean.coef(i, 0)) - gamma * d), largest = std::max(largest, terms.back());
    }
    double sum = 0;
    for (const double each : terms) sum += std::exp(each - largest);
    return largest + std::log(sum);
}

}  // namespace

kernel_density_model fit_kernel_density(const kernel& k, const dataset& x, const kernel_density_options& o) {
    require_objects(x, density_owner);
    kernel_density_model m = make_mean(x.size(), o);
    m.mean.k = std::make_shared<const kernel>(k);
    m.mean.x = x;
    if (const auto log_z =
            x.kind() == object_kind::vectors ? log_integral(k, static_cast<double>(x.dims())) : std::nullopt)
        m.normalised = true, m.log_scale = *log_z;
    return m;
}

kernel_density_model fit_kernel_density(const gram<double>& K, const kernel_density_options& o) {
    checked_diagonal(K, density_owner);
    return make_mean(K.rows(), o);
}

std::vector<double> mean_embedding(const kernel_density_model& m, const dataset& z) {
    const matrix<double> f = m.mean.values(z);
    return {f.data(), f.data() + f.rows()};
}
std::vector<double> mean_embedding(const kernel_density_model& m, const gram<double>& K) {
    const matrix<double> f = m.mean.values(K);
    return {f.data(), f.data() + f.rows()};
}

std::vector<double> log_density(const kernel_density_model& m, const dataset& z) {
    if (!m.normalised)
        fail(errc::unsupported,
             fmt::format(
                 "{}: the integral of {} over all x is not known or not finite, so the kernel defines no density",
                 density_owner, m.mean.k ? m.mean.k->text() : "a matrix"));
    std::vector<double> f = mean_embedding(m, z);
    const auto a = parameters_of<gaussian>(*m.mean.k);
    std::optional<dense<double>> x, to;
    for (std::size_t i = 0; i < f.size(); ++i) {
        if (a && !(f[i] > 1e-280)) {
            if (!x) x = as_dense<double>(m.mean.x), to = as_dense<double>(z);
            f[i] = log_sum(m, *x, to->row(static_cast<index>(i)), (*a)[0]) - m.log_scale;
        } else {
            f[i] = std::log(f[i]) - m.log_scale;
        }
    }
    return f;
}

template <>
struct file_form<kernel_density_model> {
    static constexpr std::string_view format = "mercer-kernel-density-model";
    static constexpr int version = 1;

    static void parts(auto& a, auto& m) {
        a.part(m.mean);
        a.head("normalised", m.normalised);
        a.numbers(m.log_scale);
        a.check(m.mean.functions() == 1, "a density needs one function, got {}", m.mean.functions());
        a.check(!m.normalised || (m.mean.k && m.mean.x.kind() == object_kind::vectors),
                "a normalised density needs vectors");
    }
};
template struct model_file<kernel_density_model>;

namespace api {
namespace {

class density_estimator final : public estimator_of<kernel_density_model> {
public:
    using estimator_of::estimator_of;
    target_kind prediction_kind() const override { return target_kind::values; }
    // The log density if the integral of the kernel is known, otherwise the mean embedding.
    std::vector<double> predict(const examples& x) const override {
        return m_.normalised ? log_density(m_, x.objects()) : embedding(x);
    }
    columns details(const examples& x) const override { return {as_column(embedding(x)), {"mean_embedding"}}; }
    summary summarise() const override {
        summary out{{"predicts", m_.normalised ? "log density" : "mean embedding"}};
        if (m_.normalised) out.add("log_scale", m_.log_scale);
        out.add("training_size", m_.mean.size());
        return out;
    }

private:
    std::vector<double> embedding(const examples& x) const {
        return x.visit([&](const auto& some) { return mean_embedding(m_, some); });
    }
};

estimator_ptr make_density(const kernel_density&, const fit_call& t) {
    const auto o = t.common<kernel_density_options>();
    return t.made<density_estimator>(t.from([&](const auto&... from) { return fit_kernel_density(from..., o); }));
}

}  // namespace

method kernel_density_method() { return entry<kernel_density, density_estimator>(make_density); }

}  // namespace api

}  // namespace mercer
