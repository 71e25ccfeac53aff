#include "mercer/methods/components/centred_eigen.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "mercer/base/threads.h"
#include "mercer/dense/dense_algebra.h"
#include "mercer/gram/gram_product.h"

namespace mercer {
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
