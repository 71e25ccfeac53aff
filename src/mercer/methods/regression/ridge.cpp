#include "mercer/methods/regression/ridge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/dense/cholesky.h"
#include "mercer/dense/gemm.h"
#include "mercer/dense/matrix_checks.h"
#include "mercer/dense/symmetric_eigen.h"
#include "mercer/gram/make_gram.h"
#include "mercer/kernels/vectors/linear.h"
#include "mercer/methods/archive.h"
#include "mercer/methods/fit_checks.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/method.h"

namespace mercer {
namespace {

constexpr const char* ridge_owner = "ridge";

// Calls body(column, value) for every stored coordinate of row i.
template <class Body>
void for_each_entry(const dataset& x, index i, Body body) {
    std::visit(
        [&](const auto& some) {
            if constexpr (requires { some.row(0); }) {
                for (index c = 0; c < some.dims(); ++c) body(c, static_cast<double>(some.row(i)[c]));
            } else if constexpr (requires { some.cols(0); }) {
                const auto cols = some.cols(i);
                const auto values = some.values(i);
                for (std::size_t k = 0; k < cols.size(); ++k)
                    body(static_cast<index>(cols[k]), static_cast<double>(values[k]));
            }
        },
        x.items());
}

// The centred problem. The matrix X̃ = √w(x - x̄) is never formed as a whole.
struct centred_problem {
    dataset x;  // the examples of positive weight
    std::vector<double> weight, root;
    double total = 0;                    // Σw
    std::vector<double> mean_x, mean_y;  // weighted means; zeros without an offset
    matrix<double> y;                    // ỹ = √w(y - ȳ)
    bool offset = true;

