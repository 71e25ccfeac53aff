#include "mercer/methods/neighbours/knn.h"

#include <random>

#include "mercer/base/threads.h"
#include "mercer/data/all_kinds.h"
#include "mercer/gram/make_gram.h"
#include "mercer/kernels/expression/algebra.h"
#include "methods/clustering/cluster_support.h"

namespace mercer {
namespace {

using namespace cluster_testing;
using ::testing::ElementsAre;

TEST(knn, scikit_learn) {
    for (const json& c : oracle()["knn"]) {
        SCOPED_TRACE(c["data"].get<std::string>() + " " + c["weights"].get<std::string>());
        const sample s = load(c["data"]);
        knn_options o;
        o.weights = c["weights"] == "uniform" ? knn_weights::uniform : knn_weights::distance;
        const knn_model plain = fit_knn(linear{}, s.x, s.y, o);
        const neighbours found = find_neighbours(plain, s.fresh);
        for (index i = 0; i < found.distances.rows(); ++i)
            for (index j = 0; j < 5; ++j)
                EXPECT_NEAR(found.distances(i, j),
                            c["distances"][static_cast<std::size_t>(i)][static_cast<std::size_t>(j)].get<double>(),
                            1e-9);
        EXPECT_EQ(predict(plain, s.fresh), c["labels"].get<std::vector<double>>());
        const matrix<double> shares = class_shares(plain, found);
        for (index i = 0; i < shares.rows(); ++i)
            for (index k = 0; k < shares.cols(); ++k)
                EXPECT_NEAR(shares(i, k),
                            c["shares"][static_cast<std::size_t>(i)][static_cast<std::size_t>(k)].get<double>(), 1e-8);
        EXPECT_EQ(predict(fit_knn(gaussian{c["gamma"].get<double>()}, s.x, s.y, o), s.fresh),
                  c["rbf_labels"].get<std::vector<double>>());
        o.task = knn_task::regression;
        std::vector<double> y;
        for (index i = 0; i < s.x.size(); ++i) y.push_back(s.x.row(i)[0]);
        const auto values = predict(fit_knn(linear{}, s.x, y, o), s.fresh);
        for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], c["values"][i].get<double>(), 1e-8);
    }
}

// Neighbours sorted by the definition, one query at a time, in long double.
std::vector<index> by_definition(const matrix<double>& K, const std::vector<double>& self, index query, index k) {
    std::vector<std::pair<long double, index>> all;
    for (index j = 0; j < K.cols(); ++j)
        all.emplace_back(static_cast<long double>(self[static_cast<std::size_t>(j)]) - 2.0L * K(query, j), j);
    std::sort(all.begin(), all.end());
    std::vector<index> out;
    for (index j = 0; j < k; ++j) out.push_back(all[static_cast<std::size_t>(j)].second);
    return out;
}

// Pairs of training objects that float cannot distinguish, and distant queries for which float is sufficient.
TEST(knn, the_neighbours_of_a_row_depend_on_the_row_alone) {
    constexpr index pairs = 400, queries = 300;
    matrix<double> x(2 * pairs, 3), z(queries, 3);
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    for (index i = 0; i < pairs; ++i)
        for (index j = 0; j < 3; ++j) {
            x(2 * i, j) = normal(random);
            x(2 * i + 1, j) = x(2 * i, j) + 1e-9 * normal(random);
        }
    for (index i = 0; i < queries; ++i)
        for (index j = 0; j < 3; ++j) z(i, j) = i % 20 ? 1e3 : normal(random);
    for (const kernel& k : {kernel(gaussian{0.5}), kernel(linear{})}) {
        std::vector<double> y(2 * pairs);
        for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<double>(i % 2);
        knn_options o;
        o.n_neighbors = 1;
        const knn_model model = fit_knn(k, dense<double>(x.view()), y, o);
        const dataset all = dense<double>(z.view());
        const neighbours found = find_neighbours(model, all);
        for (index i = 0; i < queries; ++i) {
            const neighbours alone = find_neighbours(model, gather(all, row_set(i, 1)));
            ASSERT_EQ(alone.indices(0, 0), found.indices(i, 0)) << k.text() << ", " << i;
            ASSERT_EQ(alone.distances(0, 0), found.distances(i, 0)) << k.text() << ", " << i;
        }
    }
}

