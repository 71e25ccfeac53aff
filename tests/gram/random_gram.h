// Random matrices, and kernel matrices of rank 3, for the tests of Gram matrices.
#pragma once

#include <algorithm>
#include <limits>

#include "contracts/kernel_contract.h"
#include "mercer/base/matrix_view.h"

namespace mercer::testing {

template <class T>
matrix<T> random_matrix(index rows, index cols, std::uint64_t seed = 1) {
    generator random(seed);
    matrix<T> made(rows, cols);
    for (index i = 0; i < rows * cols; ++i) made.data()[i] = static_cast<T>(uniform(random, -1, 1));
    return made;
}

template <class T>
matrix<T> random_kernel_matrix(index n) {
    const matrix<double> factor = random_matrix<double>(n, 3);
    matrix<T> made(n, n);
    for (index i = 0; i < n; ++i)
        for (index j = 0; j < n; ++j)
            for (index a = 0; a < 3; ++a) made(i, j) += static_cast<T>(factor(i, a) * factor(j, a));
    return made;
}

template <class T>
matrix<double> in_double(const matrix<T>& k) {
    matrix<double> made(k.rows(), k.cols());
    std::copy_n(k.data(), k.rows() * k.cols(), made.data());
    return made;
}

template <class T>
constexpr double rounding = 8 * std::numeric_limits<T>::epsilon();

}  // namespace mercer::testing
