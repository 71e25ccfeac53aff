#include "mercer/inspection/influence.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/inspection/binary_problems.h"
#include "mercer/inspection/margin_report_text.h"
#include "methods/svm/svm_support.h"

namespace mercer::svm_testing {
namespace {

TEST(influence, terms_sum_to_the_decision) {
    for (const auto scheme : {multiclass::one_vs_one, multiclass::one_vs_rest})
        for (const char* file : {"heart_scale.svm", "iris.svm"}) {
            const sample s = standardised(load(file));
            const dataset x = dense_data(s.x);
            svm_options o = options_for(svm_task::c_svc, 2);
            o.classes = scheme;
            const formula k = rbf(0.2);
            const svm_model model = fit(k, s, o);
            const matrix<double> f = decide(model, x, arithmetic::exact);
            for (index row = 0; row < s.size(); row += 17) {
                const std::vector<influence> parts = compute_influences(model, x, row);
                ASSERT_EQ(static_cast<index>(parts.size()), model.problems());
                for (const influence& part : parts) {
                    double sum = part.offset, last = 1e300;
                    for (const influence_term& t : part.terms) {
                        EXPECT_DOUBLE_EQ(t.value, t.coefficient * t.kernel);
                        EXPECT_NEAR(t.kernel,
                                    k.value(s.x[static_cast<std::size_t>(t.row)], s.x[static_cast<std::size_t>(row)]),
                                    1e-12);
                        EXPECT_LE(std::abs(t.value), last);
                        last = std::abs(t.value);
                        sum += t.value;
                    }
                    EXPECT_NEAR(sum, f(row, part.problem), 1e-10);
                    EXPECT_NEAR(part.f, f(row, part.problem), 1e-10);
                    EXPECT_NEAR(part.positive + part.negative + part.offset, part.f, 1e-10);
                    // The selected terms determine the sign; one term fewer does not.
                    double seen = part.offset, left = 0;
                    for (index t = 0; t < static_cast<index>(part.terms.size()); ++t)
                        (t < part.deciding_terms ? seen : left) +=
                            t < part.deciding_terms ? part.terms[t].value : std::abs(part.terms[t].value);
                    if (part.deciding_terms < static_cast<index>(part.terms.size())) {
                        EXPECT_GT(std::abs(seen), left - 1e-12);
                    }
                }
                const explained_decision why = explain_decision(model, x, row, s.y[static_cast<std::size_t>(row)]);
                EXPECT_EQ(why.predicted_class,
                          class_text(model, class_numbers(model, predict(model, x))[static_cast<std::size_t>(row)]));
                EXPECT_EQ(why.parts.size(), why.classes.size());
                EXPECT_NE(decision_text(why, {"data", {}}).find("Why is row " + std::to_string(row)),
                          std::string::npos);
            }
        }
}

TEST(influence, wrong_rows_and_models_are_refused) {
    const sample s = clouds(20, 2, 2, 0, 1);
    const dataset x = dense_data(s.x);
    const svm_model model = fit(rbf(1), s, options_for(svm_task::c_svc));
    expect_error(errc::invalid_argument, "0 <= row < 20, got 20", [&] { compute_influences(model, x, 20); });
    expect_error(errc::invalid_argument, "got 1 kernel values",
                 [&] { compute_influences(model, std::vector<double>{1}); });
    expect_error(errc::unsupported, "precomputed", [&] {
        compute_influences(fit_svm_precomputed(gram_matrix(s.x, rbf(1)).view(), s.y, options_for(svm_task::c_svc)), x,
                           0);
    });
    expect_error(errc::unsupported, "only the decisions of a classifier can be explained, and this model is",
                 [&] { explain_decision(fit(rbf(1), s, options_for(svm_task::epsilon_svr)), x, 0); });
}

}  // namespace
}  // namespace mercer::svm_testing