// A kernel whose rounding differs from call to call, as functions of blocks over BLAS do: the query itself still has
// distance 0, and with weights 1/distance the other neighbours count nothing.
TEST(knn, a_query_that_is_a_training_object_is_at_distance_zero) {
    const dataset x = random_vectors(150, 4, 1);
    std::vector<double> y(150);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<double>(i);
    int calls = 0;
    const kernel careless = from_function("careless", [&calls](std::span<const double> a, std::span<const double> b) {
        double square = 0;
        for (std::size_t i = 0; i < a.size(); ++i) square += (a[i] - b[i]) * (a[i] - b[i]);
        return std::exp(-0.4 * square) * (1 + 1e-14 * (++calls % 7 - 3));
    });
    knn_options o;
    o.task = knn_task::regression;
    o.weights = knn_weights::distance;
    const thread_limit one(1);
    const knn_model m = fit_knn(careless, x, y, o);
    for (index few : {50, 150}) {  // for one pass over the pairs, and for two passes
        std::vector<index> which(static_cast<std::size_t>(few));
        std::iota(which.begin(), which.end(), 0);
        const dataset z = gather(x, std::span<const index>(which));
        const neighbours found = find_neighbours(m, z);
        const std::vector<double> values = predict(m, found);
        for (index i = 0; i < few; ++i) {
            EXPECT_EQ(found.indices(i, 0), i);
            EXPECT_EQ(found.distances(i, 0), 0.0);
            EXPECT_GT(found.distances(i, 1), 0.0);
            EXPECT_EQ(values[static_cast<std::size_t>(i)], y[static_cast<std::size_t>(i)]);
        }
    }
}

TEST(knn, exact_neighbours_by_brute_force) {
    const dataset x = random_vectors(700, 6, 1), z = random_vectors(90, 6, 2);
    std::vector<double> y(700);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<double>(i % 3);
    for (const kernel& k : {kernel(linear{}), kernel(gaussian{0.3}),
                            kernel(polynomial{.degree = 3, .gamma = 0.1, .coef0 = 1}), kernel(matern{})}) {
        knn_options o;
        o.n_neighbors = 7;
        const knn_model m = fit_knn(k, x, y, o);
        const neighbours found = find_neighbours(m, z);
        const matrix<double> K = all_of(cpu_kernel_gram<double>(k, z, x));
        for (index i = 0; i < 90; ++i)
            EXPECT_EQ(by_definition(K, m.self, i, 7),
                      std::vector<index>(found.indices.row(i), found.indices.row(i) + 7))
                << k.text();
        // The same result from a kernel matrix.
        const neighbours given = find_neighbours(fit_knn(cpu_kernel_gram<double>(k, x), y, o),
                                                 precomputed<double>(K.view()), kernel_diagonal(k, z));
        for (index i = 0; i < 90 * 7; ++i) EXPECT_EQ(given.indices.data()[i], found.indices.data()[i]);
        thread_limit one(1);
        const neighbours alone = find_neighbours(m, z);
        EXPECT_TRUE(std::equal(alone.distances.data(), alone.distances.data() + 90 * 7, found.distances.data()));
    }
}

TEST(knn, floats_that_cannot_tell_neighbours_apart_are_not_trusted) {
    // Far from the origin: xᵀz ≈ 1e10, so that float has no digits for distances of 1.
    matrix<double> x(400, 2), z(40, 2);
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> u;
    for (index i = 0; i < 800; ++i) x.data()[i] = 1e5 + u(random);
    for (index i = 0; i < 80; ++i) z.data()[i] = 1e5 + u(random);
    const std::vector<double> y(400, 1.0);
    const dense<double> a(x), b(z);
    const knn_model m = fit_knn(linear{}, a, y, {});
    const neighbours found = find_neighbours(m, b);
    EXPECT_EQ(found.repeated_queries, 40);
    const matrix<double> K = all_of(cpu_kernel_gram<double>(linear{}, b, a));
    for (index i = 0; i < 40; ++i)
        EXPECT_EQ(by_definition(K, m.self, i, 5), std::vector<index>(found.indices.row(i), found.indices.row(i) + 5));
    // A narrow Gaussian: almost all kernel values are zero in float.
    const knn_model narrow = fit_knn(gaussian{3e3}, a, y, {});
    const neighbours by_values = find_neighbours(narrow, b);
    const matrix<double> G = all_of(cpu_kernel_gram<double>(gaussian{3e3}, b, a));
    for (index i = 0; i < 40; ++i)
        EXPECT_EQ(by_definition(G, std::vector<double>(400, 0.0), i, 5),
                  std::vector<index>(by_values.indices.row(i), by_values.indices.row(i) + 5));
}

TEST(knn, ties_go_to_the_lowest_index) {
    // Every point occurs four times.
    matrix<double> x(200, 1);
    for (index i = 0; i < 200; ++i) x(i, 0) = static_cast<double>(i % 50);
    std::vector<double> y(200);
    for (std::size_t i = 0; i < 200; ++i) y[i] = static_cast<double>(i / 50);
    knn_options o;
    o.n_neighbors = 3;
    const dense<double> a(x);
    for (const kernel& k : {kernel(linear{}), kernel(gaussian{0.1})}) {
        const knn_model m = fit_knn(k, a, y, o);
        const neighbours found = find_neighbours(m, a);
        for (index i = 0; i < 200; ++i)
            for (index j = 0; j < 3; ++j) {
                EXPECT_EQ(found.indices(i, j), i % 50 + 50 * j);
                EXPECT_EQ(found.distances(i, j), 0);
            }
        EXPECT_THAT(predict(m, a), ::testing::Each(0.0)) << "one vote each for 0, 1 and 2";
    }
}

