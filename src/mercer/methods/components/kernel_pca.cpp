#include "mercer/methods/components/kernel_pca.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/dense/gemm.h"
#include "mercer/dense/matrix_checks.h"
#include "mercer/dense/symmetric_eigen.h"
#include "mercer/gram/gram_product.h"
#include "mercer/gram/gram_views.h"
#include "mercer/methods/archive.h"
#include "mercer/methods/checkpoint.h"
#include "mercer/methods/fit_checks.h"
#include "mercer/methods/method.h"
#include "mercer/methods/training_gram.h"

namespace mercer {
namespace {

constexpr const char* pca_owner = "kernel PCA";

// Returns -λ_min/λ₁ if λ_min is below the rounding error of entries of type T, otherwise 0. Fails if one of the `count`
// requested components (0: all) would be such an eigenvalue.
template <class T>
double negative_share_of(const centred_pairs& found, index count, index n, double largest_self) {
    const double top = found.values.front();
    const double noise =
        8 * static_cast<double>(n) * static_cast<double>(std::numeric_limits<T>::epsilon()) * largest_self;
    const double least = -std::max(1e-5 * top, noise);
    if (!(found.min_eigenvalue < least)) return 0;
    const double share = top > 0 ? -found.min_eigenvalue / top : std::numeric_limits<double>::infinity();
    const auto asked = static_cast<std::size_t>(count == 0 ? n : count);
    if (found.values[std::min(asked, found.values.size()) - 1] < least)
        fail(errc::not_psd, fmt::format("{}: There are significant negative eigenvalues ({:.6g} of the maximum "
                                        "positive): the kernel matrix is not positive semidefinite. Take fewer "
                                        "components, or repair the matrix (`mercer kernel test --repair`)",
                                        pca_owner, share));
    return share;
}

// Returns true if A is decomposed as a whole, false if products with K compute a few eigenpairs.
bool uses_full_decomposition(index n, const kernel_pca_options& o) {
    const bool all = o.n_components == 0 || o.n_components >= n;
    // K, the centred matrix, its eigenvectors in descending order, and LAPACK's workspace of 2n² numbers.
    const double need = 40.0 * static_cast<double>(n) * static_cast<double>(n);
    // Measured: for small n a full decomposition is as fast as the passes for some of the pairs.
    const bool fits = need <= static_cast<double>(o.memory_bytes),
               suits = all || o.n_components > std::min(n / 5, n * n / 4000);
    const bool whole =
        o.solver == eigen_solver::full || (o.solver == eigen_solver::automatic && suits && (fits || all));
    if (whole && !fits)
        fail(errc::memory, fmt::format("{}: a full decomposition of n = {} needs {:.0f} MB, more than the memory limit "
                                       "of {:.0f} MB: take fewer components",
                                       pca_owner, n, need / 1e6, static_cast<double>(o.memory_bytes) / 1e6));
    return whole;
}

// Returns the scores of the examples with positive weight, √λ·u/√w = λα/w. The rows of the others are zero.
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

// Returns all eigenpairs of A, or as many as the options request.
template <class T>
centred_pairs decompose(const gram<T>& K, const gram_multiplication& by, centring& c, bool whole,
                        const kernel_pca_options& o) {
    if (whole && !o.checkpoint.path.empty())
        fail(errc::unsupported,
             fmt::format("{}: a checkpoint needs solver=iterative, which is for few components", pca_owner));
    if (whole) return compute_all_pairs(K, by, c);
    const index n = K.rows();
    centred_eigen_options e;
    e.count = std::min(o.n_components == 0 ? n : o.n_components, n);
    e.tol = o.tol, e.max_passes = o.max_iter, e.seed = o.seed;
    if (o.progress)
        e.progress = [&](index pass, double residual) { return o.progress({"eigenvectors", pass, 0, residual}); };
    problem_hash mark;
    mark.add(pca_owner).add(c.mean).add(kernel_fingerprint(K));
    mark.add({static_cast<double>(e.count), o.tol, static_cast<double>(o.max_iter), static_cast<double>(o.seed)});
    recorded_products products(by.product, o.checkpoint, mark.value());
    centred_pairs found = compute_largest_pairs({std::ref(products), by.block, by.min_tol}, c, e);
    products.finish(found.status);
    return found;
}

// Returns the number of eigenvalues that exceed the rounding error of K and of its centring; the others have no
// direction.
index components_with_direction(const centred_pairs& found, index n, double largest_self, index asked) {
    const double floor =
        static_cast<double>(std::max<index>(n, 100)) * std::numeric_limits<double>::epsilon() * largest_self;
    index p = 0;
    while (p < static_cast<index>(found.values.size()) && (asked == 0 || p < asked) &&
           found.values[static_cast<std::size_t>(p)] > floor)
        ++p;
    return p;
}

// The coefficients are Hᵀα, because Σᵢ αᵢφ̃(xᵢ) = Σᵢ (Hᵀα)ᵢφ(xᵢ). In exact arithmetic Hᵀα = α, but the u of a tiny λ
// contains a part along D1, whose eigenvalue 0 is close.
void set_projection(kernel_pca_model& m, const centred_pairs& found, const centring& c) {
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
    // The copy runs over square tiles because one of the two matrices is read across its rows.
    constexpr index side = 32;
    parallel_chunks(n, side, [&](index first, index end) {
        for (index column = 0; column < p; column += side)
            for (index i = first; i < end; ++i)
                for (index j = column; j < std::min(p, column + side); ++j) m.projection.coef(i, j) = coefficient(i, j);
    });
}

// Sets the total and the explained variance from the squared distances k̃(x, x) of the examples to the mean.
void set_variances(kernel_pca_model& m, const std::vector<double>& weight, const std::vector<double>& centred_self) {
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

// An example with weight 0 has no entry in u; its scores are computed like those of a new example.
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
kernel_pca_model fit_model(const gram<T>& K, const gram_multiplication& by, const std::vector<double>& self,
                           const kernel_pca_options& o) {
    const index n = K.rows();
    const std::vector<double> weight = checked_weights(o.sample_weight, n, 1, pca_owner);
    const bool whole = uses_full_decomposition(n, o);
    centring c = make_centring(weight);
    centred_pairs found = decompose(K, by, c, whole, o);

    double largest_self = found.values.empty() ? 0.0 : found.values.front();
    for (const double each : self) largest_self = std::max(largest_self, std::abs(each));
    kernel_pca_model m;
    m.status = found.status, m.passes = found.passes, m.mean = c.mean;
    m.negative_share = found.values.empty() ? 0.0 : negative_share_of<T>(found, o.n_components, n, largest_self);
    const index p = components_with_direction(found, n, largest_self, o.n_components);
    m.eigenvalues.assign(found.values.begin(), found.values.begin() + p);
    if (!whole) m.residuals.assign(found.residuals.begin(), found.residuals.begin() + p);

    std::vector<double> centred_self(self);
    for (std::size_t i = 0; i < self.size(); ++i)
        centred_self[i] = squared_distance(self[i], c.total, c.k_mean[i], self.size());
    set_variances(m, weight, centred_self);
    set_projection(m, found, c);
    found.vectors = {};
    m.scores = training_scores(m);
    score_weightless(m, K, c);
    for (index i = 0; i < n; ++i) {
        double inside = 0;
        for (index j = 0; j < p; ++j) inside += m.scores(i, j) * m.scores(i, j);
        m.squared_residuals.push_back(std::max(0.0, centred_self[static_cast<std::size_t>(i)] - inside));
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
    const auto by_any_rows = [&](const auto& K) {
        return fit_model(K, multiply_by_rows(K, o.n_components), kernel_diagonal(k, x), o);
    };
    constexpr std::size_t packed_bytes = std::size_t{64} << 20;
    // Iterative fit with half of K stored, if the budget allows. With fewer than 500 examples a pass ends before a
    // second thread has started.
    const auto by_half = [&] {
        const thread_limit alone(x.size() < 500 ? 1 : threads());
        const auto K = make_gram<double>(k, x, packed_bytes);
        half_gram half(*K);
        std::vector<double> self(static_cast<std::size_t>(x.size()));
        K->diagonal(self);
        const auto product = [&half](matrix_view<const double> v, matrix_view<double> out) { half.multiply(v, out); };
        // With few examples a pass costs less than the algebra on the vectors; narrow blocks, for few components,
        // reduce that algebra.
        const index block = o.n_components > 10 || x.size() >= 2000 ? gram_multiplication().block
                            : x.size() < 500                        ? 2
                                                                    : 3;
        return fit_model(static_cast<const gram<double>&>(*K), {product, block}, self, o);
    };
    // Half of K, the packed examples, and about two hundred vectors.
    const double need =
        half_gram::bytes(x.size(), gram_multiplication().block) + packed_bytes + 1600.0 * static_cast<double>(x.size());
    const bool half_fits = need <= static_cast<double>(o.memory_bytes);
    kernel_pca_model m = half_fits && !uses_full_decomposition(x.size(), o)
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
        return fit_model(some, multiply_by_rows(some, o.n_components), self, o);
    });
}

matrix<double> transform(const kernel_pca_model& m, const dataset& z) { return m.projection.values(z); }
matrix<double> transform(const kernel_pca_model& m, const gram<double>& K) { return m.projection.values(K); }

// Returns W for a model file of version 1, which contains scores instead: wᵢ = λα/score, from the entry with the
// smallest relative error.
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
    static constexpr int version = 2;  // version 1 contains the scores of every example

