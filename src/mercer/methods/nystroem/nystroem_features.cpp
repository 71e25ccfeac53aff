#include "mercer/methods/nystroem/nystroem_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/communicator.h"
#include "mercer/base/error.h"
#include "mercer/dense/gemm.h"
#include "mercer/dense/lanczos.h"
#include "mercer/dense/lapack.h"
#include "mercer/dense/symmetric_eigen.h"
#include "mercer/methods/archive.h"
#include "mercer/methods/checkpoint.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/method.h"

namespace mercer {
namespace {

// Returns the components from the eigenpairs: variances and the coefficients of the scores. `sample_diagonal` contains
// k(x, x) of some rows, `total` is the sum of the weights.
nystroem_pca_model components_of(const lanczos_result& found, const nystroem_basis& basis, const matrix<double>& mean,
                                 const std::vector<double>& sample_diagonal, double total, index count) {
    const index m = basis.size();
    nystroem_pca_model out;
    out.status = found.status, out.passes = found.passes + 1;
    double self = 0, square = 0;
    for (const double each : sample_diagonal) self += each / static_cast<double>(sample_diagonal.size());
    for (index j = 0; j < m; ++j) square += mean(j, 0) * mean(j, 0);
    const double scale = total > 1 ? 1 / (total - 1) : 0;
    out.total_variance = std::max(0.0, total * (self - square)) * scale;
    matrix<double> u(count, m);
    std::vector<double> offset;
    index kept = 0;
    const double floor = static_cast<double>(std::max<index>(m, 100)) * 0x1p-52 * total * self;
    for (index j = 0; j < count && j < std::ssize(found.values); ++j) {
        const double lambda = found.values[static_cast<std::size_t>(j)];
        if (!(lambda > floor)) break;
        const double* row = found.vectors.row(j);
        const double largest =
            *std::max_element(row, row + m, [](double a, double b) { return std::abs(a) < std::abs(b); });
        double shift = 0;
        for (index i = 0; i < m; ++i) {
            u(kept, i) = largest < 0 ? -row[i] : row[i];
            shift -= u(kept, i) * mean(i, 0);
        }
        offset.push_back(shift);
        out.eigenvalues.push_back(lambda);
        out.explained_variance.push_back(lambda * scale);
        out.explained_variance_ratio.push_back(out.total_variance > 0 ? lambda * scale / out.total_variance : 0);
        out.residuals.push_back(found.residuals[static_cast<std::size_t>(j)]);
        ++kept;
    }
    const matrix_view<double> rows(u.data(), kept, m);
    basis.to_coefficients(rows);
    out.projection.coef = transpose(rows);
    if (kept == 0) out.projection.coef = matrix<double>(m, 0);
    out.projection.offset = std::move(offset);
    return out;
}

}  // namespace

nystroem_features_model fit_nystroem_features(const training_rows& x, const nystroem_options& o) {
    constexpr const char* owner = "nystroem";
    if (x.size() == 0) fail(errc::data, "nystroem: there are no examples");
    const std::vector<double> weight = local_weights(x, o, owner);
    nystroem_problem posed = make_nystroem_problem(x, o, weight, owner);
    const matrix<double> k = centre_matrix(posed);
    nystroem_features_model out;
    out.unexplained = unexplained_trace(nystroem_basis(k), *posed.sample_gram, posed.sample_diagonal);
    // K_MM^-½ = U diag(λ^-½) Uᵀ with λ at least 1e-12, as in scikit-learn
    eigen_system e;
    // One BLAS thread: processes may have different numbers of BLAS threads, and the results must be identical.
    blas::parallel_calls(1, [&](index) { e = symmetric_eigen(k); });
    const index m = k.rows();
    matrix<double> scaled = e.vectors;
    for (index j = 0; j < m; ++j) {
        const double by = 1 / std::sqrt(std::max(e.values[static_cast<std::size_t>(j)], 1e-12));
        for (index i = 0; i < m; ++i) scaled(j, i) *= by;
    }
    out.map.coef = product(e.vectors.view(), transposed::yes, scaled.view(), transposed::no);
    out.map.offset.assign(static_cast<std::size_t>(m), 0.0);
    move_centres(out.map, posed, x);
    return out;
}

nystroem_pca_model fit_nystroem_pca(const training_rows& x, index components, const nystroem_options& o) {
    constexpr const char* owner = "nystroem_pca";
    if (x.size() == 0) fail(errc::data, "nystroem_pca: there are no examples");
    if (components < 1)
        fail(errc::invalid_argument, fmt::format("nystroem_pca: must satisfy n_components >= 1, got {}", components));
    const std::vector<double> weight = local_weights(x, o, owner);
    nystroem_problem posed = make_nystroem_problem(x, o, weight, owner);
    const nystroem_basis basis = make_independent_basis(x, posed, o);
    const feature_passes pass(x, posed, basis, o.bytes_for_values(!x.processes()));
    const index m = basis.size(), count = std::min(components, m);
    const auto by_weight = [&](index first, matrix_view<double> f, auto value) {
        for (index i = 0; i < f.rows; ++i)
            for (index c = 0; c < f.cols; ++c)
                f(i, c) = weight[static_cast<std::size_t>(first - x.first() + i)] * value(f(i, c), c);
    };
    // The mean feature and the sum of the weights.
    double total = 0;
    const auto mean_step = [&](index first, matrix_view<double> f, double* sums) {
        by_weight(first, f, [](double, index) { return 1.0; });
        for (index i = 0; i < f.rows; ++i) sums[0] += f(i, 0);
    };
    matrix<double> mean = pass({}, 1, mean_step, {&total, 1});
    for (index j = 0; j < m; ++j) mean(j, 0) /= total;
    const auto multiply = [&](matrix_view<const double> v, matrix_view<double> out) {
        std::vector<double> centre(static_cast<std::size_t>(v.cols));
        for (index j = 0; j < m; ++j)
            for (index c = 0; c < v.cols; ++c) centre[static_cast<std::size_t>(c)] += mean(j, 0) * v(j, c);
        const matrix<double> made = pass(v, v.cols, [&](index first, matrix_view<double> f, double*) {
            by_weight(first, f, [&](double value, index c) { return value - centre[static_cast<std::size_t>(c)]; });
        });
        for (index j = 0; j < m; ++j) std::copy_n(made.row(j), v.cols, out.row(j));
    };
    lanczos_options l;
    l.pairs = count, l.block = std::min<index>(std::max<index>(8, (count + 7) / 8 * 8), std::max<index>(1, m));
    l.tol = pass.uses_float() ? std::max(o.tol, 1e-7) : o.tol, l.max_passes = o.max_iter, l.seed = o.seed;
    if (o.progress) l.progress = [&](index done, double residual) { return o.progress({"passes", done, 0, residual}); };
    const std::uint64_t problem =
        mark_of(x, weight, posed, owner)
            .add({static_cast<double>(count), l.tol, static_cast<double>(o.max_iter), static_cast<double>(o.seed)})
            .value();
    recorded_products products(multiply, o.checkpoint, problem, x.processes());
    const lanczos_result found = block_lanczos(m, std::ref(products), l);
    products.finish(found.status);

    nystroem_pca_model out = components_of(found, basis, mean, posed.sample_diagonal, total, count);
    out.unexplained = unexplained_trace(basis, *posed.sample_gram, posed.sample_diagonal);
    move_centres(out.projection, posed, x);
    return out;
}

template <>
struct file_form<nystroem_features_model> {
    static constexpr std::string_view format = "mercer-nystroem-features-model";
    static constexpr int version = 1;
    static void parts(auto& a, auto& m) {
        a.part(m.map);
        a.numbers(m.unexplained);
    }
};
template struct model_file<nystroem_features_model>;

template <>
struct file_form<nystroem_pca_model> {
    static constexpr std::string_view format = "mercer-nystroem-pca-model";
    static constexpr int version = 1;
    static void parts(auto& a, auto& m) {
        a.part(m.projection);
        const index p = m.projection.functions();
        a.status(m.status);
        a.integer("passes", m.passes);
        a.numbers(m.total_variance, m.unexplained);
        a.list(m.eigenvalues, p);
        a.list(m.explained_variance, p);
        a.list(m.explained_variance_ratio, p);
        a.list(m.residuals, p);
    }
};
template struct model_file<nystroem_pca_model>;

matrix<double> transpose(matrix_view<const double> a) {
    matrix<double> out(a.cols, a.rows);
    for (index i = 0; i < a.rows; ++i)
        for (index j = 0; j < a.cols; ++j) out(j, i) = a(i, j);
    return out;
}

void move_centres(kernel_expansion& f, nystroem_problem& posed, const training_rows& x) {
    f.k = x.kernel_if_known(), f.x = std::move(posed.centres), f.rows = std::move(posed.centre_rows);
    f.training_size = x.size();
}

feature_passes::feature_passes(const training_rows& x, const nystroem_problem& posed, const nystroem_basis& basis,
                               std::size_t budget)
    : basis_(basis),
      float_rows_(x.float_passes(posed.centres, budget)),
      double_rows_(float_rows_.pointer ? owned<gram_batches<double>>()
                                       : x.passes(posed.centres, posed.centre_rows, budget)) {}

matrix<double> feature_passes::operator()(matrix_view<const double> v, index cols, const row_function& step,
                                          std::span<double> totals) const {
    matrix<double> out(basis_.size(), cols);
    const matrix<double> beta = v.rows > 0 ? coefficients(v) : matrix<double>();
    run_pass(beta.view(), step, out.view(), totals);
    matrix<double> rows = transpose(out.view());
    basis_.to_gradient(rows.view());
    return transpose(rows.view());
}

void feature_passes::forward(matrix_view<const double> v, const row_function& step, std::span<double> totals) const {
    run_pass(coefficients(v).view(), step, {}, totals);
}

matrix<double> feature_passes::coefficients(matrix_view<const double> v) const {
    matrix<double> rows = transpose(v);
    basis_.to_coefficients(rows.view());
    matrix<double> out = transpose(rows.view());
    // Rank 0 broadcasts the coefficients, because processors may round differently.
    if (const communicator* group = float_rows_.pointer ? float_rows_->processes() : double_rows_->processes())
        group->broadcast(out.data(), static_cast<std::size_t>(out.rows() * out.cols()) * sizeof(double));
    return out;
}

void feature_passes::run_pass(matrix_view<const double> beta, const row_function& step, matrix_view<double> out,
                              std::span<double> totals) const {
    if (float_rows_.pointer)
        gram_pass<float>(*float_rows_, beta, step, out, totals);
    else
        gram_pass<double>(*double_rows_, beta, step, out, totals);
}

namespace api {
namespace {

class nystroem_pca_estimator final : public estimator_of<nystroem_pca_model> {
public:
    using estimator_of::estimator_of;
    columns transform(const examples& x) const override {
        return {x.visit([&](const auto& some) { return m_.projection.values(some); }),
                numbered_names("component", m_.projection.functions())};
    }
    summary summarise() const override {
        return {{"status", name(m_.status)},
                {"components", m_.projection.functions()},
                {"eigenvalues", m_.eigenvalues},
                {"explained_variance", m_.explained_variance},
                {"explained_variance_ratio", m_.explained_variance_ratio},
                {"total_variance", m_.total_variance},
                {"passes", m_.passes},
                {"n_centres", m_.projection.size()},
                {"out_of_reach", m_.unexplained},
                {"training_size", m_.projection.training_size}};
    }
    std::string warning() const override { return fit_warning(m_.status, "max_iter, or take a larger tol"); }
};

estimator_ptr make_nystroem_pca(const nystroem_pca& m, const fit_call& t, const training_rows& x) {
    return t.made<nystroem_pca_estimator>(fit_nystroem_pca(x, m.n_components, to_nystroem_options(m, t)));
}

class nystroem_features_estimator final : public estimator_of<nystroem_features_model> {
public:
    using estimator_of::estimator_of;
    std::string kernel_text() const override { return m_.map.kernel_text(); }
    columns transform(const examples& x) const override {
        return {x.visit([&](const auto& some) { return m_.map.values(some); }),
                numbered_names("feature", m_.map.functions())};
    }
    summary summarise() const override {
        return {
            {"n_centres", m_.map.size()}, {"out_of_reach", m_.unexplained}, {"training_size", m_.map.training_size}};
    }
    part_value part(std::string_view name) const override {
        if (name == "coef") return m_.map.coef;
        if (name == "objects") return m_.map.x;
        if (name == "centre_rows") return std::vector<std::int64_t>(m_.map.rows.begin(), m_.map.rows.end());
        return estimator_of::part(name);
    }
};

estimator_ptr make_nystroem_features(const nystroem& m, const fit_call& t, const training_rows& x) {
    return t.made<nystroem_features_estimator>(fit_nystroem_features(x, to_nystroem_options(m, t)));
}

}  // namespace

method nystroem_pca_method() { return entry_by_passes<nystroem_pca, nystroem_pca_estimator, make_nystroem_pca>(); }
method nystroem_method() { return entry_by_passes<nystroem, nystroem_features_estimator, make_nystroem_features>(); }

}  // namespace api

}  // namespace mercer
