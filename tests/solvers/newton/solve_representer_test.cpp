#include "mercer/solvers/newton/solve_representer.h"

#include <gtest/gtest.h>

#include "mercer/gram/gram_views.h"
#include "mercer/gram/make_gram.h"
#include "mercer/kernels/vectors/gaussian.h"
#include "mercer/solvers/newton/solve_softmax.h"
#include "methods/regression/regression_support.h"

namespace mercer {
namespace {

using namespace regression_testing;

struct problem {
    loss of;
    std::vector<double> y;
};

// A target for every loss from the same points.
std::vector<problem> problems(const sample& s) {
    std::vector<double> labels, counts;
    for (const double y : s.y)
        labels.push_back(y > 0.1 ? 1.0 : -1.0), counts.push_back(std::floor(2 + y > 0 ? 2 + y : 0));
    return {{loss::squared(), s.y},
            {loss::logistic(), labels},
            {loss::squared_hinge(), labels},
            {loss::huber(0.3), s.y},
            {loss::poisson(), counts},
            {loss::hinge(), labels},
            {loss::epsilon_insensitive(0.2), s.y},
            {loss::quantile(0.3), s.y},
            {loss::user([](double y, double f) { return std::cosh(f - y) - 1; },
                        [](double y, double f) { return std::sinh(f - y); },
                        [](double y, double f) { return std::cosh(f - y); }),
             s.y}};
}

double objective(const loss& l, const matrix<double>& K, const std::vector<double>& y, const std::vector<double>& w,
                 const std::vector<double>& alpha, double b, double lambda) {
    double sum = 0;
    for (index i = 0; i < K.rows(); ++i) {
        double f = 0;
        for (index j = 0; j < K.cols(); ++j) f += K(i, j) * alpha[static_cast<std::size_t>(j)];
        sum += (w.empty() ? 1.0 : w[static_cast<std::size_t>(i)]) * l.value(y[static_cast<std::size_t>(i)], f + b) +
               0.5 * lambda * alpha[static_cast<std::size_t>(i)] * f;
    }
    return sum;
}

// The reported objective is correct, no random change of α or b decreases it by more than the gap, and both solvers of
// Newton's system agree.
TEST(representer, finds_the_minimum_for_every_loss) {
    const sample s = wave(60, 2, 21);
    const matrix<double> K = gram_matrix(s.x, rbf(0.8));
    const precomputed<double> gram(K);
    std::vector<double> w;
    for (index i = 0; i < 60; ++i) w.push_back(0.5 + 0.25 * static_cast<double>(i % 5));
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    for (const auto& [l, y] : problems(s))
        for (const bool intercept : {false, true})
            for (const double lambda : {0.01, 1.0, 50.0}) {
                SCOPED_TRACE(std::string(name(l.kind)) + " lambda " + std::to_string(lambda) +
                             (intercept ? " with offset" : ""));
                representer_options o;
                o.lambda = lambda;
                o.intercept = intercept;
                o.tol = 1e-8;
                const representer_result found = solve_representer(gram, y, w, l, o);
                EXPECT_EQ(found.status, fit_status::converged) << "gap " << found.gap << " of " << found.objective;
                EXPECT_LE(found.gap, o.tol * found.objective);
                const double value = objective(l, K, y, w, found.alpha, found.offset, lambda);
                EXPECT_NEAR(found.objective, value, 1e-10 * value);
                for (int trial = 0; trial < 20; ++trial) {
                    std::vector<double> other = found.alpha;
                    const double size = std::pow(10.0, -trial % 5);
                    for (double& each : other) each += size * normal(random);
                    const double b = intercept ? found.offset + size * normal(random) : 0.0;
                    EXPECT_GE(objective(l, K, y, w, other, b, lambda), value - found.gap - 1e-12 * value);
                }
                if (intercept) {
                    double sum = 0, size = 0;
                    for (const double each : found.alpha) sum += each, size += std::abs(each);
                    EXPECT_NEAR(sum, 0, 1e-4 * size);
                } else {
                    EXPECT_EQ(found.offset, 0);
                }
                o.system = newton_system::conjugate_gradient;
                const representer_result iterated = solve_representer(gram, y, w, l, o);
                EXPECT_EQ(iterated.status, fit_status::converged);
                EXPECT_NEAR(iterated.objective, value, 3e-8 * value);
            }
}

TEST(representer, squared_loss_is_one_linear_system) {
    const sample s = wave(40, 2, 22);
    const matrix<double> K = gram_matrix(s.x, rbf(0.8));
    representer_options o;
    o.lambda = 0.2;
    o.tol = 1e-13;
    const representer_result found = solve_representer(precomputed<double>(K), s.y, {}, loss::squared(), o);
    matrix<double> a = K;
    for (index i = 0; i < 40; ++i) a(i, i) += o.lambda;
    expect_close(
        found.alpha,
        [&] {
            const matrix<double> solved = eliminated(a, column(s.y));
            return std::vector<double>(solved.data(), solved.data() + 40);
        }(),
        1e-9);
    EXPECT_LE(found.rounds, 3);
}

TEST(representer, one_example_duplicates_and_a_flat_kernel) {
    matrix<double> one(1, 1);
    one(0, 0) = 2;
    for (const auto& [l, y] : problems(wave(1, 1, 23))) {
        const representer_result found = solve_representer(precomputed<double>(one), y, {}, l, {});
        EXPECT_EQ(found.status, fit_status::converged) << name(l.kind);
    }
    // all points the same: K = 11ᵀ
    const sample s = wave(20, 1, 24);
    matrix<double> K(20, 20);
    std::fill_n(K.data(), 400, 1.0);
    for (const auto& [l, y] : problems(s))
        for (const bool intercept : {false, true}) {
            representer_options o;
            o.intercept = intercept;
            const representer_result found = solve_representer(precomputed<double>(K), y, {}, l, o);
            EXPECT_EQ(found.status, fit_status::converged)
                << name(l.kind) << " " << found.gap << " of " << found.objective;
        }
}

TEST(representer, refuses_what_it_cannot_take) {
    matrix<double> K(2, 2);
    K(0, 0) = K(1, 1) = 1;
    const precomputed<double> gram(K);
    const std::vector<double> y{1, -1};
    const auto solve = [&](const loss& l, representer_options o = {}) { return solve_representer(gram, y, {}, l, o); };
    expect_error(errc::invalid_argument, "0 < lambda", [&] { solve(loss::squared(), {.lambda = 0}); });
    expect_error(errc::invalid_argument, "tol > 0", [&] { solve(loss::squared(), {.tol = -1}); });
    expect_error(errc::invalid_argument, "0 < tau < 1, got 1", [&] { solve(loss::quantile(1)); });
    expect_error(errc::invalid_argument, "delta", [&] { solve(loss::huber(0)); });
    expect_error(errc::invalid_argument, "epsilon", [&] { solve(loss::epsilon_insensitive(-1)); });
    expect_error(errc::data, ">= 0, got -1 for example 1", [&] { solve(loss::poisson()); });
    expect_error(errc::invalid_argument, "representer: a user-defined loss needs a value, a first",
                 [&] { solve({.kind = loss_kind::user}); });
    const std::vector<double> other{1, 2};
    expect_error(errc::data, "1 or -1, got 2 for example 1",
                 [&] { solve_representer(gram, other, {}, loss::hinge(), {}); });
    const std::vector<double> weight{1, 0};
    expect_error(errc::data, "weight 1", [&] { solve_representer(gram, y, weight, loss::hinge(), {}); });
    EXPECT_EQ(solve(loss::logistic(), {.tol = 1e-12, .max_rounds = 1}).status, fit_status::step_limit);
}

TEST(representer, is_watched_and_stopped) {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    const index n = 40;
    matrix<double> points(n, 2);
    std::vector<double> y, counts;
    std::vector<index> label;
    for (index i = 0; i < n; ++i) {
        points(i, 0) = normal(random), points(i, 1) = normal(random);
        y.push_back(points(i, 0) > 0 ? 1.0 : -1.0), counts.push_back(std::floor(std::exp(points(i, 1)))),
            label.push_back(i % 3);
    }
    const cpu_kernel_gram<double> K(gaussian{1.0}, dense<double>(points));
    for (const auto& l : {loss::logistic(), loss::hinge(), loss::poisson(), loss::quantile(0.3)}) {
        int asked = 0;
        representer_options o{.lambda = 0.01, .tol = 1e-9};
        const auto& t = l.kind == loss_kind::poisson ? counts : y;
        const representer_result whole = solve_representer(K, t, {}, l, o);
        o.progress = [&](int rounds, double objective, double gap) {
            EXPECT_TRUE(std::isfinite(objective));
            EXPECT_GE(gap, 0);
            EXPECT_EQ(rounds, asked);
            return ++asked < 3;
        };
        const representer_result stopped = solve_representer(K, t, {}, l, o);
        EXPECT_EQ(stopped.status, fit_status::cancelled) << name(l.kind);
        EXPECT_EQ(asked, 3);
        EXPECT_GE(stopped.objective, whole.objective - 1e-8 * std::abs(whole.objective));
        EXPECT_GE(stopped.gap, 0.99 * (stopped.objective - whole.objective)) << "what is kept says how far it came";
    }
    int asked = 0;
    representer_options o{.lambda = 0.01, .tol = 1e-12};
    o.progress = [&](int, double, double) { return ++asked < 3; };
    EXPECT_EQ(solve_softmax(K, label, 3, {}, o).status, fit_status::cancelled);
    EXPECT_EQ(asked, 3);
}

// An indefinite matrix gives a nonconvex problem: the fit ends with a status and a value, without a false claim.
TEST(representer, an_indefinite_matrix_ends) {
    matrix<double> K(3, 3);
    K(0, 1) = K(1, 0) = 2;
    K(0, 0) = K(1, 1) = 1;
    K(2, 2) = 1;
    const std::vector<double> y{1, -1, 1};
    for (const auto& l : {loss::logistic(), loss::hinge(), loss::huber()}) {
        const representer_result found = solve_representer(precomputed<double>(K), y, {}, l, {.lambda = 0.1});
        EXPECT_TRUE(std::isfinite(found.objective)) << name(l.kind);
    }
}

// A fit that is cancelled anywhere and resumed from the stored state gives a bit-identical result.
TEST(representer, goes_on_from_any_state) {
    const index n = 120;
    const sample s = wave(n, 3, 34);
    std::vector<double> y;
    std::vector<index> label;
    for (const double each : s.y)
        y.push_back(each > 0 ? 1.0 : -1.0), label.push_back(each < -0.3 ? 0 : each < 0.3 ? 1 : 2);
    const cpu_kernel_gram<double> K(gaussian{0.5}, dense_data(s.x));
    for (const newton_system system : {newton_system::cholesky, newton_system::conjugate_gradient}) {
        std::vector<std::vector<double>> states, softmax_states;
        representer_options o;
        o.lambda = 1e-3, o.intercept = true, o.tol = 1e-9, o.system = system;
        o.keep = [&](const std::vector<double>& state) { states.push_back(state); };
        const representer_result whole = solve_representer(K, y, {}, loss::logistic(), o);
        o.keep = [&](const std::vector<double>& state) { softmax_states.push_back(state); };
        const softmax_result classes = solve_softmax(K, label, 3, {}, o);
        ASSERT_GE(states.size(), 3u);
        ASSERT_GE(softmax_states.size(), 3u);
        o.keep = {};
        for (const auto& state : states) {
            o.start = state;
            const representer_result rest = solve_representer(K, y, {}, loss::logistic(), o);
            EXPECT_EQ(rest.alpha, whole.alpha);
            EXPECT_EQ(rest.offset, whole.offset);
            EXPECT_EQ(rest.products, whole.products);
        }
        for (const auto& state : softmax_states) {
            o.start = state;
            const softmax_result rest = solve_softmax(K, label, 3, {}, o);
            EXPECT_EQ(std::vector<double>(rest.alpha.data(), rest.alpha.data() + 3 * n),
                      std::vector<double>(classes.alpha.data(), classes.alpha.data() + 3 * n));
            EXPECT_EQ(rest.offset, classes.offset);
        }
        o.start.pop_back();
        expect_error(errc::invalid_argument, "another problem", [&] { solve_softmax(K, label, 3, {}, o); });
        expect_error(errc::invalid_argument, "another problem",
                     [&] { solve_representer(K, y, {}, loss::logistic(), o); });
    }
}

TEST(softmax, finds_the_minimum) {
    const sample s = wave(60, 2, 25);
    const matrix<double> K = gram_matrix(s.x, rbf(0.8));
    std::vector<index> label;
    std::vector<double> w;
    for (index i = 0; i < 60; ++i)
        label.push_back(s.y[static_cast<std::size_t>(i)] < -0.5  ? 0
                        : s.y[static_cast<std::size_t>(i)] < 0.5 ? 1
                                                                 : 2),
            w.push_back(0.5 + 0.25 * static_cast<double>(i % 5));
    const auto value_of = [&](const matrix<double>& alpha, const std::vector<double>& b, double lambda) {
        const matrix<double> f = product(K.view(), transposed::no, alpha.view(), transposed::no);
        double sum = 0;
        for (index i = 0; i < 60; ++i) {
            double total = 0;
            for (index c = 0; c < 3; ++c)
                total += std::exp(f(i, c) + b[static_cast<std::size_t>(c)]),
                    sum += 0.5 * lambda * alpha(i, c) * f(i, c);
            const index own = label[static_cast<std::size_t>(i)];
            sum += w[static_cast<std::size_t>(i)] * (std::log(total) - f(i, own) - b[static_cast<std::size_t>(own)]);
        }
        return sum;
    };
    std::mt19937_64 random(6);
    std::normal_distribution<double> normal;
    for (const bool intercept : {false, true})
        for (const double lambda : {0.01, 1.0, 50.0}) {
            representer_options o;
            o.lambda = lambda;
            o.intercept = intercept;
            o.tol = 1e-9;
            const softmax_result found = solve_softmax(precomputed<double>(K), label, 3, w, o);
            EXPECT_EQ(found.status, fit_status::converged) << found.gap << " of " << found.objective;
            const double value = value_of(found.alpha, found.offset, lambda);
            EXPECT_NEAR(found.objective, value, 1e-10 * value);
            for (int trial = 0; trial < 20; ++trial) {
                matrix<double> other = found.alpha;
                std::vector<double> b = found.offset;
                const double size = std::pow(10.0, -trial % 5);
                for (index k = 0; k < 180; ++k) other.data()[k] += size * normal(random);
                if (intercept)
                    for (double& each : b) each += size * normal(random);
                EXPECT_GE(value_of(other, b, lambda), value - found.gap - 1e-12 * value);
            }
        }
}

}  // namespace
}  // namespace mercer