    index n() const { return x.size(); }
    index d() const { return x.dims(); }
    index outputs() const { return y.cols(); }
};

centred_problem centre_problem(const dataset& x, matrix_view<const double> y, const ridge_options& o) {
    if (x.kind() != object_kind::vectors)
        fail(errc::unsupported, fmt::format("ridge: the examples must be vectors, got {}", name(x.kind())));
    check_targets(ridge_owner, x.size(), y);
    if (!(o.alpha >= 0) || !std::isfinite(o.alpha))
        fail(errc::invalid_argument, fmt::format("ridge: must satisfy 0 <= alpha < infinity, got {}", o.alpha));
    require_finite(x);
    const std::vector<double> all = checked_weights(ridge_owner, x.size(), o.sample_weight);
    const std::vector<index> used = positive_indices(all);
    centred_problem p;
    p.offset = o.fit_intercept;
    p.x = static_cast<index>(used.size()) == x.size() ? x : gather(x, std::span<const index>(used));
    for (const index row : used)
        p.weight.push_back(all[static_cast<std::size_t>(row)]), p.root.push_back(std::sqrt(p.weight.back())),
            p.total += p.weight.back();
    p.mean_x.assign(static_cast<std::size_t>(p.d()), 0.0);
    p.mean_y.assign(static_cast<std::size_t>(y.cols), 0.0);
    p.y = matrix<double>(p.n(), y.cols);
    if (o.fit_intercept) {
        for (index i = 0; i < p.n(); ++i) {
            const double share = p.weight[static_cast<std::size_t>(i)] / p.total;
            for_each_entry(p.x, i,
                           [&](index c, double value) { p.mean_x[static_cast<std::size_t>(c)] += share * value; });
            for (index c = 0; c < y.cols; ++c)
                p.mean_y[static_cast<std::size_t>(c)] += share * y(used[static_cast<std::size_t>(i)], c);
        }
    }
    for (index i = 0; i < p.n(); ++i)
        for (index c = 0; c < y.cols; ++c)
            p.y(i, c) = p.root[static_cast<std::size_t>(i)] *
                        (y(used[static_cast<std::size_t>(i)], c) - p.mean_y[static_cast<std::size_t>(c)]);
    return p;
}

// Returns rows first … first+count-1 of X̃ as a dense matrix.
matrix<double> centred_rows(const centred_problem& p, index first, index count) {
    matrix<double> out(count, p.d());
    parallel_for(count, [&](index i) {
        double* const row = out.row(i);
        for_each_entry(p.x, first + i, [&](index c, double value) { row[c] = value; });
        const double root = p.root[static_cast<std::size_t>(first + i)];
        for (index c = 0; c < p.d(); ++c) row[c] = root * (row[c] - p.mean_x[static_cast<std::size_t>(c)]);
    });
    return out;
}

constexpr index band = 4096;  // number of rows converted to a dense matrix at a time

// Returns X̃ᵀX̃ (d × d).
matrix<double> normal_matrix(const centred_problem& p) {
    const index d = p.d();
    matrix<double> a(d, d);
    if (!p.x.is_sparse()) {
        for (index first = 0; first < p.n(); first += band) {
            const matrix<double> rows = centred_rows(p, first, std::min(band, p.n() - first));
            const matrix<double> part = product(rows.view(), transposed::yes, rows.view(), transposed::no);
            for (index k = 0; k < d * d; ++k) a.data()[k] += part.data()[k];
        }
        return a;
    }
    // X̃ᵀX̃ = Σ w xxᵀ - Σw·x̄x̄ᵀ. Each thread owns some rows of the result and goes through all examples.
    constexpr index tile = 256;
    parallel_for((d + tile - 1) / tile, [&](index t) {
        const index from = t * tile, to = std::min(from + tile, d);
        for (index i = 0; i < p.n(); ++i)
            for_each_entry(p.x, i, [&](index r, double left) {
                if (r < from || r >= to) return;
                const double scaled = p.weight[static_cast<std::size_t>(i)] * left;
                double* const row = a.row(r);
                for_each_entry(p.x, i, [&](index c, double right) { row[c] += scaled * right; });
            });
        for (index r = from; r < to; ++r)
            for (index c = 0; c < d; ++c)
                a(r, c) -= p.total * p.mean_x[static_cast<std::size_t>(r)] * p.mean_x[static_cast<std::size_t>(c)];
    });
    return a;
}

// Returns X̃X̃ᵀ (n × n).
matrix<double> dual_matrix(const centred_problem& p) {
    const index n = p.n(), d = p.d();
    if (!p.x.is_sparse()) {
        const matrix<double> rows = centred_rows(p, 0, n);
        return product(rows.view(), transposed::no, rows.view(), transposed::yes);
    }
    matrix<double> a(n, n);
    if (d > 0) make_gram<double>(linear{}, p.x, std::size_t{64} << 20)->fill(a.view());
    // (x - x̄)ᵀ(z - x̄) = xᵀz - x̄ᵀx - x̄ᵀz + x̄ᵀx̄
    std::vector<double> along(static_cast<std::size_t>(n));
    double square = 0;
    for (const double m : p.mean_x) square += m * m;
    for (index i = 0; i < n; ++i)
        for_each_entry(p.x, i, [&](index c, double value) {
            along[static_cast<std::size_t>(i)] += value * p.mean_x[static_cast<std::size_t>(c)];
        });
    parallel_for(n, [&](index i) {
        for (index j = 0; j < n; ++j)
            a(i, j) = p.root[static_cast<std::size_t>(i)] * p.root[static_cast<std::size_t>(j)] *
                      (a(i, j) - along[static_cast<std::size_t>(i)] - along[static_cast<std::size_t>(j)] + square);
    });
    return a;
}

// Returns X̃ᵀv (d × m) for the n × m matrix v.
matrix<double> transposed_product(const centred_problem& p, const matrix<double>& v) {
    const index m = v.cols();
    matrix<double> out(p.d(), m);
    std::vector<double> sum(static_cast<std::size_t>(m));
    for (index i = 0; i < p.n(); ++i) {
        const double root = p.root[static_cast<std::size_t>(i)];
        for_each_entry(p.x, i, [&](index c, double value) {
            if (!p.x.is_sparse()) value -= p.mean_x[static_cast<std::size_t>(c)];
            for (index o = 0; o < m; ++o) out(c, o) += root * value * v(i, o);
        });
        for (index o = 0; o < m; ++o) sum[static_cast<std::size_t>(o)] += root * v(i, o);
    }
    if (p.x.is_sparse())
        for (index c = 0; c < p.d(); ++c)
            for (index o = 0; o < m; ++o)
                out(c, o) -= p.mean_x[static_cast<std::size_t>(c)] * sum[static_cast<std::size_t>(o)];
    return out;
}

ridge_form choose_form(const centred_problem& p, ridge_form asked) {
    if (asked != ridge_form::automatic) return asked;
    const double n = static_cast<double>(p.n()), d = static_cast<double>(p.d());
    return d * d * (n + d) <= n * n * (n + d) ? ridge_form::primal : ridge_form::dual;
}

void check_memory(const centred_problem& p, ridge_form form, double matrices, std::size_t budget) {
    const double n = static_cast<double>(p.n()), d = static_cast<double>(p.d()), m = static_cast<double>(p.outputs());
    const double side = form == ridge_form::primal ? d : n;
    // rows that are converted to dense at the same time
    const double rows = form == ridge_form::primal ? std::min<double>(n, band) * d : n * d;
    check_budget(ridge_owner, 8 * (matrices * side * side + (p.x.is_sparse() ? 0.0 : rows) + 4 * (n + d) * m), budget,
                 form == ridge_form::primal ? fmt::format("for the primal with {} features", p.d())
                                            : fmt::format("for the dual with {} examples", p.n()));
}

ridge_model finish_model(const centred_problem& p, matrix<double> coef, double alpha, ridge_form form) {
    require_finite(coef.view(), "ridge: the coefficients overflow: take a larger alpha, or scale the targets");
    ridge_model model;
    model.alpha = alpha;
    model.form = form;
    model.intercept = p.mean_y;
    for (index c = 0; c < p.d(); ++c)
        for (index o = 0; o < p.outputs(); ++o)
            model.intercept[static_cast<std::size_t>(o)] -= p.mean_x[static_cast<std::size_t>(c)] * coef(c, o);
    model.coef = std::move(coef);
    return model;
}

}  // namespace

ridge_model fit_ridge(const dataset& x, matrix_view<const double> y, const ridge_options& options) {
    const centred_problem p = centre_problem(x, y, options);
    const ridge_form form = choose_form(p, options.form);
    const bool primal = form == ridge_form::primal;
    check_memory(p, form, primal ? 2 : 1, options.memory_bytes);
    matrix<double> a = primal ? normal_matrix(p) : dual_matrix(p);
    for (index i = 0; i < a.rows(); ++i) a(i, i) += options.alpha;
    if (const index bad = cholesky_in_place(a.view()); bad >= 0)
        fail(errc::not_psd, fmt::format("ridge: {} must be positive definite, but pivot {} is not positive with alpha "
                                        "= {:g}: take a larger alpha{}",
                                        primal ? "X'X + alpha*I" : "XX' + alpha*I", bad, options.alpha,
                                        primal ? "" : ", or the primal form"));
    matrix<double> right = primal ? transposed_product(p, p.y) : p.y;
    cholesky_solve(a.view(), right.view());
    return finish_model(p, primal ? std::move(right) : transposed_product(p, right), options.alpha, form);
}

namespace {

// The eigendecomposition of X̃ᵀX̃ (primal) or X̃X̃ᵀ (dual), which all λ share.
struct decomposition {
    eigen_system eigen;
    bool primal;
    double zero_threshold;  // sums λₖ + α of at most this size are treated as 0
    matrix<double> turned;  // Uᵀ times the right-hand side

