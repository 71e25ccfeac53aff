
#include "mercer/kernel_analysis/permutation_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/random_generator.h"
#include "mercer/base/threads.h"
#include "mercer/dense/gemm.h"
#include "mercer/dense/matrix_checks.h"
#include "mercer/gram/gram_product.h"
#include "mercer/gram/make_gram.h"
#include "mercer/methods/fit_checks.h"

namespace mercer {

namespace {

void check(index m, index n, const two_sample_options& o) {
    if (m < 1 || n < 1)
        fail(errc::invalid_argument,
             fmt::format("two samples: each sample needs at least one object, got {} and {}", m, n));
    if (o.kind == two_sample_options::statistic::unbiased && (m < 2 || n < 2))
        fail(errc::invalid_argument,
             fmt::format("two samples: the unbiased statistic needs at least two objects in each sample, got {} and {}",
                         m, n));
    if (o.permutations < 0)
        fail(errc::invalid_argument,
             fmt::format("two samples: must satisfy permutations >= 0, got {}", o.permutations));
}

constexpr index group = 64;  // splits computed together; memory is N × 128 numbers in addition to K

// Products with K. Half of K is stored if its elements are expensive, if it is needed more than once, and if it fits
// into the budget.
class kernel_products {
public:
    kernel_products(const gram<double>& K, const two_sample_options& o) : K_(K) {
        const bool again = o.permutations >= group && K.cycles_per_element() >= 2;
        if (again && half_gram::bytes(K.rows(), group + 1) <= static_cast<double>(o.memory_bytes)) stored_.emplace(K);
    }

