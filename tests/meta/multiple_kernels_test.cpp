#include "mercer/meta/multiple_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mercer/kernels/expression/algebra.h"
#include "mercer/solvers/interior_point/quadratic_program.h"
#include "methods/model_support.h"

namespace mercer {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<kernel> some_kernels() {
    return {kernel::parse("rbf(gamma=0.01)"), kernel::parse("rbf(gamma=0.1)"), kernel::parse("rbf(gamma=1)"),
            kernel::parse("linear()"), kernel::parse("poly(degree=2, coef0=1)")};
}

table some(const std::string& name, index every) {
    table all = sample(name), out;
    std::vector<index> rows;
    for (index i = 0; i < all.x.size(); i += every)
        rows.push_back(i), out.y.push_back(all.y[static_cast<std::size_t>(i)]);
    out.x = gather(all.x, std::span<const index>(rows));
    return out;
}

matrix<double> plain(const kernel& k, const dataset& x, double scale) {
    matrix<double> out(x.size(), x.size());
    evaluator<double>(k, x).block(row_set(0, x.size()), row_set(0, x.size()), out.view());
    for (double* v = out.data(); v < out.data() + out.rows() * out.cols(); ++v) *v /= scale;
    return out;
}

double norm(const std::vector<double>& v, double p) {
    double sum = 0;
    for (const double each : v) sum += std::pow(each, p);
    return std::pow(sum, 1 / p);
}

// J(d) by the general quadratic solver: max Σ pα - ½αᵀK_dα for one binary or regression problem.
double by_interior_point(const kernel_family& family, const std::vector<double>& d, const table& data,
                         const svm_options& o) {
    const index n = data.x.size(), twice = o.task == svm_task::epsilon_svr ? 2 : 1;
    matrix<double> K(n, n), Q(twice * n, twice * n), A(1, twice * n);
    for (index m = 0; m < family.count(); ++m) {
        const matrix<double> one =
            plain(family.parts()[static_cast<std::size_t>(m)], data.x, family.scales()[static_cast<std::size_t>(m)]);
        for (index i = 0; i < n * n; ++i) K.data()[i] += d[static_cast<std::size_t>(m)] * one.data()[i];
    }
    std::vector<double> p, low, high;
    double sum = 0;
    for (index t = 0; t < twice * n; ++t) {
        for (index s = 0; s < twice * n; ++s) Q(t, s) = K(t % n, s % n);
        A(0, t) = 1;
        const double y = data.y[static_cast<std::size_t>(t % n)];
        if (o.task == svm_task::c_svc) {
            const double sign = y == data.y[0] ? 1 : -1;
            p.push_back(-sign), low.push_back(sign > 0 ? 0 : -o.C), high.push_back(sign > 0 ? o.C : 0);
        } else if (o.task == svm_task::epsilon_svr) {
            p.push_back(-(t < n ? y - o.epsilon : y + o.epsilon));
            low.push_back(t < n ? 0 : -o.C), high.push_back(t < n ? o.C : 0);
        } else {
            p.push_back(0), low.push_back(0), high.push_back(1), sum += o.nu;
        }
    }
    qp_options finely;
    finely.tol = 1e-10;
    const qp_result found = solve_qp({Q.view(), p, {}, {}, low, high, A.view(), {&sum, 1}}, finely);
    return -found.primal;
}

struct setting {
    const char* name;
    index every;
    svm_options machine;
};
std::vector<setting> settings() {
    svm_options c, r, one;
    c.C = 5;
    r.task = svm_task::epsilon_svr, r.C = 10, r.epsilon = 1;
    one.task = svm_task::one_class, one.nu = 0.3;
    return {{"sonar.svm", 2, c}, {"heart_scale.svm", 3, c}, {"housing.svm", 5, r}, {"sonar.svm", 2, one}};
}

// The optimum lies between bound and objective. Another solver confirms this: J at the learnt weights is the objective,
// and J is nowhere below the bound, neither at single kernels, nor at equal weights, nor near the learnt weights.
TEST(multiple_kernels, what_is_learnt_is_the_optimum_for_every_task_and_norm) {
    for (const setting& s : settings())
        for (const double p : {1.0, 1.5, 2.0, 4.0}) {
            const table data = some(s.name, s.every);
            const kernel_family family(some_kernels(), data.x, true, std::size_t{1} << 28);
            multiple_kernel_options o;
            o.norm = p;
            o.tol = 1e-4;
            o.machine = s.machine;
            const learnt_weights found = learn_weights(family, data.y, o);
            const std::string about = std::string(s.name) + " " + name(s.machine.task) + " " + std::to_string(p);
            EXPECT_EQ(found.status, fit_status::converged) << about;
            EXPECT_GE(found.gap, -1e-9 * std::abs(found.objective)) << about;
            EXPECT_LE(found.gap, 1e-4 * std::max(std::abs(found.objective), std::abs(found.bound))) << about;
            for (const double d : found.weights) EXPECT_GE(d, 0);
            EXPECT_NEAR(norm(found.weights, p), 1, 1e-9) << about;
            const double least = found.bound - 1e-7 * std::abs(found.bound);
            const double at = by_interior_point(family, found.weights, data, s.machine);
            EXPECT_GE(at, least) << about;
            EXPECT_LE(at, found.objective + 1e-7 * std::abs(found.objective)) << about;
            for (std::size_t m = 0; m <= found.weights.size(); ++m) {
                std::vector<double> other(found.weights.size(), m == found.weights.size() ? 1.0 : 0.0),
                    near = found.weights;
                if (m < other.size()) other[m] = 1, near[m] += 0.05;
                for (auto* d : {&other, &near}) {
                    const double size = norm(*d, p);
                    for (double& each : *d) each /= size;
                    EXPECT_GE(by_interior_point(family, *d, data, s.machine), least) << about;
                }
            }
        }
}

TEST(multiple_kernels, several_classes_share_their_weights) {
    const table data = sample("wine.svm");
    const kernel_family family({kernel::parse("rbf(gamma=1e-5)"), kernel::parse("columns(rbf(gamma=0.5), [6])"),
                                kernel::parse("columns(linear(), [0, 6, 9])")},
                               data.x, true, std::size_t{1} << 28);
    for (const multiclass scheme : {multiclass::one_vs_one, multiclass::one_vs_rest}) {
        multiple_kernel_options o;
        o.machine.classes = scheme;
        const learnt_weights found = learn_weights(family, data.y, o);
        EXPECT_EQ(found.status, fit_status::converged);
        EXPECT_LE(found.gap, 1e-3 * found.objective);
        // Compared with each kernel alone: J is the sum of the objectives of the binary problems.
        for (index m = 0; m < family.count(); ++m) {
            std::vector<double> alone(3, 0.0);
            alone[static_cast<std::size_t>(m)] = 1;
            svm_options one = o.machine;
            one.tol = 1e-5;
            const svm_model machine = fit_svm(family.sum(alone), data.x, data.y, one);
            double J = 0;
            for (const svm_report& r : machine.reports) J -= r.objective;
            EXPECT_GE(J, found.bound - 1e-4 * J) << m;
        }
    }
}

// If the matrices do not fit into memory, kernel values are recomputed and the result is the same.
TEST(multiple_kernels, needs_no_memory_for_matrices) {
    const table data = some("sonar.svm", 2);
    multiple_kernel_options o;
    o.tol = 1e-5;
    const learnt_weights kept =
        learn_weights(kernel_family(some_kernels(), data.x, true, std::size_t{1} << 28), data.y, o);
    const learnt_weights fresh = learn_weights(kernel_family(some_kernels(), data.x, true, 0), data.y, o);
    for (std::size_t m = 0; m < kept.weights.size(); ++m) EXPECT_NEAR(kept.weights[m], fresh.weights[m], 0.03);
    EXPECT_NEAR(kept.objective, fresh.objective, 2e-5 * kept.objective);
}

TEST(multiple_kernels, a_kernel_that_says_nothing_gets_no_weight) {
    const table data = some("heart_scale.svm", 1);
    const kernel_family family({kernel::parse("constant(c=1)"), kernel::parse("rbf(gamma=0.05)")}, data.x, true,
                               std::size_t{1} << 28);
    const learnt_weights found = learn_weights(family, data.y);
    EXPECT_EQ(found.status, fit_status::converged);
    EXPECT_NEAR(found.weights[0], 0, 0.02);  // the error that the allowed gap permits
}

TEST(multiple_kernels, one_kernel_and_twins) {
    const table data = some("sonar.svm", 3);
    const learnt_weights one = learn_weights(kernel_family({gaussian{0.1}}, data.x, true, 0), data.y);
    EXPECT_THAT(one.weights, ElementsAre(1));
    EXPECT_EQ(one.status, fit_status::converged);
    const learnt_weights twins =
        learn_weights(kernel_family({gaussian{0.1}, gaussian{0.1}}, data.x, true, std::size_t{1} << 26), data.y);
    EXPECT_EQ(twins.status, fit_status::converged);
    EXPECT_NEAR(twins.objective, one.objective, 3e-3 * one.objective);
}

TEST(multiple_kernels, says_what_it_cannot_do) {
    const table data = some("sonar.svm", 3);
    const kernel_family family({gaussian{0.1}, linear{}}, data.x, true, 0);
    multiple_kernel_options o;
    o.norm = 0.5;
    EXPECT_THAT(failure([&] { learn_weights(family, data.y, o); }), HasSubstr("1 <= norm"));
    o.norm = 1, o.machine.C = std::numeric_limits<double>::infinity();
    EXPECT_THAT(failure([&] { learn_weights(family, data.y, o); }), HasSubstr("C < infinity"));
    o.machine.C = 1, o.machine.task = svm_task::nu_svc;
    EXPECT_THAT(failure([&] { learn_weights(family, data.y, o); }), HasSubstr("svc, svr and one_class_svm"));
    EXPECT_THAT(failure([&] { kernel_family({kernel::parse("sigmoid()")}, data.x, true, 0); }),
                HasSubstr("not proven"));
    EXPECT_THAT(failure([&] { summands("rbf(gamma=?) + linear()"); }), HasSubstr("gamma=?"));
}

TEST(multiple_kernels, stopped_it_keeps_the_best_so_far) {
    const table data = some("sonar.svm", 2);
    const kernel_family family(some_kernels(), data.x, true, std::size_t{1} << 26);
    multiple_kernel_options o;
    o.tol = 1e-9;
    o.max_iter = 2;
    const learnt_weights few = learn_weights(family, data.y, o);
    EXPECT_EQ(few.status, fit_status::step_limit);
    EXPECT_EQ(few.machines, 2);
    EXPECT_GT(few.gap, 0);
    o.progress = [](const fit_progress&) { return false; };
    o.max_iter = 100;
    EXPECT_EQ(learn_weights(family, data.y, o).status, fit_status::cancelled);
}

TEST(kernel_family, summands_without_their_factors) {
    std::vector<std::string> texts;
    for (const kernel& k : summands("?*rbf(gamma=1) + 0.5*(linear() + ?*poly(degree=2, gamma=1, coef0=1))"))
        texts.push_back(k.text());
    EXPECT_THAT(texts, ElementsAre("rbf(gamma=1)", "linear()", "poly(degree=2, gamma=1, coef0=1)"));
    EXPECT_EQ(weighted_sum(summands("rbf(gamma=1) + linear()"), std::vector{0.5, 0.0}).text(), "0.5*rbf(gamma=1)");
}

}  // namespace
}  // namespace mercer
