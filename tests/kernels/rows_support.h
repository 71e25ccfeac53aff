// The same rows in every storage, and kernel values to compare bit by bit.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/kernels/evaluation/evaluator.h"

namespace mercer::testing_support {

template <class U>
dataset dense_of(const matrix<double>& rows) {
    matrix<U> copy(rows.rows(), rows.cols());
    for (index i = 0; i < rows.rows() * rows.cols(); ++i) copy.data()[i] = static_cast<U>(rows.data()[i]);
    return dense<U>(std::move(copy));
}

template <class U>
dataset sparse_of(const matrix<double>& rows) {
    std::vector<index> start{0};
    std::vector<std::int32_t> col;
    std::vector<U> value;
    for (index i = 0; i < rows.rows(); ++i) {
        for (index a = 0; a < rows.cols(); ++a)
            if (rows(i, a) != 0)
                col.push_back(static_cast<std::int32_t>(a)), value.push_back(static_cast<U>(rows(i, a)));
        start.push_back(static_cast<index>(col.size()));
    }
    return sparse<U>(std::move(start), std::move(col), std::move(value), rows.cols());
}

template <class T>
matrix<T> values(const kernel& k, const dataset& x, const dataset& z) {
    matrix<T> out(x.size(), z.size());
    evaluator<T>(k, x, z).fill(out.view());
    return out;
}
template <class T>
matrix<T> values(const kernel& k, const dataset& x) {
    matrix<T> out(x.size(), x.size());
    evaluator<T>(k, x).fill(out.view());
    return out;
}

template <class T>
void same_bits(const matrix<T>& a, const matrix<T>& b, const char* what) {
    for (index i = 0; i < a.rows(); ++i)
        for (index j = 0; j < a.cols(); ++j) ASSERT_EQ(a(i, j), b(i, j)) << what << " at " << i << ", " << j;
}

}  // namespace mercer::testing_support