    template <class Archive>
    static void parts(Archive& a, auto& m) {
        a.part(m.projection);
        const index p = m.components(), n = m.projection.size();
        a.status(m.status);
        // earlier versions used this status for matrices that are not positive semidefinite
        if constexpr (Archive::reading)
            if (m.status == fit_status::stalled) m.status = fit_status::converged;
        a.integer("passes", m.passes);
        a.numbers(m.total_variance);
        a.list(m.eigenvalues, p);
        a.list(m.explained_variance, p);
        a.list(m.explained_variance_ratio, p);
        a.list("residuals", m.residuals, p);
        if (a.version() == 1) a.table(m.scores, n, p);
        a.list(m.squared_residuals, n);
        a.list(m.mean, n);
        if (a.version() > 1) a.numbers(m.weight);
        if constexpr (Archive::reading) {
            if (a.version() == 1)
                m.weight = total_weight(m);
            else
                m.scores = training_scores(m);
        }
        // Scores of examples with positive weight follow from the coefficients; they would take half of the file.
        for (index i = 0; i < n && a.version() > 1; ++i)
            if (m.mean[static_cast<std::size_t>(i)] == 0) a.row(m.scores.row(i), p);
    }
};
template struct model_file<kernel_pca_model>;

kernel_pca_model first_components(const kernel_pca_model& m, index count) {
    if (count < 0 || count > m.components())
        fail(errc::invalid_argument,
             fmt::format("{}: must satisfy 0 <= count <= {}, got {}", pca_owner, m.components(), count));
    kernel_pca_model out = m;
    const auto cut = [&](const matrix<double>& from) {
        matrix<double> to(from.rows(), count);
        for (index i = 0; i < from.rows(); ++i) std::copy_n(from.row(i), count, to.row(i));
        return to;
    };
    for (index i = 0; i < m.scores.rows(); ++i)
        for (index j = count; j < m.components(); ++j)
            out.squared_residuals[static_cast<std::size_t>(i)] += m.scores(i, j) * m.scores(i, j);
    out.projection.coef = cut(m.projection.coef);
    out.scores = cut(m.scores);
    for (auto* list : {&out.projection.offset, &out.eigenvalues, &out.explained_variance, &out.explained_variance_ratio,
                       &out.residuals})
        if (static_cast<index>(list->size()) > count) list->resize(static_cast<std::size_t>(count));
    return out;
}

index components_for_share(const kernel_pca_model& m, double share) {
    if (!(share > 0 && share <= 1))
        fail(errc::invalid_argument, fmt::format("{}: must satisfy 0 < share <= 1, got {}", pca_owner, share));
    double sum = 0;
    for (index j = 0; j < m.components(); ++j) {
        sum += m.explained_variance_ratio[static_cast<std::size_t>(j)];
        if (sum >= share * (1 - 1e-12)) return j + 1;  // 0.6 + 0.3 must count as 0.9
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
    double expected = 0;  // Σ_{i >= j} 1/i /parts is the expected length of the j-th longest part
    for (index i = 1; i <= parts; ++i) expected += 1 / static_cast<double>(i) / static_cast<double>(parts);
    index j = 0;
    for (; j < std::min(m.components(), parts) && m.explained_variance_ratio[static_cast<std::size_t>(j)] > expected;
         ++j)
        expected -= 1 / static_cast<double>(j + 1) / static_cast<double>(parts);
    return j;
}

namespace {

// Sets c.k_mean and c.total from a column of a product, which is K w/W.
void set_kernel_mean(centring& c, matrix_view<const double> product, index column) {
    require_finite(product, "kernel PCA");
    c.k_mean.clear();
    c.total = 0;
    for (index i = 0; i < product.rows; ++i) {
        c.k_mean.push_back(product(i, column));
        c.total += c.mean[static_cast<std::size_t>(i)] * c.k_mean.back();
    }
}

constexpr index rows_at_once = 1024;  // rows per chunk of parallel work

// Returns Σᵢ value(i, s) for every column s. The rows are summed within chunks of fixed size, so the sums are
// bit-identical for any number of threads.
template <class Value>
std::vector<double> column_sums(index n, index columns, Value&& value) {
    const index parts = (n + rows_at_once - 1) / rows_at_once;
    matrix<double> part(parts, columns);
    parallel_chunks(n, rows_at_once, [&](index first, index end) {
        for (index i = first; i < end; ++i)
            for (index s = 0; s < columns; ++s) part(first / rows_at_once, s) += value(i, s);
    });
    std::vector<double> sum(static_cast<std::size_t>(columns));
    for (index p = 0; p < parts; ++p)
        for (index s = 0; s < columns; ++s) sum[static_cast<std::size_t>(s)] += part(p, s);
    return sum;
}

// out = A v. The first product has one more column, which gives K w/W.
void multiply_centred(const gram_multiplication& K, centring& c, matrix_view<const double> v, matrix_view<double> out) {
    const index n = v.rows;
    const bool first = c.k_mean.empty();
    const index m = v.cols, columns = first ? m + 1 : m;
    const auto at = [](index i) { return static_cast<std::size_t>(i); };
    // Hᵀ D v = Dv - w(1ᵀDv)/W
    matrix<double> u(n, columns), more(first ? n : 0, first ? columns : 0);
    const matrix_view<double> product = first ? more.view() : out;
    std::vector<double> sum = column_sums(n, m, [&](index i, index s) { return u(i, s) = c.root[at(i)] * v(i, s); });
    parallel_chunks(n, rows_at_once, [&](index begin, index end) {
        for (index i = begin; i < end; ++i) {
            for (index s = 0; s < m; ++s) u(i, s) -= c.mean[at(i)] * sum[at(s)];
            if (first) u(i, m) = c.mean[at(i)];
        }
    });
    K.product(u.view(), product);
    if (first) set_kernel_mean(c, product, m);
    // D H y = D(y - 1 wᵀy/W)
    sum = column_sums(n, m, [&](index i, index s) { return c.mean[at(i)] * product(i, s); });
    parallel_chunks(n, rows_at_once, [&](index begin, index end) {
        for (index i = begin; i < end; ++i)
            for (index s = 0; s < m; ++s) out(i, s) = c.root[at(i)] * (product(i, s) - sum[at(s)]);
    });
}

}  // namespace

centring make_centring(const std::vector<double>& weight) {
    centring c;
    double W = 0;
    for (const double w : weight) W += w;
    for (const double w : weight) c.root.push_back(std::sqrt(w)), c.mean.push_back(w / W);
    return c;
}

template <class T>
gram_multiplication multiply_by_rows(const gram<T>& K, index components) {
    const auto product = [&K](matrix_view<const double> v, matrix_view<double> out) { gram_product(K, v, out); };
    const index wide = std::max<index>(32, (components + 15) / 16 * 16);
    return {product, K.cycles_per_element() < 2 ? index{16} : wide, std::is_same_v<T, float> ? 1e-7 : 0};
}

template gram_multiplication multiply_by_rows(const gram<float>&, index);
template gram_multiplication multiply_by_rows(const gram<double>&, index);

template <class T>
centred_pairs compute_all_pairs(const gram<T>& K, const gram_multiplication& by, centring& c) {
    const index n = K.rows();
    matrix<double> v(n, 1), mean_row(n, 1);
    std::copy(c.mean.begin(), c.mean.end(), v.data());
    by.product(v.view(), mean_row.view());
    set_kernel_mean(c, mean_row.view(), 0);
    matrix<double> a(n, n);
    if constexpr (std::is_same_v<T, double>) {
        K.fill(a.view());
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
    out.min_eigenvalue = found.values.front();
    return out;
}

template centred_pairs compute_all_pairs(const gram<float>&, const gram_multiplication&, centring&);
template centred_pairs compute_all_pairs(const gram<double>&, const gram_multiplication&, centring&);

centred_pairs compute_largest_pairs(const gram_multiplication& K, centring& c, const centred_eigen_options& o) {
    const auto multiply = [&](matrix_view<const double> v, matrix_view<double> out) { multiply_centred(K, c, v, out); };
    lanczos_options l;
    l.pairs = o.count;
    l.block = K.block;
    l.first_block = std::max<index>(1, K.block - 1);
    l.max_basis = std::max<index>(3 * o.count + 32, 96);
    // A narrow block reaches the tolerance exactly, a wide block goes well beyond it. A tenth of the tolerance for
    // narrow blocks makes both go beyond it, which improves the eigenvectors of close eigenvalues.
    l.tol = std::max(K.block < gram_multiplication().block ? 0.1 * o.tol : o.tol, K.min_tol);
    l.max_passes = std::max<index>(1, o.max_passes);
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

namespace api {
namespace {

class pca_estimator final : public estimator_of<kernel_pca_model> {
public:
    using estimator_of::estimator_of;
    columns transform(const examples& x) const override {
        return {x.visit([&](const auto& some) { return mercer::transform(m_, some); }),
                numbered_names("component", m_.components())};
    }
    columns training_scores() const override { return {m_.scores, numbered_names("component", m_.components())}; }
    summary summarise() const override {
        summary out{{"status", name(m_.status)},
                    {"components", m_.components()},
                    {"eigenvalues", m_.eigenvalues},
                    {"explained_variance", m_.explained_variance}};
        if (const auto& ratio = m_.explained_variance_ratio; ratio.empty() || !std::isnan(ratio[0]))
            out.add("explained_variance_ratio", ratio);
        if (m_.negative_share > 0) out.add("negative_share", m_.negative_share);
        out.add(
            {{"total_variance", m_.total_variance}, {"passes", m_.passes}, {"training_size", m_.projection.size()}});
        return out;
    }
    std::string warning() const override { return fit_warning(m_.status, "max_iter, or take a larger tol"); }
    part_value part(std::string_view name) const override {
        if (name == "scores") return m_.scores;
        if (name == "eigenvectors") return eigenvectors();
        if (name == "explained_variance_ratio") return m_.explained_variance_ratio;
        if (name == "negative_share") return m_.negative_share;
        if (name == "residual") return m_.residuals.empty() ? 0.0 : std::max(0.0, std::ranges::max(m_.residuals));
        return estimator_of::part(name);
    }

private:
    // Returns u = α√λ, the unit eigenvectors.
    matrix<double> eigenvectors() const {
        matrix<double> u(m_.projection.coef.rows(), m_.components());
        for (index i = 0; i < u.rows(); ++i)
            for (index j = 0; j < u.cols(); ++j)
                u(i, j) = m_.projection.coef(i, j) * std::sqrt(m_.eigenvalues[static_cast<std::size_t>(j)]);
        return u;
    }
};

estimator_ptr make_pca(const kernel_pca& m, const fit_call& t) {
    auto o = t.common<kernel_pca_options>(m);
    o.n_components = m.n_components;
    o.solver = m.solver == "full"        ? eigen_solver::full
               : m.solver == "iterative" ? eigen_solver::iterative
                                         : eigen_solver::automatic;
    return t.made<pca_estimator>(t.from([&](const auto&... from) { return fit_kernel_pca(from..., o); }));
}

}  // namespace

method kernel_pca_method() { return entry<kernel_pca, pca_estimator>(make_pca); }

}  // namespace api

}  // namespace mercer
