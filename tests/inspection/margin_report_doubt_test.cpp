// Reports on models that are not optimal: the report names the violated condition and states no theorem.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mercer/gram/gram_views.h"
#include "mercer/inspection/margin_report.h"
#include "mercer/inspection/margin_report_text.h"
#include "mercer/kernels/vectors/linear.h"
#include "mercer/methods/svm/libsvm_model.h"
#include "methods/svm/svm_support.h"

namespace mercer::svm_testing {
namespace {

const kkt_violation& condition(const margin_problem& p, const std::string& name) {
    for (const kkt_violation& each : p.kkt)
        if (each.condition == name) return each;
    throw std::runtime_error("no condition " + name);
}

TEST(margin_report, a_wrong_alpha_is_found_by_name) {
    const sample s = standardised(load("heart_scale.svm"));
    const dataset x = dense_data(s.x);
    const svm_model good = fit_svm(kernel::parse("rbf(gamma=0.1)"), x, s.y, options_for(svm_task::c_svc));
    svm_model bad = good;
    bad.coef(0, 0) *= 1.5;  // a support vector of the first class
    const margin_problem p = report_margins(bad, x, s.y).problems.at(0);
    EXPECT_FALSE(p.optimal());
    EXPECT_FALSE(condition(p, "stationarity in b").holds());
    svm_model moved = good;
    moved.offset[0] += 0.5;
    const margin_problem q = report_margins(moved, x, s.y).problems.at(0);
    EXPECT_FALSE(condition(q, "complementary slackness of α").holds());
    EXPECT_TRUE(condition(q, "dual feasibility").holds());
    EXPECT_GE(q.duality_gap(), 0) << "weak duality holds for any b";
    svm_model beyond = good;
    beyond.C = 0.5;
    EXPECT_FALSE(condition(report_margins(beyond, x, s.y).problems.at(0), "dual feasibility").holds());
}

TEST(margin_report, what_is_not_solved_is_not_called_optimal) {
    const sample s = standardised(load("heart_scale.svm"));
    const dataset x = dense_data(s.x);
    svm_options o = options_for(svm_task::c_svc, 10);
    o.max_steps = 20;
    const svm_model early = fit_svm(kernel::parse("rbf(gamma=0.1)"), x, s.y, o);
    ASSERT_EQ(early.worst_status(), fit_status::step_limit);
    const margin_problem p = report_margins(early, x, s.y).problems.at(0);
    EXPECT_FALSE(p.claim_known);
    EXPECT_FALSE(p.optimal());
    EXPECT_GT(p.solver_gap, o.tol);
    EXPECT_GT(p.duality_gap(), 0);
    // A file without a tolerance is checked with the given tolerance, not with the reached gap.
    const svm_model foreign = parse_libsvm_model(libsvm_model_text(early), "foreign");
    margin_options how;
    how.C = 10;
    EXPECT_FALSE(report_margins(foreign, x, s.y, how).problems.at(0).optimal());
    how.tol = 100;
    EXPECT_FALSE(report_margins(foreign, x, s.y, how).problems.at(0).optimal()) << "no tolerance makes it an optimum";
    how.tol = 0;
    expect_error(errc::invalid_argument, "tol > 0", [&] { report_margins(foreign, x, s.y, how); });
}

void expect_no_theorem(const margin_report& report, const std::string& why) {
    EXPECT_FALSE(report.loo_bound());
    EXPECT_FALSE(report.problems.at(0).loo_bound());
    EXPECT_FALSE(report.problems.at(0).vc_bound);
    const std::string text = report_text(report, {"data", {}});
    for (const char* claim : {"at most", "<= #SV/n", "VC dimension", "is optimal"})
        EXPECT_EQ(text.find(claim), std::string::npos) << claim << "\n" << text;
    EXPECT_NE(text.find(why), std::string::npos) << text;
    EXPECT_NE(report_json(report, {"data", {}}).find("\"loo_bound\": null"), std::string::npos);
}

// The bounds hold only at the optimum.
TEST(margin_report, no_theorem_is_drawn_from_what_is_no_optimum) {
    const sample s = standardised(load("heart_scale.svm"));
    const dataset x = dense_data(s.x);
    const kernel k = kernel::parse("rbf(gamma=0.1)");
    svm_options o = options_for(svm_task::c_svc, 10);
    o.max_steps = 1;
    expect_no_theorem(report_margins(fit_svm(k, x, s.y, o), x, s.y), "the model is not optimal to within");
    svm_model nothing = fit_svm(k, x, s.y, o);  // all α = 0
    nothing.coef = matrix<double>(1, 0);
    nothing.support_rows.clear();
    nothing.support = gather(x, row_set(0, 0));
    nothing.class_support = {0, 0};
    expect_no_theorem(report_margins(nothing, x, s.y), "the model is not optimal to within");

    // A gap of 3 is reported and reached: every example is within it although the problem is not solved.
    const svm_model loose = fit_svm(k, x, s.y, options_for(svm_task::c_svc, 10, 3));
    ASSERT_EQ(loose.worst_status(), fit_status::converged);
    const margin_report report = report_margins(loose, x, s.y);
    EXPECT_FALSE(report.problems[0].optimal());
    for (const kkt_violation& each : report.problems[0].kkt)
        EXPECT_LE(each.allowed, 10 * (optimum_tolerance + 1e-6)) << each.condition;
    expect_no_theorem(report, "the model is not optimal to within");

    const margin_report solved = report_margins(fit_svm(k, x, s.y, options_for(svm_task::c_svc, 10)), x, s.y);
    EXPECT_EQ(solved.no_bounds(), "");
    EXPECT_EQ(*solved.loo_bound(), solved.support_share());
    // For a kernel without a proof the optimum need not be unique.
    const kernel tanh = kernel::parse("sigmoid(gamma=0.05, coef0=-1)");
    expect_no_theorem(report_margins(fit_svm(tanh, x, s.y, options_for(svm_task::c_svc, 1)), x, s.y), "no");
}

TEST(margin_report, a_hard_margin_has_no_negative_gap) {
    sample s = load("iris.svm");
    s.x.resize(100), s.y.resize(100);  // setosa and versicolor: separable
    const dataset x = dense_data(s.x);
    const double best =
        report_margins(fit_svm(linear{}, x, s.y, options_for(svm_task::c_svc, 1e9, 1e-9)), x, s.y).problems.at(0).dual;
    for (const double tol : {0.5, 1e-1, 1e-2, 1e-3, 1e-6}) {
        const margin_problem p =
            report_margins(fit_svm(linear{}, x, s.y, options_for(svm_task::c_svc, infinity, tol)), x, s.y)
                .problems.at(0);
        EXPECT_GE(p.primal, best * (1 - 1e-6)) << tol;
        EXPECT_LE(p.dual, best * (1 + 1e-6)) << tol;
        EXPECT_GE(p.duality_gap(), 0) << tol;
    }
    // A plane that misclassifies an example has no hard margin.
    svm_model turned = fit_svm(linear{}, x, s.y, options_for(svm_task::c_svc, infinity, 1e-3));
    turned.offset[0] += 100;
    EXPECT_TRUE(std::isinf(report_margins(turned, x, s.y).problems.at(0).primal));
}

}  // namespace
}  // namespace mercer::svm_testing
