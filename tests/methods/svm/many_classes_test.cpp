// Hundreds of classes of two examples: tens of thousands of binary problems.
#include <gtest/gtest.h>

#include <random>

#include "mercer/base/threads.h"
#include "mercer/data/all_kinds.h"
#include "mercer/gram/make_gram.h"
#include "mercer/methods/svm/svm_model.h"
#include "mercer/methods/svm/svm_solvers.h"
#include "methods/model_support.h"

namespace mercer {
namespace {

using namespace testing_support;

struct pairs_of_examples {
    dataset x;
    std::vector<double> y;
};

// Two examples near each of `classes` centres.
pairs_of_examples many_classes(index classes) {
    std::mt19937_64 random(7);
    std::normal_distribution<double> centre(0, 10), noise(0, 0.3);
    matrix<double> x(2 * classes, 3);
    std::vector<double> y;
    for (index c = 0; c < classes; ++c) {
        for (index j = 0; j < 3; ++j) {
            const double at = centre(random);
            x(2 * c, j) = at + noise(random), x(2 * c + 1, j) = at + noise(random);
        }
        y.insert(y.end(), 2, static_cast<double>(c));
    }
    return {dense<double>(std::move(x)), y};
}

matrix<double> kernel_values(const kernel& k, const dataset& a, const dataset& b) {
    matrix<double> out(a.size(), b.size());
    cpu_kernel_gram<double>(k, a, b).block(row_set(0, a.size()), row_set(0, b.size()), out.view());
    return out;
}

TEST(many_classes, one_summary_stands_for_more_reports_than_are_kept) {
    const pairs_of_examples few = many_classes(20), many = many_classes(258);
    svm_options o;
    EXPECT_EQ(std::ssize(fit_svm(kernel::parse("rbf(gamma=0.01)"), few.x, few.y, o).reports), 190);
    const svm_model m = fit_svm(kernel::parse("rbf(gamma=0.01)"), many.x, many.y, o);
    ASSERT_GT(m.problems(), max_reports);
    ASSERT_EQ(m.reports.size(), 1U);
    EXPECT_EQ(m.report_of(0), nullptr);
    EXPECT_EQ(m.reports[0].size, 4 * m.problems());
    EXPECT_GE(m.reports[0].steps, m.problems());
    EXPECT_LE(m.largest_gap(), o.tol);
    EXPECT_EQ(m.worst_status(), fit_status::converged);

    // A report for each problem took 106 bytes of text; the file now has coefficients and offsets of 8 bytes each.
    const std::string bytes = model_bytes(m);
    const index numbers = m.coef.rows() * m.coef.cols() + m.problems() + 8 * m.support.size() + 4 * 258;
    EXPECT_LT(std::ssize(bytes), 8 * numbers + 8192);
    const svm_model back = parse_model<svm_model>(bytes, "bytes");
    expect_same_numbers(back.coef, m.coef);
    EXPECT_EQ(back.offset, m.offset);
    EXPECT_EQ(back.reports.size(), 1U);
    EXPECT_EQ(back.reports[0].objective, m.reports[0].objective);
    EXPECT_EQ(predict(back, many.x), predict(m, many.x));
    const thread_limit alone(1);
    EXPECT_EQ(model_bytes(fit_svm(kernel::parse("rbf(gamma=0.01)"), many.x, many.y, o)), bytes);
}

TEST(many_classes, votes_without_decisions_are_those_of_the_decisions) {
    const pairs_of_examples many = many_classes(258);
    const kernel k = kernel::parse("rbf(gamma=0.01)");
    const svm_model m = fit_svm(k, many.x, many.y, {});
    const std::vector<double> expected = predict(m, decide(m, many.x, arithmetic::exact).view());
    EXPECT_EQ(predict(m, many.x), expected);
    EXPECT_EQ(predict_exactly(m, many.x), expected);
    const matrix<double> K = kernel_values(k, many.x, m.support);
    EXPECT_EQ(predict_precomputed(m, K.view()), predict(m, decide_precomputed(m, K.view()).view()));
}

TEST(many_classes, coefficients_that_are_mostly_zero_are_listed_in_the_file) {
    const pairs_of_examples many = many_classes(400);
    train_options o;
    o.svm.classes = multiclass::one_vs_rest;
    o.keep_examples = false;
    o.constant = 1;
    o.coordinate.max_epochs = 5;
    const kernel k = kernel::parse("linear()");
    const svm_model m = train_svm(svm_solver::dual_coordinate_descent, k, many.x, many.y, o).model;
    ASSERT_EQ(m.coef.rows(), 400);
    ASSERT_EQ(m.coef.cols(), 400);
    const std::string bytes = model_bytes(m);
    EXPECT_LT(bytes.size(), 200'000U);  // a table of 400 × 400 takes 1,280,000
    const svm_model back = parse_model<svm_model>(bytes, "bytes");
    expect_same_numbers(back.coef, m.coef);
    EXPECT_EQ(predict(back, many.x), predict(m, many.x));
    EXPECT_EQ(model_bytes(back), bytes);
}

}  // namespace
}  // namespace mercer
