#include "mercer/methods/components/kernel_fisher.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/dense/cholesky.h"
#include "mercer/dense/gemm.h"
#include "mercer/dense/matrix_checks.h"
#include "mercer/dense/symmetric_eigen.h"
#include "mercer/methods/archive.h"
#include "mercer/methods/fit_checks.h"
#include "mercer/methods/method.h"

namespace mercer {
namespace {

constexpr const char* fisher_owner = "kernel Fisher";

void check(const kernel_fisher_options& o, index n) {
    if (!(o.regularisation > 0) || !std::isfinite(o.regularisation))
        fail(errc::invalid_argument,
             fmt::format("{}: must satisfy regularisation > 0, got {}", fisher_owner, o.regularisation));
    if (const double need = 16.0 * static_cast<double>(n) * static_cast<double>(n);
        need > static_cast<double>(o.memory_bytes))
        fail(errc::memory, fmt::format("{}: {:.0f} MB are needed for n = {}, more than the memory limit of {:.0f} MB",
                                       fisher_owner, need / 1e6, n, static_cast<double>(o.memory_bytes) / 1e6));
}

// The class and the weight of every example.
struct class_members {
    std::vector<double> labels;
    std::vector<index> place;    // the class of each example
    std::vector<double> weight;  // of each example
    std::vector<double> omega;   // of each class
    double total = 0;

