#include "mercer/gram/dense_gram.h"

#include <fmt/format.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/dense/dense_algebra.h"

namespace mercer {

asymmetry largest_asymmetry(matrix_view<const double> k) {
    asymmetry worst;
    for (index i = 0; i < k.rows; ++i)
        for (index j = 0; j < i; ++j)
            if (const double size = std::abs(k(i, j) - k(j, i)); size > worst.size) worst = {size, i, j};
    return worst;
}

matrix<double> formed(const gram<double>& k) {
    matrix<double> all(k.rows(), k.cols());
    k.block(selection(0, k.rows()), selection(0, k.cols()), all.view());
    return all;
}

void symmetrise(matrix<double>& a) {
    for (index i = 0; i < a.rows(); ++i)
        for (index j = 0; j < i; ++j) a(i, j) = a(j, i) = a(i, j) / 2 + a(j, i) / 2;
}

matrix<double> formed_symmetric(const gram<double>& k, const std::string& owner) {
    if (k.rows() != k.cols())
        fail(errc::invalid_argument,
             fmt::format("{}: the matrix must be square, got {} × {}", owner, k.rows(), k.cols()));
    matrix<double> all = formed(k);
    require_finite(all.view(), owner);
    const asymmetry worst = largest_asymmetry(all.view());
    if (worst.size > 1e-12 * largest_entry(all.view()))
        fail(errc::invalid_argument,
             fmt::format("{}: the matrix must be symmetric, got {} at ({}, {}) and {} at ({}, {})", owner,
                         all(worst.row, worst.col), worst.row, worst.col, all(worst.col, worst.row), worst.col,
                         worst.row));
    symmetrise(all);
    return all;
}

}  // namespace mercer
