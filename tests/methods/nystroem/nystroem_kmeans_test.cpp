#include "mercer/methods/nystroem/nystroem_kmeans.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "mercer/base/threads.h"
#include "mercer/dense/gemm.h"
#include "mercer/dense/symmetric_eigen.h"
#include "mercer/gram/gram_views.h"
#include "mercer/methods/nystroem/streamed_rows.h"
#include "methods/clustering/cluster_support.h"

namespace mercer {
namespace {

using namespace cluster_testing;

nystroem_clusters_options with(index clusters, index centres) {
    nystroem_clusters_options o;
    o.n_clusters = clusters, o.n_centres = centres, o.tol = 0, o.max_iter = 300;
    return o;
}

dense<double> blobs(index n, index d, unsigned seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    matrix<double> x(n, d);
    for (index i = 0; i < n; ++i)
        for (index j = 0; j < d; ++j) x(i, j) = 0.4 * normal(random) + static_cast<double>((i % 4) * (j % 2 + 1) % 5);
    return dense<double>(std::move(x));
}

// K_MM^-½ k(Z, x) of all rows: the features from the definition, without the passes of the library.
matrix<double> features(const kernel& k, const dataset& x, const dataset& centres) {
    const eigen_system e = symmetric_eigen(all_of(*make_gram<double>(k, centres)));
    const matrix<double> between = all_of(*make_gram<double>(k, x, centres));
    matrix<double> scaled = e.vectors;
    for (index j = 0; j < scaled.rows(); ++j)
        for (index i = 0; i < scaled.cols(); ++i) scaled(j, i) /= std::sqrt(e.values[static_cast<std::size_t>(j)]);
    return product(between.view(), transposed::no,
                   product(e.vectors.view(), transposed::yes, scaled.view(), transposed::no).view(), transposed::no);
}

// Checks the objective Σ w(k(x, x) - ‖φ‖²) + Σ w‖φ - mean of the cluster‖², and that every row belongs to its nearest
// mean.
void expect_fixed_point(const nystroem_kmeans_model& m, const dataset& x, const std::vector<double>& w,
                        double tolerance) {
    const matrix<double> phi = features(*m.means.k, x, m.means.x);
    const index k = m.clusters(), d = phi.cols();
    matrix<double> means(k, d);
    std::vector<double> total(static_cast<std::size_t>(k));
    for (index i = 0; i < x.size(); ++i) {
        const index c = m.labels[static_cast<std::size_t>(i)];
        total[static_cast<std::size_t>(c)] += w[static_cast<std::size_t>(i)];
        for (index j = 0; j < d; ++j) means(c, j) += w[static_cast<std::size_t>(i)] * phi(i, j);
    }
    for (index c = 0; c < k; ++c) {
        double norm = 0;
        EXPECT_NEAR(m.weights[static_cast<std::size_t>(c)], total[static_cast<std::size_t>(c)], 1e-9);
        for (index j = 0; j < d; ++j)
            means(c, j) /= total[static_cast<std::size_t>(c)], norm += means(c, j) * means(c, j);
        EXPECT_NEAR(m.norms[static_cast<std::size_t>(c)], norm, tolerance);
    }
    const std::vector<double> self = kernel_diagonal(*m.means.k, x);
    const matrix<double> f = m.means.values(x);
    double J = 0;
    for (index i = 0; i < x.size(); ++i) {
        double own = self[static_cast<std::size_t>(i)];
        for (index j = 0; j < d; ++j) own -= phi(i, j) * phi(i, j);
        const index mine = m.labels[static_cast<std::size_t>(i)];
        std::vector<double> to(static_cast<std::size_t>(k));
        for (index c = 0; c < k; ++c) {
            double inner = 0;
            for (index j = 0; j < d; ++j) {
                inner += phi(i, j) * means(c, j);
                to[static_cast<std::size_t>(c)] += (phi(i, j) - means(c, j)) * (phi(i, j) - means(c, j));
            }
            EXPECT_NEAR(f(i, c), inner, tolerance);
        }
        if (w[static_cast<std::size_t>(i)] > 0) {
            EXPECT_LE(to[static_cast<std::size_t>(mine)], *std::ranges::min_element(to) + tolerance);
        }
        J += w[static_cast<std::size_t>(i)] * (own + to[static_cast<std::size_t>(mine)]);
    }
    EXPECT_NEAR(m.objective(), J, tolerance * static_cast<double>(x.size()));
}

TEST(nystroem_kmeans, is_k_means_on_the_features_of_its_centres) {
    const dataset x = blobs(500, 3, 1);
    for (const auto how :
         {centre_choice::mixed, centre_choice::rpcholesky, centre_choice::uniform, centre_choice::kmeans_plus_plus}) {
        for (const bool weighted : {false, true}) {
            nystroem_clusters_options o = with(5, 25);
            o.centres = how;
            if (weighted) o.sample_weight = test_weights(500);
            const nystroem_kmeans_model m = fit_nystroem_kmeans(make_rows(gaussian{0.5}, x), o);
            EXPECT_EQ(m.status, fit_status::converged) << name(how);
            EXPECT_TRUE(std::ranges::is_sorted(m.history, std::greater<>()));
            ASSERT_EQ(m.clusters(), 5);
            EXPECT_EQ(m.means.size(), 25);
            expect_fixed_point(m, x, weighted ? o.sample_weight : std::vector<double>(500, 1.0), 1e-8);
            EXPECT_EQ(predict(m, x), m.labels);
            EXPECT_GT(m.unexplained, 0);
        }
    }
}

TEST(nystroem_kmeans, has_the_objective_of_kernel_k_means_where_every_example_is_a_centre) {
    const dataset x = load("wine.svm").x;
    const kernel k = gaussian{1e-4};
    for (const index clusters : {1, 2, 3, 8}) {
        const nystroem_kmeans_model m = fit_nystroem_kmeans(make_rows(k, x), with(clusters, 178));
        kmeans_options o;
        o.n_clusters = clusters, o.init = m.labels, o.max_iter = 1;
        const kmeans_model exact = fit_kernel_kmeans(k, x, o);
        EXPECT_NEAR(m.objective(), exact.history.front(), 1e-8 * 178);
        EXPECT_LE(m.unexplained, 1e-8);
        const matrix<double> near = distances(m, x), want = distances(exact, x);
        if (exact.labels == m.labels) expect_near(near, want, 1e-5);
    }
}

TEST(nystroem_kmeans, finds_one_mean) {
    const dataset x = blobs(300, 2, 2);
    const nystroem_kmeans_model m = fit_nystroem_kmeans(make_rows(gaussian{1}, x), with(1, 40));
    EXPECT_EQ(m.labels, std::vector<index>(300, 0));
    expect_fixed_point(m, x, std::vector<double>(300, 1.0), 1e-8);
    EXPECT_EQ(m.passes, 2);
}

// Weight 2 equals a repeated example, weight 0 its absence: with the same centres, clusters of one data set are a fixed
// point of the other with the same objective.
TEST(nystroem_kmeans, takes_weights_for_copies) {
    const dataset x = blobs(240, 3, 3);
    nystroem_clusters_options o = with(4, 20);
    o.centres = centre_choice::given;
    o.centre_rows.resize(20);
    std::iota(o.centre_rows.begin(), o.centre_rows.end(), index{0});
    for (index i = 0; i < 240; ++i) o.sample_weight.push_back(i < 20 ? 1.0 : static_cast<double>(i % 3));
    const nystroem_kmeans_model weighed = fit_nystroem_kmeans(make_rows(gaussian{0.4}, x), o);
    expect_fixed_point(weighed, x, o.sample_weight, 1e-8);

    const std::vector<index> copies = repeated(o.sample_weight);
    const dataset twice = gather(x, std::span<const index>(copies));
    nystroem_clusters_options plain = o;
    plain.sample_weight.clear();
    const nystroem_kmeans_model copied = fit_nystroem_kmeans(make_rows(gaussian{0.4}, twice), plain);
    expect_fixed_point(copied, twice, std::vector<double>(copies.size(), 1.0), 1e-8);
    // Four groups far apart: the optimum is unique.
    EXPECT_NEAR(copied.objective(), weighed.objective(), 1e-8 * static_cast<double>(copies.size()));
    for (std::size_t i = 0; i < copies.size(); ++i)
        for (std::size_t j = 0; j < copies.size(); j += 7)
            EXPECT_EQ(copied.labels[i] == copied.labels[j], weighed.labels[static_cast<std::size_t>(copies[i])] ==
                                                                weighed.labels[static_cast<std::size_t>(copies[j])]);
    // An example of weight 0 is not chosen as a centre, unless it is given as one.
    o.centres = centre_choice::uniform, o.n_centres = 240;
    for (const index row : fit_nystroem_kmeans(make_rows(gaussian{0.4}, x), o).means.rows)
        EXPECT_GT(o.sample_weight[static_cast<std::size_t>(row)], 0);
}

TEST(nystroem_kmeans, has_fewer_clusters_where_fewer_objects_differ) {
    matrix<double> x(90, 2);
    for (index i = 0; i < 90; ++i) x(i, 0) = static_cast<double>(i % 3), x(i, 1) = 1;
    const dataset same = dense<double>(std::move(x));
    const nystroem_kmeans_model m = fit_nystroem_kmeans(make_rows(gaussian{0.7}, same), with(6, 90));
    EXPECT_EQ(m.clusters(), 3);
    EXPECT_EQ(m.status, fit_status::converged);
    EXPECT_LT(m.objective(), 1e-10);
    EXPECT_EQ(m.weights, std::vector<double>(3, 30.0));
    EXPECT_EQ(predict(m, same), m.labels);
    cluster_testing::round_trip(m);
}

TEST(nystroem_kmeans, has_the_same_bits_for_any_number_of_threads_and_streamed) {
    const dataset x = blobs(6000, 3, 4);  // more than the sample it begins with
    nystroem_clusters_options o = with(6, 40);
    const std::string bytes = model_bytes(fit_nystroem_kmeans(make_rows(gaussian{0.3}, x), o));
    for (const int threads : {1, 3}) {
        const thread_limit limit(threads);
        EXPECT_EQ(model_bytes(fit_nystroem_kmeans(make_rows(gaussian{0.3}, x), o)), bytes);
    }
    const auto batches = make_batches({x, std::vector<double>(6000), {}, {}}, 768);
    const streamed_targets seen = read_targets(*batches);
    const streamed_rows streamed(gaussian{0.3}, *batches, seen, [](const dataset& some) { return some; });
    EXPECT_EQ(model_bytes(fit_nystroem_kmeans(streamed, o)), bytes);
    nystroem_clusters_options other = o;
    other.seed = 1;
    EXPECT_NE(model_bytes(fit_nystroem_kmeans(make_rows(gaussian{0.3}, x), other)), bytes);
}

TEST(nystroem_kmeans, works_on_every_kind_of_object_and_on_matrices) {
    std::vector<std::string> words;
    std::mt19937_64 random(5);
    for (int i = 0; i < 60; ++i) {
        std::string one;
        for (int c = 0; c < 12; ++c) one += static_cast<char>((i % 2 ? 'a' : 'p') + static_cast<char>(random() % 4));
        words.push_back(one);
    }
    const dataset x = strings(words);
    const kernel k = kernel::parse("normalize(spectrum(k=2))");
    const nystroem_kmeans_model m = fit_nystroem_kmeans(make_rows(k, x), with(2, 30));
    for (std::size_t i = 2; i < 60; ++i) EXPECT_EQ(m.labels[i], m.labels[i % 2]);
    EXPECT_NE(m.labels[0], m.labels[1]);
    EXPECT_EQ(predict(m, x), m.labels);
    const nystroem_kmeans_model back = cluster_testing::round_trip(m);
    EXPECT_EQ(predict(back, x), m.labels);
    EXPECT_EQ(back.history, m.history);

    const matrix<double> values = all_of(*make_gram<double>(k, x));
    const precomputed<double> K(values.view());
    const nystroem_kmeans_model same = fit_nystroem_kmeans(make_rows(K), with(2, 30));
    EXPECT_EQ(same.labels, m.labels);
    EXPECT_NEAR(same.objective(), m.objective(), 1e-9);
    EXPECT_EQ(predict(same, K), m.labels);
    expect_error(errc::unsupported, "precomputed", [&] { predict(same, x); });
}

TEST(nystroem_kmeans, stops_with_what_it_has) {
    const dataset x = blobs(5000, 3, 6);
    nystroem_clusters_options o = with(8, 30);
    o.max_iter = 1;
    EXPECT_EQ(fit_nystroem_kmeans(make_rows(gaussian{0.3}, x), o).status, fit_status::step_limit);
    o.max_iter = 300;
    o.progress = [](const fit_progress& now) { return std::string_view(now.phase) == "centres"; };
    const nystroem_kmeans_model m = fit_nystroem_kmeans(make_rows(gaussian{0.3}, x), o);
    EXPECT_EQ(m.status, fit_status::cancelled);
    EXPECT_EQ(m.labels.size(), 5000u);
    EXPECT_EQ(m.runs, 1);
}

TEST(nystroem_kmeans, refuses_what_has_no_answer) {
    const dataset x = blobs(20, 2, 7);
    const auto fit = [&](auto change) {
        nystroem_clusters_options o = with(3, 10);
        change(o);
        fit_nystroem_kmeans(make_rows(gaussian{1}, x), o);
    };
    expect_error(errc::invalid_argument, "got 21 with n = 20", [&] { fit([](auto& o) { o.n_clusters = 21; }); });
    expect_error(errc::invalid_argument, "got 0", [&] { fit([](auto& o) { o.n_clusters = 0; }); });
    expect_error(errc::invalid_argument, "n_init >= 1", [&] { fit([](auto& o) { o.n_init = 0; }); });
    expect_error(errc::invalid_argument, "max_iter >= 1", [&] { fit([](auto& o) { o.max_iter = 0; }); });
    expect_error(errc::invalid_argument, "tol >= 0", [&] { fit([](auto& o) { o.tol = -1; }); });
    expect_error(errc::invalid_argument, "n_centres >= 1", [&] { fit([](auto& o) { o.n_centres = 0; }); });
    expect_error(errc::invalid_argument, "got 3 with n = 2", [&] {
        fit([](auto& o) {
            o.sample_weight.assign(20, 0.0);
            o.sample_weight[3] = o.sample_weight[4] = 1;
        });
    });
    expect_error(errc::data, "no examples",
                 [&] { fit_nystroem_kmeans(make_rows(gaussian{1}, dense<double>(matrix<double>(0, 2))), with(1, 1)); });
    // In a centre, in the initial sample, or only in a later pass.
    expect_error(errc::data, "finite", [&] { fit_nystroem_kmeans(make_rows(gaussian{1}, with_nan()), with(1, 1)); });
    matrix<double> many(5000, 1);
    for (index i = 0; i < 5000; ++i) many(i, 0) = static_cast<double>(i % 10);
    for (const index bad : {0, 1, 2, 3, 4, 5, 6, 7}) {
        matrix<double> one = many;
        one(600 * bad + 1, 0) = std::numeric_limits<double>::quiet_NaN();
        nystroem_clusters_options o = with(3, 5);
        o.centres = centre_choice::given, o.centre_rows = {10, 11, 12, 13, 14};
        expect_error(errc::data, "not a finite number",
                     [&] { fit_nystroem_kmeans(make_rows(gaussian{1}, dense<double>(std::move(one))), o); });
    }
    const nystroem_kmeans_model one =
        fit_nystroem_kmeans(make_rows(gaussian{1}, dense<double>(matrix<double>(1, 2))), with(1, 5));
    EXPECT_EQ(one.labels, std::vector<index>{0});
}

}  // namespace
}  // namespace mercer
