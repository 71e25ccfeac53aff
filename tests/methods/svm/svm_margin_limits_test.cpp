// Margins at their limits: ν with nearly no margin, and hard margins that do not exist.
#include "mercer/methods/svm/cross_validation.h"
#include "methods/svm/svm_ends.h"

namespace mercer::svm_testing {
namespace {

TEST(svm_adversarial, nu_at_its_limits) {
    sample s = clouds(40, 2, 6, 0, 4);
    for (std::size_t i = 0; i < 20; i += 2) s.y[i] = -1;  // 10 against 30
    svm_options o = options_for(svm_task::nu_svc);
    o.nu = 0.51;
    EXPECT_EQ(
        why(rbf(1), s, o),
        "infeasible: nu-svc: specified nu is infeasible: it must satisfy nu <= 0.5 for these class sizes, got 0.51");
    o.nu = 0.5;
    fit_and_check(rbf(1), s, o);
    o.nu = 1e-9;
    o.tol = 1e-13;  // α is at most νn/2, and so is F
    ends(rbf(4), s, o, false);
    for (const auto task : {svm_task::one_class, svm_task::nu_svr}) {
        svm_options t = options_for(task);
        t.nu = 1;
        fit_and_check(rbf(1), s, t);
        t.nu = 1e-9;
        fit_and_check(rbf(1), s, t);
    }
    // The corners of a square with alternating labels, and a linear kernel: both classes have the same mean, so there
    // is no margin.
    const sample square{{{1, 1}, {-1, -1}, {1, -1}, {-1, 1}}, {1, 1, -1, -1}};
    o = options_for(svm_task::nu_svc);
    o.nu = 0.9;
    EXPECT_TRUE(fit_and_check(linear_kernel(), square, o).reports[0].no_margin);
}

// Pair updates could change the last digits forever: the solver detects this. (These fits took 17 million steps before,
// and steps that F rounded away changed α by 1e-11.)
TEST(svm_adversarial, a_tolerance_below_rounding) {
    const sample s = clouds(120, 4, 1, 0.1, 5);
    for (const auto task : {svm_task::c_svc, svm_task::epsilon_svr, svm_task::one_class}) {
        svm_options o = options_for(task);
        o.tol = 1e-300;
        const svm_model m = fit(rbf(0.1), s, o);
        EXPECT_NE(m.reports[0].status, fit_status::converged);
        EXPECT_LT(m.reports[0].gap, 1e-12);
        EXPECT_LT(m.reports[0].steps, 100'000) << name(task);
    }
}

// ---- hard margins that do not exist ----

void expect_not_separable(const formula& k, const sample& s) {
    svm_options o = options_for(svm_task::c_svc, infinity);
    o.max_seconds = 30;
    try {
        const svm_model m = fit(k, s, o);
        FAIL() << k.text << ": no error but " << name(m.reports[0].status) << " after " << m.reports[0].steps
               << " steps, " << m.reports[0].seconds << " s, gap " << m.reports[0].gap;
    } catch (const error& e) {
        EXPECT_EQ(e.code(), errc::infeasible) << e.what();
        const std::string text = e.what();
        EXPECT_NE(text.find("cannot be separated"), std::string::npos) << text;
        // two examples, one of each class
        const auto at = text.find("examples ");
        ASSERT_NE(at, std::string::npos) << text;
        std::size_t a = 0, b = 0;
        ASSERT_EQ(std::sscanf(text.c_str() + at, "examples %zu and %zu", &a, &b), 2) << text;
        ASSERT_LT(std::max(a, b), s.y.size());
        EXPECT_NE(s.y[a], s.y[b]);
    }
}

TEST(svm_hard_margin, twins_with_both_labels) {
    sample s = clouds(30, 2, 8, 0, 5);
    s.x.push_back(s.x[3]);
    s.y.push_back(-s.y[3]);
    for (const formula& k : {rbf(1), linear_kernel(), poly(3, 1, 1)}) expect_not_separable(k, s);
}

// So close that only rounding distinguishes the points: a separating plane exists, but double precision cannot find it.
TEST(svm_hard_margin, near_twins_with_both_labels) {
    svm_options o = options_for(svm_task::c_svc, infinity);
    o.max_seconds = 600;  // under a sanitizer one of them takes a minute
    for (const unsigned seed : {1u, 2u, 3u, 4u})
        for (const double apart : {1e-6, 1e-8, 1e-10}) {
            sample s = clouds(600, 2, 1, 0.2, seed);
            for (std::size_t i = 1; i < s.x.size(); i += 2) {
                s.x[i] = {s.x[i - 1][0] + apart, s.x[i - 1][1] - apart};
                s.y[i] = -s.y[i - 1];
            }
            EXPECT_EQ(why(rbf(0.08), s, o).substr(0, 24), "infeasible: hard margin:") << seed << ", " << apart;
        }
}

TEST(svm_hard_margin, crosswise_corners_and_a_plane) {
    expect_not_separable(linear_kernel(), {{{1, 1}, {-1, -1}, {1, -1}, {-1, 1}}, {1, 1, -1, -1}});
    fit_and_check(poly(2, 1, 1), {{{1, 1}, {-1, -1}, {1, -1}, {-1, 1}}, {1, 1, -1, -1}},
                  options_for(svm_task::c_svc, infinity, 1e-6));
}

TEST(svm_hard_margin, random_labels_and_a_plane) { expect_not_separable(linear_kernel(), clouds(500, 5, 0, 0.5, 5)); }

TEST(svm_hard_margin, real_data_and_a_plane) { expect_not_separable(linear_kernel(), load("heart_scale.svm")); }

TEST(svm_hard_margin, many_points_and_a_plane) { expect_not_separable(linear_kernel(), clouds(2000, 3, 1, 0.1, 5)); }

TEST(svm_hard_margin, regression_that_cannot_pass) {
    sample s = wave(100, 1, 3);
    svm_options o = options_for(svm_task::epsilon_svr, infinity);
    o.epsilon = 0.01;
    const std::string message = why(linear_kernel(), s, o);
    EXPECT_EQ(message.substr(0, 33), "infeasible: svr: no function of t") << message;
}

// ν-classification decides by f/ρ, however small ρ is: the contract requires a gap that is small relative to ρ.
TEST(svm_adversarial, nu_with_a_small_margin) {
    for (const double nu : {0.02, 0.05, 0.1, 0.3})
        for (const std::uint64_t seed : {1, 2, 3}) {
            const sample s = clouds(500, 4, 0.3, 0.2, static_cast<unsigned>(seed));
            svm_options o = options_for(svm_task::nu_svc);
            o.nu = nu;
            for (const formula& k : {rbf(0.5), rbf(3)}) {
                SCOPED_TRACE(nu);
                EXPECT_FALSE(fit_and_check(k, s, o).reports[0].no_margin);
            }
        }
}

// Overlapping classes, a linear kernel and a small ν: the reduced convex hulls intersect. The optimum is w = 0, which
// the status reports; it is not an error.
TEST(svm_adversarial, nu_without_a_margin) {
    const sample s = clouds(200, 3, 0.1, 0.3, 6);
    svm_options o = options_for(svm_task::nu_svc);
    o.nu = 0.05;
    const svm_model m = fit(linear_kernel(), s, o);
    EXPECT_TRUE(m.reports[0].no_margin);
    EXPECT_EQ(m.reports[0].status, fit_status::converged);
    const auto b = svm_contract::take_apart(m, {o, s.y, gram_matrix(s.x, linear_kernel()).view()});
    svm_contract::check_feasible(b[0]);
    EXPECT_LT(std::sqrt(2 * m.reports[0].objective) / (0.05 * 200 / 2), 1e-3)
        << "points of the two hulls that are as good as one";
    // ν is feasible for all examples but not for those of every fold: there all α of the smaller class are at their
    // bounds.
    sample few = clouds(31, 2, 3, 0, 1);
    for (std::size_t i = 0; i < 31; ++i) few.y[i] = i < 10 ? 1 : -1;
    o.nu = 20.0 / 31;
    EXPECT_EQ(cross_predict(shared_gram(kernel::parse("rbf(gamma=1)"), dense_data(few.x), 1 << 20), few.y, o,
                            plain_folds(31, 5, make_random_below(1)))
                  .values.size(),
              31u);
    o.nu = 20.5 / 31;
    EXPECT_EQ(failure([&] {
                  cross_predict(shared_gram(kernel::parse("rbf(gamma=1)"), dense_data(few.x), 1 << 20), few.y, o,
                                plain_folds(31, 5, make_random_below(1)));
              }).substr(0, 10),
              "infeasible");
}

}  // namespace
}  // namespace mercer::svm_testing