    index rank() const { return static_cast<index>(eigen.values.size()); }
    double value(index k) const { return std::max(eigen.values[static_cast<std::size_t>(k)], 0.0); }
};

decomposition decompose(const centred_problem& p, bool primal) {
    decomposition e{symmetric_eigen(primal ? normal_matrix(p) : dual_matrix(p)), primal, 0, {}};
    if (e.rank() > 0)
        e.zero_threshold = static_cast<double>(std::max(p.n(), p.d())) * 1e-16 * std::abs(e.eigen.values.back());
    const matrix<double> right = primal ? transposed_product(p, p.y) : p.y;
    e.turned = product(e.eigen.vectors.view(), transposed::no, right.view(), transposed::no);
    return e;
}

// Returns 1/(λₖ + α), one column per α.
matrix<double> filter_factors(const decomposition& e, const std::vector<double>& alphas) {
    matrix<double> factor(e.rank(), static_cast<index>(alphas.size()));
    for (index l = 0; l < factor.cols(); ++l)
        for (index k = 0; k < e.rank(); ++k) {
            const double sum = e.value(k) + alphas[static_cast<std::size_t>(l)];
            // where α = 0 and the data are rank-deficient, this gives the solution of minimum norm
            factor(k, l) = sum > e.zero_threshold ? 1 / sum : 0.0;
        }
    return factor;
}

// Returns the leverages hᵢ without the offset's share wᵢ/Σw, one column per α: weighted sums, with the filter factors,
// of the squared entries of X̃V (primal) or of U·Λ^½ (dual).
matrix<double> leverages(const centred_problem& p, const decomposition& e, const matrix<double>& factor) {
    const index n = p.n(), rank = e.rank(), count = factor.cols();
    matrix<double> leverage(n, count);
    for (index first = 0; first < n; first += band) {
        const index rows = std::min(band, n - first);
        matrix<double> z;
        if (e.primal) {
            z = product(centred_rows(p, first, rows).view(), transposed::no, e.eigen.vectors.view(), transposed::yes);
        } else {
            z = matrix<double>(rows, rank);
            for (index i = 0; i < rows; ++i)
                for (index k = 0; k < rank; ++k) z(i, k) = e.eigen.vectors(k, first + i) * std::sqrt(e.value(k));
        }
        for (index i = 0; i < rows * rank; ++i) z.data()[i] *= z.data()[i];
        const matrix<double> part = product(z.view(), transposed::no, factor.view(), transposed::no);
        for (index i = 0; i < rows; ++i) std::copy_n(part.row(i), count, leverage.row(first + i));
    }
    return leverage;
}

// Returns the coefficients for the penalty with index l.
matrix<double> path_coefficients(const centred_problem& p, const decomposition& e, const matrix<double>& factor,
                                 index l) {
    matrix<double> scaled(e.rank(), p.outputs());
    for (index k = 0; k < e.rank(); ++k)
        for (index o = 0; o < p.outputs(); ++o) scaled(k, o) = e.turned(k, o) * factor(k, l);
    matrix<double> solved = product(e.eigen.vectors.view(), transposed::yes, scaled.view(), transposed::no);
    return e.primal ? std::move(solved) : transposed_product(p, solved);
}

// Appends the degrees of freedom Σhᵢ, the GCV score and the leave-one-out error of the last model in `path`.
void add_scores(ridge_path& path, const centred_problem& p, const matrix<double>& leverage) {
    const ridge_model& model = path.models.back();
    const index l = static_cast<index>(path.models.size()) - 1, m = p.outputs();
    double rss = 0, missed = 0, df = 0;
    for (index i = 0; i < p.n(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        const double h = leverage(i, l) + (p.offset ? p.weight[at] / p.total : 0.0);
        df += h;
        std::vector<double> f(static_cast<std::size_t>(m));
        for_each_entry(p.x, i, [&](index c, double entry) {
            for (index o = 0; o < m; ++o) f[static_cast<std::size_t>(o)] += entry * model.coef(c, o);
        });
        for (index o = 0; o < m; ++o) {
            const auto out = static_cast<std::size_t>(o);
            // √w times the residual, which is ỹ - X̃β
            const double r = p.y(i, o) - p.root[at] * (f[out] + model.intercept[out] - p.mean_y[out]);
            rss += r * r;
            missed += h < 1 - 1e-12 ? r / (1 - h) * (r / (1 - h)) : std::numeric_limits<double>::infinity();
        }
    }
    const double left = p.total - df, mean = 1 / static_cast<double>(m);
    path.df.push_back(df);
    path.gcv.push_back(left > 0 ? mean * p.total * rss / (left * left) : std::numeric_limits<double>::infinity());
    path.loo.push_back(mean * missed / p.total);
}

}  // namespace

ridge_path fit_ridge_path(const dataset& x, matrix_view<const double> y, std::vector<double> alphas, ridge_score score,
                          const ridge_options& options) {
    if (alphas.empty()) fail(errc::invalid_argument, "ridge: at least one alpha is needed");
    for (const double alpha : alphas)
        if (!(alpha >= 0) || !std::isfinite(alpha))
            fail(errc::invalid_argument, fmt::format("ridge: must satisfy 0 <= alpha < infinity, got {}", alpha));
    const centred_problem p = centre_problem(x, y, options);
    const ridge_form form = choose_form(p, options.form);
    check_memory(p, form, 4, options.memory_bytes);
    const decomposition e = decompose(p, form == ridge_form::primal);
    const matrix<double> factor = filter_factors(e, alphas);
    const matrix<double> leverage = leverages(p, e, factor);
    ridge_path path;
    path.alphas = std::move(alphas);
    for (std::size_t l = 0; l < path.alphas.size(); ++l) {
        path.models.push_back(
            finish_model(p, path_coefficients(p, e, factor, static_cast<index>(l)), path.alphas[l], form));
        add_scores(path, p, leverage);
    }
    const std::vector<double>& by = score == ridge_score::loo ? path.loo : path.gcv;
    path.best = std::min_element(by.begin(), by.end()) - by.begin();
    return path;
}

matrix<double> predict(const ridge_model& model, const dataset& x) {
    if (x.kind() != object_kind::vectors)
        fail(errc::unsupported, fmt::format("ridge: the examples must be vectors, got {}", name(x.kind())));
    require_finite(x);
    if (x.size() > 0 && (x.dims() > model.dims() || (!x.is_sparse() && x.dims() != model.dims())))
        fail(errc::invalid_argument,
             fmt::format("ridge: the model was fitted on vectors of {} features, got {}", model.dims(), x.dims()));
    matrix<double> out(x.size(), model.outputs());
    parallel_for(x.size(), [&](index i) {
        double* const row = out.row(i);
        std::copy(model.intercept.begin(), model.intercept.end(), row);
        for_each_entry(x, i, [&](index c, double value) {
            for (index o = 0; o < model.outputs(); ++o) row[o] += value * model.coef(c, o);
        });
    });
    return out;
}

template <>
struct file_form<ridge_model> {
    static constexpr std::string_view format = "mercer-ridge-model";
    static constexpr int version = 1;