    // K times the indicators of the first sample of each split. The additional last column is K·1; the sums over the
    // second sample follow from it.
    matrix<double> multiply_with_ones(const matrix<double>& first) {
        const index N = first.rows(), count = first.cols();
        matrix<double> v(N, count + 1), Kv(N, count + 1);
        for (index i = 0; i < N; ++i) {
            std::copy_n(first.row(i), count, v.row(i));
            v(i, count) = 1;
        }
        if (stored_)
            stored_->multiply(v.view(), Kv.view());
        else
            gram_product(K_, v.view(), Kv.view());
        require_finite(Kv.view(), "two samples");
        return Kv;
    }

private:
    const gram<double>& K_;
    std::optional<half_gram> stored_;
};

// Both statistics of one split, and the size of the terms within each sample, to which rounding is relative.
struct mmd {
    double biased, unbiased, within, size;
};

mmd mmd_of(const matrix<double>& first, const matrix<double>& Kv, index s, index m, const std::vector<double>& self) {
    const index N = first.rows(), n = N - m, ones = first.cols();
    const auto dm = static_cast<double>(m), dn = static_cast<double>(n);
    double xx = 0, xz = 0, zz = 0, diagonal_x = 0, diagonal_z = 0;
    for (index i = 0; i < N; ++i) {
        const bool in = first(i, s) != 0;
        (in ? xx : xz) += Kv(i, s);
        if (!in) zz += Kv(i, ones) - Kv(i, s);
        (in ? diagonal_x : diagonal_z) += self[static_cast<std::size_t>(i)];
    }
    const double fair =
        m > 1 && n > 1 ? (xx - diagonal_x) / dm / (dm - 1) + (zz - diagonal_z) / dn / (dn - 1) - 2 * xz / dm / dn : 0.0;
    return {xx / dm / dm + zz / dn / dn - 2 * xz / dm / dn, fair, xx / dm / dm + zz / dn / dn,
            std::abs(xx) / dm / dm + std::abs(zz) / dn / dn};
}

}  // namespace

two_sample_result two_sample_test(const kernel& k, const dataset& x, const dataset& z, const two_sample_options& o) {
    require_objects(x, "two samples");
    require_objects(z, "two samples");
    return two_sample_test(*make_gram<double>(k, concatenate(x, z)), x.size(), o);
}

two_sample_result two_sample_test(const gram<double>& K, index m, const two_sample_options& o) {
    const std::vector<double> self = checked_diagonal(K, "two samples");
    const index N = K.rows();
    check(m, N - m, o);
    random_generator random(o.seed);
    std::vector<index> order(static_cast<std::size_t>(N));
    std::iota(order.begin(), order.end(), index{0});
    kernel_products by(K, o);

    two_sample_result out;
    double observed = 0;
    index reached = 0;
    for (index done = 0; done <= o.permutations; done += group) {
        if (o.progress && !o.progress({"permutations", done, o.permutations + 1, out.biased}) && done > 0) break;
        const index count = std::min(group, o.permutations + 1 - done);
        matrix<double> first(N, count);  // indicators of the first sample
        for (index s = 0; s < count; ++s) {
            if (done + s > 0) random.shuffle(order);
            for (index i = 0; i < m; ++i) first(order[static_cast<std::size_t>(i)], s) = 1;
        }
        const matrix<double> Kv = by.multiply_with_ones(first);
        for (index s = 0; s < count; ++s) {
            const mmd split = mmd_of(first, Kv, s, m, self);
            const double value = o.kind == two_sample_options::statistic::unbiased ? split.unbiased : split.biased;
            if (done + s == 0) {
                out.biased = split.biased < 0 && split.biased > -1e-14 * split.within ? 0.0 : split.biased;
                out.unbiased = split.unbiased;
                observed = value;
            } else {
                // A split that equals the observed one up to the order of the objects has the same statistic up to
                // rounding; it counts as reached.
                reached += value >= observed - 1e-12 * split.size;
            }
        }
        out.permutations = done + count - 1;  // the first split is the observed one
    }
    out.p_value = static_cast<double>(1 + reached) / static_cast<double>(1 + out.permutations);
    return out;
}

namespace {

constexpr const char* owner = "independence";

matrix<double> centred_matrix(const gram<double>& k) {
    const index size = k.rows();
    matrix<double> out(size, size);
    k.fill(out.view());
    require_finite(out.view(), owner);
    std::vector<double> mean(static_cast<std::size_t>(size));
    const auto n = static_cast<double>(size);
    parallel_for(size, [&](index i) {
        double sum = 0;
        for (index j = 0; j < size; ++j) sum += out(i, j);
        mean[static_cast<std::size_t>(i)] = sum / n;
    });
    double total = 0;
    for (const double each : mean) total += each / n;
    const double before = max_abs_entry(out.view());
    parallel_for(size, [&](index i) {
        for (index j = 0; j < size; ++j)
            out(i, j) -= mean[static_cast<std::size_t>(i)] + (mean[static_cast<std::size_t>(j)] - total);
    });
    // A centred constant matrix contains only rounding errors: it is replaced by 0.
    if (max_abs_entry(out.view()) <= 1e-14 * n * before) out = matrix<double>(size, size);
    return out;
}

// Σⱼ a(j)·b(o(j)) over first <= j < end. Four partial sums, because a single sum would depend on itself at every step.
double permuted_dot(const double* a, const double* b, const std::int32_t* order, index first, index end) {
    double part[4] = {};
    index j = first;
    for (; j + 4 <= end; j += 4)
        for (index s = 0; s < 4; ++s) part[s] += a[j + s] * b[order[j + s]];
    for (; j < end; ++j) part[0] += a[j] * b[order[j]];
    return (part[0] + part[1]) + (part[2] + part[3]);
}

// Σᵢⱼ A(i, j)·B(o(i), o(j))/n² for every order o. Uses symmetry: only half of the terms are computed. For each chunk of
// rows of A, the rows of B are visited one after the other, each for all orders that pair it with a row of the chunk,
// so that a row of B is read from memory once for each chunk and not once for each order.
std::vector<double> permuted_inner_products(const matrix<double>& a, const matrix<double>& b,
                                            const std::vector<std::vector<std::int32_t>>& orders) {
    struct pair {
        std::int32_t row, order;
    };
    constexpr index chunk_bytes = index{16} << 20;  // fits into the caches
    const index n = a.rows(), run = std::clamp<index>(chunk_bytes / (8 * std::max<index>(n, 1)), 1, n),
                count = static_cast<index>(orders.size());
    std::vector<double> sum(orders.size());
    matrix<double> part(run, count);
    std::vector<index> start(static_cast<std::size_t>(n) + 1), next;
    std::vector<pair> pairs(static_cast<std::size_t>(run * count));
    for (index first = 0; first < n; first += run) {
        const index end = std::min(n, first + run);
        const auto partner = [&](index i, index p) {
            return static_cast<std::size_t>(orders[static_cast<std::size_t>(p)][static_cast<std::size_t>(i)]);
        };
        std::fill(start.begin(), start.end(), index{0});
        for (index i = first; i < end; ++i)
            for (index p = 0; p < count; ++p) ++start[partner(i, p) + 1];
        for (std::size_t r = 0; r < static_cast<std::size_t>(n); ++r) start[r + 1] += start[r];
        next.assign(start.begin(), start.end() - 1);
        for (index i = first; i < end; ++i)
            for (index p = 0; p < count; ++p)
                pairs[static_cast<std::size_t>(next[partner(i, p)]++)] = {static_cast<std::int32_t>(i),
                                                                          static_cast<std::int32_t>(p)};
        parallel_for(n, [&](index r) {
            for (index at = start[static_cast<std::size_t>(r)]; at < start[static_cast<std::size_t>(r) + 1]; ++at) {
                const auto [i, p] = pairs[static_cast<std::size_t>(at)];
                part(i - first, p) =
                    a(i, i) * b(r, r) +
                    2 * permuted_dot(a.row(i), b.row(r), orders[static_cast<std::size_t>(p)].data(), i + 1, n);
            }
        });
        for (index i = first; i < end; ++i)
            for (index p = 0; p < count; ++p) sum[static_cast<std::size_t>(p)] += part(i - first, p);
    }
    for (double& each : sum) each = each / static_cast<double>(n) / static_cast<double>(n);
    return sum;
}

}  // namespace

independence_result independence_test(const kernel& k, const dataset& x, const kernel& l, const dataset& y,
                                      const independence_options& o) {
    require_objects(x, owner);
    require_objects(y, owner);
    if (x.size() != y.size())
        fail(errc::invalid_argument,
             fmt::format("{}: both data sets must have the same number of objects, got {} and {}", owner, x.size(),
                         y.size()));
    return independence_test(*make_gram<double>(k, x), *make_gram<double>(l, y), o);
}

independence_result independence_test(const gram<double>& K, const gram<double>& L, const independence_options& o) {
    checked_diagonal(K, owner);
    checked_diagonal(L, owner);
    const index n = K.rows();
    if (L.rows() != n)
        fail(errc::invalid_argument,
             fmt::format("{}: both data sets must have the same number of objects, got {} and {}", owner, n, L.rows()));
    if (o.permutations < 0)
        fail(errc::invalid_argument, fmt::format("{}: must satisfy permutations >= 0, got {}", owner, o.permutations));
    if (const double need = 16.0 * static_cast<double>(n) * static_cast<double>(n);
        need > static_cast<double>(o.memory_bytes))
        fail(errc::memory, fmt::format("{}: {:.0f} MB are needed for n = {}, more than the memory limit of {:.0f} MB",
                                       owner, need / 1e6, n, static_cast<double>(o.memory_bytes) / 1e6));
    const matrix<double> a = centred_matrix(K), b = centred_matrix(L);
    std::vector<std::int32_t> same(static_cast<std::size_t>(n));
    std::iota(same.begin(), same.end(), 0);
    independence_result out;
    out.hsic = permuted_inner_products(a, b, {same})[0];
    const double kk = permuted_inner_products(a, a, {same})[0], ll = permuted_inner_products(b, b, {same})[0];
    out.alignment = kk > 0 && ll > 0 ? out.hsic / std::sqrt(kk) / std::sqrt(ll) : 0;
    random_generator random(o.seed);
    constexpr index group = 64;
    index reached = 0;
    for (index done = 0; done < o.permutations; done += group) {
        if (o.progress && !o.progress({"permutations", done, o.permutations, out.hsic})) break;
        std::vector<std::vector<std::int32_t>> orders;
        for (index p = 0; p < std::min(group, o.permutations - done); ++p) {
            std::vector<index> order(same.begin(), same.end());
            random.shuffle(order);
            orders.emplace_back(order.begin(), order.end());
        }
        for (const double each : permuted_inner_products(a, b, orders))
            reached += each >= out.hsic - 1e-14 * std::sqrt(kk) * std::sqrt(ll);  // equality up to rounding counts
        out.permutations += static_cast<index>(orders.size());
    }
    out.p_value = static_cast<double>(1 + reached) / static_cast<double>(1 + out.permutations);
    return out;
}

}  // namespace mercer
