#include "mercer/inspection/margin_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>

#include "mercer/gram/gram_views.h"
#include "mercer/inspection/binary_problems.h"
#include "mercer/inspection/leave_one_out.h"
#include "mercer/inspection/margin_report_text.h"
#include "mercer/kernels/vectors/linear.h"
#include "mercer/kernels/vectors/polynomial.h"
#include "mercer/methods/svm/cross_validation.h"
#include "mercer/methods/svm/libsvm_model.h"
#include "mercer/methods/svm/svm_model.h"
#include "mercer/metrics/metrics.h"
#include "methods/svm/svm_support.h"

namespace mercer::svm_testing {
namespace {

// Conditions that hold for every soft margin solved to a gap.
void check_problem(const margin_problem& p, double gap) {
    EXPECT_TRUE(p.optimal());
    EXPECT_EQ(p.cases[0] + p.cases[1] + p.cases[2], p.size());
    EXPECT_EQ(p.sides[0] + p.sides[1] + p.sides[2] + p.sides[3], p.size());
    double products = 0, penalty = 0, sum = 0;
    for (const margin_example& e : p.examples) {
        EXPECT_GE(e.alpha, 0);
        EXPECT_LE(e.alpha, e.C * (1 + 1e-15));  // weights may be multiplied in another order
        EXPECT_NEAR(e.alpha + e.beta, e.C, 1e-12 * e.C);
        EXPECT_DOUBLE_EQ(e.slack, std::max(0.0, 1 - e.y * e.f));
        switch (e.kind) {  // the three cases, to the solver's gap
            case alpha_case::zero:
                EXPECT_EQ(e.alpha, 0);
                EXPECT_GE(e.y * e.f, 1 - gap - 1e-9);
                break;
            case alpha_case::free: EXPECT_NEAR(e.y * e.f, 1, gap + 1e-9); break;
            case alpha_case::bound:
                EXPECT_NEAR(e.alpha, e.C, 1e-15 * e.C);
                EXPECT_LE(e.y * e.f, 1 + gap + 1e-9);
                break;
        }
        EXPECT_EQ(e.side == margin_side::misclassified, e.slack > 1);
        products += e.alpha * (e.y * e.f - 1 + e.slack) + e.beta * e.slack;
        penalty += e.C;
        sum += e.alpha * e.y;
    }
    EXPECT_GE(p.duality_gap(), -1e-9 * std::abs(p.primal));
    EXPECT_LE(p.duality_gap(), penalty * gap + 1e-9 * std::abs(p.primal));
    EXPECT_NEAR(p.duality_gap(), products - p.b * sum, 1e-9 * std::abs(p.primal));
    EXPECT_LE(p.solver_gap, gap + 1e-9);
}

TEST(margin_report, two_points_by_hand) {
    const dataset x = dense_data({{0, 0}, {2, 0}});
    const std::vector<double> y{-1, 1};
    const svm_model hard = fit_svm(linear{}, x, y, options_for(svm_task::c_svc, infinity, 1e-9));
    const margin_problem p = report_margins(hard, x, y).problems.at(0);
    // w = (1, 0) up to the sign of class 0 (label -1): f > 0 is class -1, so f(x) = 1 - x₁.
    ASSERT_TRUE(p.normal);
    EXPECT_NEAR(p.normal->w[0], -1, 1e-9);
    EXPECT_NEAR(p.normal->w[1], 0, 1e-9);
    EXPECT_NEAR(p.b, 1, 1e-9);
    EXPECT_NEAR(p.margin, 1, 1e-9);
    for (const margin_example& e : p.examples) EXPECT_NEAR(e.alpha, 0.5, 1e-9);  // 2/‖a-b‖²
    EXPECT_EQ(p.margin_vectors, 2);
    EXPECT_EQ(p.sides[static_cast<std::size_t>(margin_side::on)], 2);
    EXPECT_NEAR(p.primal, 0.5, 1e-9);
    EXPECT_NEAR(p.dual, 0.5, 1e-9);
    EXPECT_NEAR(p.ball->squared_radius, 1, 1e-5);
    EXPECT_EQ(*p.vc_bound, 2);  // min(⌈1/1⌉, 2) + 1
    EXPECT_TRUE(p.optimal());

    // C = 0.1 < 0.5: both at the bound, w = 0.1·(2, 0) = (0.2, 0), and b anywhere in an interval: y - ⟨w, x⟩ is 1 - 0
    // and -1 + 0.4 with these signs.
    const svm_model soft = fit_svm(linear{}, x, y, options_for(svm_task::c_svc, 0.1, 1e-9));
    const margin_problem q = report_margins(soft, x, y).problems.at(0);
    EXPECT_EQ(q.cases[static_cast<std::size_t>(alpha_case::bound)], 2);
    EXPECT_EQ(q.margin_vectors, 0);
    EXPECT_NEAR(q.norm, 0.2, 1e-12);
    EXPECT_NEAR(q.b_low, -0.6, 1e-12);
    EXPECT_NEAR(q.b_high, 1, 1e-12);
    EXPECT_NEAR(q.b, 0.2, 1e-12);
    for (const margin_example& e : q.examples) EXPECT_NEAR(e.slack, 0.8, 1e-12);
    EXPECT_NEAR(q.primal, 0.02 + 0.1 * 1.6, 1e-12);
    EXPECT_NEAR(q.dual, 0.2 - 0.02, 1e-12);
    EXPECT_TRUE(q.optimal());
}

TEST(margin_report, exclusive_or_by_hand) {
    // (1 + x'z)² at the corners: K(i, i) = 9, all others 1; α = 1/8, ‖w‖² = Σα = 1/2, w is x₁x₂ alone.
    const dataset x = dense_data({{1, 1}, {-1, -1}, {1, -1}, {-1, 1}});
    const std::vector<double> y{1, 1, 0, 0};
    const svm_model model =
        fit_svm(polynomial{.degree = 2, .gamma = 1, .coef0 = 1}, x, y, options_for(svm_task::c_svc, infinity, 1e-9));
    const margin_report report = report_margins(model, x, y);
    const margin_problem& p = report.problems.at(0);
    for (const margin_example& e : p.examples) EXPECT_NEAR(e.alpha, 0.125, 1e-9);
    EXPECT_NEAR(p.b, 0, 1e-9);
    EXPECT_NEAR(p.squared_norm, 0.5, 1e-9);
    EXPECT_NEAR(p.margin, std::sqrt(2), 1e-9);
    ASSERT_TRUE(p.normal);
    ASSERT_EQ(p.normal->w.size(), 6u);
    for (std::size_t j = 0; j < 6; ++j)
        EXPECT_NEAR(std::abs(p.normal->w[j]), p.normal->names[j] == "sqrt2*x1*x2" ? std::sqrt(0.5) : 0, 1e-9)
            << p.normal->names[j];
    // Four points 4 apart: a regular simplex, R² = 16·3/8.
    EXPECT_NEAR(p.ball->squared_radius, 6, 1e-4);
    EXPECT_LE(p.ball->min_squared_radius, 6 + 1e-12);
    EXPECT_EQ(*p.dimension, 6);
    EXPECT_EQ(*p.vc_bound, 4);  // min(⌈6/2⌉, 6) + 1
    EXPECT_EQ(report.correct, 4);
    EXPECT_TRUE(p.optimal());
}

TEST(margin_report, the_theory_holds_on_real_data) {
    struct setting {
        const char* file;
        formula k;
        double C;
    };
    for (const auto& [file, k, C] :
         {setting{"heart_scale.svm", rbf(0.1), 1}, setting{"heart_scale.svm", poly(2, 0.1, 1), 3},
          setting{"sonar.svm", linear_kernel(), 0.5}, setting{"breast-cancer.svm", rbf(0.01), 100},
          setting{"iris.svm", rbf(0.5), 10}, setting{"wine.svm", linear_kernel(), 0.01}}) {
        SCOPED_TRACE(std::string(file) + " " + k.text);
        const sample s = standardised(load(file));
        const dataset x = dense_data(s.x);
        const svm_options o = options_for(svm_task::c_svc, C);
        const svm_model model = fit_svm(kernel::parse(k.text), x, s.y, o);
        const margin_report report = report_margins(model, x, s.y);
        EXPECT_EQ(report.problems.size(), model.offset.size());
        for (const margin_problem& p : report.problems) {
            check_problem(p, o.tol);
            if (p.normal) {
                EXPECT_LE(p.normal->largest_difference, 1e-9 * (1 + p.norm));
            }
            ASSERT_TRUE(p.ball);
            EXPECT_LE(p.ball->gap(), 1.01e-6 * p.ball->squared_radius);
            if (p.dimension) {
                EXPECT_LE(*p.vc_bound, static_cast<double>(*p.dimension) + 1);
            }
        }
        EXPECT_EQ(report.correct, count_correct(s.y, predict(model, x)));
        EXPECT_FALSE(report_text(report, {"data", {}}).empty());
    }
}

TEST(margin_report, weights_give_every_example_its_own_C) {
    const sample s = every(standardised(load("heart_scale.svm")), 2);
    const dataset x = dense_data(s.x);
    svm_options o = options_for(svm_task::c_svc, 2);
    o.class_weight = {{1, 3}};
    for (std::size_t i = 0; i < s.y.size(); ++i) o.sample_weight.push_back(i % 7 == 0 ? 0.0 : i % 3 == 0 ? 0.25 : 1.0);
    const svm_model model = fit_svm(kernel::parse("rbf(gamma=0.1)"), x, s.y, o);
    margin_options how;
    how.class_weight = o.class_weight;
    how.sample_weight = o.sample_weight;
    const margin_report report = report_margins(model, x, s.y, how);
    check_problem(report.problems.at(0), o.tol);
    index present = 0;
    for (const double w : o.sample_weight) present += w > 0;
    EXPECT_EQ(report.n, present);
    for (const margin_example& e : report.problems[0].examples)
        EXPECT_DOUBLE_EQ(e.C, 2 * o.sample_weight[static_cast<std::size_t>(e.row)] *
                                  (s.y[static_cast<std::size_t>(e.row)] == 1 ? 3 : 1));
    EXPECT_FALSE(report_margins(model, x, s.y).problems[0].optimal()) << "without the weights it is another problem";
}

TEST(margin_report, nu_classification_is_a_C_classification) {
    const sample s = standardised(load("heart_scale.svm"));
    const dataset x = dense_data(s.x);
    svm_options o = options_for(svm_task::nu_svc, 1, 1e-6);
    o.nu = 0.4;
    const kernel k = kernel::parse("rbf(gamma=0.05)");
    const svm_model nu = fit_svm(k, x, s.y, o);
    const margin_report report = report_margins(nu, x, s.y);
    EXPECT_FALSE(report.C_inferred);
    const margin_problem& p = report.problems.at(0);
    EXPECT_TRUE(p.optimal());
    // Σα = νn·C after rescaling.
    double sum = 0;
    for (const margin_example& e : p.examples) sum += e.alpha;
    EXPECT_NEAR(sum, 0.4 * static_cast<double>(s.size()) * p.C, 1e-6 * sum);
    const margin_problem c =
        report_margins(fit_svm(k, x, s.y, options_for(svm_task::c_svc, p.C, 1e-6)), x, s.y).problems.at(0);
    EXPECT_NEAR(c.dual, p.dual, 1e-4 * c.dual);
    EXPECT_NEAR(c.margin, p.margin, 1e-3 * c.margin);
}

// C = 1/ρ = Σα/(νn), which no multiplier reaches where ν is small; also with weights, after a file, and for each pair.
TEST(margin_report, C_of_nu_classification_is_one_over_rho) {
    sample s = clouds(40, 2, 2, 3, 7);
    const dataset x = dense_data(s.x);
    const kernel k = kernel::parse("rbf(gamma=0.3)");
    for (const bool weighted : {false, true})
        for (const double nu : {0.02, 0.05, 0.1, 0.3, 0.5}) {
            svm_options o = options_for(svm_task::nu_svc, 1, 1e-8);
            o.nu = nu;
            double total = 0;
            for (index i = 0; i < x.size(); ++i) {
                if (weighted) o.sample_weight.push_back(1 + 0.25 * static_cast<double>(i % 3));
                total += weighted ? o.sample_weight.back() : 1;
            }
            const svm_model fitted = fit_svm(k, x, s.y, o);
            const svm_model read = parse_model<svm_model>(model_bytes(fitted), "a model");
            margin_options how;
            how.sample_weight = o.sample_weight;
            for (const svm_model* model : {&fitted, &read}) {
                const margin_problem p = report_margins(*model, x, s.y, how).problems.at(0);
                double sum = 0;
                for (const margin_example& e : p.examples) sum += e.alpha;
                const double C = sum / (nu * total);
                EXPECT_NEAR(p.C, C, 1e-9 * C);
                EXPECT_EQ(p.cases[2], std::ranges::count_if(p.examples, [&](const margin_example& e) {
                              const double weight = weighted ? how.sample_weight[static_cast<std::size_t>(e.row)] : 1;
                              return e.alpha > C * weight * (1 - 1e-6);
                          }));
                EXPECT_TRUE(p.optimal());
                EXPECT_TRUE(p.no_bounds.empty()) << p.no_bounds;
            }
        }
}

TEST(margin_report, says_where_nu_classification_has_no_margin) {
    sample s;
    for (int copy = 0; copy < 5; ++copy)
        for (const auto& [a, b, label] : {std::tuple{0, 0, 1}, {1, 1, 1}, {0, 1, -1}, {1, 0, -1}})
            s.x.push_back({static_cast<double>(a), static_cast<double>(b)}), s.y.push_back(label);
    const dataset x = dense_data(s.x);
    const svm_model model = fit_svm(linear{}, x, s.y, options_for(svm_task::nu_svc, 1, 1e-6));
    EXPECT_TRUE(model.lacks_margin());
    EXPECT_TRUE(parse_model<svm_model>(model_bytes(model), "a model").lacks_margin());
    EXPECT_NE(report_margins(model, x, s.y)
                  .problems.at(0)
                  .no_bounds.find("for these classes: no function separates them with a"),
              std::string::npos);
    EXPECT_FALSE(fit_svm(kernel::parse("rbf(gamma=1)"), x, s.y, options_for(svm_task::nu_svc, 1, 1e-6)).lacks_margin());
}

TEST(margin_report, large_C_is_the_hard_margin) {
    sample s = load("iris.svm");
    s.x.resize(100), s.y.resize(100);  // setosa and versicolor: separable
    const dataset x = dense_data(s.x);
    const auto margin = [&](double C) {
        const margin_problem p =
            report_margins(fit_svm(linear{}, x, s.y, options_for(svm_task::c_svc, C, 1e-7)), x, s.y).problems.at(0);
        EXPECT_TRUE(p.optimal());
        return p.margin;
    };
    const double hard = margin(infinity);
    EXPECT_GT(margin(0.01), hard);
    EXPECT_NEAR(margin(1e6), hard, 1e-5 * hard);
}

TEST(margin_report, a_precomputed_matrix_and_a_kernel_agree) {
    const sample s = every(standardised(load("wine.svm")), 2);
    const matrix<double> K = gram_matrix(s.x, rbf(0.05));
    const svm_options o = options_for(svm_task::c_svc, 2, 1e-6);
    const margin_report a = report_margins(fit_svm_precomputed(K.view(), s.y, o), precomputed<double>(K.view()), s.y);
    const dataset x = dense_data(s.x);
    const margin_report b = report_margins(fit_svm(kernel::parse("rbf(gamma=0.05)"), x, s.y, o), x, s.y);
    ASSERT_EQ(a.problems.size(), 3u);
    EXPECT_EQ(a.correct, b.correct);
    for (std::size_t p = 0; p < 3; ++p) {
        EXPECT_NEAR(a.problems[p].margin, b.problems[p].margin, 1e-4 * b.problems[p].margin);
        EXPECT_NEAR(a.problems[p].dual, b.problems[p].dual, 1e-4 * b.problems[p].dual);
        EXPECT_EQ(a.problems[p].positive, b.problems[p].positive);
    }
}

TEST(margin_report, one_versus_rest) {
    const sample s = standardised(load("iris.svm"));
    const dataset x = dense_data(s.x);
    svm_options o = options_for(svm_task::c_svc);
    o.classes = multiclass::one_vs_rest;
    const margin_report report = report_margins(fit_svm(kernel::parse("rbf(gamma=0.5)"), x, s.y, o), x, s.y);
    ASSERT_EQ(report.problems.size(), 3u);
    for (const margin_problem& p : report.problems) {
        check_problem(p, o.tol);
        EXPECT_EQ(p.size(), 150);
        EXPECT_EQ(p.negative, "the rest");
    }
}

TEST(margin_report, models_of_files) {
    const table t = read_table(testing_support::data_file("heart_scale.svm"));
    const svm_model model = fit_svm(kernel::parse("rbf(gamma=0.1)"), t.x, t.y, options_for(svm_task::c_svc, 4));
    const margin_report direct = report_margins(model, t.x, t.y);
    const margin_report own = report_margins(parse_model<svm_model>(model_bytes(model), "own"), t.x, t.y);
    EXPECT_EQ(own.problems[0].primal, direct.problems[0].primal);
    EXPECT_FALSE(own.C_inferred);
    // LIBSVM's file does not say which examples the support vectors were, nor C.
    const svm_model foreign = parse_libsvm_model(libsvm_model_text(model), "foreign");
    const margin_report other = report_margins(foreign, t.x, t.y);
    EXPECT_TRUE(other.C_inferred);
    EXPECT_DOUBLE_EQ(other.problems[0].C, 4);
    EXPECT_NEAR(other.problems[0].primal, direct.problems[0].primal, 1e-9 * direct.problems[0].primal);
    EXPECT_TRUE(other.problems[0].optimal());
    for (std::size_t i = 0; i < direct.problems[0].examples.size(); ++i)
        EXPECT_EQ(other.problems[0].examples[i].kind, direct.problems[0].examples[i].kind);

    std::vector<double> flipped = t.y;
    for (double& each : flipped) each = -each;
    expect_error(errc::data, "model was fitted on other data, or the data",
                 [&] { report_margins(model, t.x, flipped); });
    expect_error(errc::data, "model was fitted on other data, or the data",
                 [&] { report_margins(foreign, t.x, flipped); });
    const table sonar = read_table(testing_support::data_file("sonar.svm"));
    expect_error(errc::data, "the model was fitted on 270 examples, but the data have 208: pass the data that",
                 [&] { report_margins(model, sonar.x, sonar.y); });
    const table iris = read_table(testing_support::data_file("iris.svm"));
    expect_error(errc::data, "not among the 2 classes", [&] { report_margins(model, iris.x, iris.y); });
}

TEST(margin_report, columns_that_no_support_vector_uses) {
    // Only the last example has a third coordinate and it is far from the margin, so LIBSVM's file has two columns.
    const std::vector<point> rows{{1, 2, 0}, {2, 1, 0}, {5, 6, 0}, {6, 5, 0}, {9, 9, 1}};
    const std::vector<double> y{0, 0, 1, 1, 1};
    const svm_model model = parse_libsvm_model(
        libsvm_model_text(fit_svm(linear{}, dense_data(rows), y, options_for(svm_task::c_svc))), "file");
    ASSERT_EQ(model.support.dims(), 2);
    for (const dataset& x : {dense_data(rows), sparse_data(rows)}) {
        const margin_report report = report_margins(model, x, y);
        EXPECT_TRUE(report.problems.at(0).optimal());
        ASSERT_TRUE(report.problems[0].normal);
        EXPECT_EQ(report.problems[0].normal->w.size(), 3u);
    }
}

TEST(margin_report, what_has_no_margin_is_refused) {
    const sample s = wave(30, 2, 1);
    const dataset x = dense_data(s.x);
    for (const svm_task task : {svm_task::epsilon_svr, svm_task::nu_svr, svm_task::one_class})
        expect_error(errc::unsupported, "no margin between classes",
                     [&] { report_margins(fit_svm(linear{}, x, s.y, options_for(task)), x, s.y); });
    const sample c = clouds(20, 2, 2, 0, 1);
    const dataset z = dense_data(c.x);
    const svm_model model = fit_svm(linear{}, z, c.y, options_for(svm_task::c_svc));
    margin_options how;
    how.sample_weight = {1, 2};
    expect_error(errc::invalid_argument, "2 sample weights", [&] { report_margins(model, z, c.y, how); });
    how = {};
    how.C = -1;
    expect_error(errc::invalid_argument, "C > 0", [&] { report_margins(model, z, c.y, how); });
}

TEST(margin_report, twins_and_a_kernel_that_is_none) {
    sample s = clouds(20, 2, 1, 0.1, 3);
    for (int i = 0; i < 20; ++i)
        s.x.push_back(s.x[static_cast<std::size_t>(i)]), s.y.push_back(s.y[static_cast<std::size_t>(i)]);
    const dataset x = dense_data(s.x);
    check_problem(report_margins(fit_svm(kernel::parse("rbf(gamma=1)"), x, s.y, options_for(svm_task::c_svc)), x, s.y)
                      .problems.at(0),
                  1e-3);
    const margin_report odd = report_margins(
        fit_svm(kernel::parse("sigmoid(gamma=2, coef0=1)"), x, s.y, options_for(svm_task::c_svc)), x, s.y);
    EXPECT_FALSE(odd.proven);
    EXPECT_GE(odd.problems[0].norm, 0);
    EXPECT_FALSE(report_json(odd, {"data", {}}).empty());
}

TEST(margin_report, objects_that_are_not_vectors) {
    const table t = read_table(testing_support::data_file("promoters.tsv"));
    const svm_model model =
        fit_svm(kernel::parse("normalize(spectrum(k=3))"), t.x, t.y, options_for(svm_task::c_svc, 10));
    const margin_report report = report_margins(parse_model<svm_model>(model_bytes(model), "own"), t.x, t.y);
    check_problem(report.problems.at(0), 1e-3);
    EXPECT_FALSE(report.problems[0].normal) << "features of strings are not written out";
    const std::vector<index> backwards = [&] {
        std::vector<index> rows;
        for (index i = t.x.size(); i-- > 0;) rows.push_back(i);
        return rows;
    }();
    std::vector<double> y(t.y.rbegin(), t.y.rend());
    expect_error(errc::data, "model was fitted on other data, or the data",
                 [&] { report_margins(model, gather(t.x, std::span<const index>(backwards)), y); });
    // A model without row numbers finds its support vectors in the data, at any position.
    svm_model stranger = model;
    for (auto& each : stranger.reports) each.size = 0;
    margin_options how;
    how.C = 10;
    const margin_report found = report_margins(stranger, gather(t.x, std::span<const index>(backwards)), y, how);
    EXPECT_NEAR(found.problems[0].primal, report.problems[0].primal, 1e-9 * report.problems[0].primal);
    EXPECT_TRUE(found.problems[0].optimal());
}

TEST(margin_report, more_examples_more_threads_the_same_bits) {
    const sample s = clouds(700, 3, 1.5, 0.05, 9);
    const dataset x = dense_data(s.x);
    const svm_model model = fit_svm(kernel::parse("rbf(gamma=0.5)"), x, s.y, options_for(svm_task::c_svc));
    const auto told = [&](int count) {
        const thread_limit limit(count);
        return report_json(report_margins(model, x, s.y), {"data", {}});
    };
    EXPECT_EQ(told(1), told(4));
}

}  // namespace
}  // namespace mercer::svm_testing
