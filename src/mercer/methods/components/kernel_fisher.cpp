#include "mercer/methods/components/kernel_fisher.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/methods/expansion_archive.h"
#include "mercer/solvers/algebra/dense_algebra.h"

namespace mercer {
namespace {

constexpr std::string_view format_name = "mercer-kernel-fisher-model";
constexpr const char* owner = "kernel Fisher";

kernel_fisher_model fitted(const gram<double>& gram_matrix, std::span<const double> y, const kernel_fisher_options& o) {
    const index n = gram_matrix.rows();
    if (!(o.regularisation > 0) || !std::isfinite(o.regularisation))
        fail(errc::invalid_argument, fmt::format("{}: must satisfy regularisation > 0, got {}", owner, o.regularisation));
    if (const double need = 16.0 * static_cast<double>(n) * static_cast<double>(n); need > static_cast<double>(o.memory_bytes))
        fail(errc::memory, fmt::format("{}: {:.0f} MB are needed for n = {}, more than the budget of {:.0f} MB", owner, need / 1e6, n,
                                       static_cast<double>(o.memory_bytes) / 1e6));
    const std::vector<double> weight = checked_weights(o.sample_weight, n, 2, owner);
    kernel_fisher_model m;
    m.classes = distinct_labels(y, n, owner);
    const auto place = label_places(y, m.classes);
    const auto classes = static_cast<index>(m.classes.size());
    if (classes < 2) fail(errc::data, fmt::format("{}: at least two classes are needed, the {} examples all have label {}", owner, n, m.classes[0]));
    std::vector<double> omega(m.classes.size());
    for (std::size_t i = 0; i < place.size(); ++i) omega[static_cast<std::size_t>(place[i])] += weight[i];
    for (std::size_t c = 0; c < omega.size(); ++c)
        if (!(omega[c] > 0)) fail(errc::data, fmt::format("{}: the examples of class {} all have weight 0", owner, m.classes[c]));
    double total = 0;
    for (const double each : omega) total += each;

    report(o.progress, {"kernel matrix", 0, 3, 0}, owner);
    matrix<double> K(n, n);
    gram_matrix.all(K.view());
    require_finite(K.view(), owner);
    // Means of classes and of all, as rows of kernel values.
    matrix<double> means(classes, n);
    std::vector<double> mean(static_cast<std::size_t>(n));
    for (index i = 0; i < n; ++i) {
        const index c = place[static_cast<std::size_t>(i)];
        const double w = weight[static_cast<std::size_t>(i)];
        for (index j = 0; j < n; ++j) {
            means(c, j) += w / omega[static_cast<std::size_t>(c)] * K(i, j);
            mean[static_cast<std::size_t>(j)] += w / total * K(i, j);
        }
    }
    // N = Σᵢ wᵢ(kᵢ - m_c)(kᵢ - m_c)ᵀ over rows kᵢ of K: rows scaled by √w
    for (index i = 0; i < n; ++i) {
        const double root = std::sqrt(weight[static_cast<std::size_t>(i)]);
        for (index j = 0; j < n; ++j) K(i, j) = root * (K(i, j) - means(place[static_cast<std::size_t>(i)], j));
    }
    report(o.progress, {"spread within classes", 1, 3, 0}, owner);
    matrix<double> N(n, n);  // its upper half
    add_gram(K.view(), N);
    require_finite(N.view(), owner);
    double diagonal = 0;
    for (index i = 0; i < n; ++i) diagonal += N(i, i) / static_cast<double>(n);
    double size = 0;
    for (index c = 0; c < classes; ++c)
        for (index j = 0; j < n; ++j) size = std::max(size, std::abs(means(c, j) - mean[static_cast<std::size_t>(j)]));
    // Classes that are points each leave N = 0: then μ is relative to the means.
    const double mu = o.regularisation * (diagonal > 0 ? diagonal : size > 0 ? size * size : 1.0);
    for (index i = 0; i < n; ++i) N(i, i) += mu;
    report(o.progress, {"Cholesky decomposition", 2, 3, 0}, owner);
    if (!cholesky_in_place(N))
        fail(errc::not_psd, fmt::format("{}: the spread within classes plus {} is not positive definite; a larger regularisation is needed", owner, mu));
    matrix<double> B(classes, n);  // rows √ω(m_c - m)
    for (index c = 0; c < classes; ++c)
        for (index j = 0; j < n; ++j) B(c, j) = std::sqrt(omega[static_cast<std::size_t>(c)]) * (means(c, j) - mean[static_cast<std::size_t>(j)]);
    matrix<double> X = B;
    cholesky_solve(N, X.view());
    // α = Σ_c v_c x_c with Bᵀ(N+μI)⁻¹B v = ρv; αᵀ(N+μI)α = ρ‖v‖²
    matrix<double> small = product(B.view(), transposed::no, X.view(), transposed::yes);
    for (index a = 0; a < classes; ++a)
        for (index b = 0; b < a; ++b) small(a, b) = small(b, a) = (small(a, b) + small(b, a)) / 2;
    const eigen_system e = symmetric_eigen(std::move(small));
    index p = 0;
    while (p < classes - 1 && e.values[static_cast<std::size_t>(classes - 1 - p)] > 1e-12 * e.values.back()) ++p;
    m.directions.coef = matrix<double>(n, p);
    m.class_means = matrix<double>(classes, p);
    for (index j = 0; j < p; ++j) {
        const double rho = e.values[static_cast<std::size_t>(classes - 1 - j)];
        const double* v = e.vectors.row(classes - 1 - j);
        m.ratios.push_back(rho);
        std::vector<double> alpha(static_cast<std::size_t>(n));
        for (index c = 0; c < classes; ++c)
            for (index i = 0; i < n; ++i) alpha[static_cast<std::size_t>(i)] += v[c] * X(c, i) / std::sqrt(rho);
        const auto largest = std::max_element(alpha.begin(), alpha.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
        const double sign = *largest < 0 ? -1.0 : 1.0;
        double at_mean = 0;
        for (index i = 0; i < n; ++i) {
            m.directions.coef(i, j) = sign * alpha[static_cast<std::size_t>(i)];
            at_mean += m.directions.coef(i, j) * mean[static_cast<std::size_t>(i)];
        }
        m.directions.offset.push_back(-at_mean);
        for (index c = 0; c < classes; ++c) {
            for (index i = 0; i < n; ++i) m.class_means(c, j) += m.directions.coef(i, j) * means(c, i);
            m.class_means(c, j) -= at_mean;
        }
    }
    return m;
}

std::vector<double> nearest(const kernel_fisher_model& m, const matrix<double>& f) {
    std::vector<double> out;
    for (index i = 0; i < f.rows(); ++i) {
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

kernel_fisher_model fit_kernel_fisher(const kernel& k, const dataset& x, std::span<const double> y, const kernel_fisher_options& o) {
    require_objects(x, owner);
    kernel_fisher_model m = fitted(computed<double>(k, x), y, o);
    m.directions.k = std::make_shared<const kernel>(k);
    m.directions.x = x;
    return m;
}

kernel_fisher_model fit_kernel_fisher(const gram<double>& K, std::span<const double> y, const kernel_fisher_options& o) {
    checked_diagonal(K, owner);
    return fitted(K, y, o);
}

matrix<double> transform(const kernel_fisher_model& m, const dataset& z) { return m.directions.values(z); }
matrix<double> transform(const kernel_fisher_model& m, const gram<double>& K) { return m.directions.values(K); }
std::vector<double> predict(const kernel_fisher_model& m, const dataset& z) { return nearest(m, transform(m, z)); }
std::vector<double> predict(const kernel_fisher_model& m, const gram<double>& K) { return nearest(m, transform(m, K)); }

std::string model_bytes(const kernel_fisher_model& m) {
    archive_writer out;
    write_expansion(out, m.directions);
    out.head["classes"] = m.classes.size();
    out.all(m.classes);
    out.all(m.ratios);
    out.numbers(m.class_means);
    return out.bytes(format_name, 1);
}

kernel_fisher_model parse_kernel_fisher_model(std::string_view bytes, const std::string& name) {
    archive_reader in(bytes, format_name, 1, name);
    kernel_fisher_model m;
    in.read([&] {
        m.directions = read_expansion(in);
        m.classes = in.class_labels(whole(in.head, "classes"));
        m.ratios = in.all<double>(m.directions.functions());
        m.class_means = in.numbers(static_cast<index>(m.classes.size()), m.directions.functions());
        if (m.classes.empty()) in.bad("there are no classes");
    });
    return m;
}

void save_model(const kernel_fisher_model& model, const std::string& path) { write_atomically(path, model_bytes(model)); }
kernel_fisher_model load_kernel_fisher_model(const std::string& path) { return load_with(path, parse_kernel_fisher_model); }

}  // namespace mercer
