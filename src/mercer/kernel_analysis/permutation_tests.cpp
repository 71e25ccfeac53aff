#include "mercer/kernel_analysis/permutation_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/random_generator.h"
#include "mercer/dense/dense_algebra.h"
#include "mercer/gram/gram_product.h"
#include "mercer/gram/half_gram.h"

namespace mercer {

namespace {

void check(index m, index n, const two_sample_options& o) {
    if (m < 1 || n < 1)
        fail(errc::invalid_argument, fmt::format("two samples: both need an object, got {} and {}", m, n));
    if (o.kind == two_sample_options::statistic::unbiased && (m < 2 || n < 2))
        fail(errc::invalid_argument,
             fmt::format("two samples: the unbiased statistic needs two objects in each, got {} and {}", m, n));
    if (o.permutations < 0)
        fail(errc::invalid_argument,
             fmt::format("two samples: must satisfy permutations >= 0, got {}", o.permutations));
}

constexpr index group = 64;  // splits at once: memory stays at N × 128 numbers beside K

// Products with K, of which half is kept where it is dear, needed often, and there is room.
class products {
public:
    products(const gram<double>& K, const two_sample_options& o) : K_(K) {
        const bool again = o.permutations >= group && K.element_cost() >= 2;
        if (again && half_gram::bytes(K.rows(), group + 1) <= static_cast<double>(o.memory_bytes)) kept_.emplace(K);
    }

    // K times the indicators of each split's first sample. One more column is K·1, from which the sums over the second
    // sample follow.
    matrix<double> with_ones(const matrix<double>& first) {
        const index N = first.rows(), count = first.cols();
        matrix<double> v(N, count + 1), Kv(N, count + 1);
        for (index i = 0; i < N; ++i) {
            std::copy_n(first.row(i), count, v.row(i));
            v(i, count) = 1;
        }
        if (kept_)
            kept_->multiply(v.view(), Kv.view());
        else
            gram_product(K_, v.view(), Kv.view());
        require_finite(Kv.view(), "two samples");
        return Kv;
    }

private:
    const gram<double>& K_;
    std::optional<half_gram> kept_;
};

// Both statistics of one split, and the size of its terms within each sample.
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
    seeded random(o.seed);
    std::vector<index> order(static_cast<std::size_t>(N));
    std::iota(order.begin(), order.end(), index{0});
    products by(K, o);

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
        const matrix<double> Kv = by.with_ones(first);
        for (index s = 0; s < count; ++s) {
            const mmd split = mmd_of(first, Kv, s, m, self);
            const double value = o.kind == two_sample_options::statistic::unbiased ? split.unbiased : split.biased;
            if (done + s == 0) {
                out.biased = split.biased < 0 && split.biased > -1e-14 * split.within ? 0.0 : split.biased;
                out.unbiased = split.unbiased;
                observed = value;
            } else {
                // A split that is the same up to names has the same statistic up to rounding: it counts.
                reached += value >= observed - 1e-12 * split.size;
            }
        }
        out.permutations = done + count - 1;  // the first split is the one that was given
    }
    out.p_value = static_cast<double>(1 + reached) / static_cast<double>(1 + out.permutations);
    return out;
}

}  // namespace mercer
