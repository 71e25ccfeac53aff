#include "mercer/methods/nystroem/nystroem_ridge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "mercer/base/error.h"
#include "mercer/kernels/vectors/gaussian.h"
#include "methods/regression/regression_support.h"

namespace mercer {
namespace {

using namespace regression_testing;

nystroem_options on_centres(index centres, double tol) {
    nystroem_options o;
    o.n_centres = centres, o.tol = tol;
    return o;
}

// A target with values of 1e8 beside a target with values of 1: the small one is solved with the same relative
// accuracy.
TEST(nystroem_ridge, solves_each_of_several_targets) {
    const sample s = wave(400, 3, 5);
    const dataset x = dense_data(s.x);
    for (const bool offset : {false, true}) {
        matrix<double> y(400, 3), small(400, 1);
        for (index i = 0; i < 400; ++i) {
            const double at = s.y[static_cast<std::size_t>(i)];
            y(i, 0) = 1e8 * std::sin(3 * at), small(i, 0) = y(i, 1) = at, y(i, 2) = offset ? 7.7 : 0;
        }
        nystroem_options o = on_centres(60, 1e-6);
        o.alpha = 0.1, o.fit_intercept = offset;
        const auto all = fit_nystroem_ridge(make_rows(gaussian{0.5}, x), y.view(), o);
        EXPECT_EQ(all.status, fit_status::converged);
        EXPECT_TRUE(all.unsolved.empty());
        ASSERT_EQ(all.gaps.size(), 3u);
        EXPECT_LE(all.gaps[1], o.tol * all.objectives[1]);
        EXPECT_EQ(all.output_status(1), fit_status::converged);
        nystroem_options alone = on_centres(60, 1e-12);
        alone.alpha = 0.1, alone.fit_intercept = offset;
        const double least = fit_nystroem_ridge(make_rows(gaussian{0.5}, x), small.view(), alone).objective;
        EXPECT_NEAR(all.objectives[1], least, o.tol * least);
        EXPECT_NEAR(all.objectives[0] + all.objectives[1] + all.objectives[2], all.objective, 1e-9 * all.objective);
    }
}

TEST(nystroem_ridge, names_the_targets_that_are_not_solved) {
    const sample s = wave(400, 3, 5);
    const dataset x = dense_data(s.x);
    matrix<double> y(400, 2);
    for (index i = 0; i < 400; ++i) y(i, 1) = s.y[static_cast<std::size_t>(i)];  // the first is 0
    nystroem_options o = on_centres(20, 1e-14);
    o.alpha = 1e-6, o.max_iter = 1;
    const auto m = fit_nystroem_ridge(make_rows(gaussian{0.5}, x), y.view(), o);
    EXPECT_EQ(m.status, fit_status::step_limit);
    EXPECT_EQ(m.unsolved, std::vector<index>{1});
    EXPECT_EQ(m.output_status(0), fit_status::converged);
    EXPECT_EQ(m.output_status(1), fit_status::step_limit);
    EXPECT_EQ(m.residuals[0], 0);
    const auto read = model_file<nystroem_ridge_model>::parse(model_bytes(m), "a model");
    EXPECT_EQ(read.unsolved, m.unsolved);
    EXPECT_EQ(read.gaps, m.gaps);
    EXPECT_EQ(read.objectives, m.objectives);
    EXPECT_EQ(model_bytes(read), model_bytes(m));
}

// The unexplained trace determines the number of centres for every budget. A budget that is too small names the
// smallest one that suffices, also for twice as many centres.
TEST(nystroem_ridge, takes_the_same_centres_within_any_budget) {
    const sample s = wave(3000, 3, 6);
    const dataset x = dense_data(s.x);
    for (const double trace_tol : {0.0, 0.01})
        for (const bool doubling : {false, true}) {
            nystroem_options o = on_centres(150, 1e-3);
            o.trace_tol = trace_tol, o.doubling = doubling;
            const auto want = model_bytes(fit_nystroem_ridge(make_rows(gaussian{0.5}, x), column(s.y).view(), o));
            o.memory_bytes = std::size_t{1} << 20;
            double least = 0;
            try {
                fit_nystroem_ridge(make_rows(gaussian{0.5}, x), column(s.y).view(), o);
            } catch (const error& caught) {
                const std::string said = caught.what(), before = "centres take ";
                EXPECT_EQ(caught.code(), errc::memory);
                least = std::stod(said.substr(said.find(before) + before.size()));
            }
            ASSERT_GT(least, 1);
            o.memory_bytes = static_cast<std::size_t>(least * (1 << 20));
            EXPECT_EQ(model_bytes(fit_nystroem_ridge(make_rows(gaussian{0.5}, x), column(s.y).view(), o)), want);
        }
}

}  // namespace
}  // namespace mercer
