#include "mercer/methods/clustering/kernel_kmeans.h"

#include <limits>

#include "mercer/base/threads.h"
#include "mercer/gram/make_gram.h"
#include "methods/clustering/cluster_support.h"

namespace mercer {
namespace {

using namespace cluster_testing;

// J from its definition: every object against the mean of its cluster.
double by_definition(const matrix<double>& K, const std::vector<index>& labels, std::vector<double> w = {}) {
    const index n = K.rows();
    if (w.empty()) w.assign(static_cast<std::size_t>(n), 1.0);
    double J = 0;
    for (index i = 0; i < n; ++i) {
        double W = 0, to = 0, within = 0;
        for (index a = 0; a < n; ++a) {
            if (labels[static_cast<std::size_t>(a)] != labels[static_cast<std::size_t>(i)]) continue;
            const double wa = w[static_cast<std::size_t>(a)];
            W += wa;
            to += wa * K(i, a);
            for (index b = 0; b < n; ++b)
                if (labels[static_cast<std::size_t>(b)] == labels[static_cast<std::size_t>(i)])
                    within += wa * w[static_cast<std::size_t>(b)] * K(a, b);
        }
        if (W > 0) J += w[static_cast<std::size_t>(i)] * (K(i, i) - 2 * to / W + within / W / W);
    }
    return J;
}

void expect_falling(const kmeans_model& m) {
    for (std::size_t r = 1; r < m.history.size(); ++r) EXPECT_LE(m.history[r], m.history[r - 1]);
}

TEST(kernel_kmeans, scikit_learn_from_the_same_start) {
    for (const json& c : oracle()["kmeans"]) {
        SCOPED_TRACE(c["data"].get<std::string>());
        const sample s = load(c["data"]);
        kmeans_options o;
        o.n_clusters = c["k"];
        for (index i = 0; i < s.x.size(); ++i) o.init.push_back(i % o.n_clusters);
        if (c["weighted"].get<bool>()) o.sample_weight = test_weights(s.x.size());
        const kmeans_model m = fit_kernel_kmeans(linear{}, s.x, o);
        EXPECT_EQ(m.status, fit_status::converged);
        EXPECT_NEAR(m.objective(), c["objective"].get<double>(), 1e-9 * c["objective"].get<double>());
        EXPECT_EQ(m.labels, c["labels"].get<std::vector<index>>());
        expect_falling(m);
    }
}

TEST(kernel_kmeans, objective_is_that_of_the_definition) {
    const sample s = load("iris.svm");
    for (const kernel& k :
         {kernel(gaussian{0.5}), kernel(linear{}), kernel(polynomial{.degree = 2, .gamma = 0.1, .coef0 = 1})})
        for (const bool weighted : {false, true}) {
            kmeans_options o;
            o.n_clusters = 4;
            if (weighted) o.sample_weight = test_weights(150);
            const kmeans_model m = fit_kernel_kmeans(k, s.x, o);
            const matrix<double> K = all_of(cpu_kernel_gram<double>(k, s.x));
            const double J = by_definition(K, m.labels, o.sample_weight);
            EXPECT_NEAR(m.objective(), J, 1e-10 * (std::abs(J) + K(0, 0)));
            expect_falling(m);
            EXPECT_EQ(m.runs, 10);
            // A local optimum: predict returns the training labels.
            EXPECT_EQ(predict(m, s.x), m.labels);
        }
}

TEST(kernel_kmeans, finds_what_is_plain_to_see) {
    // Two rings: a local Gaussian kernel separates them, the linear kernel cannot.
    matrix<double> x(120, 2);
    for (index i = 0; i < 120; ++i) {
        const double angle = 2 * 3.14159265358979 * static_cast<double>(i) / 60, r = i < 60 ? 0.3 : 3;
        x(i, 0) = r * std::cos(angle), x(i, 1) = r * std::sin(angle);
    }
    kmeans_options o;
    o.n_clusters = 3;
    const dense<double> rings(x);
    const kmeans_model m = fit_kernel_kmeans(gaussian{1}, rings, o);
    for (std::size_t i = 1; i < 60; ++i) EXPECT_EQ(m.labels[i], m.labels[0]) << "the inner ring is one cluster";
}

TEST(kernel_kmeans, budget_threads_and_matrix_do_not_change_the_answer) {
    const dataset x = random_vectors(300, 5, 11);
    kmeans_options o;
    o.n_clusters = 6, o.n_init = 3, o.seed = 5;
    const kmeans_model all = fit_kernel_kmeans(gaussian{0.2}, x, o);
    {
        thread_limit one(1);
        EXPECT_EQ(model_bytes(fit_kernel_kmeans(gaussian{0.2}, x, o)), model_bytes(all));
    }
    EXPECT_EQ(fit_kernel_kmeans(cpu_kernel_gram<double>(gaussian{0.2}, x), o).labels, all.labels);
    const auto whole = cpu_kernel_gram<double>(gaussian{0.2}, x);
    EXPECT_EQ(fit_kernel_kmeans(precomputed<double>(all_of(whole)), o).labels, all.labels);
    o.memory_bytes = 300 * 8 * 100;  // a third of the rows
    o.exact = true;
    const kmeans_model third = fit_kernel_kmeans(gaussian{0.2}, x, o);
    EXPECT_EQ(third.labels, all.labels);
    EXPECT_EQ(third.history, all.history);
    o.exact = false;  // float kernel values
    const kmeans_model floats = fit_kernel_kmeans(gaussian{0.2}, x, o);
    EXPECT_NEAR(floats.objective(), by_definition(all_of(whole), floats.labels), 1e-5 * all.objective());
    expect_falling(floats);
    o.seed = 6;
    EXPECT_NE(fit_kernel_kmeans(gaussian{0.2}, x, o).history, floats.history) << "another seed";
}

TEST(kernel_kmeans, a_weight_is_a_number_of_copies) {
    const dataset x = random_vectors(40, 3, 12);
    kmeans_options o, copied;
    o.n_clusters = copied.n_clusters = 3;
    for (index i = 0; i < 40; ++i) o.sample_weight.push_back(static_cast<double>(1 + i % 3)), o.init.push_back(i % 3);
    const auto copies = repeated(o.sample_weight);
    for (const index i : copies) copied.init.push_back(i % 3);
    const kmeans_model weighted = fit_kernel_kmeans(gaussian{0.3}, x, o),
                       twice = fit_kernel_kmeans(gaussian{0.3}, gather(x, std::span<const index>(copies)), copied);
    EXPECT_NEAR(weighted.objective(), twice.objective(), 1e-11);
    for (std::size_t i = 0; i < copies.size(); ++i)
        EXPECT_EQ(twice.labels[i], weighted.labels[static_cast<std::size_t>(copies[i])]);
}

TEST(kernel_kmeans, empty_clusters_are_filled) {
    const dataset x = random_vectors(50, 2, 13);
    kmeans_options o;
    o.n_clusters = 5;
    o.init.assign(50, 0);  // four of five are empty
    const kmeans_model m = fit_kernel_kmeans(linear{}, x, o);
    for (const double w : m.weights) EXPECT_GT(w, 0);
    expect_falling(m);
}

TEST(kernel_kmeans, duplicates_and_extremes) {
    matrix<double> x(12, 1);
    for (index i = 0; i < 12; ++i) x(i, 0) = static_cast<double>(i % 2);
    kmeans_options o;
    o.n_clusters = 4;  // of two distinct points
    const kmeans_model twins = fit_kernel_kmeans(gaussian{1}, dense<double>(x), o);
    EXPECT_NEAR(twins.objective(), 0, 1e-14);
    for (const double w : twins.weights) EXPECT_GT(w, 0);
    const dataset some = random_vectors(9, 2, 14);
    o.n_clusters = 9;
    const kmeans_model each = fit_kernel_kmeans(linear{}, some, o);
    EXPECT_NEAR(each.objective(), 0, 1e-13);
    EXPECT_EQ(std::set<index>(each.labels.begin(), each.labels.end()).size(), 9u);
    o.n_clusters = 1;
    EXPECT_EQ(fit_kernel_kmeans(linear{}, some, o).labels, std::vector<index>(9, 0));
    EXPECT_EQ(fit_kernel_kmeans(linear{}, random_vectors(1, 2, 1), o).objective(), 0);
    o.n_clusters = 10;
    expect_error(errc::invalid_argument, "1 <= n_clusters <= n, got 10 with n = 9",
                 [&] { fit_kernel_kmeans(linear{}, some, o); });
    o.n_clusters = 3;
    o.sample_weight = {1, 1, 0, 0, 0, 0, 0, 0, 0};
    expect_error(errc::invalid_argument, "at least 3 examples of positive weight",
                 [&] { fit_kernel_kmeans(linear{}, some, o); });
    EXPECT_THROW(fit_kernel_kmeans(linear{}, with_nan(), {.n_clusters = 2}), error);
    matrix<double> bad(3, 3);
    bad(0, 1) = bad(1, 0) = std::numeric_limits<double>::quiet_NaN();
    expect_error(errc::data, "must be finite", [&] { fit_kernel_kmeans(precomputed<double>(bad), {.n_clusters = 2}); });
}

TEST(kernel_kmeans, distances_to_the_means) {
    const dataset x = random_vectors(60, 3, 21), z = random_vectors(20, 3, 22);
    for (const kernel& k : {kernel(linear{}), kernel(gaussian{0.4})}) {
        const kmeans_model m = fit_kernel_kmeans(k, x, {.n_clusters = 4});
        const matrix<double> own = distances(m, x), d = distances(m, z);
        double J = 0;
        for (index i = 0; i < 60; ++i)
            J += own(i, m.labels[static_cast<std::size_t>(i)]) * own(i, m.labels[static_cast<std::size_t>(i)]);
        EXPECT_NEAR(J, m.objective(), 1e-9 * m.objective());
        const std::vector<index> nearest = predict(m, z);
        matrix<double> across(20, 60);
        cpu_kernel_gram<double>(k, z, x).fill(across.view());
        std::vector<double> own_z(20), own_x(60);
        cpu_kernel_gram<double>(k, z).diagonal(own_z);
        cpu_kernel_gram<double>(k, x).diagonal(own_x);
        // Σ of both sides over the members of c: Σ‖φ(z) - φ(xᵢ)‖² = n_c‖φ(z) - μ‖² + Σ‖φ(xᵢ) - μ‖²
        for (index i = 0; i < 20; ++i)
            for (index c = 0; c < 4; ++c) {
                EXPECT_GE(d(i, c), d(i, nearest[static_cast<std::size_t>(i)]) - 1e-12);
                double to_members = 0, of_members = 0, count = 0;
                for (index j = 0; j < 60; ++j) {
                    if (m.labels[static_cast<std::size_t>(j)] != c) continue;
                    to_members +=
                        own_z[static_cast<std::size_t>(i)] - 2 * across(i, j) + own_x[static_cast<std::size_t>(j)];
                    of_members += own(j, c) * own(j, c);
                    ++count;
                }
                EXPECT_NEAR(to_members, count * d(i, c) * d(i, c) + of_members, 1e-9 * (1 + to_members));
            }
    }
    const kmeans_model bare = fit_kernel_kmeans(cpu_kernel_gram<double>(linear{}, x), {.n_clusters = 2});
    expect_error(errc::unsupported, "k(z, z)", [&] { distances(bare, z); });
}

TEST(kernel_kmeans, an_indefinite_matrix_ends) {
    std::mt19937_64 random(15);
    const auto k = mercer::testing::symmetric_part(mercer::testing::random_matrix(40, 40, random));
    const kmeans_model m = fit_kernel_kmeans(mercer::testing::as_gram(k), {.n_clusters = 4});
    expect_falling(m);
    EXPECT_TRUE(m.status == fit_status::stalled || m.status == fit_status::converged);
}

TEST(kernel_kmeans, objects_files_and_cancelling) {
    const kmeans_model words = fit_kernel_kmeans(spectrum{2}, few_strings(), {.n_clusters = 2});
    EXPECT_EQ(words.labels[0], words.labels[1]);
    EXPECT_EQ(words.labels[3], words.labels[4]);
    EXPECT_NE(words.labels[0], words.labels[3]);
    const kmeans_model back = round_trip(words);
    EXPECT_EQ(predict(back, few_strings()), words.labels);
    const kmeans_model bags = fit_kernel_kmeans(set_intersection{}, few_sets(), {.n_clusters = 2});
    EXPECT_NE(bags.labels[0], bags.labels[3]);
    round_trip(fit_kernel_kmeans(cpu_kernel_gram<double>(set_intersection{}, few_sets()), {.n_clusters = 2}));

    const dataset x = random_vectors(100, 2, 16);
    kmeans_options o;
    int calls = 0;
    o.progress = [&](const fit_progress&) { return ++calls < 4; };
    const kmeans_model stopped = fit_kernel_kmeans(linear{}, x, o);
    EXPECT_EQ(stopped.status, fit_status::cancelled);
    EXPECT_EQ(calls, 4);
    EXPECT_EQ(stopped.labels.size(), 100u) << "what there is is kept";
    o.progress = nullptr;
    o.max_iter = 1, o.n_init = 1;
    EXPECT_EQ(fit_kernel_kmeans(linear{}, x, o).status, fit_status::step_limit);
}

}  // namespace
}  // namespace mercer
