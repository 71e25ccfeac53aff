#include <fmt/format.h>
#include <gtest/gtest.h>

#include "contracts/thread_group.h"
#include "io/readers_support.h"
#include "mercer/base/threads.h"
#include "mercer/data/all_kinds.h"
#include "mercer/dense/cholesky.h"
#include "mercer/gram/gram_views.h"
#include "mercer/kernels/vectors/gaussian.h"
#include "mercer/methods/components/kernel_pca.h"
#include "mercer/methods/nystroem/nystroem_features.h"
#include "mercer/methods/nystroem/nystroem_logistic.h"
#include "mercer/methods/nystroem/nystroem_ridge.h"
#include "mercer/methods/nystroem/nystroem_svc.h"
#include "mercer/methods/nystroem/streamed_rows.h"
#include "mercer/methods/regression/kernel_logistic.h"
#include "mercer/methods/regression/kernel_ridge.h"
#include "mercer/methods/regression/representer.h"
#include "methods/regression/regression_support.h"

namespace mercer {
namespace {

using namespace regression_testing;
using svm_testing::sample;

nystroem_options with(index centres, double tol = 1e-10) {
    nystroem_options o;
    o.n_centres = centres, o.tol = tol;
    return o;
}

std::vector<double> labels_of(const sample& s, int classes) {
    std::vector<double> out;
    for (std::size_t i = 0; i < s.y.size(); ++i)
        out.push_back(std::min<double>(classes - 1, std::floor((std::sin(s.y[i]) + 1) / 2 * classes)));
    return out;
}

// The normal equations (KᵀWK + λK_MM)β = KᵀWy.
TEST(nystroem_ridge, solves_its_normal_equations) {
    const sample s = wave(150, 3, 1);
    const dataset x = dense_data(s.x);
    const matrix<double> y = targets(s.y, 3);
    const kernel k = gaussian{0.3};
    for (const auto how :
         {centre_choice::mixed, centre_choice::rpcholesky, centre_choice::uniform, centre_choice::kmeans_plus_plus}) {
        nystroem_options o = with(20, 1e-13);
        o.centres = how, o.alpha = 0.1;
        for (index i = 0; i < 150; ++i) o.sample_weight.push_back(0.5 + static_cast<double>(i % 3));
        const nystroem_ridge_model m = fit_nystroem_ridge(make_rows(k, x), y.view(), o);
        EXPECT_EQ(m.status, fit_status::converged) << name(how);
        ASSERT_EQ(m.f.size(), 20);
        matrix<double> K(150, 20), among(20, 20);
        make_gram<double>(k, x, m.f.x)->fill(K.view());
        make_gram<double>(k, m.f.x)->fill(among.view());
        matrix<double> h(20, 20), b(20, 3);
        for (index p = 0; p < 20; ++p)
            for (index i = 0; i < 150; ++i) {
                const double w = o.sample_weight[static_cast<std::size_t>(i)] * K(i, p);
                for (index q = 0; q < 20; ++q) h(p, q) += w * K(i, q);
                for (index c = 0; c < 3; ++c) b(p, c) += w * y(i, c);
            }
        for (index p = 0; p < 20; ++p)
            for (index q = 0; q < 20; ++q) h(p, q) += 0.1 * among(p, q);
        const auto r = cholesky(h);
        ASSERT_TRUE(r);
        cholesky_solve(r->view(), b.view());
        expect_close(decide(m, x), product(K.view(), transposed::no, b.view(), transposed::no), 1e-7);
    }
}

TEST(nystroem_ridge, is_kernel_ridge_where_every_example_is_a_centre) {
    const sample s = wave(80, 2, 2);
    const dataset x = dense_data(s.x);
    for (const double alpha : {1e-3, 1.0, 100.0}) {
        nystroem_options o = with(80, 1e-13);
        o.alpha = alpha;
        for (const auto how : {centre_choice::uniform, centre_choice::rpcholesky, centre_choice::mixed}) {
            o.centres = how;
            const auto near = fit_nystroem_ridge(make_rows(gaussian{0.5}, x), column(s.y).view(), o);
            const auto exact = fit_kernel_ridge(gaussian{0.5}, x, column(s.y).view(), {.alpha = alpha});
            expect_close(decide(near, x), predict(exact, x), 1e-6);
            EXPECT_LT(near.unexplained, 1e-9);
        }
    }
}

TEST(nystroem_logistic, is_kernel_logistic_where_every_example_is_a_centre) {
    const sample s = wave(90, 2, 3);
    const dataset x = dense_data(s.x);
    for (const int classes : {2, 4}) {
        nystroem_options o = with(90);
        o.C = 3, o.fit_intercept = true, o.tol = 1e-9;
        const auto near = fit_nystroem_logistic(make_rows(gaussian{0.5}, x), labels_of(s, classes), o);
        kernel_logistic_options e;
        e.C = 3, e.tol = 1e-10;
        const auto exact = fit_kernel_logistic(gaussian{0.5}, x, labels_of(s, classes), e);
        EXPECT_EQ(near.status, fit_status::converged);
        EXPECT_NEAR(near.objective, exact.objective, 1e-6 * exact.objective);
        expect_close(probabilities(near, decide(near, x).view()), probabilities(exact, decide(exact, x).view()), 1e-3);
    }
}

TEST(nystroem_svc, is_the_squared_hinge_where_every_example_is_a_centre) {
    const sample s = wave(90, 2, 4);
    const dataset x = dense_data(s.x);
    std::vector<double> y;
    for (const double each : labels_of(s, 2)) y.push_back(each == 1 ? 1.0 : -1.0);
    nystroem_options o = with(90);
    o.C = 2, o.fit_intercept = true, o.tol = 1e-10;
    const auto near = fit_nystroem_svc(make_rows(gaussian{0.5}, x), y, o);
    representer_fit_options e;
    e.alpha = 0.5, e.fit_intercept = true, e.tol = 1e-11;
    const auto exact = fit_representer(gaussian{0.5}, x, y, loss::squared_hinge(), e);
    EXPECT_NEAR(near.objective, exact.objective, 1e-7 * exact.objective);
    const auto f = decide(near, x);
    const auto g = decide(exact, x);
    for (index i = 0; i < 90; ++i) EXPECT_NEAR(f(i, 0), g[static_cast<std::size_t>(i)], 1e-4);
}

// One class against the rest with an offset: the gap bounds the distance to the minimum, and the reported objective is
// correct.
TEST(nystroem_svc, has_a_gap_with_the_hinge_too) {
    const sample s = wave(300, 2, 11);
    const dataset x = dense_data(s.x);
    for (const int classes : {2, 3}) {
        const std::vector<double> y = labels_of(s, classes);
        nystroem_options o = with(30, 1e-4);
        o.C = 2, o.hinge = true, o.fit_intercept = true, o.max_iter = 5000;
        const auto best = fit_nystroem_svc(make_rows(gaussian{0.5}, x), y, o);
        EXPECT_EQ(best.status, fit_status::converged);
        EXPECT_LE(best.gap, 1e-4 * best.objective);
        EXPECT_EQ(best.f.functions(), classes == 2 ? 1 : classes);
        for (const index epochs : {1, 3, 10}) {
            nystroem_options few = o;
            few.max_iter = epochs;
            const auto m = fit_nystroem_svc(make_rows(gaussian{0.5}, x), y, few);
            EXPECT_EQ(m.status, fit_status::step_limit);
            EXPECT_GE(m.gap, m.objective - best.objective);
        }
        nystroem_options weighted = o;
        weighted.centres = centre_choice::given, weighted.centre_rows = best.f.rows;
        for (index i = 0; i < 300; ++i) weighted.sample_weight.push_back(static_cast<double>(i % 3));
        const auto by_weight = fit_nystroem_svc(make_rows(gaussian{0.5}, x), y, weighted);
        // The objective from its definition.
        const matrix<double> f = decide(by_weight, x);
        matrix<double> among(30, 30);
        make_gram<double>(gaussian{0.5}, by_weight.f.x)->fill(among.view());
        double want = 0;
        for (index c = 0; c < f.cols(); ++c) {
            double square =
                by_weight.f.offset[static_cast<std::size_t>(c)] * by_weight.f.offset[static_cast<std::size_t>(c)];
            for (index p = 0; p < 30; ++p)
                for (index q = 0; q < 30; ++q) square += by_weight.f.coef(p, c) * among(p, q) * by_weight.f.coef(q, c);
            want += square / (2 * o.C);
            for (index i = 0; i < 300; ++i) {
                const double sign =
                    y[static_cast<std::size_t>(i)] == (classes == 2 ? 1 : static_cast<double>(c)) ? 1 : -1;
                want += weighted.sample_weight[static_cast<std::size_t>(i)] * std::max(0.0, 1 - sign * f(i, c));
            }
        }
        EXPECT_NEAR(by_weight.objective, want, 1e-6 * want);
    }
}

TEST(nystroem_svc, has_the_same_bits_with_the_hinge_for_any_number_of_threads_and_streamed) {
    const sample s = wave(2000, 3, 12);
    const dataset x = dense_data(s.x);
    const std::vector<double> y = labels_of(s, 3);
    nystroem_options o = with(40, 1e-3);
    o.hinge = true, o.doubling = true;
    const auto all = fit_nystroem_svc(make_rows(gaussian{0.2}, x), y, o);
    EXPECT_GT(all.doubling_change, 0);
    const auto bytes = model_bytes(all);
    {
        const thread_limit limit(1);
        EXPECT_EQ(model_bytes(fit_nystroem_svc(make_rows(gaussian{0.2}, x), y, o)), bytes);
    }
    const auto batches = make_batches({x, y, {}, {}}, 768);
    const streamed_targets seen = read_targets(*batches);
    const streamed_rows streamed(gaussian{0.2}, *batches, seen, [](const dataset& some) { return some; });
    EXPECT_EQ(model_bytes(fit_nystroem_svc(streamed, seen.y, o)), bytes);
    o.memory_bytes = 1000000;
    o.n_centres = 100;
    expect_error(errc::memory, "squared_hinge", [&] { fit_nystroem_svc(make_rows(gaussian{0.2}, x), y, o); });
}

// The gap is a valid bound: no function in the span has a smaller objective than it allows.
TEST(nystroem_ridge, tells_how_far_it_is_from_the_minimum) {
    const sample s = wave(200, 3, 5);
    const dataset x = dense_data(s.x);
    const double least = fit_nystroem_ridge(make_rows(gaussian{0.5}, x), column(s.y).view(), with(30, 1e-11)).objective;
    for (const index passes : {1, 2, 3, 5}) {
        nystroem_options o = with(30, 1e-11);
        o.max_iter = passes;
        const auto m = fit_nystroem_ridge(make_rows(gaussian{0.5}, x), column(s.y).view(), o);
        EXPECT_LE(m.passes, passes + 1);
        EXPECT_GE(m.gap, (m.objective - least) * (1 - 1e-9));
        EXPECT_TRUE(m.status == fit_status::converged || m.status == fit_status::step_limit) << name(m.status);
    }
}

TEST(nystroem, works_on_every_kind_of_object_and_on_matrices) {
    std::vector<std::string> words;
    std::vector<double> y;
    for (int i = 0; i < 60; ++i) {
        words.push_back(std::string(static_cast<std::size_t>(1 + i % 5), 'a') + "bc" + static_cast<char>('a' + i % 7));
        y.push_back(i % 5 + 0.1 * (i % 7));
    }
    const dataset x = dataset(objects(strings(words)));
    const kernel k = kernel::parse("normalize(spectrum(k=2))");
    const auto by_objects = fit_nystroem_ridge(make_rows(k, x), column(y).view(), with(10));
    matrix<double> all(60, 60);
    make_gram<double>(k, x)->fill(all.view());
    const precomputed<double> K(all.view());
    const auto by_values = fit_nystroem_ridge(make_rows(K), column(y).view(), with(10));
    EXPECT_EQ(by_objects.f.rows, by_values.f.rows);
    expect_close(decide(by_values, K), decide(by_objects, x), 1e-9);
}

TEST(nystroem, has_the_same_bits_for_any_number_of_threads_and_streamed) {
    const sample s = wave(2000, 3, 6);
    const dataset x = dense_data(s.x);
    nystroem_options o = with(40, 1e-8);
    const auto all = fit_nystroem_ridge(make_rows(gaussian{0.2}, x), column(s.y).view(), o);
    const auto bytes = model_bytes(all);
    for (const int threads : {1, 3}) {
        const thread_limit limit(threads);
        EXPECT_EQ(model_bytes(fit_nystroem_ridge(make_rows(gaussian{0.2}, x), column(s.y).view(), o)), bytes);
    }
    for (const index rows : {192, 768}) {
        const auto batches = make_batches({x, s.y, {}, {}}, rows);
        const streamed_targets seen = read_targets(*batches);
        ASSERT_EQ(seen.size, 2000);
        const streamed_rows streamed(gaussian{0.2}, *batches, seen, [](const dataset& some) { return some; });
        EXPECT_EQ(model_bytes(fit_nystroem_ridge(streamed, column(seen.y).view(), o)), bytes) << rows;
    }
}

// Pivoted choices select objects that are far from all others, uniform choices miss them.
TEST(centres, mixed_ones_are_of_both_kinds) {
    sample s = wave(400, 2, 13);
    for (std::size_t i = 0; i < 8; ++i) s.x[50 * i][0] += 100 * (1 + static_cast<double>(i));
    const dataset x = dense_data(s.x);
    const auto k = make_gram<double>(gaussian{0.01}, x);
    const std::vector<index> found = choose_centres(*k, 60, centre_choice::mixed, 3, {});
    ASSERT_EQ(found.size(), 60u);
    std::vector<index> sorted = found;
    std::ranges::sort(sorted);
    EXPECT_EQ(std::ranges::unique(sorted).begin(), sorted.end());
    for (index i = 0; i < 8; ++i) EXPECT_TRUE(std::ranges::binary_search(sorted, 50 * i)) << i;
    EXPECT_EQ(choose_centres(*k, 60, centre_choice::mixed, 3, {}), found);
    EXPECT_EQ(choose_centres(*k, 60, centre_choice::mixed, 3, {}, 0.1),
              choose_centres(*k, 60, centre_choice::rpcholesky, 3, {}, 0.1));
}

// Files divided among any number of ranks (threads here), by bytes and not by rows.
TEST(nystroem, has_the_same_bits_for_any_number_of_processes) {
    const testing_support::scratch_folder folder;
    const sample s = wave(900, 2, 6);
    std::string text[2] = {"a,b,y\n", "a,b,y\n"};
    for (std::size_t i = 0; i < 900; ++i)
        text[i < 300 ? 0 : 1] += fmt::format("{},\"{}\",{}\n", s.x[i][0], s.x[i][1], s.y[i]);
    const std::vector<std::string> paths{folder.write("a.csv", text[0]), folder.write("b.csv", text[1])};
    read_options how;
    how.csv.label = "y";
    const auto fitted = [&](row_batches& rows) {
        const streamed_targets seen = read_targets(rows);
        EXPECT_EQ(seen.size, 900);
        const streamed_rows streamed(gaussian{0.2}, rows, seen, [](const dataset& some) { return some; });
        const matrix_view<const double> y(seen.y.data(), seen.own, 1);
        return model_bytes(fit_nystroem_ridge(streamed, y, with(40)));
    };
    const std::string want = fitted(*open_batches(paths, how, streamed_rows::batch_rows));
    for (const int processes : {1, 2, 3, 7})
        mercer::testing::run_as_ranks(processes, [&](const communicator& group) {
            EXPECT_EQ(fitted(*open_share(paths, how, 192, group, chunk_rows)), want) << processes;
        });
}

TEST(nystroem, takes_the_centres_it_is_given) {
    const sample s = wave(50, 2, 7);
    nystroem_options o = with(5);
    o.centres = centre_choice::given, o.centre_rows = {40, 3, 17, 3};
    const auto m = fit_nystroem_ridge(make_rows(gaussian{1}, dense_data(s.x)), column(s.y).view(), o);
    EXPECT_EQ(m.f.rows, (std::vector<index>{3, 17, 40}));
    o.centre_rows = {50};
    expect_error(errc::invalid_argument, "0 <= row < 50",
                 [&] { fit_nystroem_ridge(make_rows(gaussian{1}, dense_data(s.x)), column(s.y).view(), o); });
}

TEST(nystroem, ordinary_trouble) {
    const sample s = wave(40, 2, 8);
    const dataset x = dense_data(s.x);
    const auto ridge = [&](nystroem_options o, std::vector<double> y) {
        return fit_nystroem_ridge(make_rows(gaussian{1}, x), column(y).view(), o);
    };
    // Constant targets, copies of one point, targets of zero, huge and tiny penalties.
    EXPECT_EQ(ridge(with(10), std::vector<double>(40, 0.0)).status, fit_status::converged);
    const dataset same = gather(x, std::span<const index>(std::vector<index>(40, 0)));
    EXPECT_EQ(fit_nystroem_ridge(make_rows(gaussian{1}, same), column(s.y).view(), with(10)).f.size(), 1);
    for (const double alpha : {1e-12, 1e12}) {
        nystroem_options o = with(10, 1e-6);
        o.alpha = alpha;
        EXPECT_TRUE(std::isfinite(ridge(o, s.y).objective));
    }
    nystroem_options bad = with(10);
    bad.alpha = 0;
    expect_error(errc::invalid_argument, "0 < alpha < infinity, got 0", [&] { ridge(bad, s.y); });
    expect_error(errc::invalid_argument, "n_centres >= 1", [&] { ridge(with(0), s.y); });
    expect_error(errc::data, "two classes",
                 [&] { fit_nystroem_logistic(make_rows(gaussian{1}, x), std::vector<double>(40, 3.0), with(10)); });
    // A fit that is cancelled at once returns a model whose status says so.
    nystroem_options stopped = with(10);
    stopped.progress = [](const fit_progress& p) { return std::string_view(p.phase) != "passes"; };
    EXPECT_EQ(ridge(stopped, s.y).status, fit_status::cancelled);
}

TEST(nystroem_features, have_the_kernels_inner_products_on_the_centres) {
    const sample s = wave(60, 3, 9);
    const dataset x = dense_data(s.x);
    nystroem_options o = with(15);
    const auto m = fit_nystroem_features(make_rows(gaussian{0.4}, x), o);
    const matrix<double> phi = m.map.values(m.map.x);
    matrix<double> k(15, 15);
    make_gram<double>(gaussian{0.4}, m.map.x)->fill(k.view());
    expect_close(product(phi.view(), transposed::no, phi.view(), transposed::yes), k, 1e-9);
}

TEST(nystroem_pca, is_kernel_pca_where_every_example_is_a_centre) {
    const sample s = wave(70, 3, 10);
    const dataset x = dense_data(s.x);
    nystroem_options o = with(70, 1e-12);
    o.max_iter = 200;
    for (index i = 0; i < 70; ++i) o.sample_weight.push_back(1 + static_cast<double>(i % 2));
    const auto near = fit_nystroem_pca(make_rows(gaussian{0.3}, x), 4, o);
    kernel_pca_options e;
    e.n_components = 4, e.sample_weight = o.sample_weight;
    const auto exact = fit_kernel_pca(gaussian{0.3}, x, e);
    ASSERT_EQ(near.eigenvalues.size(), 4u);
    const matrix<double> a = near.projection.values(x), b = transform(exact, x);
    for (index j = 0; j < 4; ++j) {
        const auto at = static_cast<std::size_t>(j);
        EXPECT_NEAR(near.eigenvalues[at], exact.eigenvalues[at], 1e-8 * exact.eigenvalues[0]);
        double same = 0, size = 0;
        for (index i = 0; i < 70; ++i) same += a(i, j) * b(i, j), size += b(i, j) * b(i, j);
        EXPECT_NEAR(std::abs(same), size, 1e-6 * size);  // up to the sign of the direction
    }
}

}  // namespace
}  // namespace mercer