    index classes() const { return static_cast<index>(labels.size()); }
};

class_members members_of(std::span<const double> y, index n, const kernel_fisher_options& o) {
    class_members g;
    g.weight = checked_weights(o.sample_weight, n, 2, fisher_owner);
    g.labels = distinct_labels(y, n, fisher_owner);
    g.place = class_indices(y, g.labels);
    if (g.classes() < 2)
        fail(errc::data, fmt::format("{}: at least two classes are needed, the {} examples all have label {}",
                                     fisher_owner, n, g.labels[0]));
    g.omega.resize(g.labels.size());
    for (std::size_t i = 0; i < g.place.size(); ++i) g.omega[static_cast<std::size_t>(g.place[i])] += g.weight[i];
    for (std::size_t c = 0; c < g.omega.size(); ++c)
        if (!(g.omega[c] > 0))
            fail(errc::data, fmt::format("{}: all examples of class {} have weight 0", fisher_owner, g.labels[c]));
    for (const double each : g.omega) g.total += each;
    return g;
}

// The class means and the total mean, as rows of kernel values.
struct kernel_means {
    matrix<double> of_class;  // m_c
    std::vector<double> all;  // m
};

kernel_means means_of(const matrix<double>& K, const class_members& g) {
    const index n = K.rows();
    kernel_means m{matrix<double>(g.classes(), n), std::vector<double>(static_cast<std::size_t>(n))};
    for (index i = 0; i < n; ++i) {
        throw_if_cancelled();
        const index c = g.place[static_cast<std::size_t>(i)];
        const double w = g.weight[static_cast<std::size_t>(i)];
        for (index j = 0; j < n; ++j) {
            m.of_class(c, j) += w / g.omega[static_cast<std::size_t>(c)] * K(i, j);
            m.all[static_cast<std::size_t>(j)] += w / g.total * K(i, j);
        }
    }
    return m;
}

// Returns the upper triangle of N = Σᵢ wᵢ(kᵢ - m_c)(kᵢ - m_c)ᵀ for the rows kᵢ of K, which are overwritten with √w(kᵢ -
// m_c).
matrix<double> spread_within(matrix<double>& K, const class_members& g, const kernel_means& means) {
    const index n = K.rows();
    for (index i = 0; i < n; ++i) {
        throw_if_cancelled();
        const double root = std::sqrt(g.weight[static_cast<std::size_t>(i)]);
        for (index j = 0; j < n; ++j)
            K(i, j) = root * (K(i, j) - means.of_class(g.place[static_cast<std::size_t>(i)], j));
    }
    matrix<double> N(n, n);
    add_gram(K.view(), N);
    require_finite(N.view(), fisher_owner);
    return N;
}

// N ← the Cholesky factor of N + μI
void factor_regularised(matrix<double>& N, const kernel_means& means, const kernel_fisher_options& o) {
    const index n = N.rows();
    double diagonal = 0;
    for (index i = 0; i < n; ++i) diagonal += N(i, i) / static_cast<double>(n);
    double size = 0;
    for (index c = 0; c < means.of_class.rows(); ++c)
        for (index j = 0; j < n; ++j)
            size = std::max(size, std::abs(means.of_class(c, j) - means.all[static_cast<std::size_t>(j)]));
    // If every class is a single point, N = 0; then μ is relative to the distances of the class means.
    const double mu = o.regularisation * (diagonal > 0 ? diagonal : size > 0 ? size * size : 1.0);
    for (index i = 0; i < n; ++i) N(i, i) += mu;
    report(o.progress, {"Cholesky decomposition", 2, 3, 0}, fisher_owner);
    if (!cholesky_in_place(N))
        fail(errc::not_psd,
             fmt::format(
                 "{}: the within-class scatter matrix plus {}·I is not positive definite: take a larger regularisation",
                 fisher_owner, mu));
}

// Adds direction j, Σᵢ αᵢφ(xᵢ), with ratio ρ: the largest |αᵢ| becomes positive, the offset moves the mean of all
// examples to 0, and the class means are projected.
void add_direction(kernel_fisher_model& m, index j, double rho, std::vector<double> alpha, const kernel_means& means) {
    const index n = m.directions.coef.rows();
    m.ratios.push_back(rho);
    const auto largest =
        std::max_element(alpha.begin(), alpha.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
    const double sign = *largest < 0 ? -1.0 : 1.0;
    double at_mean = 0;
    for (index i = 0; i < n; ++i) {
        m.directions.coef(i, j) = sign * alpha[static_cast<std::size_t>(i)];
        at_mean += m.directions.coef(i, j) * means.all[static_cast<std::size_t>(i)];
    }
    m.directions.offset.push_back(-at_mean);
    for (index c = 0; c < m.class_means.rows(); ++c) {
        for (index i = 0; i < n; ++i) m.class_means(c, j) += m.directions.coef(i, j) * means.of_class(c, i);
        m.class_means(c, j) -= at_mean;
    }
}

// With Bᵀ(N+μI)⁻¹B v = ρv, where BBᵀ is the spread between classes, α = (N+μI)⁻¹B v is a direction and αᵀ(N+μI)α =
// ρ‖v‖².
void find_directions(kernel_fisher_model& m, const matrix<double>& factor, const class_members& g,
                     const kernel_means& means) {
    const index n = factor.rows(), classes = g.classes();
    matrix<double> B(classes, n);  // rows are √ω(m_c - m)
    for (index c = 0; c < classes; ++c)
        for (index j = 0; j < n; ++j)
            B(c, j) = std::sqrt(g.omega[static_cast<std::size_t>(c)]) *
                      (means.of_class(c, j) - means.all[static_cast<std::size_t>(j)]);
    matrix<double> X = B;
    cholesky_solve(factor, X.view());
    matrix<double> small = product(B.view(), transposed::no, X.view(), transposed::yes);
    for (index a = 0; a < classes; ++a)
        for (index b = 0; b < a; ++b) small(a, b) = small(b, a) = (small(a, b) + small(b, a)) / 2;
    const eigen_system e = symmetric_eigen(std::move(small));
    index p = 0;
    while (p < classes - 1 && e.values[static_cast<std::size_t>(classes - 1 - p)] > 1e-12 * e.values.back()) ++p;
    m.directions.coef = matrix<double>(n, p);
    m.class_means = matrix<double>(classes, p);
    for (index j = 0; j < p; ++j) {
        throw_if_cancelled();
        const double rho = e.values[static_cast<std::size_t>(classes - 1 - j)];
        const double* v = e.vectors.row(classes - 1 - j);
        std::vector<double> alpha(static_cast<std::size_t>(n));
        for (index c = 0; c < classes; ++c)
            for (index i = 0; i < n; ++i) alpha[static_cast<std::size_t>(i)] += v[c] * X(c, i) / std::sqrt(rho);
        add_direction(m, j, rho, std::move(alpha), means);
    }
}

kernel_fisher_model fit_model(const gram<double>& gram_matrix, std::span<const double> y,
                              const kernel_fisher_options& o) {
    const index n = gram_matrix.rows();
    check(o, n);
    const class_members g = members_of(y, n, o);
    report(o.progress, {"kernel matrix", 0, 3, 0}, fisher_owner);
    matrix<double> K(n, n);
    gram_matrix.fill(K.view());
    require_finite(K.view(), fisher_owner);
    const kernel_means means = means_of(K, g);
    report(o.progress, {"spread within classes", 1, 3, 0}, fisher_owner);
    matrix<double> N = spread_within(K, g, means);
    factor_regularised(N, means, o);
    kernel_fisher_model m;
    m.classes = g.labels;
    find_directions(m, N, g, means);
    return m;
}

std::vector<double> nearest(const kernel_fisher_model& m, const matrix<double>& f) {
    std::vector<double> out;
    for (index i = 0; i < f.rows(); ++i) {
        throw_if_cancelled();
        std::size_t best = 0;
        double least = 0;
        for (std::size_t c = 0; c < m.classes.size(); ++c) {
            double d = 0;
            for (index j = 0; j < f.cols(); ++j) d += std::pow(f(i, j) - m.class_means(static_cast<index>(c), j), 2);
            if (c == 0 || d < least) least = d, best = c;
        }
        out.push_back(m.classes[best]);
    }
    return out;
}

}  // namespace

kernel_fisher_model fit_kernel_fisher(const kernel& k, const dataset& x, std::span<const double> y,
                                      const kernel_fisher_options& o) {
    require_objects(x, fisher_owner);
    kernel_fisher_model m = fit_model(*make_gram<double>(k, x), y, o);
    m.directions.k = std::make_shared<const kernel>(k);
    m.directions.x = x;
    return m;
}

kernel_fisher_model fit_kernel_fisher(const gram<double>& K, std::span<const double> y,
                                      const kernel_fisher_options& o) {
    checked_diagonal(K, fisher_owner);
    return fit_model(K, y, o);
}

matrix<double> transform(const kernel_fisher_model& m, const dataset& z) { return m.directions.values(z); }
matrix<double> transform(const kernel_fisher_model& m, const gram<double>& K) { return m.directions.values(K); }
std::vector<double> predict(const kernel_fisher_model& m, const dataset& z) { return nearest(m, transform(m, z)); }
std::vector<double> predict(const kernel_fisher_model& m, const gram<double>& K) { return nearest(m, transform(m, K)); }

template <>
struct file_form<kernel_fisher_model> {
    static constexpr std::string_view format = "mercer-kernel-fisher-model";
    static constexpr int version = 1;

