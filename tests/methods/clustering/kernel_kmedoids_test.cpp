#include "mercer/methods/clustering/kernel_kmedoids.h"

#include <limits>
#include <numeric>
#include <set>

#include "mercer/base/threads.h"
#include "mercer/gram/make_gram.h"
#include "methods/clustering/cluster_support.h"

namespace mercer {
namespace {

using namespace cluster_testing;
using mercer::testing::expect_error;

double total(const matrix<double>& D, const std::vector<index>& medoids, std::vector<double> w = {}) {
    double TD = 0;
    for (index i = 0; i < D.rows(); ++i) {
        double least = std::numeric_limits<double>::infinity();
        for (const index m : medoids) least = std::min(least, D(i, m));
        TD += (w.empty() ? 1.0 : w[static_cast<std::size_t>(i)]) * least;
    }
    return TD;
}

// The best single swap, by enumeration.
double best_swap(const matrix<double>& D, std::vector<index> medoids, const std::vector<double>& w = {}) {
    double least = std::numeric_limits<double>::infinity();
    for (index& m : medoids) {
        const index before = m;
        for (index c = 0; c < D.rows(); ++c) {
            if (std::find(medoids.begin(), medoids.end(), c) != medoids.end()) continue;
            m = c;
            least = std::min(least, total(D, medoids, w));
            m = before;
        }
    }
    return least;
}

// PAM as published in 1987: BUILD, then the best of all swaps until none helps. A slow reference implementation.
double pam(const matrix<double>& D, index k, std::vector<index>* built = nullptr) {
    std::vector<index> medoids;
    for (index c = 0; c < k; ++c) {
        index best = -1;
        double least = 0;
        for (index i = 0; i < D.rows(); ++i) {
            if (std::find(medoids.begin(), medoids.end(), i) != medoids.end()) continue;
            medoids.push_back(i);
            if (const double TD = total(D, medoids); best < 0 || TD < least - 1e-12 * TD) best = i, least = TD;
            medoids.pop_back();
        }
        medoids.push_back(best);
    }
    if (built) *built = medoids;
    double TD = total(D, medoids);
    for (;;) {
        std::vector<index> next = medoids;
        double least = TD;
        for (std::size_t m = 0; m < medoids.size(); ++m)
            for (index c = 0; c < D.rows(); ++c) {
                if (std::find(medoids.begin(), medoids.end(), c) != medoids.end()) continue;
                std::vector<index> tried = medoids;
                tried[m] = c;
                if (const double other = total(D, tried); other < least * (1 - 1e-13)) least = other, next = tried;
            }
        if (next == medoids) return TD;
        medoids = next, TD = least;
    }
}

TEST(kernel_kmedoids, no_swap_is_left) {
    for (const std::string data : {"iris.svm", "wine.svm"}) {
        const sample s = load(data);
        const kernel k = gaussian{data == "iris.svm" ? 0.5 : 1e-4};
        const cpu_kernel_gram<double> K(k, s.x);
        const matrix<double> D = all_of(distance_gram(K));
        for (const index count : {1, 2, 3, 6})
            for (const auto start : {medoid_start::build, medoid_start::random}) {
                kmedoids_options o;
                o.n_clusters = count, o.start = start, o.n_init = 2;
                o.swaps = count == 2 ? medoid_swaps::steepest : count == 3 ? medoid_swaps::eager : medoid_swaps::both;
                const kmedoids_model m = fit_kernel_kmedoids(k, s.x, o);
                EXPECT_EQ(m.status, fit_status::converged);
                EXPECT_NEAR(m.objective, total(D, m.medoids), 1e-10);
                EXPECT_GE(best_swap(D, m.medoids), m.objective * (1 - 1e-12)) << data << " k = " << count;
                EXPECT_EQ(predict(m, s.x), m.labels);
            }
    }
}

TEST(kernel_kmedoids, as_good_as_pam_from_its_start) {
    for (const std::string data : {"iris.svm", "wine.svm"}) {
        const sample s = load(data);
        const kernel k = linear{};
        const cpu_kernel_gram<double> K(k, s.x);
        const matrix<double> D = all_of(distance_gram(K));
        for (const index count : {2, 3, 5}) {
            std::vector<index> built;
            const double slow = pam(D, count, &built);
            kmedoids_options o;
            o.n_clusters = count;
            const kmedoids_model m = fit_kmedoids(precomputed<double>(D.view()), o);
            EXPECT_LE(m.objective, slow * (1 + 1e-12)) << data << " k = " << count;
            const std::vector<double> ones(static_cast<std::size_t>(D.rows()), 1.0);
            EXPECT_NEAR(
                total(D, pam_build(static_cast<const gram<double>&>(precomputed<double>(D.view())), ones, count)),
                total(D, built), 1e-9);
            o.init = built;
            EXPECT_LE(fit_kmedoids(precomputed<double>(D.view()), o).objective, slow * (1 + 1e-12));
        }
    }
}

TEST(kernel_kmedoids, weights) {
    const dataset x = random_vectors(60, 2, 21);
    const cpu_kernel_gram<double> K(linear{}, x);
    const matrix<double> D = all_of(distance_gram(K));
    kmedoids_options o;
    o.n_clusters = 4;
    for (index i = 0; i < 60; ++i) o.sample_weight.push_back(static_cast<double>(i % 4));
    const kmedoids_model m = fit_kernel_kmedoids(linear{}, x, o);
    EXPECT_NEAR(m.objective, total(D, m.medoids, o.sample_weight), 1e-11);
    EXPECT_GE(best_swap(D, m.medoids, o.sample_weight), m.objective * (1 - 1e-12));
    // A weight is a number of copies: the medoids are a local optimum for the copied data too.
    const std::vector<index> copies = repeated(o.sample_weight);
    matrix<double> spread(static_cast<index>(copies.size()), 60);
    for (index i = 0; i < spread.rows(); ++i)
        std::copy_n(D.row(copies[static_cast<std::size_t>(i)]), 60, spread.row(i));
    EXPECT_NEAR(total(spread, m.medoids), m.objective, 1e-11);
}

TEST(kernel_kmedoids, silhouettes_of_scikit_learn) {
    const json& c = oracle()["silhouette"];
    const sample s = load(c["data"]);
    std::vector<index> labels;
    for (const double y : s.y) labels.push_back(static_cast<index>(y));
    const cpu_kernel_gram<double> plain(linear{}, s.x), bent(gaussian{c["gamma"].get<double>()}, s.x);
    const auto a = silhouettes(distance_gram(plain), labels), b = silhouettes(distance_gram(bent), labels);
    for (std::size_t i = 0; i < 150; ++i) {
        // distances of nearly equal objects from dot products
        EXPECT_NEAR(a[i], c["euclidean"][i].get<double>(), 1e-7);
        EXPECT_NEAR(b[i], c["rbf"][i].get<double>(), 1e-7);
    }
}

TEST(kernel_kmedoids, scan_finds_the_number_of_groups) {
    matrix<double> x(60, 2);
    std::mt19937_64 random(22);
    std::normal_distribution<double> normal(0, 0.3);
    for (index i = 0; i < 60; ++i)
        x(i, 0) = static_cast<double>(i % 4 / 2 * 10) + normal(random),
             x(i, 1) = static_cast<double>(i % 2 * 10) + normal(random);
    const auto found = scan_kernel_kmedoids(linear{}, dense<double>(x), 2, 7, {});
    ASSERT_EQ(found.size(), 6u);
    std::size_t best = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].medoids.size(), i + 2);
        if (i > 0) {
            EXPECT_LT(found[i].objective, found[i - 1].objective);
        }
        if (found[i].silhouette > found[best].silhouette) best = i;
    }
    EXPECT_EQ(found[best].medoids.size(), 4u);
    EXPECT_EQ(model_bytes(fit_kernel_kmedoids(linear{}, dense<double>(x), {.n_clusters = 4})), model_bytes(found[2]));
    expect_error(errc::invalid_argument, "1 <= first <= last <= n",
                 [&] { scan_kernel_kmedoids(linear{}, dense<double>(x), 3, 2, {}); });
}

