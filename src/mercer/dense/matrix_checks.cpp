#include "mercer/dense/matrix_checks.h"

#include <fmt/format.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/dense/gemm.h"

namespace mercer {

void require_finite(matrix_view<const double> a, const std::string& owner) {
    for (index i = 0; i < a.rows; ++i)
        for (index j = 0; j < a.cols; ++j)
            if (!std::isfinite(a(i, j)))
                fail(errc::data,
                     fmt::format("{}: the matrix must be finite, got {} at row {}, column {}", owner, a(i, j), i, j));
}

void require_finite_half(matrix_view<const double> a, const std::string& owner) {
    // If the sum of a row is not finite, an entry is not finite or the sum overflowed. The single entries are checked
    // only then.
    parallel_for(a.rows, [&](index i) {
        double sum = 0;
        for (index j = i; j < a.cols; ++j) sum += std::abs(a(i, j));
        if (!std::isfinite(sum))
            require_finite(a.block(i, i, 1, a.cols - i), fmt::format("{}, from row {} and column {} on", owner, i, i));
    });
}

void require_symmetric(matrix_view<const double> a, const std::string& owner) {
    if (a.rows != a.cols)
        fail(errc::invalid_argument, fmt::format("{}: the matrix must be square, got {} × {}", owner, a.rows, a.cols));
    const double most = 1e-8 * max_abs_entry(a);
    for (index i = 0; i < a.rows; ++i)
        for (index j = 0; j < i; ++j)
            if (std::abs(a(i, j) - a(j, i)) > most)
                fail(errc::invalid_argument,
                     fmt::format("{}: the matrix must be symmetric, got {} at ({}, {}) and {} at ({}, {})", owner,
                                 a(i, j), i, j, a(j, i), j, i));
}

}  // namespace mercer
