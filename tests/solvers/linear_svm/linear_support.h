// Shared by the tests of the solvers that store w: an independent implementation of J, and its optimum.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "contracts/errors.h"
#include "mercer/data/vectors.h"
#include "methods/svm/svm_support.h"

namespace mercer::svm_testing {

using testing::expect_error;

// An independent implementation of J.
inline double objective(const sample& s, const std::vector<double>& w, double b, const std::vector<double>& C,
                        bool squared = false) {
    double sum = dot(w, w) / 2;
    for (std::size_t i = 0; i < s.x.size(); ++i) {
        const double loss = std::max(0.0, 1 - s.y[i] * (dot(w, s.x[i]) + b));
        sum += C[i] * (squared ? loss * loss : loss);
    }
    return sum;
}

// The optimum of J, computed by SMO with a small tolerance.
inline double optimum(const sample& s, double C) {
    const svm_model m = fit_svm(kernel::parse("linear()"), dense_data(s.x), s.y, options_for(svm_task::c_svc, C, 1e-7));
    EXPECT_EQ(m.worst_status(), fit_status::converged);
    return -m.reports[0].objective;
}

inline sample heart() { return load("heart_scale.svm"); }

}  // namespace mercer::svm_testing
