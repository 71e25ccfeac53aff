
#include "mercer/methods/components/kernel_pca.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/dense/dense_algebra.h"
#include "mercer/gram/gram_product.h"
#include "mercer/gram/gram_views.h"
#include "mercer/methods/archive.h"
#include "mercer/methods/checkpoint.h"
#include "mercer/methods/fit_checks.h"
#include "mercer/methods/training_gram.h"

namespace mercer {
namespace {

constexpr const char* pca_owner = "kernel PCA";

// -λ_min/λ₁ where that is more than rounding, which float or double numbers of K leave; refuses where one of the
// `count` components asked for, 0: all, would be such an eigenvalue.
template <class T>
double share_below_zero(const centred_pairs& found, index count, index n, double largest_self) {
    const double top = found.values.front();
    const double noise =
        8 * static_cast<double>(n) * static_cast<double>(std::numeric_limits<T>::epsilon()) * largest_self;
    const double least = -std::max(1e-5 * top, noise);
    if (!(found.lowest < least)) return 0;
    const double share = top > 0 ? -found.lowest / top : std::numeric_limits<double>::infinity();
    const auto asked = static_cast<std::size_t>(count == 0 ? n : count);
    if (found.values[std::min(asked, found.values.size()) - 1] < least)
        fail(errc::not_psd, fmt::format("{}: There are significant negative eigenvalues ({:.6g} of the maximum "
                                        "positive): the matrix is not positive semidefinite. "
                                        "Ask for fewer components, or repair it (`mercer kernel test --repair`)",
                                        pca_owner, share));
    return share;
}

// Whether all of A is to be decomposed, or a few pairs found by products.
bool decomposes(index n, const kernel_pca_options& o) {
    const bool all = o.n_components == 0 || o.n_components >= n;
    // K, the centred matrix, its eigenvectors in order, and LAPACK's workspace of 2n² numbers
    const double need = 40.0 * static_cast<double>(n) * static_cast<double>(n);
    // Measured: of few objects all pairs are as quick as the passes for some.
    const bool fits = need <= static_cast<double>(o.memory_bytes),
               suits = all || o.n_components > std::min(n / 5, n * n / 4000);
    const bool whole =
        o.solver == eigen_solver::full || (o.solver == eigen_solver::automatic && suits && (fits || all));
    if (whole && !fits)
        fail(errc::memory, fmt::format("{}: a full decomposition of n = {} needs {:.0f} MB, more than the budget of "
                                       "{:.0f} MB; ask for fewer components",
                                       pca_owner, n, need / 1e6, static_cast<double>(o.memory_bytes) / 1e6));
    return whole;
}

// Scores of the objects that have a weight: √λ·u/√w = λα/w. Those of the others are zero here.
matrix<double> training_scores(const kernel_pca_model& m) {
    matrix<double> scores(m.projection.size(), m.components());
    parallel_for(scores.rows(), [&](index i) {
        const double weight = m.mean[static_cast<std::size_t>(i)] * m.weight;
        if (weight == 0) return;
        for (index j = 0; j < scores.cols(); ++j)
            scores(i, j) = m.projection.coef(i, j) * m.eigenvalues[static_cast<std::size_t>(j)] / weight;
    });
    return scores;
}

// The pairs of A, all or as many as are asked for.
template <class T>
centred_pairs decomposed(const gram<T>& K, const gram_multiplication& by, centring& c, bool whole,
                         const kernel_pca_options& o) {
    if (whole && !o.checkpoint.path.empty())
        fail(errc::unsupported,
             fmt::format("{}: checkpoints are of the passes of solver=iterative, with few components", pca_owner));
    if (whole) return all_centred_pairs(K, by, c);
    const index n = K.rows();
    centred_eigen_options e;
    e.count = std::min(o.n_components == 0 ? n : o.n_components, n);
    e.tol = o.tol, e.most_passes = o.max_iter, e.seed = o.seed;
    if (o.progress)
        e.progress = [&](index pass, double residual) { return o.progress({"eigenvectors", pass, 0, residual}); };
    problem_mark mark;
    mark.add(pca_owner).add(c.mean).add(first_values(K));
    mark.add({static_cast<double>(e.count), o.tol, static_cast<double>(o.max_iter), static_cast<double>(o.seed)});
    recorded_products products(by.product, o.checkpoint, mark.value());
    centred_pairs found = largest_centred_pairs({std::ref(products), by.block, by.least}, c, e);
    products.ended(found.status);
    return found;
}

// Eigenvalues that are zero up to the rounding of K and of its centring have no direction.
index components_with_direction(const centred_pairs& found, index n, double largest_self, index asked) {
    const double floor =
        static_cast<double>(std::max<index>(n, 100)) * std::numeric_limits<double>::epsilon() * largest_self;
    index p = 0;
    while (p < static_cast<index>(found.values.size()) && (asked == 0 || p < asked) &&
           found.values[static_cast<std::size_t>(p)] > floor)
        ++p;
    return p;
}

// Σᵢ αᵢφ̃(xᵢ) = Σᵢ (Hᵀα)ᵢφ(xᵢ). In exact arithmetic Hᵀα = α; but u of a tiny λ has a part along D1, whose eigenvalue 0
// is near.
void take_projection(kernel_pca_model& m, const centred_pairs& found, const centring& c) {
    const auto n = static_cast<index>(c.mean.size()), p = static_cast<index>(m.eigenvalues.size());
    m.projection.coef = matrix<double>(n, p);
    m.projection.offset.assign(static_cast<std::size_t>(p), 0.0);
    std::vector<double> factor(static_cast<std::size_t>(p)), sum(static_cast<std::size_t>(p));
    const auto alpha = [&](index i, index j) {
        return factor[static_cast<std::size_t>(j)] * c.root[static_cast<std::size_t>(i)] * found.vectors(j, i);
    };
    const auto coefficient = [&](index i, index j) {
        return alpha(i, j) - c.mean[static_cast<std::size_t>(i)] * sum[static_cast<std::size_t>(j)];
    };
    parallel_for(p, [&](index j) {
        const auto at = static_cast<std::size_t>(j);
        const double* u = found.vectors.row(j);
        const double largest =
            *std::max_element(u, u + n, [](double a, double b) { return std::abs(a) < std::abs(b); });
        factor[at] = (largest < 0 ? -1.0 : 1.0) / std::sqrt(m.eigenvalues[at]);
        for (index i = 0; i < n; ++i) sum[at] += alpha(i, j);
        for (index i = 0; i < n; ++i)
            m.projection.offset[at] -= coefficient(i, j) * c.k_mean[static_cast<std::size_t>(i)];
    });
    // Square pieces: one of the two matrices is walked against its rows.
    constexpr index side = 32;
    parallel_runs(n, side, [&](index first, index end) {
        for (index column = 0; column < p; column += side)
            for (index i = first; i < end; ++i)
                for (index j = column; j < std::min(p, column + side); ++j) m.projection.coef(i, j) = coefficient(i, j);
    });
}

// Total and explained variance, from what each object is away from the mean, k̃(x, x).
void take_variances(kernel_pca_model& m, const std::vector<double>& weight, const std::vector<double>& centred_self) {
    double trace = 0;
    for (std::size_t i = 0; i < weight.size(); ++i) {
        m.weight += weight[i];
        trace += weight[i] * centred_self[i];
    }
    const double scale = m.weight > 1 ? 1 / (m.weight - 1) : 0;
    m.total_variance = trace * scale;
    for (const double lambda : m.eigenvalues) {
        m.explained_variance.push_back(lambda * scale);
        m.explained_variance_ratio.push_back(m.negative_share > 0 ? std::numeric_limits<double>::quiet_NaN()
                                             : trace > 0          ? lambda / trace
                                                                  : 0);
    }
}

// Objects without weight have no entry in u: their scores are those of new objects.
template <class T>
void score_weightless(kernel_pca_model& m, const gram<T>& K, const centring& c) {
    const index n = K.rows();
    std::vector<T> row(static_cast<std::size_t>(n));
    for (index i = 0; i < n; ++i) {
        if (c.root[static_cast<std::size_t>(i)] != 0) continue;
        K.row(i, row.data());
        for (index j = 0; j < m.components(); ++j) {
            double sum = m.projection.offset[static_cast<std::size_t>(j)];
            for (index l = 0; l < n; ++l)
                sum += m.projection.coef(l, j) * static_cast<double>(row[static_cast<std::size_t>(l)]);
            m.scores(i, j) = sum;
        }
    }
}

template <class T>
kernel_pca_model fitted(const gram<T>& K, const gram_multiplication& by, const std::vector<double>& self,
                        const kernel_pca_options& o) {
    const index n = K.rows();
    const std::vector<double> weight = checked_weights(o.sample_weight, n, 1, pca_owner);
    const bool whole = decomposes(n, o);
    centring c = centred_by(weight);
    centred_pairs found = decomposed(K, by, c, whole, o);

    double largest_self = found.values.empty() ? 0.0 : found.values.front();
    for (const double each : self) largest_self = std::max(largest_self, std::abs(each));
    kernel_pca_model m;
    m.status = found.status, m.passes = found.passes, m.mean = c.mean;
    m.negative_share = found.values.empty() ? 0.0 : share_below_zero<T>(found, o.n_components, n, largest_self);
    const index p = components_with_direction(found, n, largest_self, o.n_components);
    m.eigenvalues.assign(found.values.begin(), found.values.begin() + p);
    if (!whole) m.residuals.assign(found.residuals.begin(), found.residuals.begin() + p);

    std::vector<double> centred_self(self);
    for (std::size_t i = 0; i < self.size(); ++i)
        centred_self[i] = squared_distance(self[i], c.total, c.k_mean[i], self.size());
    take_variances(m, weight, centred_self);
    take_projection(m, found, c);
    found.vectors = {};
    m.scores = training_scores(m);
    score_weightless(m, K, c);
    for (index i = 0; i < n; ++i) {
        double inside = 0;
        for (index j = 0; j < p; ++j) inside += m.scores(i, j) * m.scores(i, j);
        m.outside.push_back(std::max(0.0, centred_self[static_cast<std::size_t>(i)] - inside));
    }
    return m;
}

void check(const kernel_pca_options& o, index n) {
    if (o.n_components < 0 || o.n_components > n)
        fail(errc::invalid_argument,
             fmt::format("{}: must satisfy 0 <= n_components <= n, got {} with n = {}", pca_owner, o.n_components, n));
    if (!(o.tol > 0)) fail(errc::invalid_argument, fmt::format("{}: must satisfy tol > 0, got {}", pca_owner, o.tol));
}

}  // namespace

kernel_pca_model fit_kernel_pca(const kernel& k, const dataset& x, const kernel_pca_options& o) {
    require_objects(x, pca_owner);
    check(o, x.size());
    const auto by_any_rows = [&](const auto& K) { return fitted(K, by_rows(K, o.n_components), self_values(k, x), o); };
    constexpr std::size_t packed_bytes = std::size_t{64} << 20;
    // Half of K in memory, where that is all that is needed of it. Of few objects a pass is over before a second thread
    // has woken.
    const auto by_half = [&] {
        const thread_limit alone(x.size() < 500 ? 1 : threads());
        const auto K = make_gram<double>(k, x, packed_bytes);
        half_gram half(*K);
        std::vector<double> self(static_cast<std::size_t>(x.size()));
        K->diagonal(self);
        const auto product = [&half](matrix_view<const double> v, matrix_view<double> out) { half.multiply(v, out); };
        // A pass over few objects is cheap beside the vectors' own algebra: narrow blocks, for few components, need
        // fewer of these.
        const index block = o.n_components > 10 || x.size() >= 2000 ? gram_multiplication().block
                            : x.size() < 500                        ? 2
                                                                    : 3;
        return fitted(static_cast<const gram<double>&>(*K), {product, block}, self, o);
    };
    // The half, the examples packed, and some two hundred vectors
    const double need =
        half_gram::bytes(x.size(), gram_multiplication().block) + packed_bytes + 1600.0 * static_cast<double>(x.size());
    const bool half_fits = need <= static_cast<double>(o.memory_bytes);
    kernel_pca_model m = half_fits && !decomposes(x.size(), o)
                             ? by_half()
                             : with_training_gram(k, x, o.memory_bytes, o.exact, by_any_rows);
    m.projection.k = std::make_shared<const kernel>(k);
    m.projection.x = x;
    return m;
}

kernel_pca_model fit_kernel_pca(const gram<double>& K, const kernel_pca_options& o) {
    const std::vector<double> self = checked_diagonal(K, pca_owner);
    check(o, K.rows());
    return with_training_gram(K, o.memory_bytes, [&](const gram<double>& some) {
        return fitted(some, by_rows(some, o.n_components), self, o);
    });
}

matrix<double> transform(const kernel_pca_model& m, const dataset& z) { return m.projection.values(z); }
matrix<double> transform(const kernel_pca_model& m, const gram<double>& K) { return m.projection.values(K); }

// W of a file of version 1, which has the scores instead: wᵢ = λα/score, from the entry that says it best.
static double total_weight(const kernel_pca_model& m) {
    double best = 0, weight = 0;
    for (index i = 0; i < m.scores.rows(); ++i)
        for (index j = 0; j < m.components(); ++j) {
            const double share = m.mean[static_cast<std::size_t>(i)], score = std::abs(m.scores(i, j));
            if (share * score > best)
                best = share * score,
                weight = std::abs(m.projection.coef(i, j)) * m.eigenvalues[static_cast<std::size_t>(j)] / best;
        }
    return weight;
}

template <>
struct file_form<kernel_pca_model> {
    static constexpr std::string_view format = "mercer-kernel-pca-model";
    static constexpr int version = 2;  // 1: with the scores of every object

