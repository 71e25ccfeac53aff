#include "mercer/data/all_kinds.h"
#include "mercer/gram/make_gram.h"
#include "mercer/kernels/vectors/laplacian.h"
#include "mercer/kernels/vectors/rational_quadratic.h"
#include "mercer/methods/components/kernel_fisher.h"
#include "mercer/methods/neighbours/kernel_density.h"
#include "methods/clustering/cluster_support.h"

namespace mercer {
namespace {

using namespace cluster_testing;
using mercer::testing::real_matrix;
using ::testing::ElementsAre;

TEST(kernel_density, scikit_learn) {
    const json& c = oracle()["density"];
    const sample s = load(c["data"]);
    const kernel k = gaussian{c["gamma"].get<double>()};
    kernel_density_options weighted;
    weighted.sample_weight = test_weights(150);
    const auto a = log_density(fit_kernel_density(k, s.x), s.fresh),
               b = log_density(fit_kernel_density(k, s.x, weighted), s.fresh);
    matrix<double> moved(s.fresh.size(), 4);
    for (index i = 0; i < moved.rows(); ++i)
        for (index j = 0; j < 4; ++j) moved(i, j) = s.fresh.row(i)[j] + 100;
    const auto far = log_density(fit_kernel_density(k, s.x), dense<double>(moved));
    for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_NEAR(a[i], c["log"][i].get<double>(), 1e-9);
        EXPECT_NEAR(b[i], c["weighted"][i].get<double>(), 1e-9);
        EXPECT_NEAR(far[i], c["far"][i].get<double>(), 1e-9 * std::abs(far[i])) << "every term underflows";
    }
}

TEST(kernel_density, integrates_to_one) {
    matrix<double> x(5, 1);
    for (index i = 0; i < 5; ++i) x(i, 0) = 0.7 * static_cast<double>(i * i) / 4 - 1;
    const auto integral = [&](const kernel& k, double reach, index steps) {
        matrix<double> at(steps, 1);
        const double h = 2 * reach / static_cast<double>(steps);
        for (index i = 0; i < steps; ++i) at(i, 0) = -reach + (static_cast<double>(i) + 0.5) * h;
        double sum = 0;
        for (const double each : log_density(fit_kernel_density(k, dense<double>(x)), dense<double>(at)))
            sum += std::exp(each) * h;
        return sum;
    };
    EXPECT_NEAR(integral(gaussian{2}, 20, 4000), 1, 1e-10);
    EXPECT_NEAR(integral(laplacian{1.5}, 30, 200000), 1, 1e-6);
    for (const double nu : {0.5, 1.5, 2.5}) EXPECT_NEAR(integral(matern{nu, 0.7}, 40, 200000), 1, 1e-6);
    EXPECT_NEAR(integral(rational_quadratic{3, 0.8}, 300, 200000), 1, 1e-6);
    // Two dimensions, on a grid.
    const dataset two = random_vectors(3, 2, 51);
    matrix<double> grid(240 * 240, 2);
    for (index i = 0; i < grid.rows(); ++i)
        grid(i, 0) = -12 + 0.1 * static_cast<double>(i % 240), grid(i, 1) = -12 + 0.1 * static_cast<double>(i / 240);
    for (const kernel& k : {kernel(gaussian{1}), kernel(matern{2.5, 0.6})}) {
        double sum = 0;
        for (const double each : log_density(fit_kernel_density(k, two), dense<double>(grid)))
            sum += std::exp(each) * 0.01;
        EXPECT_NEAR(sum, 1, 1e-4) << k.text();
    }
}

TEST(kernel_density, what_has_no_density) {
    const dataset x = random_vectors(5, 3, 52);
    expect_error(errc::unsupported, "or not finite, so the kernel defines no density",
                 [&] { log_density(fit_kernel_density(linear{}, x), x); });
    expect_error(errc::unsupported, "or not finite, so the kernel defines no density", [&] {
        log_density(fit_kernel_density(rational_quadratic{1.5, 1}, x), x);
    });
    const kernel_density_model words = fit_kernel_density(spectrum{2}, few_strings());
    const auto usual = mean_embedding(words, few_strings());
    const matrix<double> K = all_of(cpu_kernel_gram<double>(spectrum{2}, few_strings()));
    for (index i = 0; i < 7; ++i) {
        double sum = 0;
        for (index j = 0; j < 7; ++j) sum += K(i, j) / 7;
        EXPECT_NEAR(usual[static_cast<std::size_t>(i)], sum, 1e-13);
    }
    EXPECT_EQ(mean_embedding(fit_kernel_density(precomputed<double>(K.view())), precomputed<double>(K.view())), usual);
    EXPECT_EQ(mean_embedding(round_trip(words), few_strings()), usual);
    const kernel_density_model bell = fit_kernel_density(gaussian{0.5}, x);
    EXPECT_EQ(log_density(round_trip(bell), x), log_density(bell, x));
    EXPECT_THROW(fit_kernel_density(gaussian{1}, with_nan()), error);
    expect_error(errc::data, "no examples", [] { fit_kernel_density(gaussian{1}, random_vectors(0, 1, 1)); });
}

TEST(kernel_fisher, linear_kernel_is_the_linear_discriminant) {
    const json& c = oracle()["lda"];
    const sample s = load(c["data"]);
    const kernel_fisher_model m = fit_kernel_fisher(linear{}, s.x, s.y, {.regularisation = 1e-9});
    EXPECT_EQ(m.directions.functions(), 2);
    EXPECT_EQ(predict(m, s.fresh), c["labels"].get<std::vector<double>>());
}

TEST(kernel_fisher, optimality_from_the_definition) {
    const sample s = load("wine.svm");
    const kernel k = gaussian{1e-4};
    kernel_fisher_options o;
    o.sample_weight = test_weights(s.x.size());
    const kernel_fisher_model m = fit_kernel_fisher(k, s.x, s.y, o);
    ASSERT_EQ(m.directions.functions(), 2);
    // N and M from their sums.
    const index n = s.x.size();
    const real_matrix K = all_of(cpu_kernel_gram<double>(k, s.x)), w = real_matrix::column(o.sample_weight);
    const real_matrix mean = K * w / w.sum();
    real_matrix N(n, n), M(n, n);
    for (const double label : m.classes) {
        real_matrix own = w;
        for (index i = 0; i < n; ++i)
            if (s.y[static_cast<std::size_t>(i)] != label) own(i, 0) = 0;
        const real_matrix middle = K * own / own.sum(), apart = middle - mean;
        M += own.sum() * apart * apart.transpose();
        for (index i = 0; i < n; ++i) {
            const real_matrix from = K.nth_column(i) - middle;
            N += own(i, 0) * from * from.transpose();
        }
    }
    N += o.regularisation * N.trace() / static_cast<double>(n) * real_matrix::identity(n);
    const real_matrix A = m.directions.coef;
    const real_matrix within = A.transpose() * N * A, between = A.transpose() * M * A;
    EXPECT_LE((within - real_matrix::identity(2)).norm(), 1e-8);
    EXPECT_NEAR(between(0, 0), m.ratios[0], 1e-8 * m.ratios[0]);
    EXPECT_NEAR(between(1, 1), m.ratios[1], 1e-8 * m.ratios[0]);
    EXPECT_LE(std::abs(between(0, 1)), 1e-8 * m.ratios[0]);
    const std::vector<double> reference = mercer::testing::generalised_eigenvalues_of(M, N);
    EXPECT_NEAR(reference[reference.size() - 1], m.ratios[0], 1e-7 * m.ratios[0]);
    EXPECT_NEAR(reference[reference.size() - 2], m.ratios[1], 1e-7 * m.ratios[0]);
    // The mean of all examples is projected to 0, and predict uses the projected class means.
    const matrix<double> f = transform(m, s.x);
    for (index j = 0; j < 2; ++j) {
        double sum = 0;
        for (index i = 0; i < n; ++i) sum += w(i, 0) * f(i, j);
        EXPECT_NEAR(sum / w.sum(), 0, 1e-9);
    }
}

TEST(kernel_fisher, objects_files_and_errors) {
    const std::vector<double> y{1, 1, 1, 2, 2, 2, 1};
    const kernel_fisher_model words = fit_kernel_fisher(spectrum{2}, few_strings(), y);
    EXPECT_THAT(predict(words, strings({"abcabcab", "zzzzz"})), ElementsAre(1, 2));
    EXPECT_EQ(predict(round_trip(words), few_strings()), predict(words, few_strings()));
    const cpu_kernel_gram<double> K(spectrum{2}, few_strings());
    EXPECT_EQ(predict(round_trip(fit_kernel_fisher(K, y)), K), predict(words, few_strings()));
    // Classes that consist of equal points.
    matrix<double> x(4, 1);
    x(2, 0) = x(3, 0) = 1;
    EXPECT_THAT(
        predict(fit_kernel_fisher(gaussian{1}, dense<double>(x), std::vector<double>{5, 5, 6, 6}), dense<double>(x)),
        ElementsAre(5, 5, 6, 6));
    // No direction if all examples are equal.
    EXPECT_EQ(
        predict(fit_kernel_fisher(gaussian{1}, gather(dense<double>(x), row_set(0, 2)), std::vector<double>{5, 6}),
                dense<double>(x))
            .size(),
        4u);
    expect_error(errc::data, "at least two classes", [&] {
        fit_kernel_fisher(linear{}, dense<double>(x), std::vector<double>{1, 1, 1, 1});
    });
    expect_error(errc::invalid_argument, "regularisation > 0", [&] {
        fit_kernel_fisher(linear{}, dense<double>(x), std::vector<double>{1, 1, 2, 2}, {.regularisation = 0});
    });
    expect_error(errc::memory, "needed for n = 4", [&] {
        fit_kernel_fisher(linear{}, dense<double>(x), std::vector<double>{1, 1, 2, 2}, {.memory_bytes = 10});
    });
    EXPECT_THROW(fit_kernel_fisher(linear{}, with_nan(), std::vector<double>{1, 2, 3}), error);
    expect_error(errc::cancelled, "stopped by the caller", [&] {
        fit_kernel_fisher(linear{}, dense<double>(x), std::vector<double>{1, 1, 2, 2},
                          {.progress = [](const fit_progress& now) { return now.done < 2; }});
    });
}

}  // namespace
}  // namespace mercer
