#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "mercer/data/dataset.h"
#include "mercer/gram/make_gram.h"
#include "mercer/kernels/vectors/linear.h"
#include "mercer/methods/nystroem/sketched_preconditioner.h"

namespace mercer {
namespace {

// The rows of x as a matrix K: linear kernels with the unit vectors.
std::unique_ptr<gram<double>> make_rows(const matrix<double>& x) {
    matrix<double> copy = x, units(x.cols(), x.cols());
    for (index j = 0; j < x.cols(); ++j) units(j, j) = 1;
    return make_gram<double>(linear{}, dense<double>(std::move(copy)), dense<double>(std::move(units)));
}

matrix<double> random_rows(index n, index m) {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    matrix<double> x(n, m);
    for (index i = 0; i < n * m; ++i) x.data()[i] = normal(random);
    for (index j = 0; j < m; ++j) x(n / 3, j) *= 100;  // one row with a direction of its own
    return x;
}

// ‖SD^½(Kv + y)‖² approximates ‖D^½(Kv + y)‖² up to about √(2/s), for every D and also for the right-hand sides: with
// few buckets per column tile, with many, and with so many functions that there are more column tiles.
TEST(make_row_sketches, keeps_lengths) {
    constexpr index n = 9000, m = 40;
    const matrix<double> x = random_rows(n, m);
    const auto k = make_rows(x);
    const one_batch<double> all(*k);
    const auto weight = [](index row, index c) { return c == 0 ? 1.0 : 1.0 / static_cast<double>(1 + row % (c + 2)); };
    const auto behind = [](index row, index t) { return t == 0 ? 1.0 : std::sin(static_cast<double>(row)); };
    for (const auto& [buckets, count] : {std::pair<index, index>{300, 1}, {2000, 2}, {8192, 40}}) {
        sketch_options o;
        o.buckets = buckets, o.count = count, o.weight = weight, o.extra_columns = 2, o.extra_value = behind,
        o.seed = 3;
        const auto sketches = make_row_sketches<double>(all, o).of;
        ASSERT_EQ(std::ssize(sketches), count);
        std::mt19937_64 random(1);
        std::normal_distribution<double> normal;
        for (index c = 0; c < count; c += 7)
            for (int round = 0; round < 5; ++round) {
                std::vector<double> v(m + 2);
                for (double& each : v) each = normal(random);
                const auto length = [&](index rows, const auto& row_of, const auto& weight_of) {
                    double sum = 0;
                    for (index i = 0; i < rows; ++i) {
                        double dot = 0;
                        for (index j = 0; j < m + 2; ++j) dot += row_of(i, j) * v[static_cast<std::size_t>(j)];
                        sum += weight_of(i) * dot * dot;
                    }
                    return sum;
                };
                const matrix<double>& s = sketches[static_cast<std::size_t>(c)];
                EXPECT_LE(s.rows(), buckets);
                EXPECT_GT(s.rows(), buckets / 2);
                const double want = length(
                                 n, [&](index i, index j) { return j < m ? x(i, j) : behind(i, j - m); },
                                 [&](index i) { return weight(i, c); }),
                             got = length(
                                 s.rows(), [&](index i, index j) { return s(i, j); }, [](index) { return 1.0; });
                EXPECT_NEAR(got / want, 1, 6 * std::sqrt(2 / static_cast<double>(buckets))) << buckets << ' ' << c;
            }
    }
}

// If there is a bucket for every row, the sketch contains the rows unchanged.
TEST(make_row_sketches, has_every_row_where_there_is_room) {
    constexpr index n = 500, m = 7;
    const matrix<double> x = random_rows(n, m);
    const auto k = make_rows(x);
    sketch_options o;
    o.buckets = n, o.weight = [](index row, index) { return row % 2 == 0 ? 4.0 : 0.0; };
    const auto found = make_row_sketches<double>(one_batch<double>(*k), o).of;
    for (index i = 0; i < n; ++i)
        for (index j = 0; j < m; ++j) ASSERT_DOUBLE_EQ(found[0](i, j), i % 2 == 0 ? 2 * x(i, j) : 0.0);
}

// With K the identity the sketch is SD^½ itself: it stretches no vector by more than `norm_bound`, measured by D. Power
// iteration finds a vector for which the bound is nearly attained.
TEST(make_row_sketches, makes_nothing_longer_than_it_says) {
    constexpr index n = 500;
    matrix<double> x(n, n);
    for (index i = 0; i < n; ++i) x(i, i) = 1;
    const auto k = make_rows(x);
    const auto weight = [](index row, index) { return row % 5 == 0 ? 1e-8 : 1.0 / static_cast<double>(1 + row % 7); };
    for (const index buckets : {64, 120, 470, 500}) {
        sketch_options o;
        o.buckets = buckets, o.weight = weight, o.seed = 3;
        const row_sketches found = make_row_sketches<double>(one_batch<double>(*k), o);
        const matrix<double>& s = found.of[0];
        // v ← D^-½ (SD^½)ᵀ SD^½ D^-½ v
        std::vector<double> v(n, 1.0);
        double most = 0;
        for (int round = 0; round < 40; ++round) {
            std::vector<double> sv(static_cast<std::size_t>(s.rows()), 0.0), next(n, 0.0);
            for (index i = 0; i < s.rows(); ++i)
                for (index j = 0; j < n; ++j)
                    sv[static_cast<std::size_t>(i)] +=
                        s(i, j) * v[static_cast<std::size_t>(j)] / std::sqrt(weight(j, 0));
            double length = 0;
            for (index j = 0; j < n; ++j) {
                for (index i = 0; i < s.rows(); ++i)
                    next[static_cast<std::size_t>(j)] +=
                        s(i, j) * sv[static_cast<std::size_t>(i)] / std::sqrt(weight(j, 0));
                length += next[static_cast<std::size_t>(j)] * next[static_cast<std::size_t>(j)];
            }
            most = std::sqrt(length);
            for (index j = 0; j < n; ++j) v[static_cast<std::size_t>(j)] = next[static_cast<std::size_t>(j)] / most;
        }
        EXPECT_LE(most, found.norm_bound * (1 + 1e-12)) << buckets;
        EXPECT_GE(most, found.norm_bound / 30) << buckets;  // the bound is not much too large
    }
}

}  // namespace
}  // namespace mercer
