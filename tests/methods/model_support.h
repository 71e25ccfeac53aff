// Data sets and comparisons for the tests of fitted models.
#pragma once

#include <cmath>
#include <string>

#include "io/readers_support.h"
#include "mercer/io/libsvm.h"
#include "mercer/kernels/evaluation/evaluator.h"
#include "mercer/kernels/vectors/gaussian.h"
#include "mercer/kernels/vectors/linear.h"
#include "mercer/methods/svm/svm_model.h"

namespace mercer::testing_support {

inline table sample(const std::string& name) { return read_libsvm(data_file(name)); }

inline matrix<double> plain_matrix(const std::vector<std::vector<double>>& values) {
    matrix<double> m(static_cast<index>(values.size()), static_cast<index>(values.front().size()));
    for (index i = 0; i < m.rows(); ++i)
        std::copy(values[static_cast<std::size_t>(i)].begin(), values[static_cast<std::size_t>(i)].end(), m.row(i));
    return m;
}

inline void expect_same_numbers(const matrix<double>& a, const matrix<double>& b) {
    ASSERT_EQ(a.rows(), b.rows());
    ASSERT_EQ(a.cols(), b.cols());
    for (index i = 0; i < a.rows(); ++i)
        for (index j = 0; j < a.cols(); ++j) ASSERT_EQ(a(i, j), b(i, j)) << i << ", " << j;
}

}  // namespace mercer::testing_support
