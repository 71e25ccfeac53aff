#include "mercer/methods/nystroem/nystroem_spectral.h"

#include <numbers>

#include "mercer/base/threads.h"
#include "mercer/dense/symmetric_eigen.h"
#include "mercer/gram/gram_views.h"
#include "mercer/methods/nystroem/streamed_rows.h"
#include "methods/clustering/cluster_support.h"

namespace mercer {
namespace {

using namespace cluster_testing;

nystroem_clusters_options cuts(index clusters, index centres) {
    nystroem_clusters_options o;
    o.n_clusters = clusters, o.n_centres = centres, o.max_iter = 300;
    return o;
}

// Rings of radius 1, 2, 3, …, one after the other row by row.
dataset rings(index n, index count, unsigned seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    matrix<double> x(n, 2);
    for (index i = 0; i < n; ++i) {
        const double r = 1 + static_cast<double>(i % count) + 0.05 * normal(random),
                     a = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
        x(i, 0) = r * std::cos(a), x(i, 1) = r * std::sin(a);
    }
    return dense<double>(std::move(x));
}

// Checks that clusters and rings agree.
void expect_rings(const std::vector<index>& labels, index count) {
    for (std::size_t i = 0; i < labels.size(); ++i)
        ASSERT_EQ(labels[i], labels[i % static_cast<std::size_t>(count)]) << i;
    for (index a = 0; a < count; ++a)
        for (index b = 0; b < a; ++b)
            EXPECT_NE(labels[static_cast<std::size_t>(a)], labels[static_cast<std::size_t>(b)]);
}

TEST(nystroem_spectral, finds_rings_that_k_means_cuts_through) {
    for (const index count : {2, 3}) {
        const dataset x = rings(1500, count, 1);
        const nystroem_spectral_model m = fit_nystroem_spectral(make_rows(gaussian{20}, x), cuts(count, 300));
        EXPECT_EQ(m.status, fit_status::converged);
        EXPECT_EQ(m.low_degrees, 0);
        expect_rings(m.labels, count);
        EXPECT_EQ(predict(m, x), m.labels);
        EXPECT_EQ(predict(m, rings(700 * count, count, 2)).front(), m.labels.front());
        expect_rings(predict(m, rings(700 * count, count, 2)), count);
        const auto split = fit_nystroem_kmeans(make_rows(gaussian{20}, x), cuts(count, 300));
        EXPECT_NE(split.labels, m.labels);
    }
}

// Eigenvalues and the space of the embedding, compared with the n × n matrix if every example is a centre.
TEST(nystroem_spectral, has_the_eigenvalues_of_the_normalised_matrix) {
    const dataset x = rings(200, 2, 3);
    const kernel k = gaussian{2};
    for (const bool weighted : {false, true}) {
        nystroem_clusters_options o = cuts(4, 200);
        std::vector<double> w(200, 1.0);
        if (weighted) o.sample_weight = w = test_weights(200);
        const nystroem_spectral_model m = fit_nystroem_spectral(make_rows(k, x), o);
        matrix<double> a = all_of(*make_gram<double>(k, x));
        std::vector<double> d(200);
        for (index i = 0; i < 200; ++i)
            for (index j = 0; j < 200; ++j) d[static_cast<std::size_t>(i)] += a(i, j) * w[static_cast<std::size_t>(j)];
        for (index i = 0; i < 200; ++i)
            for (index j = 0; j < 200; ++j)
                a(i, j) *= std::sqrt(w[static_cast<std::size_t>(i)] * w[static_cast<std::size_t>(j)] /
                                     (d[static_cast<std::size_t>(i)] * d[static_cast<std::size_t>(j)]));
        const eigen_system e = symmetric_eigen(a);
        ASSERT_EQ(m.eigenvalues.size(), 4u);
        EXPECT_NEAR(m.eigenvalues[0], 1, 1e-9);
        for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(m.eigenvalues[j], e.values[199 - j], 1e-7);
        // √(w/d)·f are these eigenvectors up to an orthogonal matrix, so that products of rows agree.
        const matrix<double> f = m.projection.values(x);
        for (index i = 0; i < 200; i += 3)
            for (index j = 0; j < 200; j += 5) {
                double got = 0, want = 0;
                for (index c = 0; c < 4; ++c) {
                    got += f(i, c) * f(j, c);
                    want += e.vectors(199 - c, i) * e.vectors(199 - c, j);
                }
                const auto p = static_cast<std::size_t>(i), q = static_cast<std::size_t>(j);
                EXPECT_NEAR(got * std::sqrt(w[p] * w[q] / (d[p] * d[q])), want, 1e-5);
            }
    }
}

TEST(nystroem_spectral, says_where_its_centres_do_not_reach) {
    dense<double> x = as_dense<double>(rings(600, 2, 4));
    matrix<double> more(604, 2);
    for (index i = 0; i < 600; ++i) std::copy_n(x.row(i), 2, more.row(i));
    for (index i = 600; i < 604; ++i) more(i, 0) = 100 * static_cast<double>(i - 599);
    const dataset far = dense<double>(std::move(more));
    nystroem_clusters_options o = cuts(2, 1);
    o.centres = centre_choice::given;
    for (index i = 0; i < 600; i += 2) o.centre_rows.push_back(i + i % 4 / 2);
    const nystroem_spectral_model m = fit_nystroem_spectral(make_rows(gaussian{20}, far), o);
    EXPECT_EQ(m.low_degrees, 4);
    expect_rings({m.labels.begin(), m.labels.begin() + 600}, 2);
    for (const double lambda : m.eigenvalues) EXPECT_LE(lambda, 1 + 1e-9);
    // Inner products of vectors on both sides of 0 may be negative and are not valid affinities.
    matrix<double> sides(50, 1);
    for (index i = 0; i < 50; ++i) sides(i, 0) = i < 30 ? 1 : -1;
    expect_error(errc::data, "it is negative for 20 of 50 examples",
                 [&] { fit_nystroem_spectral(make_rows(linear{}, dense<double>(std::move(sides))), cuts(2, 10)); });
    // With a very narrow kernel all examples are dissimilar, and only the centres are represented.
    EXPECT_EQ(fit_nystroem_spectral(make_rows(gaussian{1e7}, rings(100, 2, 5)), cuts(2, 10)).low_degrees, 90);
}

TEST(nystroem_spectral, takes_weights_for_copies) {
    const dataset x = rings(400, 2, 6);
    nystroem_clusters_options o = cuts(2, 1);
    o.centres = centre_choice::given;
    for (index i = 0; i < 400; i += 3) o.centre_rows.push_back(i);
    for (index i = 0; i < 400; ++i) o.sample_weight.push_back(i % 3 == 0 ? 2.0 : static_cast<double>(i % 2));
    const nystroem_spectral_model weighed = fit_nystroem_spectral(make_rows(gaussian{15}, x), o);
    expect_rings(weighed.labels, 2);

    std::vector<index> copies = repeated(o.sample_weight);
    nystroem_clusters_options plain = o;
    plain.sample_weight.clear(), plain.centre_rows.clear();
    for (const index row : o.centre_rows) plain.centre_rows.push_back(std::ranges::find(copies, row) - copies.begin());
    const nystroem_spectral_model copied =
        fit_nystroem_spectral(make_rows(gaussian{15}, gather(x, std::span<const index>(copies))), plain);
    for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(weighed.eigenvalues[j], copied.eigenvalues[j], 1e-7);
    double sum = 0;
    for (const double w : weighed.weights) sum += w;
    EXPECT_EQ(sum, static_cast<double>(copies.size()));
}

TEST(nystroem_spectral, has_the_same_bits_for_any_number_of_threads_and_streamed) {
    const dataset x = rings(5000, 2, 7);
    const std::string bytes = model_bytes(fit_nystroem_spectral(make_rows(gaussian{10}, x), cuts(2, 60)));
    for (const int threads : {1, 3}) {
        const thread_limit limit(threads);
        EXPECT_EQ(model_bytes(fit_nystroem_spectral(make_rows(gaussian{10}, x), cuts(2, 60))), bytes);
    }
    const auto batches = make_batches({x, std::vector<double>(5000), {}, {}}, 768);
    const streamed_targets seen = read_targets(*batches);
    const streamed_rows streamed(gaussian{10}, *batches, seen, [](const dataset& some) { return some; });
    EXPECT_EQ(model_bytes(fit_nystroem_spectral(streamed, cuts(2, 60))), bytes);
}

TEST(nystroem_spectral, works_on_strings_and_on_matrices) {
    const dataset x = few_strings();
    const kernel k = kernel::parse("normalize(spectrum(k=1))");
    const nystroem_spectral_model m = fit_nystroem_spectral(make_rows(k, x), cuts(2, 7));
    EXPECT_EQ(m.labels[0], m.labels[1]);
    EXPECT_EQ(m.labels[0], m.labels[2]);
    EXPECT_EQ(m.labels[3], m.labels[4]);
    EXPECT_EQ(m.labels[3], m.labels[5]);
    EXPECT_NE(m.labels[0], m.labels[3]);
    const nystroem_spectral_model back = cluster_testing::round_trip(m);
    EXPECT_EQ(predict(back, x), predict(m, x));
    const matrix<double> values = all_of(*make_gram<double>(k, x));
    const precomputed<double> K(values.view());
    const nystroem_spectral_model same = fit_nystroem_spectral(make_rows(K), cuts(2, 7));
    EXPECT_EQ(same.labels, m.labels);
    EXPECT_EQ(predict(same, K), m.labels);
}

TEST(nystroem_spectral, takes_one_cluster_many_clusters_and_copies) {
    const dataset x = rings(300, 2, 8);
    EXPECT_EQ(fit_nystroem_spectral(make_rows(gaussian{1}, x), cuts(1, 20)).labels, std::vector<index>(300, 0));
    EXPECT_EQ(fit_nystroem_spectral(make_rows(gaussian{1}, x), cuts(40, 20)).eigenvalues.size(), 20u);  // of rank 20
    matrix<double> few(60, 1);
    for (index i = 0; i < 60; ++i) few(i, 0) = 5 * static_cast<double>(i % 3);
    const nystroem_spectral_model m =
        fit_nystroem_spectral(make_rows(gaussian{1}, dense<double>(std::move(few))), cuts(5, 60));
    EXPECT_EQ(m.clusters(), 3);
    expect_rings(m.labels, 3);
    EXPECT_EQ(fit_nystroem_spectral(make_rows(gaussian{1}, dense<double>(matrix<double>(1, 2))), cuts(1, 5)).clusters(),
              1);
}

TEST(nystroem_spectral, refuses_what_has_no_answer_and_stops_where_it_is_told) {
    const dataset x = rings(50, 2, 9);
    expect_error(errc::invalid_argument, "n_clusters <= n, got 51 with n = 50",
                 [&] { fit_nystroem_spectral(make_rows(gaussian{1}, x), cuts(51, 10)); });
    expect_error(errc::data, "finite", [&] { fit_nystroem_spectral(make_rows(gaussian{1}, with_nan()), cuts(1, 3)); });
    nystroem_clusters_options o = cuts(2, 10);
    o.memory_bytes = 100;
    expect_error(errc::memory, "10 centres take", [&] { fit_nystroem_spectral(make_rows(gaussian{1}, x), o); });
    o = cuts(2, 30);
    o.progress = [](const fit_progress& now) { return std::string_view(now.phase) == "centres"; };
    EXPECT_EQ(fit_nystroem_spectral(make_rows(gaussian{20}, rings(600, 2, 9)), o).status, fit_status::cancelled);
    o.progress = {}, o.max_iter = 1;
    EXPECT_EQ(fit_nystroem_spectral(make_rows(gaussian{20}, rings(600, 2, 9)), o).status, fit_status::step_limit);
}

}  // namespace
}  // namespace mercer
