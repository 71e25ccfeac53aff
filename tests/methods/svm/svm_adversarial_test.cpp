// Inputs made to break a solver: each fit must end soon, with a correct result or a clear status.
#include "mercer/methods/svm/cross_validation.h"
#include "methods/svm/svm_ends.h"

namespace mercer::svm_testing {
namespace {

TEST(svm_adversarial, identical_points_with_both_labels) {
    sample s = clouds(60, 2, 2, 0, 1);
    for (std::size_t i = 0; i < 20; ++i) s.x.push_back(s.x[i]), s.y.push_back(-s.y[i]);
    for (const double C : {0.1, 1.0, 100.0})
        for (const formula& k : {rbf(1), linear_kernel()}) ends(k, s, options_for(svm_task::c_svc, C), true);
    ends(rbf(1), s, options_for(svm_task::epsilon_svr, 10), true);
}

TEST(svm_adversarial, all_points_equal) {
    sample s{std::vector<point>(30, {1.5, -2}), {}};
    for (std::size_t i = 0; i < 30; ++i) s.y.push_back(i < 20 ? 1 : -1);
    for (const double C : {1e-3, 1.0, 1e6})
        for (const formula& k : {rbf(1), linear_kernel(), poly(2, 1, 1)}) {
            const svm_model m = ends(k, s, options_for(svm_task::c_svc, C), true);
            // The larger class wins, and no function is better than its label everywhere: Σξ = 2·10.
            EXPECT_EQ(predict(m, dense_data(s.x))[0], 1);
        }
    for (const auto task : {svm_task::one_class, svm_task::epsilon_svr, svm_task::nu_svr})
        ends(rbf(1), s, options_for(task), true);
    // No margin: every w ≠ 0 is worse than w = 0.
    const svm_model none = fit(rbf(1), s, options_for(svm_task::nu_svc));
    EXPECT_TRUE(none.reports[0].no_margin);
    EXPECT_EQ(none.reports[0].status, fit_status::converged);
    EXPECT_NEAR(decide(none, dense_data(s.x))(0, 0), 0, 1e-12);
}

TEST(svm_adversarial, a_kernel_matrix_of_zeros) {
    const sample s{std::vector<point>(12, {0, 0}), {1, -1, 1, -1, 1, -1, 1, -1, 1, 1, 1, 1}};
    const matrix<double> K(12, 12);
    for (const auto task : {svm_task::c_svc, svm_task::one_class, svm_task::epsilon_svr, svm_task::nu_svr}) {
        const svm_options o = options_for(task);
        svm_contract::check_svm(fit_svm_precomputed(K.view(), s.y, o), {o, s.y, K.view()});
    }
    EXPECT_TRUE(fit_svm_precomputed(K.view(), s.y, options_for(svm_task::nu_svc)).reports[0].no_margin);
    EXPECT_EQ(
        failure([&] { fit_svm_precomputed(K.view(), s.y, options_for(svm_task::c_svc, infinity)); }).substr(0, 10),
        "infeasible");
}

TEST(svm_adversarial, one_class_only_is_an_error_for_classifiers) {
    sample s = clouds(10, 2, 1, 0, 1);
    for (double& y : s.y) y = 4;
    EXPECT_EQ(why(rbf(1), s, options_for(svm_task::c_svc)),
              "bad data: svm: at least two classes are needed, the 10 examples all have label 4");
    // by weights
    s.y[3] = 5;
    svm_options o = options_for(svm_task::nu_svc);
    o.sample_weight.assign(10, 1.0);
    o.sample_weight[3] = 0;
    EXPECT_EQ(why(rbf(1), s, o), "bad data: svm: at least two classes are needed, the 9 examples all have label 4");
    o.sample_weight.assign(10, 0.0);
    EXPECT_EQ(why(rbf(1), s, o), "bad data: svm: all sample weights are zero");
}

TEST(svm_adversarial, constant_and_empty_columns) {
    sample s = clouds(100, 3, 2, 0.05, 2);
    for (auto& x : s.x) x[1] = 3, x.push_back(0), x.push_back(-7e3);
    for (const formula& k : {rbf(0.5), linear_kernel()}) ends(k, s, options_for(svm_task::c_svc), false);
    // all columns are constant
    for (auto& x : s.x) x = {3, 0};
    for (const formula& k : {rbf(0.5), linear_kernel()}) ends(k, s, options_for(svm_task::c_svc), true);
}

TEST(svm_adversarial, tiny_and_huge_C) {
    const sample heart = load("heart_scale.svm"), housing = standardised(load("housing.svm"));
    ends(rbf(0.1), heart, options_for(svm_task::c_svc, 1e-8), true);
    ends(linear_kernel(), heart, options_for(svm_task::c_svc, 1e-8), true);
    ends(rbf(0.1), housing, options_for(svm_task::epsilon_svr, 1e-8), true);
    ends(rbf(1), heart, options_for(svm_task::c_svc, 1e8), false);  // separable in this feature space
    ends(linear_kernel(), heart, options_for(svm_task::c_svc, 1e8), false);
    ends(linear_kernel(), heart, options_for(svm_task::c_svc, 1e6), false);
    ends(rbf(0.1), every(housing, 2), options_for(svm_task::epsilon_svr, 1e8), false);
}

TEST(svm_adversarial, tiny_and_huge_gamma) {
    const sample heart = load("heart_scale.svm");
    for (const auto task : {svm_task::c_svc, svm_task::one_class, svm_task::epsilon_svr, svm_task::nu_svr}) {
        // k = 1 everywhere, up to 1e-11
        ends(rbf(1e-12), heart, options_for(task), true);
        // k = 1 for equal points and 0 for others
        ends(rbf(1e12), heart, options_for(task), true);
    }
    ends(rbf(1e12), heart, options_for(svm_task::nu_svc), true);
    ends(rbf(1e-12), heart, options_for(svm_task::c_svc, 1e8), false);
    ends(rbf(1e-6), heart, options_for(svm_task::c_svc, 1e6), false);
    // If the kernel matrix is the identity, α = min(C, 1 ∓ b), and all examples are on the margin.
    const svm_model m = ends(rbf(1e12), heart, options_for(svm_task::c_svc, 10), true);
    EXPECT_EQ(m.support_rows.size(), heart.x.size());
}

TEST(svm_adversarial, columns_of_very_different_size) {
    sample s = clouds(150, 3, 2, 0.02, 4);
    for (auto& x : s.x) x[1] *= 1e9, x[2] = 1e9 + x[2];
    for (const double C : {1e-12, 1.0}) {
        ends(linear_kernel(), s, options_for(svm_task::c_svc, C), false);
        ends(linear_kernel(), s, options_for(svm_task::epsilon_svr, C), false);
    }
    ends(rbf(1), s, options_for(svm_task::c_svc), true);       // far apart: the identity
    ends(rbf(1e-18), s, options_for(svm_task::c_svc), false);  // only the second column has an effect
    ends(linear_kernel(), s, options_for(svm_task::one_class), false);
}

// Values of a polynomial far from the origin differ only in their last digits: rounding makes curvatures negative
// although the problem is convex.
TEST(svm_adversarial, curvature_lost_to_rounding) {
    index concave = 0;
    for (const unsigned seed : {1u, 2u, 3u, 4u}) {
        sample s = clouds(200, 30, 1, 0.2, seed);
        // Two distant groups: with one group the solver would subtract the common part of all kernel values.
        for (std::size_t i = 0; i < s.x.size(); ++i)
            for (double& v : s.x[i]) v = static_cast<float>(v + (i % 3 == 0 ? 1e5 : 2e5));
        const svm_model model = fit(poly(9, 1 / (30 * 4e10), 0), s, options_for(svm_task::c_svc, 80));
        EXPECT_EQ(model.worst_status(), fit_status::converged)
            << name(model.worst_status()) << ", gap " << model.largest_gap();
        concave += model.reports[0].concave_steps;
    }
    EXPECT_GT(concave, 0) << "the data no longer ask what they are here for";
}

TEST(svm_adversarial, a_tolerance_near_the_rounding_of_float) {
    // Centred data and a plane: w = 0 is the optimum, and the kernel matrix has a large null space.
    for (const double tol : {1e-6, 1e-9})
        ends(linear_kernel(), standardised(load("sonar.svm")), options_for(svm_task::one_class, 1, tol), false);
    svm_options o = options_for(svm_task::nu_svr, 10, 1e-9);
    ends(rbf(0.05), standardised(load("housing.svm")), o, false);
    ends(rbf(0.05), load("heart_scale.svm"), options_for(svm_task::c_svc, 10, 1e-10), false);
}

// α and α* of an example are equivalent for ε = 0: they form one variable, which is usually free.
TEST(svm_adversarial, regression_without_an_insensitive_zone) {
    const sample s = wave(400, 2, 5);
    for (const std::size_t memory : {std::size_t{1} << 18, std::size_t{200} << 20})
        for (const double C : {0.1, 10.0, 1000.0}) {
            svm_options o = options_for(svm_task::epsilon_svr, C, 1e-6);
            o.epsilon = 0;
            o.memory_bytes = memory;
            const svm_model m = ends(rbf(0.5), s, o, true);
            // As good as with a nearly closed zone and two variables per example: the difference is ε times Σ|α|.
            svm_options nearly = o;
            nearly.epsilon = 1e-9;
            EXPECT_NEAR(m.reports[0].objective, fit(rbf(0.5), s, nearly).reports[0].objective,
                        1e-9 * C * 400 + 1e-6 * std::abs(m.reports[0].objective));
        }
    svm_options hard = options_for(svm_task::epsilon_svr, infinity, 1e-6);
    hard.epsilon = 0;
    const sample few = every(s, 10);  // a function through all points
    const svm_model through = fit(rbf(5), few, hard);
    EXPECT_EQ(through.reports[0].status, fit_status::converged);
    for (std::size_t i = 0; i < few.x.size(); ++i) {
        double f = through.offset[0];
        for (std::size_t k = 0; k < through.support_rows.size(); ++k)
            f += through.coef(0, static_cast<index>(k)) *
                 rbf(5).value(few.x[static_cast<std::size_t>(through.support_rows[k])], few.x[i]);
        EXPECT_NEAR(f, few.y[i], 2e-6);
    }
}

TEST(svm_adversarial, kernel_values_beyond_float) {
    sample s = clouds(20, 2, 2, 0, 4);
    for (auto& x : s.x) x[1] *= 1e9;
    const std::string message = why(poly(5, 1, 0), s, options_for(svm_task::c_svc));
    EXPECT_EQ(message.substr(0, 65), "bad data: svm: kernel values must satisfy |k(x, x)| < 1e+30, got ") << message;
    matrix<double> K = gram_matrix(s.x, rbf(1));
    K(7, 7) = 1e300;
    EXPECT_EQ(failure([&] { fit_svm_precomputed(K.view(), s.y, options_for(svm_task::c_svc)); }),
              "bad data: svm: kernel values must satisfy |k(x, x)| < 1e+30, got inf for example 7: scale the data, or "
              "use another kernel");
}

TEST(svm_adversarial, numbers_that_are_none) {
    const sample good = clouds(20, 3, 2, 0, 4);
    for (const double bad : {infinity, -infinity, std::nan("")}) {
        sample s = good;
        s.x[13][2] = bad;
        for (const auto& x : {dense_data(s.x), sparse_data(s.x), dense_data<float>(s.x)}) {
            const std::string message =
                failure([&] { fit_svm(kernel::parse("rbf(gamma=1)"), x, s.y, options_for(svm_task::c_svc)); });
            EXPECT_EQ(message.substr(0, 9), "bad data:");
            EXPECT_NE(message.find("row 13"), std::string::npos) << message;
            EXPECT_NE(message.find("column 2"), std::string::npos) << message;
        }
        s = good;
        s.y[5] = bad;
        for (const auto task : {svm_task::c_svc, svm_task::epsilon_svr})
            EXPECT_EQ(why(rbf(1), s, options_for(task)).substr(0, 27), "bad data: svm: target 5 is ");
        EXPECT_EQ(why(rbf(1), s, options_for(svm_task::one_class)), "no error");  // it has no targets
        matrix<double> K = gram_matrix(good.x, rbf(1));
        K(4, 9) = bad;
        EXPECT_EQ(failure([&] { fit_svm_precomputed(K.view(), good.y, options_for(svm_task::c_svc)); }).substr(0, 52),
                  "bad data: svm: kernel matrix, row 4, column 9: " + std::string(bad > 0   ? "inf is"
                                                                                  : bad < 0 ? "-inf "
                                                                                            : "nan is")
                                                                          .substr(0, 5));
    }
}

TEST(svm_adversarial, options_out_of_range) {
    const sample s = clouds(20, 2, 2, 0, 4);
    const auto with = [&](auto change, svm_task task = svm_task::c_svc) {
        svm_options o = options_for(task);
        change(o);
        return why(rbf(1), s, o);
    };
    const double nan = std::nan("");
    for (const double bad : {0.0, -1.0, nan}) {
        EXPECT_EQ(with([&](auto& o) { o.C = bad; }).substr(0, 43), "invalid argument: svm: must satisfy C > 0, ");
        EXPECT_EQ(with([&](auto& o) { o.tol = bad; }).substr(0, 45), "invalid argument: svm: must satisfy tol > 0, ");
        EXPECT_EQ(with([&](auto& o) { o.nu = bad; }, svm_task::one_class).substr(0, 49),
                  "invalid argument: svm: must satisfy 0 < nu <= 1, ");
    }
    for (const double bad : {-1.0, nan, infinity})
        EXPECT_EQ(with([&](auto& o) { o.epsilon = bad; }, svm_task::epsilon_svr).substr(0, 60),
                  "invalid argument: svm: must satisfy 0 <= epsilon < infinity,");
    for (const double bad : {-1.0, nan, infinity}) {
        EXPECT_EQ(with([&](auto& o) { o.sample_weight.assign(20, 1.0), o.sample_weight[3] = bad; }).substr(0, 31),
                  "bad data: svm: sample weight 3 ");
        EXPECT_EQ(with([&](auto& o) {
                      o.class_weight = {{1, bad}};
                  }).substr(0, 45),
                  "invalid argument: svm: the weight of class 1 ");
    }
    EXPECT_EQ(with([&](auto& o) { o.C = infinity; }, svm_task::nu_svr),
              "invalid argument: svm: must satisfy C < infinity, got inf");
    EXPECT_EQ(with([&](auto& o) { o.sample_weight.assign(19, 1.0); }),
              "invalid argument: svm: 20 examples but 19 sample weights");
    EXPECT_EQ(failure([&] {
                  fit_svm(kernel::parse("rbf(gamma=1)"), dense_data(s.x), std::vector<double>(19, 1.0), svm_options{});
              }),
              "invalid argument: svm: 20 examples but 19 targets");
    EXPECT_EQ(failure([&] { fit_svm(kernel::parse("rbf(gamma=1)"), dense_data({}), {}, svm_options{}); }).substr(0, 9),
              "bad data:");
    // one-class learning ignores targets, whatever their number
    svm_options o = options_for(svm_task::one_class);
    EXPECT_EQ(fit_svm(kernel::parse("rbf(gamma=1)"), dense_data(s.x), {}, o).offset,
              fit_svm(kernel::parse("rbf(gamma=1)"), dense_data(s.x), std::vector<double>(3, 1.0), o).offset);
}

TEST(svm_adversarial, one_example) {
    const sample s{{{1.0, 2.0}}, {3.5}};
    for (const auto task : {svm_task::epsilon_svr, svm_task::nu_svr, svm_task::one_class}) {
        const svm_model m = ends(rbf(1), s, options_for(task), true);
        if (task != svm_task::one_class) {
            EXPECT_NEAR(predict(m, dense_data(s.x))[0], 3.5, 0.1 + 1e-9);
        }
    }
    EXPECT_EQ(why(rbf(1), s, options_for(svm_task::c_svc)).substr(0, 9), "bad data:");
}

TEST(svm_adversarial, huge_and_tiny_targets) {
    for (const double size : {1e-9, 1e9, 1e15}) {
        sample s = wave(200, 1, 3);
        for (double& y : s.y) y *= size;
        ends(rbf(1), s, options_for(svm_task::epsilon_svr, 1), size < 1e12);
        ends(rbf(1), s, options_for(svm_task::nu_svr, 1), false);
        ends(rbf(1), s, options_for(svm_task::epsilon_svr, size), false);
    }
    sample s = wave(1600, 1, 3);  // 3200 variables: more than one working set
    for (double& y : s.y) y *= 1e200;
    ends(rbf(1), s, options_for(svm_task::epsilon_svr, 1), false);
}

TEST(svm_adversarial, a_hundred_classes_of_two) {
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    sample s;
    for (int c = 0; c < 100; ++c)
        for (int i = 0; i < 2; ++i)
            s.x.push_back({10.0 * (c % 10) + 0.1 * normal(random), 10.0 * (c / 10) + 0.1 * normal(random)}),
                s.y.push_back(1000 - 3 * c);
    for (const auto scheme : {multiclass::one_vs_one, multiclass::one_vs_rest}) {
        svm_options o = options_for(svm_task::c_svc, 10);
        o.classes = scheme;
        const svm_model m = ends(rbf(0.5), s, o, true);
        EXPECT_EQ(m.problems(), scheme == multiclass::one_vs_one ? 4950 : 100);
        EXPECT_EQ(predict(m, dense_data(s.x)), s.y);
    }
}

TEST(svm_adversarial, a_kernel_that_is_none) {
    const sample s = standardised(load("sonar.svm"));
    svm_options o = options_for(svm_task::c_svc, 10);
    o.max_seconds = 10;
    const svm_model m = fit_svm(kernel::parse("sigmoid(gamma=0.5, coef0=-1)"), dense_data(s.x), s.y, o);
    const matrix<double> K =
        gram_matrix(s.x, {"", [](const point& a, const point& b) { return std::tanh(0.5 * dot(a, b) - 1); }});
    EXPECT_EQ(m.reports[0].status, fit_status::stationary);
    EXPECT_STREQ(name(m.reports[0].status), "stationary");
    for (const auto& b : svm_contract::take_apart(m, {o, s.y, K.view()})) {
        svm_contract::check_feasible(b);
        EXPECT_LE(svm_contract::recomputed_gap(b), o.tol + b.noise());  // the first-order conditions hold nevertheless
    }
    // On a line, tanh(1) + tanh(9) < 2 tanh(3): pairs with negative curvature, and enough labels to reach them.
    sample line = clouds(60, 1, 0, 0, 9);
    for (auto& x : line.x) x[0] = 2 + 2 * std::abs(x[0]);
    const svm_model c = fit_svm(kernel::parse("sigmoid(gamma=0.1, coef0=0)"), dense_data(line.x), line.y, o);
    EXPECT_EQ(c.reports[0].status, fit_status::stationary);
    EXPECT_GT(c.reports[0].concave_steps, 0);
    // The negative of a kernel: as concave as can be.
    const matrix<double> L =
        gram_matrix(s.x, {"", [](const point& a, const point& b) { return -std::exp(-0.1 * squared_distance(a, b)); }});
    const svm_model n = fit_svm_precomputed(L.view(), s.y, o);
    EXPECT_EQ(n.reports[0].status, fit_status::stationary);
    EXPECT_GT(n.reports[0].concave_steps, 0);
    for (const auto& b : svm_contract::take_apart(n, {o, s.y, L.view()}))
        EXPECT_LE(svm_contract::recomputed_gap(b), o.tol + b.noise());
}

}  // namespace
}  // namespace mercer::svm_testing
