#include "mercer/insight/independence_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/seeded.h"
#include "mercer/solvers/dense_algebra.h"

namespace mercer {
namespace {

constexpr const char* owner = "independence";

matrix<double> centred_matrix(const gram<double>& k) {
    matrix<double> out(k.rows(), k.rows());
    k.all(out.view());
    require_finite(out.view(), owner);
    std::vector<double> mean(static_cast<std::size_t>(k.rows()));
    double total = 0;
    const auto n = static_cast<double>(k.rows());
    for (index i = 0; i < k.rows(); ++i) {
        for (index j = 0; j < k.rows(); ++j) mean[static_cast<std::size_t>(i)] += out(i, j);
        mean[static_cast<std::size_t>(i)] /= n;
        total += mean[static_cast<std::size_t>(i)] / n;
    }
    const double before = largest_entry(out.view());
    for (index i = 0; i < k.rows(); ++i)
        for (index j = 0; j < k.rows(); ++j) out(i, j) -= mean[static_cast<std::size_t>(i)] + (mean[static_cast<std::size_t>(j)] - total);
    // What is left of a constant matrix is rounding.
    if (largest_entry(out.view()) <= 1e-14 * n * before) out = matrix<double>(k.rows(), k.rows());
    return out;
}

// Σᵢⱼ A(i, j)·B(o(i), o(j))/n²
double inner(const matrix<double>& a, const matrix<double>& b, const std::vector<index>& order) {
    const index n = a.rows();
    double sum = 0;
    for (index i = 0; i < n; ++i) {
        const double *row = a.row(i), *other = b.row(order[static_cast<std::size_t>(i)]);
        double part = 0;
        for (index j = 0; j < n; ++j) part += row[j] * other[order[static_cast<std::size_t>(j)]];
        sum += part;
    }
    return sum / static_cast<double>(n) / static_cast<double>(n);
}

}  // namespace

independence_result independence_test(const kernel& k, const dataset& x, const kernel& l, const dataset& y, const independence_options& o) {
    require_objects(x, owner);
    require_objects(y, owner);
    if (x.size() != y.size()) fail(errc::invalid_argument, fmt::format("{}: each object needs both properties, got {} and {}", owner, x.size(), y.size()));
    return independence_test(computed<double>(k, x), computed<double>(l, y), o);
}

independence_result independence_test(const gram<double>& K, const gram<double>& L, const independence_options& o) {
    checked_diagonal(K, owner);
    checked_diagonal(L, owner);
    const index n = K.rows();
    if (L.rows() != n) fail(errc::invalid_argument, fmt::format("{}: each object needs both properties, got {} and {}", owner, n, L.rows()));
    if (o.permutations < 0) fail(errc::invalid_argument, fmt::format("{}: must satisfy permutations >= 0, got {}", owner, o.permutations));
    if (const double need = 16.0 * static_cast<double>(n) * static_cast<double>(n); need > static_cast<double>(o.memory_bytes))
        fail(errc::memory, fmt::format("{}: {:.0f} MB are needed for n = {}, more than the budget of {:.0f} MB", owner, need / 1e6, n,
                                       static_cast<double>(o.memory_bytes) / 1e6));
    const matrix<double> a = centred_matrix(K), b = centred_matrix(L);
    std::vector<index> same(static_cast<std::size_t>(n));
    std::iota(same.begin(), same.end(), index{0});
    independence_result out;
    out.hsic = inner(a, b, same);
    const double kk = inner(a, a, same), ll = inner(b, b, same);
    out.alignment = kk > 0 && ll > 0 ? out.hsic / std::sqrt(kk) / std::sqrt(ll) : 0;
    seeded random(o.seed);
    constexpr index group = 64;
    index reached = 0;
    for (index done = 0; done < o.permutations; done += group) {
        if (o.progress && !o.progress({"permutations", done, o.permutations, out.hsic})) break;
        std::vector<std::vector<index>> orders(static_cast<std::size_t>(std::min(group, o.permutations - done)), same);
        for (auto& order : orders) random.shuffle(order);
        std::vector<double> value(orders.size());
        parallel_for(static_cast<index>(orders.size()),
                     [&](index p) { value[static_cast<std::size_t>(p)] = inner(a, b, orders[static_cast<std::size_t>(p)]); });
        for (const double each : value) reached += each >= out.hsic - 1e-14 * std::sqrt(kk) * std::sqrt(ll);  // equal up to rounding counts
        out.permutations += static_cast<index>(orders.size());
    }
    out.p_value = static_cast<double>(1 + reached) / static_cast<double>(1 + out.permutations);
    return out;
}

}  // namespace mercer