    static void parts(auto& a, auto& m) {
        const index dims = a.count("dims", m.dims()), outputs = a.count("outputs", m.outputs(), 1 << 24);
        a.choice("form", m.form, {"cheaper", "primal", "dual"});
        a.numbers(m.alpha);
        a.table(m.coef, dims, outputs);
        a.list(m.intercept, outputs);
    }
};
template struct model_file<ridge_model>;

namespace api {
namespace {

class ridge_estimator final : public path_estimator<ridge_model> {
public:
    using path_estimator::path_estimator;
    matrix<double> decide(const examples& x) const override { return mercer::predict(m_, x.objects()); }
    summary summarise() const override {
        summary out{{"alpha", m_.alpha}, {"form", m_.form == ridge_form::dual ? "dual" : "primal"}};
        if (m_.outputs() == 1)
            out.add({{"coefficients", first_column(m_.coef)}, {"intercept", m_.intercept.at(0)}});
        else
            out.add("intercept", m_.intercept);
        out.add(path_.found);
        return out;
    }
};

estimator_ptr make_ridge(const ridge& m, const fit_call& t) {
    auto o = t.common<ridge_options>(m);
    o.form = m.form == "primal" ? ridge_form::primal : m.form == "dual" ? ridge_form::dual : ridge_form::automatic;
    if (m.alphas.empty()) return t.made<ridge_estimator>(fit_ridge(t.x.objects(), t.y, o));
    ridge_path path =
        fit_ridge_path(t.x.objects(), t.y, m.alphas, m.score == "loo" ? ridge_score::loo : ridge_score::gcv, o);
    return t.made<ridge_estimator>(std::move(path.models[static_cast<std::size_t>(path.best)]),
                                   summarise_path(path, m.score));
}

}  // namespace

method ridge_method() { return entry<ridge, ridge_estimator>(make_ridge); }

}  // namespace api

}  // namespace mercer