    template <class Archive>
    static void parts(Archive& a, auto& m) {
        a.part(m.projection);
        const index p = m.components(), n = m.projection.size();
        a.status(m.status);
        if constexpr (Archive::reading)  // earlier versions called matrices that are not positive semidefinite so
            if (m.status == fit_status::stalled) m.status = fit_status::converged;
        a.whole("passes", m.passes);
        a.numbers(m.total_variance);
        a.list(m.eigenvalues, p);
        a.list(m.explained_variance, p);
        a.list(m.explained_variance_ratio, p);
        a.list("residuals", m.residuals, p);
        if (a.version() == 1) a.table(m.scores, n, p);
        a.list(m.outside, n);
        a.list(m.mean, n);
        if (a.version() > 1) a.numbers(m.weight);
        if constexpr (Archive::reading) {
            if (a.version() == 1)
                m.weight = total_weight(m);
            else
                m.scores = training_scores(m);
        }
        // The scores of objects with a weight follow from the coefficients, and would be half of the file.
        for (index i = 0; i < n && a.version() > 1; ++i)
            if (m.mean[static_cast<std::size_t>(i)] == 0) a.row(m.scores.row(i), p);
    }
};
template struct model_file<kernel_pca_model>;

// How many components of a kernel PCA to keep, and keeping them.

namespace {

constexpr const char* owner = "kernel PCA";

}  // namespace

kernel_pca_model first_components(const kernel_pca_model& m, index count) {
    if (count < 0 || count > m.components())
        fail(errc::invalid_argument,
             fmt::format("{}: must satisfy 0 <= count <= {}, got {}", owner, m.components(), count));
    kernel_pca_model out = m;
    const auto cut = [&](const matrix<double>& from) {
        matrix<double> to(from.rows(), count);
        for (index i = 0; i < from.rows(); ++i) std::copy_n(from.row(i), count, to.row(i));
        return to;
    };
    for (index i = 0; i < m.scores.rows(); ++i)
        for (index j = count; j < m.components(); ++j)
            out.outside[static_cast<std::size_t>(i)] += m.scores(i, j) * m.scores(i, j);
    out.projection.coef = cut(m.projection.coef);
    out.scores = cut(m.scores);
    for (auto* list : {&out.projection.offset, &out.eigenvalues, &out.explained_variance, &out.explained_variance_ratio,
                       &out.residuals})
        if (static_cast<index>(list->size()) > count) list->resize(static_cast<std::size_t>(count));
    return out;
}

index components_for_share(const kernel_pca_model& m, double share) {
    if (!(share > 0 && share <= 1))
        fail(errc::invalid_argument, fmt::format("{}: must satisfy 0 < share <= 1, got {}", owner, share));
    double sum = 0;
    for (index j = 0; j < m.components(); ++j) {
        sum += m.explained_variance_ratio[static_cast<std::size_t>(j)];
        if (sum >= share * (1 - 1e-12)) return j + 1;  // 0.6 + 0.3 are 0.9
    }
    return m.components();
}

index components_above_mean(const kernel_pca_model& m) {
    const double mean = m.projection.size() > 1 ? m.total_variance / static_cast<double>(m.projection.size() - 1) : 0;
    return std::count_if(m.explained_variance.begin(), m.explained_variance.end(),
                         [&](double each) { return each > mean; });
}

index components_above_broken_stick(const kernel_pca_model& m) {
    const index parts = m.projection.size() - 1;
    double expected = 0;  // Σ_{i >= j} 1/i /parts: the mean length of the j-th longest part
    for (index i = 1; i <= parts; ++i) expected += 1 / static_cast<double>(i) / static_cast<double>(parts);
    index j = 0;
    for (; j < std::min(m.components(), parts) && m.explained_variance_ratio[static_cast<std::size_t>(j)] > expected;
         ++j)
        expected -= 1 / static_cast<double>(j + 1) / static_cast<double>(parts);
    return j;
}

namespace {

// Takes K w/W from a column of a product.
void take_mean_row(centring& c, matrix_view<const double> product, index column) {
    require_finite(product, "kernel PCA");
    c.k_mean.clear();
    c.total = 0;
    for (index i = 0; i < product.rows; ++i) {
        c.k_mean.push_back(product(i, column));
        c.total += c.mean[static_cast<std::size_t>(i)] * c.k_mean.back();
    }
}

constexpr index rows_at_once = 1024;  // by a thread

// Σᵢ value(i, s) for every column s, the rows in stretches, one after the other in each: the same sums for any number
// of threads.
template <class Value>
std::vector<double> column_sums(index n, index columns, Value&& value) {
    const index parts = (n + rows_at_once - 1) / rows_at_once;
    matrix<double> part(parts, columns);
    parallel_runs(n, rows_at_once, [&](index first, index end) {
        for (index i = first; i < end; ++i)
            for (index s = 0; s < columns; ++s) part(first / rows_at_once, s) += value(i, s);
    });
    std::vector<double> sum(static_cast<std::size_t>(columns));
    for (index p = 0; p < parts; ++p)
        for (index s = 0; s < columns; ++s) sum[static_cast<std::size_t>(s)] += part(p, s);
    return sum;
}

// out = A v. The first product brings K w/W along, as one column more.
void multiply_centred(const gram_multiplication& K, centring& c, matrix_view<const double> v, matrix_view<double> out) {
    const index n = v.rows;
    const bool first = c.k_mean.empty();
    const index m = v.cols, columns = first ? m + 1 : m;
    const auto at = [](index i) { return static_cast<std::size_t>(i); };
    // Hᵀ D v = Dv - w(1ᵀDv)/W
    matrix<double> u(n, columns), more(first ? n : 0, first ? columns : 0);
    const matrix_view<double> product = first ? more.view() : out;
    std::vector<double> sum = column_sums(n, m, [&](index i, index s) { return u(i, s) = c.root[at(i)] * v(i, s); });
    parallel_runs(n, rows_at_once, [&](index begin, index end) {
        for (index i = begin; i < end; ++i) {
            for (index s = 0; s < m; ++s) u(i, s) -= c.mean[at(i)] * sum[at(s)];
            if (first) u(i, m) = c.mean[at(i)];
        }
    });
    K.product(u.view(), product);
    if (first) take_mean_row(c, product, m);
    // D H y = D(y - 1 wᵀy/W)
    sum = column_sums(n, m, [&](index i, index s) { return c.mean[at(i)] * product(i, s); });
    parallel_runs(n, rows_at_once, [&](index begin, index end) {
        for (index i = begin; i < end; ++i)
            for (index s = 0; s < m; ++s) out(i, s) = c.root[at(i)] * (product(i, s) - sum[at(s)]);
    });
}

}  // namespace

centring centred_by(const std::vector<double>& weight) {
    centring c;
    double W = 0;
    for (const double w : weight) W += w;
    for (const double w : weight) c.root.push_back(std::sqrt(w)), c.mean.push_back(w / W);
    return c;
}

template <class T>
gram_multiplication by_rows(const gram<T>& K, index components) {
    const auto product = [&K](matrix_view<const double> v, matrix_view<double> out) { gram_product(K, v, out); };
    const index wide = std::max<index>(32, (components + 15) / 16 * 16);
    return {product, K.element_cost() < 2 ? index{16} : wide, std::is_same_v<T, float> ? 1e-7 : 0};
}

template gram_multiplication by_rows(const gram<float>&, index);
template gram_multiplication by_rows(const gram<double>&, index);

template <class T>
centred_pairs all_centred_pairs(const gram<T>& K, const gram_multiplication& by, centring& c) {
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
    centred_pairs out;
    out.values.assign(found.values.rbegin(), found.values.rend());
    out.vectors = std::move(found.vectors);
    for (index j = 0; j < n / 2; ++j)
        std::swap_ranges(out.vectors.row(j), out.vectors.row(j) + n, out.vectors.row(n - 1 - j));
    out.lowest = found.values.front();
    return out;
}

template centred_pairs all_centred_pairs(const gram<float>&, const gram_multiplication&, centring&);
template centred_pairs all_centred_pairs(const gram<double>&, const gram_multiplication&, centring&);

centred_pairs largest_centred_pairs(const gram_multiplication& K, centring& c, const centred_eigen_options& o) {
    const auto multiply = [&](matrix_view<const double> v, matrix_view<double> out) { multiply_centred(K, c, v, out); };
    lanczos_options l;
    l.pairs = o.count;
    l.block = K.block;
    l.first_block = std::max<index>(1, K.block - 1);
    l.most_basis = std::max<index>(3 * o.count + 32, 96);
    // A narrow block ends as soon as it is there, a wide one far beyond: a little beyond for both, for eigenvectors of
    // near values gain by it.
    l.tol = std::max(K.block < gram_multiplication().block ? 0.1 * o.tol : o.tol, K.least);
    l.most_passes = std::max<index>(1, o.most_passes);
    l.seed = o.seed;
    l.progress = o.progress;
    lanczos_result found = block_lanczos(static_cast<index>(c.mean.size()), multiply, l);
    return {std::move(found.values),
            std::move(found.vectors),
            std::move(found.residuals),
            found.status,
            found.passes,
            found.lowest};
}

}  // namespace mercer
