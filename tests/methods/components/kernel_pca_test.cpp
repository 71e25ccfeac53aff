#include "mercer/methods/components/kernel_pca.h"

#include <numbers>
#include <numeric>

#include "mercer/base/threads.h"
#include "mercer/gram/make_gram.h"
#include "mercer/kernel_analysis/geometry.h"
#include "mercer/methods/components/pre_image.h"
#include "methods/clustering/cluster_support.h"

namespace mercer {
namespace {

using namespace cluster_testing;
using mercer::testing::as_gram;
using mercer::testing::centred_both_ways;
using mercer::testing::real_matrix;

double size_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

TEST(kernel_pca, scikit_learn) {
    for (const json& c : oracle()["kernel_pca"]) {
        SCOPED_TRACE(c["data"].get<std::string>());
        const sample s = load(c["data"]);
        for (const auto solver : {eigen_solver::full, eigen_solver::iterative}) {
            kernel_pca_options o;
            o.n_components = 6, o.solver = solver;
            const kernel_pca_model m = fit_kernel_pca(gaussian{c["gamma"].get<double>()}, s.x, o);
            ASSERT_EQ(m.components(), 6);
            for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(m.eigenvalues[j], c["eigenvalues"][j].get<double>(), 1e-10);
            const matrix<double> fresh = transform(m, s.fresh);
            for (index i = 0; i < fresh.rows(); ++i)
                for (index j = 0; j < 6; ++j)
                    EXPECT_NEAR(fresh(i, j),
                                c["new"][static_cast<std::size_t>(i)][static_cast<std::size_t>(j)].get<double>(), 1e-8);
            for (index i = 0; i < 10; ++i)
                for (index j = 0; j < 6; ++j)
                    EXPECT_NEAR(m.scores(i, j),
                                c["training"][static_cast<std::size_t>(i)][static_cast<std::size_t>(j)].get<double>(),
                                1e-8);
        }
    }
    const json& r = oracle()["kernlab_kpca"];
    const kernel_pca_model m =
        fit_kernel_pca(gaussian{r["gamma"].get<double>()}, load(r["data"]).x, {.n_components = 6});
    for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(m.eigenvalues[j], r["eigenvalues"][j].get<double>(), 1e-10);
}

// K = QΛQᵀ, centred, with two negative eigenvalues among eight.
TEST(kernel_pca, an_indefinite_matrix_is_refused_or_told) {
    constexpr index n = 60;
    const std::vector<double> values{50, 8, 7, 5, -15, -6};
    matrix<double> K(n, n);
    for (std::size_t a = 0; a < values.size(); ++a)
        for (index i = 0; i < n; ++i)
            for (index j = 0; j < n; ++j) {
                // cosines of integer frequencies are orthogonal to each other and to constants
                const auto wave = [&](index t) {
                    return std::sqrt(2.0 / n) * std::cos(std::numbers::pi * (static_cast<double>(t) + 0.5) *
                                                         static_cast<double>(a + 1) / static_cast<double>(n));
                };
                K(i, j) += values[a] * wave(i) * wave(j);
            }
    const precomputed<double> gram(K.view());
    for (const auto solver : {eigen_solver::full, eigen_solver::iterative}) {
        kernel_pca_options o;
        o.solver = solver;
        o.n_components = 2;
        const kernel_pca_model m = fit_kernel_pca(gram, o);
        EXPECT_NEAR(m.eigenvalues[0], 50, 1e-9);
        EXPECT_NEAR(m.eigenvalues[1], 8, 1e-9);
        EXPECT_EQ(m.status, fit_status::converged);
        EXPECT_NEAR(m.negative_share, 0.3, solver == eigen_solver::full ? 1e-9 : 0.05);
        for (const double each : m.explained_variance_ratio) EXPECT_TRUE(std::isnan(each));
        for (const index count : {n, index{0}}) {
            o.n_components = count;
            try {
                fit_kernel_pca(gram, o);
                ADD_FAILURE() << "components of negative variance";
            } catch (const error& refused) {
                EXPECT_EQ(refused.code(), errc::not_psd);
                EXPECT_NE(std::string(refused.what()).find("significant negative eigenvalues (0.3 of"),
                          std::string::npos)
                    << refused.what();
            }
        }
    }
    for (index i = 0; i < n; ++i)
        for (index j = 0; j < n; ++j) K(i, j) = i == j ? -1.0 : 0.0;
    const kernel_pca_model none = fit_kernel_pca(precomputed<double>(K.view()), {.n_components = 1});
    EXPECT_EQ(none.components(), 0);
    EXPECT_EQ(none.status, fit_status::converged);
}

TEST(kernel_pca, linear_kernel_is_principal_components) {
    const json& c = oracle()["pca"];
    const sample s = load(c["data"]);
    const kernel_pca_model m = fit_kernel_pca(linear{}, s.x, {});
    ASSERT_EQ(m.components(), 4) << "eigenvalues that are zero are left out";
    const matrix<double> fresh = transform(m, s.fresh);
    for (std::size_t j = 0; j < 4; ++j) {
        EXPECT_NEAR(m.explained_variance[j], c["explained_variance"][j].get<double>(), 1e-11);
        EXPECT_NEAR(m.explained_variance_ratio[j], c["ratio"][j].get<double>(), 1e-12);
        for (index i = 0; i < fresh.rows(); ++i)
            EXPECT_NEAR(std::abs(fresh(i, static_cast<index>(j))),
                        c["new"][static_cast<std::size_t>(i)][j].get<double>(), 1e-9);
    }
    EXPECT_NEAR(size_of(m.explained_variance), m.total_variance, 1e-11);
}

TEST(kernel_pca, all_components_hold_everything) {
    const dataset x = random_vectors(80, 3, 31);
    const kernel k = gaussian{0.5};
    const kernel_pca_model m = fit_kernel_pca(k, x, {});
    EXPECT_NEAR(size_of(m.explained_variance_ratio), 1, 1e-11);
    // All scores together preserve all distances of feature space.
    const matrix<double> d = squared_distances(k, x);
    for (index a = 0; a < 80; ++a)
        for (index b = 0; b < a; ++b) {
            double sum = 0;
            for (index j = 0; j < m.components(); ++j) sum += std::pow(m.scores(a, j) - m.scores(b, j), 2);
            EXPECT_NEAR(sum, d(a, b), 1e-10);
        }
    for (const double rest : m.squared_residuals) EXPECT_NEAR(rest, 0, 1e-11);
    // α = u/√λ, and u solves its equation up to nελ₁: the error of a score is at most nελ₁/√λ.
    const matrix<double> again = transform(m, x);
    for (index j = 0; j < m.components(); ++j)
        for (index i = 0; i < 80; ++i)
            EXPECT_NEAR(again(i, j), m.scores(i, j),
                        80 * 2.2e-16 * m.eigenvalues[0] / std::sqrt(m.eigenvalues[static_cast<std::size_t>(j)]));
    const kernel_pca_model few = first_components(m, 5);
    expect_near(transform(few, x), fit_kernel_pca(k, x, {.n_components = 5}).scores, 1e-10);
    for (index i = 0; i < 80; ++i) {
        double lost = 0;
        for (index j = 5; j < m.components(); ++j) lost += m.scores(i, j) * m.scores(i, j);
        EXPECT_NEAR(few.squared_residuals[static_cast<std::size_t>(i)], lost, 1e-11);
    }
}

TEST(kernel_pca, iterative_is_full) {
    const dataset x = random_vectors(900, 10, 32);
    for (const kernel& k :
         {kernel(gaussian{0.05}), kernel(linear{}), kernel(polynomial{.degree = 2, .gamma = 0.1, .coef0 = 1})}) {
        kernel_pca_options o;
        o.n_components = 9;
        o.solver = eigen_solver::full;
        const kernel_pca_model full = fit_kernel_pca(k, x, o);
        o.solver = eigen_solver::iterative;
        const kernel_pca_model iterative = fit_kernel_pca(k, x, o);
        EXPECT_EQ(iterative.status, fit_status::converged);
        ASSERT_EQ(iterative.components(), 9);
        for (std::size_t j = 0; j < 9; ++j) {
            EXPECT_NEAR(iterative.eigenvalues[j], full.eigenvalues[j], 1e-11 * full.eigenvalues[0]);
            EXPECT_LE(iterative.residuals[j], 1e-12 * full.eigenvalues[0]);
        }
        const double scale = std::sqrt(full.eigenvalues[0]);
        expect_near(iterative.scores, full.scores, 1e-7 * scale);
        // ‖K̃u - λu‖ from the centred matrix.
        const matrix<double> K = all_of(cpu_kernel_gram<double>(k, x));
        const real_matrix A = centred_both_ways(K);
        for (index j = 0; j < 9; ++j) {
            real_matrix u(900, 1);
            for (index i = 0; i < 900; ++i)
                u(i, 0) = iterative.scores(i, j) / std::sqrt(iterative.eigenvalues[static_cast<std::size_t>(j)]);
            EXPECT_NEAR(u.norm(), 1, 1e-12);
            EXPECT_LE((A * u - iterative.eigenvalues[static_cast<std::size_t>(j)] * u).norm(),
                      1e-11 * full.eigenvalues[0]);
        }
        expect_near(transform(iterative, x), iterative.scores, 1e-9 * scale);
        thread_limit one(1);
        EXPECT_EQ(model_bytes(fit_kernel_pca(k, x, o)), model_bytes(iterative));
    }
}

TEST(kernel_pca, floats_and_budgets) {
    const dataset x = random_vectors(600, 20, 33);
    kernel_pca_options o;
    o.n_components = 12, o.solver = eigen_solver::iterative;
    const kernel_pca_model all = fit_kernel_pca(gaussian{0.01}, x, o);
    EXPECT_EQ(all.status, fit_status::converged);
    o.memory_bytes = 600 * 8 * 100, o.exact = true;
    const kernel_pca_model third = fit_kernel_pca(gaussian{0.01}, x, o);
    for (std::size_t j = 0; j < 12; ++j)
        EXPECT_NEAR(third.eigenvalues[j], all.eigenvalues[j], 1e-11 * all.eigenvalues[0]);
    o.exact = false;
    const kernel_pca_model floats = fit_kernel_pca(gaussian{0.01}, x, o);
    EXPECT_EQ(floats.status, fit_status::converged);
    for (std::size_t j = 0; j < 12; ++j)
        EXPECT_NEAR(floats.eigenvalues[j], all.eigenvalues[j], 1e-6 * all.eigenvalues[0]);
    o.max_iter = 2;
    EXPECT_EQ(fit_kernel_pca(gaussian{0.01}, x, o).status, fit_status::step_limit);
    int calls = 0;
    o.max_iter = 200;
    o.progress = [&](const fit_progress&) { return ++calls < 2; };
    EXPECT_EQ(fit_kernel_pca(gaussian{0.01}, x, o).status, fit_status::cancelled);
    EXPECT_EQ(calls, 2);
}

TEST(kernel_pca, a_spectrum_of_equals_and_a_small_rank) {
    // Orthogonal objects: the centred matrix has the eigenvalue 1 n-1 times.
    kernel_pca_options o;
    o.n_components = 40, o.solver = eigen_solver::iterative;
    const kernel_pca_model flat = fit_kernel_pca(as_gram(real_matrix::identity(120)), o);
    ASSERT_EQ(flat.components(), 40);
    for (const double each : flat.eigenvalues) EXPECT_NEAR(each, 1, 1e-12);
    // Rank 2 with 10 components requested.
    const dataset x = random_vectors(200, 2, 34);
    o.n_components = 10;
    const kernel_pca_model two = fit_kernel_pca(linear{}, x, o);
    EXPECT_EQ(two.components(), 2);
    EXPECT_NEAR(size_of(two.explained_variance_ratio), 1, 1e-12);
    // All objects are equal: there is no direction.
    const dataset same = gather(x, std::span<const index>(std::vector<index>(30, 0)));
    const kernel_pca_model none = fit_kernel_pca(gaussian{1}, same, o);
    EXPECT_EQ(none.components(), 0);
    EXPECT_EQ(transform(none, x).cols(), 0);
    EXPECT_NEAR(none.total_variance, 0, 1e-14);
    EXPECT_EQ(fit_kernel_pca(linear{}, random_vectors(1, 3, 1), {}).components(), 0);
}

TEST(kernel_pca, a_weight_is_a_number_of_copies) {
    const dataset x = random_vectors(60, 3, 35), z = random_vectors(10, 3, 36);
    kernel_pca_options o;
    o.n_components = 5;
    for (index i = 0; i < 60; ++i) o.sample_weight.push_back(static_cast<double>(i % 3));
    const auto copies = repeated(o.sample_weight);
    for (const auto solver : {eigen_solver::full, eigen_solver::iterative}) {
        o.solver = solver;
        const kernel_pca_model weighted = fit_kernel_pca(gaussian{0.3}, x, o),
                               twice = fit_kernel_pca(gaussian{0.3}, gather(x, std::span<const index>(copies)),
                                                      {.n_components = 5});
        for (std::size_t j = 0; j < 5; ++j) {
            EXPECT_NEAR(weighted.eigenvalues[j], twice.eigenvalues[j], 1e-11);
            EXPECT_NEAR(weighted.explained_variance[j], twice.explained_variance[j], 1e-12);
        }
        EXPECT_NEAR(weighted.total_variance, twice.total_variance, 1e-12);
        const matrix<double> a = transform(weighted, z), b = transform(twice, z);
        for (index j = 0; j < 5; ++j) {
            const double sign = a(0, j) * b(0, j) < 0 ? -1 : 1;  // the largest entry of u need not be the same object's
            for (index i = 0; i < 10; ++i) EXPECT_NEAR(a(i, j), sign * b(i, j), 1e-9);
        }
        expect_near(transform(weighted, x), weighted.scores, 1e-9);
    }
}

TEST(kernel_pca, how_many_components) {
    kernel_pca_model m;
    m.projection.coef = matrix<double>(5, 4);
    m.explained_variance_ratio = {0.6, 0.3, 0.06, 0.04};
    m.total_variance = 1;
    m.explained_variance = m.explained_variance_ratio;
    EXPECT_EQ(components_for_share(m, 0.5), 1);
    EXPECT_EQ(components_for_share(m, 0.9), 2);
    EXPECT_EQ(components_for_share(m, 1), 4);
    EXPECT_EQ(components_above_mean(m), 2) << "the mean is 1/4";
    // Broken-stick rule for 4 components: (1 + ½ + ⅓ + ¼)/4 = 0.5208, 0.2708, 0.1458, 0.0625.
    EXPECT_EQ(components_above_broken_stick(m), 2);
    m.explained_variance_ratio = {0.52, 0.28, 0.16, 0.04};
    EXPECT_EQ(components_above_broken_stick(m), 0);
    expect_error(errc::invalid_argument, "0 < share <= 1, got 0", [&] { components_for_share(m, 0); });
}

TEST(kernel_pca, objects_files_and_errors) {
    const kernel_pca_model words = fit_kernel_pca(spectrum{2}, few_strings(), {.n_components = 3});
    const kernel_pca_model back = round_trip(words);
    expect_near(transform(back, few_strings()), transform(words, few_strings()), 0);
    // The file contains only the scores of objects with weight 0.
    kernel_pca_options weighted{.n_components = 5};
    for (index i = 0; i < 40; ++i) weighted.sample_weight.push_back(i % 7 == 0 ? 0 : 0.5 + static_cast<double>(i % 3));
    const kernel_pca_model some = fit_kernel_pca(gaussian{0.1}, random_vectors(40, 3, 34), weighted),
                           again = round_trip(some);
    expect_near(again.scores, some.scores, 0);
    expect_near(transform(again, random_vectors(40, 3, 34)), some.scores, 1e-12);
    const kernel_pca_model every = fit_kernel_pca(gaussian{0.1}, random_vectors(300, 8, 35), {});
    EXPECT_LT(model_bytes(every).size(), 300 * 300 * 8 * 1.2);
    const cpu_kernel_gram<double> K(set_intersection{}, few_sets());
    const kernel_pca_model bags = fit_kernel_pca(K, {.n_components = 2});
    expect_near(transform(round_trip(bags), K), bags.scores, 1e-12);
    EXPECT_THROW(fit_kernel_pca(linear{}, with_nan(), {}), error);
    expect_error(errc::data, "no examples", [] { fit_kernel_pca(linear{}, random_vectors(0, 1, 1), {}); });
    expect_error(errc::invalid_argument, "0 <= n_components <= n, got 9 with n = 7",
                 [] { fit_kernel_pca(linear{}, random_vectors(7, 1, 1), {.n_components = 9}); });
    expect_error(errc::memory, "full decomposition", [] {
        kernel_pca_options o;
        o.memory_bytes = 1 << 20;
        fit_kernel_pca(linear{}, random_vectors(2100, 1, 1), o);
    });
}

TEST(pre_image, noise_on_a_curve_is_removed) {
    // A half circle with noise: projections onto few components lie near it.
    std::mt19937_64 random(41);
    std::normal_distribution<double> normal(0, 0.1);
    matrix<double> x(200, 2);
    for (index i = 0; i < 200; ++i) {
        const double angle = 3.14159265 * static_cast<double>(i) / 199;
        x(i, 0) = std::cos(angle) + normal(random), x(i, 1) = std::sin(angle) + normal(random);
    }
    const dense<double> points(x);
    const auto off = [&](const matrix<double>& z) {
        double sum = 0;
        for (index i = 0; i < z.rows(); ++i) sum += std::pow(std::hypot(z(i, 0), z(i, 1)) - 1, 2);
        return std::sqrt(sum / static_cast<double>(z.rows()));
    };
    const double before = off(x);
    for (const kernel& k : {kernel(gaussian{1.5}), kernel(matern{.nu = 2.5, .length_scale = 1})}) {
        const kernel_pca_model m = fit_kernel_pca(k, points, {.n_components = 4});
        for (const auto how : {pre_image_options::method::automatic, pre_image_options::method::neighbours}) {
            const pre_image_result z = denoise(m, points, {.how = how});
            EXPECT_LT(off(z.points), 0.7 * before) << k.text();
        }
    }
}

TEST(pre_image, a_fixed_point_is_one) {
    const dataset x = random_vectors(60, 2, 42);
    const kernel k = gaussian{0.5};
    const kernel_pca_model m = fit_kernel_pca(k, x, {.n_components = 6});
    pre_image_options o;
    o.max_iter = 2000, o.tol = 1e-12;
    const pre_image_result z = denoise(m, x, o);
    ASSERT_EQ(z.status, fit_status::converged);
    // The gradient of ‖φ(z) - Pφ(x)‖² vanishes: Σ gᵢk(z,xᵢ)(xᵢ - z) = 0.
    const matrix<double> K = all_of(cpu_kernel_gram<double>(k, dense<double>(z.points.view()), x));
    const dense<double> rows = as_dense<double>(x);
    for (index r = 0; r < 60; ++r)
        for (index c = 0; c < 2; ++c) {
            double sum = 0, size = 0;
            for (index i = 0; i < 60; ++i) {
                double g = 1.0 / 60;
                for (index j = 0; j < 6; ++j) g += m.scores(r, j) * m.projection.coef(i, j);
                sum += g * K(r, i) * (rows.row(i)[c] - z.points(r, c));
                size += std::abs(g * K(r, i));
            }
            EXPECT_NEAR(sum, 0, 1e-9 * size);
        }
    // z is never farther from Pφ(x) than the start x: with almost all components z is close to x.
    const kernel_pca_model all = fit_kernel_pca(k, x, {});
    index many = 0;
    while (all.eigenvalues[static_cast<std::size_t>(many)] > 1e-8 * all.eigenvalues[0]) ++many;
    const kernel_pca_model most = first_components(all, many);
    const pre_image_result same = denoise(most, x, o);
    const auto apart = [&](const matrix<double>& a, index r) {
        return 2 - 2 * std::exp(-0.5 * (std::pow(a(r, 0) - rows.row(r)[0], 2) + std::pow(a(r, 1) - rows.row(r)[1], 2)));
    };
    for (index r = 0; r < 60; ++r)
        EXPECT_LE(apart(same.points, r), 4 * most.squared_residuals[static_cast<std::size_t>(r)] + 1e-12);
    o.how = pre_image_options::method::neighbours;
    const pre_image_result near = denoise(most, x, o);
    for (index r = 0; r < 60; ++r)
        for (index c = 0; c < 2; ++c) EXPECT_NEAR(near.points(r, c), rows.row(r)[c], 1e-3);
}

TEST(pre_image, what_has_none) {
    const dataset x = random_vectors(20, 2, 43);
    const kernel_pca_model plain = fit_kernel_pca(linear{}, x, {.n_components = 2});
    expect_error(errc::unsupported, "radial kernel only", [&] { denoise(plain, x); });
    expect_error(errc::unsupported, "needs a Gaussian",
                 [&] { denoise(plain, x, {.how = pre_image_options::method::fixed_point}); });
    const kernel_pca_model words = fit_kernel_pca(spectrum{2}, few_strings(), {.n_components = 2});
    expect_error(errc::unsupported, "the model must be fitted on vectors", [&] { denoise(words, few_strings()); });
    const kernel_pca_model m = fit_kernel_pca(gaussian{0.5}, x, {.n_components = 2});
    expect_error(errc::invalid_argument, ": the model has 2 components, got scores of 3 components",
                 [&] { pre_images(m, matrix<double>(1, 3).view()); });
    EXPECT_EQ(pre_images(m, m.scores.view()).points.rows(), 20);
}

}  // namespace
}  // namespace mercer