TEST(kernel_kmedoids, budget_and_threads) {
    const dataset x = random_vectors(300, 4, 23);
    kmedoids_options o;
    o.n_clusters = 5;
    const kmedoids_model all = fit_kernel_kmedoids(gaussian{0.3}, x, o);
    {
        thread_limit one(1);
        EXPECT_EQ(model_bytes(fit_kernel_kmedoids(gaussian{0.3}, x, o)), model_bytes(all));
    }
    o.memory_bytes = 300 * 4 * 50;
    const kmedoids_model little = fit_kernel_kmedoids(gaussian{0.3}, x, o);
    const cpu_kernel_gram<double> K(gaussian{0.3}, x);
    EXPECT_GE(best_swap(all_of(distance_gram(K)), little.medoids), little.objective * (1 - 1e-6))
        << "distances in float";
}

TEST(kernel_kmedoids, duplicates_extremes_and_errors) {
    matrix<double> x(12, 1);
    for (index i = 0; i < 12; ++i) x(i, 0) = static_cast<double>(i % 2);
    const kmedoids_model twins = fit_kernel_kmedoids(linear{}, dense<double>(x), {.n_clusters = 5});
    EXPECT_EQ(twins.objective, 0);
    EXPECT_EQ(std::set<index>(twins.labels.begin(), twins.labels.end()).size(), 5u);
    const dataset some = random_vectors(8, 2, 24);
    EXPECT_EQ(fit_kernel_kmedoids(linear{}, some, {.n_clusters = 8}).objective, 0);
    EXPECT_EQ(fit_kernel_kmedoids(linear{}, random_vectors(1, 1, 1), {.n_clusters = 1}).medoids, std::vector<index>{0});
    expect_error(errc::invalid_argument, "1 <= n_clusters <= n, got 9 with n = 8",
                 [&] { fit_kernel_kmedoids(linear{}, some, {.n_clusters = 9}); });
    EXPECT_THROW(fit_kernel_kmedoids(linear{}, with_nan(), {.n_clusters = 2}), error);
    matrix<double> bad(3, 3);
    bad(0, 2) = bad(2, 0) = -1;
    expect_error(errc::data, "0 <= d < infinity, got -1",
                 [&] { fit_kmedoids(precomputed<double>(bad), {.n_clusters = 2}); });
    expect_error(errc::invalid_argument, "initial medoids must differ, got 0 twice", [&] {
        fit_kernel_kmedoids(linear{}, some, {.n_clusters = 2, .init = {0, 0}});
    });
    int calls = 0;
    kmedoids_options o;
    o.n_clusters = 3, o.start = medoid_start::random, o.n_init = 50;
    o.progress = [&](const fit_progress&) { return ++calls < 3; };
    EXPECT_EQ(fit_kernel_kmedoids(linear{}, some, o).status, fit_status::cancelled);
    EXPECT_EQ(calls, 3);
    o.progress = nullptr, o.max_iter = 0;
    EXPECT_EQ(fit_kernel_kmedoids(linear{}, some, o).status, fit_status::step_limit);
}

TEST(kernel_kmedoids, objects_and_files) {
    const kmedoids_model words = fit_kernel_kmedoids(spectrum{2}, few_strings(), {.n_clusters = 2});
    EXPECT_EQ(words.labels[0], words.labels[1]);
    const kmedoids_model back = round_trip(words);
    EXPECT_EQ(predict(back, few_strings()), words.labels);
    const cpu_kernel_gram<double> K(set_intersection{}, few_sets());
    const kmedoids_model bags = fit_kernel_kmedoids(K, {.n_clusters = 2});
    EXPECT_EQ(predict(round_trip(bags), K), bags.labels);
    const kmedoids_model given = fit_kmedoids(distance_gram(K), {.n_clusters = 2});
    EXPECT_EQ(predict(round_trip(given), distance_gram(K)), given.labels);
}

}  // namespace
}  // namespace mercer
