#include "mercer/inspection/leave_one_out.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/inspection/margin_report.h"
#include "mercer/kernels/vectors/linear.h"
#include "mercer/methods/svm/cross_validation.h"
#include "mercer/metrics/metrics.h"
#include "methods/svm/svm_support.h"

namespace mercer::svm_testing {
namespace {

TEST(leave_one_out, skipping_changes_nothing_and_the_bound_holds) {
    for (const auto& [file, step] :
         {std::pair{"heart_scale.svm", 4}, std::pair{"iris.svm", 3}, std::pair{"wine.svm", 4}}) {
        const sample s = every(standardised(load(file)), static_cast<std::size_t>(step));
        const dataset x = dense_data(s.x);
        const kernel k = kernel::parse("rbf(gamma=0.2)");
        const svm_options o = options_for(svm_task::c_svc, 2, 1e-7);
        const svm_model model = fit_svm(k, x, s.y, o);
        const shared_gram K(k, x, std::size_t{64} << 20);
        const error_estimate quick = leave_one_out(K, s.y, o, model), all = leave_one_out(K, s.y, o, model, {}, false);
        EXPECT_EQ(quick.wrong, all.wrong);
        EXPECT_EQ(quick.fits, static_cast<index>(model.support_rows.size()));
        EXPECT_EQ(all.fits, s.size());
        EXPECT_LE(quick.rate(), report_margins(model, x, s.y).support_share());
        // n folds give the same estimate, with fits from scratch.
        const auto n_folds = plain_folds(s.size(), static_cast<int>(s.size()), make_random_below(1));
        EXPECT_EQ(s.size() - count_correct(s.y, cross_predict(K, s.y, o, n_folds).values), all.wrong);
        const error_estimate folds = cross_validation(K, s.y, o, 5);
        EXPECT_EQ(folds.size, s.size());
        EXPECT_LT(folds.rate(), 0.5);
    }
}

TEST(leave_one_out, tells_of_fits_that_did_not_converge) {
    const sample s = every(standardised(load("heart_scale.svm")), 6);
    const dataset x = dense_data(s.x);
    const kernel k = kernel::parse("rbf(gamma=0.2)");
    svm_options o = options_for(svm_task::c_svc, 2);
    const svm_model model = fit_svm(k, x, s.y, o);
    const shared_gram K(k, x, std::size_t{64} << 20);
    EXPECT_EQ(leave_one_out(K, s.y, o, model).fit_outcomes.unfinished, 0);
    o.max_steps = 1;
    o.tol = 1e-9;
    EXPECT_GT(leave_one_out(K, s.y, o, model, {}, false).fit_outcomes.unfinished, 0);
    const error_estimate folds = cross_validation(K, s.y, o, 5);
    EXPECT_EQ(folds.fit_outcomes.unfinished, 5);
    EXPECT_EQ(folds.fit_outcomes.fits, 5);
}

TEST(leave_one_out, edges) {
    const dataset x = dense_data({{0, 0}, {2, 0}, {3, 0}});
    const std::vector<double> y{-1, 1, 1};
    const svm_options o = options_for(svm_task::c_svc, 10);
    const svm_model model = fit_svm(linear{}, x, y, o);
    const shared_gram K(linear{}, x, 1 << 20);
    const error_estimate found = leave_one_out(K, y, o, model);
    EXPECT_EQ(found.wrong, 1) << "nobody else knows the class of the first";
    EXPECT_EQ(found.size, 3);
    expect_error(errc::invalid_argument, "fitted on 3", [&] {
        leave_one_out(shared_gram(linear{}, dense_data({{0, 0}}), 1 << 20), std::vector<double>{1}, o, model);
    });
}

}  // namespace
}  // namespace mercer::svm_testing
