#include "mercer/methods/components/kernel_pca.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/gram/distances.h"
#include "mercer/methods/expansion_archive.h"
#include "mercer/solvers/algebra/block_lanczos.h"
#include "mercer/solvers/algebra/dense_algebra.h"
#include "mercer/solvers/algebra/gram_product.h"
#include "mercer/solvers/algebra/half_gram.h"

namespace mercer {
namespace {

constexpr std::string_view format_name = "mercer-kernel-pca-model";
constexpr int version = 2;  // 1: with the scores of every object
constexpr const char* owner = "kernel PCA";

// What a decomposition of A = D H K Hᵀ D gives; row j of vectors is uⱼ.
struct pairs {
    std::vector<double> values;
    matrix<double> vectors;
    std::vector<double> residuals;
    fit_status status = fit_status::converged;
    index passes = 0;
    double lowest = 0;  // the smallest eigenvalue, or an upper bound on it
};

struct centring {
    std::vector<double> root;    // √w
    std::vector<double> mean;    // w/W
    std::vector<double> k_mean;  // K w/W
    double total = 0;            // wᵀKw/W²
};

centring centred_by(const std::vector<double>& weight) {
    centring c;
    double W = 0;
    for (const double w : weight) W += w;
    for (const double w : weight) c.root.push_back(std::sqrt(w)), c.mean.push_back(w / W);
    return c;
}

// Takes K w/W from a column of a product.
void take_mean_row(centring& c, matrix_view<const double> product, index column) {
    require_finite(product, owner);
    c.k_mean.clear();
    c.total = 0;
    for (index i = 0; i < product.rows; ++i) {
        c.k_mean.push_back(product(i, column));
        c.total += c.mean[static_cast<std::size_t>(i)] * c.k_mean.back();
    }
}

constexpr index stretch = 1024;  // rows that a thread works on at once

// Σᵢ value(i, s) for every column s, the rows in stretches, one after the other in each: the same sums for any number of threads.
template <class Value>
std::vector<double> column_sums(index n, index columns, Value&& value) {
    const index parts = (n + stretch - 1) / stretch;
    matrix<double> part(parts, columns);
    parallel_runs(n, stretch, [&](index first, index end) {
        for (index i = first; i < end; ++i)
            for (index s = 0; s < columns; ++s) part(first / stretch, s) += value(i, s);
    });
    std::vector<double> sum(static_cast<std::size_t>(columns));
    for (index p = 0; p < parts; ++p)
        for (index s = 0; s < columns; ++s) sum[static_cast<std::size_t>(s)] += part(p, s);
    return sum;
}

// How K is multiplied by.
struct multiplication {
    block_operator product;
    index block = 8;   // columns at once
    double least = 0;  // the least tolerance the numbers of K allow
};

template <class T>
pairs full(const gram<T>& K, const multiplication& by, centring& c) {
    const index n = K.rows();
    matrix<double> v(n, 1), mean_row(n, 1);
    std::copy(c.mean.begin(), c.mean.end(), v.data());
    by.product(v.view(), mean_row.view());
    take_mean_row(c, mean_row.view(), 0);
    matrix<double> a(n, n);
    if constexpr (std::is_same_v<T, double>) {
        K.all(a.view());
    } else {
        parallel_for(n, [&](index i) {
            std::vector<T> row(static_cast<std::size_t>(n));
            K.row(i, row.data());
            std::copy(row.begin(), row.end(), a.row(i));
        });
    }
    parallel_for(n, [&](index i) {
        const auto r = static_cast<std::size_t>(i);
        for (index j = 0; j < n; ++j) {
            const auto s = static_cast<std::size_t>(j);
            a(i, j) = c.root[r] * c.root[s] * (a(i, j) - c.k_mean[r] - c.k_mean[s] + c.total);
        }
    });
    eigen_system found = symmetric_eigen(std::move(a));
    pairs out;
    out.values.assign(found.values.rbegin(), found.values.rend());
    out.vectors = std::move(found.vectors);
    for (index j = 0; j < n / 2; ++j) std::swap_ranges(out.vectors.row(j), out.vectors.row(j) + n, out.vectors.row(n - 1 - j));
    out.lowest = found.values.front();
    return out;
}

// Where kernel values must be computed a pass is dear, and a wide block makes the most of it.
template <class T>
multiplication by_rows(const gram<T>& K, index components) {
    const auto product = [&K](matrix_view<const double> v, matrix_view<double> out) { gram_product(K, v, out); };
    const index wide = std::max<index>(32, (components + 15) / 16 * 16);
    return {product, K.element_cost() < 2 ? index{16} : wide, std::is_same_v<T, float> ? 1e-7 : 0};
}

// The first product brings K w/W along, as one column more.
pairs iterative(const multiplication& K, centring& c, index count, const kernel_pca_options& o) {
    const auto n = static_cast<index>(c.mean.size());
    const auto multiply = [&](matrix_view<const double> v, matrix_view<double> out) {
        const bool first = c.k_mean.empty();
        const index m = v.cols, columns = first ? m + 1 : m;
        const auto at = [](index i) { return static_cast<std::size_t>(i); };
        // Hᵀ D v = Dv - w(1ᵀDv)/W
        matrix<double> u(n, columns), more(first ? n : 0, first ? columns : 0);
        const matrix_view<double> product = first ? more.view() : out;
        std::vector<double> sum = column_sums(n, m, [&](index i, index s) { return u(i, s) = c.root[at(i)] * v(i, s); });
        parallel_runs(n, stretch, [&](index begin, index end) {
            for (index i = begin; i < end; ++i) {
                for (index s = 0; s < m; ++s) u(i, s) -= c.mean[at(i)] * sum[at(s)];
                if (first) u(i, m) = c.mean[at(i)];
            }
        });
        K.product(u.view(), product);
        if (first) take_mean_row(c, product, m);
        // D H y = D(y - 1 wᵀy/W)
        sum = column_sums(n, m, [&](index i, index s) { return c.mean[at(i)] * product(i, s); });
        parallel_runs(n, stretch, [&](index begin, index end) {
            for (index i = begin; i < end; ++i)
                for (index s = 0; s < m; ++s) out(i, s) = c.root[at(i)] * (product(i, s) - sum[at(s)]);
        });
    };
    lanczos_options l;
    l.pairs = count;
    l.block = K.block;
    l.first_block = std::max<index>(1, K.block - 1);
    l.most_basis = std::max<index>(3 * count + 32, 96);
    // A narrow block ends as soon as it is there, a wide one far beyond: a little beyond for both, for eigenvectors of near values gain by it.
    l.tol = std::max(K.block < multiplication().block ? 0.1 * o.tol : o.tol, K.least);
    l.most_passes = std::max<index>(1, o.max_iter);
    l.seed = o.seed;
    if (o.progress) l.progress = [&](index pass, double residual) { return o.progress({"eigenvectors", pass, 0, residual}); };
    lanczos_result found = block_lanczos(n, multiply, l);
    pairs out{std::move(found.values), std::move(found.vectors), std::move(found.residuals), found.status, found.passes, found.lowest};
    return out;
}

// -λ_min/λ₁ where that is more than rounding, which float or double numbers of K leave; refuses where one of the `count` components asked for, 0: all,
// would be such an eigenvalue.
template <class T>
double share_below_zero(const pairs& found, index count, index n, double largest_self) {
    const double top = found.values.front();
    const double noise = 8 * static_cast<double>(n) * static_cast<double>(std::numeric_limits<T>::epsilon()) * largest_self;
    const double least = -std::max(1e-5 * top, noise);
    if (!(found.lowest < least)) return 0;
    const double share = top > 0 ? -found.lowest / top : std::numeric_limits<double>::infinity();
    const auto asked = static_cast<std::size_t>(count == 0 ? n : count);
    if (found.values[std::min(asked, found.values.size()) - 1] < least)
        fail(errc::not_psd,
             fmt::format("{}: There are significant negative eigenvalues ({:.6g} of the maximum positive): the matrix is not positive semidefinite. "
                         "Ask for fewer components, or repair it (`mercer kernel test --repair`)",
                         owner, share));
    return share;
}

// Whether all of A is to be decomposed, or a few pairs found by products.
bool decomposes(index n, const kernel_pca_options& o) {
    const bool all = o.n_components == 0 || o.n_components >= n;
    // K, the centred matrix, its eigenvectors in order, and LAPACK's workspace of 2n² numbers
    const double need = 40.0 * static_cast<double>(n) * static_cast<double>(n);
    // Measured: of few objects all pairs are as quick as the passes for some.
    const bool fits = need <= static_cast<double>(o.memory_bytes), suits = all || o.n_components > std::min(n / 5, n * n / 4000);
    const bool whole = o.solver == eigen_solver::full || (o.solver == eigen_solver::automatic && suits && (fits || all));
    if (whole && !fits)
        fail(errc::memory, fmt::format("{}: a full decomposition of n = {} needs {:.0f} MB, more than the budget of {:.0f} MB; ask for fewer components", owner,
                                       n, need / 1e6, static_cast<double>(o.memory_bytes) / 1e6));
    return whole;
}

// Scores of the objects that have a weight: √λ·u/√w = λα/w. Those of the others are zero here.
matrix<double> training_scores(const kernel_pca_model& m) {
    matrix<double> scores(m.projection.size(), m.components());
    parallel_for(scores.rows(), [&](index i) {
        const double weight = m.mean[static_cast<std::size_t>(i)] * m.weight;
        if (weight == 0) return;
        for (index j = 0; j < scores.cols(); ++j) scores(i, j) = m.projection.coef(i, j) * m.eigenvalues[static_cast<std::size_t>(j)] / weight;
    });
    return scores;
}

template <class T>
kernel_pca_model fitted(const gram<T>& K, const multiplication& by, const std::vector<double>& self, const kernel_pca_options& o) {
    const index n = K.rows();
    const std::vector<double> weight = checked_weights(o.sample_weight, n, 1, owner);
    const bool whole = decomposes(n, o);
    centring c = centred_by(weight);
    pairs found = whole ? full(K, by, c) : iterative(by, c, std::min(o.n_components == 0 ? n : o.n_components, n), o);

    // Eigenvalues that are zero up to the rounding of K and of its centring have no direction.
    double largest_self = found.values.empty() ? 0.0 : found.values.front();
    for (const double each : self) largest_self = std::max(largest_self, std::abs(each));
    const double below = found.values.empty() ? 0.0 : share_below_zero<T>(found, o.n_components, n, largest_self);
    const double floor = static_cast<double>(std::max<index>(n, 100)) * std::numeric_limits<double>::epsilon() * largest_self;
    index p = 0;
    while (p < static_cast<index>(found.values.size()) && (o.n_components == 0 || p < o.n_components) && found.values[static_cast<std::size_t>(p)] > floor) ++p;

    kernel_pca_model m;
    m.status = found.status, m.passes = found.passes, m.mean = c.mean;
    m.negative_share = below;
    if (below > 0 && m.status == fit_status::converged) m.status = fit_status::stalled;
    m.eigenvalues.assign(found.values.begin(), found.values.begin() + p);
    if (!whole) m.residuals.assign(found.residuals.begin(), found.residuals.begin() + p);
    double W = 0, trace = 0;
    std::vector<double> centred_self(self);
    for (std::size_t i = 0; i < self.size(); ++i) {
        centred_self[i] = squared_distance(self[i], c.total, c.k_mean[i], self.size());
        W += weight[i];
        trace += weight[i] * centred_self[i];
    }
    const double scale = W > 1 ? 1 / (W - 1) : 0;
    m.total_variance = trace * scale;
    m.projection.coef = matrix<double>(n, p);
    m.projection.offset.assign(static_cast<std::size_t>(p), 0.0);
    // Σᵢ αᵢφ̃(xᵢ) = Σᵢ (Hᵀα)ᵢφ(xᵢ). In exact arithmetic Hᵀα = α; but u of a tiny λ has a part along D1, whose eigenvalue 0 is near.
    std::vector<double> factor(static_cast<std::size_t>(p)), sum(static_cast<std::size_t>(p));
    const auto alpha = [&](index i, index j) { return factor[static_cast<std::size_t>(j)] * c.root[static_cast<std::size_t>(i)] * found.vectors(j, i); };
    const auto coefficient = [&](index i, index j) { return alpha(i, j) - c.mean[static_cast<std::size_t>(i)] * sum[static_cast<std::size_t>(j)]; };
    parallel_for(p, [&](index j) {
        const auto at = static_cast<std::size_t>(j);
        const double* u = found.vectors.row(j);
        const double largest = *std::max_element(u, u + n, [](double a, double b) { return std::abs(a) < std::abs(b); });
        factor[at] = (largest < 0 ? -1.0 : 1.0) / std::sqrt(m.eigenvalues[at]);
        for (index i = 0; i < n; ++i) sum[at] += alpha(i, j);
        for (index i = 0; i < n; ++i) m.projection.offset[at] -= coefficient(i, j) * c.k_mean[static_cast<std::size_t>(i)];
    });
    // Square pieces: one of the two matrices is walked against its rows.
    constexpr index side = 32;
    parallel_runs(n, side, [&](index first, index end) {
        for (index column = 0; column < p; column += side)
            for (index i = first; i < end; ++i)
                for (index j = column; j < std::min(p, column + side); ++j) m.projection.coef(i, j) = coefficient(i, j);
    });
    found.vectors = {};
    m.weight = W;
    m.scores = training_scores(m);
    for (const double lambda : m.eigenvalues) {
        m.explained_variance.push_back(lambda * scale);
        m.explained_variance_ratio.push_back(below > 0 ? std::numeric_limits<double>::quiet_NaN() : trace > 0 ? lambda / trace : 0);
    }
    // Objects without weight have no entry in u: their scores are those of new objects.
    std::vector<index> absent;
    for (index i = 0; i < n; ++i)
        if (c.root[static_cast<std::size_t>(i)] == 0) absent.push_back(i);
    for (const index i : absent) {
        std::vector<T> row(static_cast<std::size_t>(n));
        K.row(i, row.data());
        for (index j = 0; j < p; ++j) {
            double sum = m.projection.offset[static_cast<std::size_t>(j)];
            for (index l = 0; l < n; ++l) sum += m.projection.coef(l, j) * static_cast<double>(row[static_cast<std::size_t>(l)]);
            m.scores(i, j) = sum;
        }
    }
    for (index i = 0; i < n; ++i) {
        double inside = 0;
        for (index j = 0; j < p; ++j) inside += m.scores(i, j) * m.scores(i, j);
        m.outside.push_back(std::max(0.0, centred_self[static_cast<std::size_t>(i)] - inside));
    }
    return m;
}

void check(const kernel_pca_options& o, index n) {
    if (o.n_components < 0 || o.n_components > n)
        fail(errc::invalid_argument, fmt::format("{}: must satisfy 0 <= n_components <= n, got {} with n = {}", owner, o.n_components, n));
    if (!(o.tol > 0)) fail(errc::invalid_argument, fmt::format("{}: must satisfy tol > 0, got {}", owner, o.tol));
}

}  // namespace

kernel_pca_model fit_kernel_pca(const kernel& k, const dataset& x, const kernel_pca_options& o) {
    require_objects(x, owner);
    check(o, x.size());
    const auto by_any_rows = [&](const auto& K) { return fitted(K, by_rows(K, o.n_components), self_values(k, x), o); };
    constexpr std::size_t packed_bytes = std::size_t{64} << 20;
    // Half of K in memory, where that is all that is needed of it.
    const auto by_half = [&] {
        const computed<double> K(k, x, packed_bytes);
        half_gram half(K);
        std::vector<double> self(static_cast<std::size_t>(x.size()));
        K.diagonal(self);
        const auto product = [&half](matrix_view<const double> v, matrix_view<double> out) { half.multiply(v, out); };
        // A pass over few objects is cheap beside the vectors' own algebra: narrow blocks, for few components, need fewer of these.
        const bool narrow = x.size() < 2000 && o.n_components <= 10;
        return fitted(static_cast<const gram<double>&>(K), {product, narrow ? index{3} : multiplication().block}, self, o);
    };
    // The half, the examples packed, and some two hundred vectors
    const double need = half_gram::bytes(x.size(), multiplication().block) + packed_bytes + 1600.0 * static_cast<double>(x.size());
    const bool half_fits = need <= static_cast<double>(o.memory_bytes);
    kernel_pca_model m = half_fits && !decomposes(x.size(), o) ? by_half() : with_training_gram(k, x, o.memory_bytes, o.exact, by_any_rows);
    m.projection.k = std::make_shared<const kernel>(k);
    m.projection.x = x;
    return m;
}

kernel_pca_model fit_kernel_pca(const gram<double>& K, const kernel_pca_options& o) {
    const std::vector<double> self = checked_diagonal(K, owner);
    check(o, K.rows());
    return with_training_gram(K, o.memory_bytes, [&](const gram<double>& some) { return fitted(some, by_rows(some, o.n_components), self, o); });
}

matrix<double> transform(const kernel_pca_model& m, const dataset& z) { return m.projection.values(z); }
matrix<double> transform(const kernel_pca_model& m, const gram<double>& K) { return m.projection.values(K); }

kernel_pca_model first_components(const kernel_pca_model& m, index count) {
    if (count < 0 || count > m.components())
        fail(errc::invalid_argument, fmt::format("{}: must satisfy 0 <= count <= {}, got {}", owner, m.components(), count));
    kernel_pca_model out = m;
    const auto cut = [&](const matrix<double>& from) {
        matrix<double> to(from.rows(), count);
        for (index i = 0; i < from.rows(); ++i) std::copy_n(from.row(i), count, to.row(i));
        return to;
    };
    for (index i = 0; i < m.scores.rows(); ++i)
        for (index j = count; j < m.components(); ++j) out.outside[static_cast<std::size_t>(i)] += m.scores(i, j) * m.scores(i, j);
    out.projection.coef = cut(m.projection.coef);
    out.scores = cut(m.scores);
    for (auto* list : {&out.projection.offset, &out.eigenvalues, &out.explained_variance, &out.explained_variance_ratio, &out.residuals})
        if (static_cast<index>(list->size()) > count) list->resize(static_cast<std::size_t>(count));
    return out;
}

index components_for_share(const kernel_pca_model& m, double share) {
    if (!(share > 0 && share <= 1)) fail(errc::invalid_argument, fmt::format("{}: must satisfy 0 < share <= 1, got {}", owner, share));
    double sum = 0;
    for (index j = 0; j < m.components(); ++j) {
        sum += m.explained_variance_ratio[static_cast<std::size_t>(j)];
        if (sum >= share * (1 - 1e-12)) return j + 1;  // 0.6 + 0.3 are 0.9
    }
    return m.components();
}

index components_above_mean(const kernel_pca_model& m) {
    const double mean = m.projection.size() > 1 ? m.total_variance / static_cast<double>(m.projection.size() - 1) : 0;
    return std::count_if(m.explained_variance.begin(), m.explained_variance.end(), [&](double each) { return each > mean; });
}

index components_above_broken_stick(const kernel_pca_model& m) {
    const index parts = m.projection.size() - 1;
    double expected = 0;  // Σ_{i >= j} 1/i /parts: the mean length of the j-th longest part
    for (index i = 1; i <= parts; ++i) expected += 1 / static_cast<double>(i) / static_cast<double>(parts);
    index j = 0;
    for (; j < std::min(m.components(), parts) && m.explained_variance_ratio[static_cast<std::size_t>(j)] > expected; ++j)
        expected -= 1 / static_cast<double>(j + 1) / static_cast<double>(parts);
    return j;
}

// W of a file of version 1, which has the scores instead: wᵢ = λα/score, from the entry that says it best.
static double total_weight(const kernel_pca_model& m) {
    double best = 0, weight = 0;
    for (index i = 0; i < m.scores.rows(); ++i)
        for (index j = 0; j < m.components(); ++j) {
            const double share = m.mean[static_cast<std::size_t>(i)], score = std::abs(m.scores(i, j));
            if (share * score > best) best = share * score, weight = std::abs(m.projection.coef(i, j)) * m.eigenvalues[static_cast<std::size_t>(j)] / best;
        }
    return weight;
}

std::string model_bytes(const kernel_pca_model& m) {
    archive_writer out;
    write_expansion(out, m.projection);
    out.head["status"] = name(m.status);
    out.head["passes"] = m.passes;
    out.head["residuals"] = m.residuals.size();
    out.one(m.total_variance);
    out.all(m.eigenvalues);
    out.all(m.explained_variance);
    out.all(m.explained_variance_ratio);
    out.all(m.residuals);
    out.all(m.outside);
    out.all(m.mean);
    out.one(m.weight);
    // The scores of objects with a weight follow from the coefficients, and would be half of the file.
    for (index i = 0; i < m.scores.rows(); ++i)
        if (m.mean[static_cast<std::size_t>(i)] == 0) out.all(std::span<const double>(m.scores.row(i), static_cast<std::size_t>(m.components())));
    return out.bytes(format_name, version);
}

kernel_pca_model parse_kernel_pca_model(std::string_view bytes, const std::string& name) {
    archive_reader in(bytes, format_name, version, name);
    kernel_pca_model m;
    in.read([&] {
        m.projection = read_expansion(in);
        const index p = m.components(), n = m.projection.size();
        m.status = status_in(in.head);
        m.passes = whole(in.head, "passes");
        m.total_variance = in.one();
        m.eigenvalues = in.all<double>(p);
        m.explained_variance = in.all<double>(p);
        m.explained_variance_ratio = in.all<double>(p);
        m.residuals = in.all<double>(whole(in.head, "residuals", p));
        if (in.version() == 1) {
            m.scores = in.numbers(n, p);
            m.outside = in.all<double>(n);
            m.mean = in.all<double>(n);
            m.weight = total_weight(m);
            return;
        }
        m.outside = in.all<double>(n);
        m.mean = in.all<double>(n);
        m.weight = in.one();
        m.scores = training_scores(m);
        for (index i = 0; i < n; ++i)
            if (m.mean[static_cast<std::size_t>(i)] == 0) std::ranges::copy(in.all<double>(p), m.scores.row(i));
    });
    return m;
}

void save_model(const kernel_pca_model& model, const std::string& path) { write_atomically(path, model_bytes(model)); }
kernel_pca_model load_kernel_pca_model(const std::string& path) { return load_with(path, parse_kernel_pca_model); }

}  // namespace mercer