TEST(knn, every_kind_of_object) {
    const std::vector<double> y{1, 1, 1, 2, 2, 2, 1};
    knn_options o;
    o.n_neighbors = 3;
    const knn_model words = fit_knn(normalise(spectrum{2}), few_strings(), y, o);
    EXPECT_THAT(predict(words, strings({"abcabcab", "zzzzz"})), ElementsAre(1, 2));
    const knn_model back = round_trip(words);
    EXPECT_THAT(predict(back, strings({"abcabcab", "zzzzz"})), ElementsAre(1, 2));
    EXPECT_THAT(predict(fit_knn(set_intersection{}, few_sets(), y, o), sets({{1, 2, 3, 4}, {10, 11, 12}})),
                ElementsAre(1, 2));
    const sample s = load("iris.svm");
    const table sparse_iris = read_libsvm(data_file("iris.svm"));
    EXPECT_EQ(predict(fit_knn(gaussian{0.5}, sparse_iris.x, s.y, o), sparse_iris.x),
              predict(fit_knn(gaussian{0.5}, s.x, s.y, o), s.x));
}

TEST(knn, weights) {
    // Uniform weights; neighbours of weight 0 do not vote.
    const sample s = load("iris.svm");
    knn_options o;
    o.sample_weight.assign(150, 1.0);
    for (std::size_t i = 0; i < 50; ++i) o.sample_weight[i] = 0;
    const knn_model m = fit_knn(linear{}, s.x, s.y, o);
    const matrix<double> shares = class_shares(m, find_neighbours(m, s.x));
    for (index i = 0; i < 150; ++i) EXPECT_TRUE(shares(i, 0) == 0 || shares(i, 0) == 1.0 / 3);
    round_trip(m);
    o.weights = knn_weights::distance, o.task = knn_task::regression, o.sample_weight.clear();
    const auto self = predict(fit_knn(linear{}, s.x, s.y, o), s.x);
    for (std::size_t i = 0; i < 150; ++i)
        EXPECT_NEAR(self[i], s.y[i], 0.51) << "a training point's own target, or that of its twins";
}

TEST(knn, progress_and_errors) {
    const dataset x = random_vectors(60, 2, 5);
    const std::vector<double> y(60, 1.0);
    knn_options o;
    index calls = 0;
    o.progress = [&](const fit_progress& p) { return ++calls, p.done < 0; };
    const knn_model m = fit_knn(linear{}, x, y, o);
    EXPECT_EQ(find_neighbours(m, x).status, fit_status::converged) << "all was done before the callback spoke";
    EXPECT_EQ(calls, 1);
    const dataset many = random_vectors(64 * 192 + 1, 2, 6);
    const neighbours part = find_neighbours(m, many);
    EXPECT_EQ(part.status, fit_status::cancelled);
    EXPECT_EQ(part.done, 64 * 192);
    expect_error(errc::unsupported, "stopped after 12288", [&] { predict(m, part); });

    o.progress = nullptr;
    o.n_neighbors = 61;
    expect_error(errc::invalid_argument, "1 <= n_neighbors <= n, got 61 with n = 60",
                 [&] { fit_knn(linear{}, x, y, o); });
    o.n_neighbors = 60;
    EXPECT_THAT(predict(fit_knn(linear{}, x, y, o), x), ::testing::Each(1.0));
    expect_error(errc::data, "no examples", [&] { fit_knn(linear{}, random_vectors(0, 2, 1), {}, {}); });
    expect_error(errc::invalid_argument, "60 examples but 2 targets", [&] {
        fit_knn(linear{}, x, std::vector<double>{1, 2}, {});
    });
    EXPECT_THROW(fit_knn(linear{}, with_nan(), std::vector<double>{1, 2, 3}, {}), error);
    EXPECT_THROW(predict(m, with_nan()), error);
    o.n_neighbors = 1;
    EXPECT_THAT(predict(fit_knn(linear{}, random_vectors(1, 2, 1), std::vector<double>{7}, o), x),
                ::testing::Each(7.0));
    EXPECT_TRUE(predict(m, random_vectors(0, 2, 1)).empty());
    expect_error(errc::unsupported, "fitted on a precomputed matrix",
                 [&] { predict(fit_knn(cpu_kernel_gram<double>(linear{}, x), y, o), x); });
}

}  // namespace
}  // namespace mercer