    static void parts(auto& a, auto& m) {
        a.part(m.directions);
        const index functions = m.directions.functions();
        a.list("classes", m.classes);
        a.check_finite(m.classes, "a class label");
        a.check(!m.classes.empty(), "the model has no classes");
        a.list(m.ratios, functions);
        a.table(m.class_means, std::ssize(m.classes), functions);
    }
};
template struct model_file<kernel_fisher_model>;

namespace api {
namespace {

class fisher_estimator final : public estimator_of<kernel_fisher_model> {
public:
    using estimator_of::estimator_of;
    target_kind prediction_kind() const override { return target_kind::classes; }
    columns transform(const examples& x) const override {
        return {x.visit([&](const auto& some) { return mercer::transform(m_, some); }),
                numbered_names("direction", m_.directions.functions())};
    }
    columns details(const examples& x) const override { return transform(x); }
    summary summarise() const override {
        return {
            {"directions", m_.directions.functions()}, {"ratios", m_.ratios}, {"training_size", m_.directions.size()}};
    }
};

estimator_ptr make_fisher(const kernel_fisher& m, const fit_call& t) {
    auto o = t.common<kernel_fisher_options>();
    o.regularisation = m.regularisation;
    return t.made<fisher_estimator>(
        t.from([&](const auto&... from) { return fit_kernel_fisher(from..., t.targets(), o); }));
}

}  // namespace

method kernel_fisher_method() { return entry<kernel_fisher, fisher_estimator>(make_fisher); }

}  // namespace api

}  // namespace mercer
