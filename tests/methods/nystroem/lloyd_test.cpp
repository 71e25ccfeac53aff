#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "contracts/errors.h"
#include "mercer/base/threads.h"
#include "mercer/gram/gram_views.h"
#include "mercer/methods/nystroem/nystroem_kmeans.h"

namespace mercer {
namespace {

using mercer::testing::expect_error;

struct cloud {
    matrix<double> x;
    std::vector<double> self, weight;
};

// Groups about (0, 0, …), (3, 3, …), (6, 6, …), …
cloud groups(index n, index d, index count, unsigned seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    cloud out{matrix<double>(n, d), {}, std::vector<double>(static_cast<std::size_t>(n), 1.0)};
    for (index i = 0; i < n; ++i) {
        double sum = 0;
        for (index j = 0; j < d; ++j) {
            out.x(i, j) = normal(random) + 3 * static_cast<double>(i % count);
            sum += out.x(i, j) * out.x(i, j);
        }
        out.self.push_back(sum);
    }
    return out;
}

matrix<double> make_rows(const matrix<double>& x, std::initializer_list<index> which) {
    matrix<double> out(static_cast<index>(which.size()), x.cols());
    index to = 0;
    for (const index i : which) std::copy_n(x.row(i), x.cols(), out.row(to++));
    return out;
}

lloyd_result run(const cloud& c, matrix<double> start, lloyd_options o) {
    const precomputed<double> k(c.x.view());
    const one_batch<double> rows(k);
    return run_lloyd({&rows, nullptr, nullptr, c.self, c.weight}, std::move(start), o);
}

long double apart(const double* a, const double* b, index d) {
    long double sum = 0;
    for (index j = 0; j < d; ++j)
        sum += (static_cast<long double>(a[j]) - b[j]) * (static_cast<long double>(a[j]) - b[j]);
    return sum;
}

// J of these means, from the definition.
double cost_of(const cloud& c, const matrix<double>& means) {
    long double sum = 0;
    for (index i = 0; i < c.x.rows(); ++i) {
        long double least = std::numeric_limits<long double>::infinity();
        for (index k = 0; k < means.rows(); ++k) least = std::min(least, apart(c.x.row(i), means.row(k), c.x.cols()));
        sum += c.weight[static_cast<std::size_t>(i)] * least;
    }
    return static_cast<double>(sum);
}

// Iterations of Lloyd's algorithm from the definition; returns J of the means of each iteration.
std::vector<double> by_the_book(const cloud& c, matrix<double> means) {
    std::vector<double> out;
    std::vector<index> labels;
    for (;;) {
        std::vector<index> next;
        for (index i = 0; i < c.x.rows(); ++i) {
            index best = 0;
            for (index k = 1; k < means.rows(); ++k)
                if (apart(c.x.row(i), means.row(k), c.x.cols()) < apart(c.x.row(i), means.row(best), c.x.cols()))
                    best = k;
            next.push_back(best);
        }
        out.push_back(cost_of(c, means));
        if (next == labels) return out;
        labels = next;
        matrix<double> sums(means.rows(), means.cols());
        std::vector<double> w(static_cast<std::size_t>(means.rows()));
        for (index i = 0; i < c.x.rows(); ++i) {
            const auto k = static_cast<std::size_t>(labels[static_cast<std::size_t>(i)]);
            w[k] += c.weight[static_cast<std::size_t>(i)];
            for (index j = 0; j < means.cols(); ++j)
                sums(static_cast<index>(k), j) += c.weight[static_cast<std::size_t>(i)] * c.x(i, j);
        }
        for (index k = 0; k < means.rows(); ++k)
            for (index j = 0; j < means.cols(); ++j) means(k, j) = sums(k, j) / w[static_cast<std::size_t>(k)];
    }
}

TEST(lloyd, makes_the_rounds_of_the_book) {
    for (const unsigned seed : {1u, 2u, 3u}) {
        cloud c = groups(900, 4, 5, seed);
        for (std::size_t i = 0; i < c.weight.size(); ++i) c.weight[i] = 0.25 * static_cast<double>(1 + i % 5);
        const matrix<double> start = make_rows(c.x, {0, 1, 7, 12, 20});
        const lloyd_result m = run(c, start, {.clusters = 5});
        const std::vector<double> want = by_the_book(c, start);
        EXPECT_EQ(m.status, fit_status::converged);
        ASSERT_EQ(m.history.size(), want.size());
        EXPECT_EQ(m.passes, std::ssize(want));
        for (std::size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(m.history[i], want[i], 1e-9 * want[i]);
        EXPECT_NEAR(cost_of(c, m.means), m.history.back(), 1e-9 * m.history.back());
        // Means are the averages of their rows, labels the nearest means.
        std::vector<double> w(5);
        for (index i = 0; i < 900; ++i) {
            const index mine = m.labels[static_cast<std::size_t>(i)];
            w[static_cast<std::size_t>(mine)] += c.weight[static_cast<std::size_t>(i)];
            for (index k = 0; k < 5; ++k)
                EXPECT_LE(apart(c.x.row(i), m.means.row(mine), 4), apart(c.x.row(i), m.means.row(k), 4) + 1e-9);
        }
        for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(w[k], m.weights[k], 1e-9);
    }
}

TEST(lloyd, never_rises_and_ends_as_it_is_told) {
    const cloud c = groups(2000, 3, 6, 4);
    const matrix<double> start = make_rows(c.x, {0, 6, 12, 18, 24, 30});  // all of one group
    const lloyd_result all = run(c, start, {.clusters = 6});
    ASSERT_GT(all.history.size(), 4u);
    EXPECT_TRUE(std::ranges::is_sorted(all.history, std::greater<>()));
    const lloyd_result few = run(c, start, {.clusters = 6, .max_rounds = 3});
    EXPECT_EQ(few.status, fit_status::step_limit);
    EXPECT_EQ(few.passes, 3);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(few.history[i], all.history[i]);
    EXPECT_NEAR(cost_of(c, few.means), few.history.back(), 1e-9 * few.history.back());
    const lloyd_result soon = run(c, start, {.clusters = 6, .tol = 0.01});
    EXPECT_EQ(soon.status, fit_status::converged);
    const std::size_t last = soon.history.size() - 1;
    EXPECT_LT(last + 1, all.history.size());
    EXPECT_LE(soon.history[last - 1] - soon.history[last], 0.01 * soon.history[last]);
    lloyd_options o{.clusters = 6};
    o.progress = [](index round, double) { return round < 2; };
    const lloyd_result cut = run(c, start, o);
    EXPECT_EQ(cut.status, fit_status::cancelled);
    EXPECT_EQ(cut.history, few.history);
}

// For empty clusters, each new mean is the row with the largest cost; if no row has a cost, there are fewer clusters.
TEST(lloyd, fills_empty_clusters_and_leaves_out_what_stays_empty) {
    cloud c = groups(300, 2, 3, 5);
    matrix<double> start(3, 2);
    start(0, 0) = 1, start(1, 0) = 1e6, start(2, 0) = -1e6;
    const lloyd_result m = run(c, start, {.clusters = 3});
    EXPECT_EQ(m.means.rows(), 3);
    EXPECT_TRUE(std::ranges::is_sorted(m.history, std::greater<>()));
    for (const double w : m.weights) EXPECT_GE(w, 50);
    // clusters without an initial mean are filled in the same way
    EXPECT_EQ(run(c, make_rows(c.x, {0}), {.clusters = 3}).means.rows(), 3);

    for (index i = 0; i < 300; ++i) c.x(i, 0) = static_cast<double>(i % 4), c.x(i, 1) = 1;
    for (index i = 0; i < 300; ++i) c.self[static_cast<std::size_t>(i)] = c.x(i, 0) * c.x(i, 0) + 1;
    // A row of weight 0, which must not become a mean.
    c.x(299, 0) = 50, c.self[299] = 2501, c.weight[299] = 0;
    matrix<double> many(7, 2);
    for (index k = 0; k < 7; ++k) many(k, 0) = 10 * static_cast<double>(k);
    const lloyd_result four = run(c, many, {.clusters = 7});
    EXPECT_EQ(four.status, fit_status::converged);
    ASSERT_EQ(four.means.rows(), 4);
    EXPECT_EQ(four.history.back(), 0);
    EXPECT_EQ(four.weights.size(), 4u);
    const index mine = four.labels[299];
    for (index k = 0; k < 4; ++k) EXPECT_LE(four.means(k, 0), four.means(mine, 0) + 1e-9);
}

TEST(lloyd, ends_in_double_where_it_began_in_float) {
    const cloud c = groups(3000, 5, 4, 6);
    matrix<float> narrow(3000, 5);
    for (index i = 0; i < 15000; ++i) narrow.data()[i] = static_cast<float>(c.x.data()[i]);
    const precomputed<double> exact(c.x.view());
    const precomputed<float> rough(narrow.view());
    const one_batch<double> k(exact);
    const one_batch<float> kf(rough);
    const matrix<double> start = make_rows(c.x, {0, 4, 8, 12});
    for (const double tol : {0.0, 1e-4}) {
        for (const index most : {1, 2, 300}) {
            const lloyd_result m =
                run_lloyd({&k, &kf, nullptr, c.self, c.weight}, start, {.clusters = 4, .tol = tol, .max_rounds = most});
            EXPECT_TRUE(std::ranges::is_sorted(m.history, std::greater<>()));
            EXPECT_NEAR(cost_of(c, m.means), m.history.back(), 1e-12 * 3000 * 100);
            EXPECT_LE(m.passes, most);
        }
    }
    const lloyd_result m = run_lloyd({&k, &kf, nullptr, c.self, c.weight}, start, {.clusters = 4}),
                       alone = run(c, start, {.clusters = 4});
    EXPECT_EQ(m.status, fit_status::converged);
    EXPECT_NEAR(m.history.back(), alone.history.back(), 1e-6 * alone.history.back());
    const std::vector<double> again = by_the_book(c, m.means);
    EXPECT_EQ(again.size(), 2u);  // a fixed point in double
}

TEST(lloyd, has_the_same_bits_for_any_number_of_threads) {
    const cloud c = groups(5000, 4, 5, 7);
    const matrix<double> start = make_rows(c.x, {3, 4, 5, 6, 7});
    const lloyd_result want = run(c, start, {.clusters = 5});
    for (const int threads : {1, 3}) {
        const thread_limit limit(threads);
        const lloyd_result m = run(c, start, {.clusters = 5});
        EXPECT_EQ(m.history, want.history);
        EXPECT_EQ(m.labels, want.labels);
        for (index i = 0; i < 20; ++i) EXPECT_EQ(m.means.data()[i], want.means.data()[i]);
    }
}

// Resuming from any stored state, in float or in double and with clusters that are temporarily empty, is bit-identical.
TEST(lloyd, goes_on_from_any_state) {
    const cloud c = groups(2000, 3, 4, 9);
    matrix<float> narrow(2000, 3);
    for (index i = 0; i < 6000; ++i) narrow.data()[i] = static_cast<float>(c.x.data()[i]);
    const precomputed<double> exact(c.x.view());
    const precomputed<float> rough(narrow.view());
    const one_batch<double> k(exact);
    const one_batch<float> kf(rough);
    const matrix<double> start = make_rows(c.x, {0, 4, 8});
    for (const gram_batches<float>* some :
         {static_cast<const gram_batches<float>*>(nullptr), static_cast<const gram_batches<float>*>(&kf)}) {
        const lloyd_problem rows{&k, some, nullptr, c.self, c.weight};
        std::vector<std::vector<double>> states;
        lloyd_options o{.clusters = 6};
        o.keep = [&](const std::vector<double>& state) { states.push_back(state); };
        const lloyd_result whole = run_lloyd(rows, start, o);
        ASSERT_GE(states.size(), 4u);
        o.keep = {};
        for (const auto& state : states) {
            o.start = state;
            const lloyd_result rest = run_lloyd(rows, start, o);
            EXPECT_EQ(rest.history, whole.history);
            EXPECT_EQ(rest.labels, whole.labels);
            EXPECT_EQ(rest.passes, whole.passes);
            for (index i = 0; i < 18; ++i) EXPECT_EQ(rest.means.data()[i], whole.means.data()[i]);
        }
        o.start.pop_back();
        expect_error(errc::invalid_argument, "another problem", [&] { run_lloyd(rows, start, o); });
    }
}

TEST(lloyd, refuses_what_is_no_number) {
    cloud c = groups(100, 2, 2, 8);
    expect_error(errc::invalid_argument, "1 <= means <= clusters",
                 [&] { run(c, matrix<double>(0, 2), {.clusters = 2}); });
    expect_error(errc::invalid_argument, "got 3", [&] { run(c, make_rows(c.x, {0, 1, 2}), {.clusters = 2}); });
    c.x(17, 1) = std::numeric_limits<double>::quiet_NaN();
    expect_error(errc::data, "must be finite", [&] { run(c, make_rows(c.x, {0, 1}), {.clusters = 2}); });
    c.x(17, 1) = std::numeric_limits<double>::infinity();
    expect_error(errc::data, "must be finite", [&] { run(c, make_rows(c.x, {0, 1}), {.clusters = 2}); });
    lloyd_options o{.clusters = 1};
    o.progress = [](index, double) { return false; };
    EXPECT_EQ(run(groups(10, 1, 1, 9), matrix<double>(1, 1), o).status, fit_status::cancelled);
}

}  // namespace
}  // namespace mercer
