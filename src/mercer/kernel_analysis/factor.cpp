#include "mercer/kernel_analysis/factor.h"

#include <cmath>
#include <limits>

#include "mercer/dense/dense_algebra.h"
#include "mercer/gram/dense_gram.h"

namespace mercer {

gram_factor factorise(const gram<double>& k, double tolerance) {
    constexpr double eps = std::numeric_limits<double>::epsilon();
    const matrix<double> all = formed_symmetric(k, "factor");
    const index n = all.rows();
    double top = 0;
    for (index i = 0; i < n; ++i) top = std::max(top, all(i, i));
    gram_factor made;
    made.tolerance = tolerance >= 0 ? tolerance : static_cast<double>(n) * eps * top;
    pivoted_factor found = pivoted_cholesky(all, made.tolerance);
    made.p = std::move(found.p);
    made.pivots = std::move(found.pivots);

    matrix<double> rest = product(made.p.view(), transposed::yes, made.p.view(), transposed::no);
    for (index i = 0; i < n; ++i)
        for (index j = 0; j < n; ++j) rest(i, j) = all(i, j) - rest(i, j);
    // |fl(PᵀP) - PᵀP| <= γ_rank |P|ᵀ|P|, whose Frobenius norm is at most ‖P‖_F².
    const double norm = frobenius_norm(all.view()), p_norm = frobenius_norm(made.p.view());
    made.residual = frobenius_norm(rest.view()) * (1 + static_cast<double>(n * n + 8) * eps) +
                    static_cast<double>(made.rank() + 2) * eps * p_norm * p_norm + eps * norm;
    made.relative = norm > 0 ? made.residual / norm : 0;
    double trace = 0;
    for (index i = 0; i < n; ++i) trace += std::abs(all(i, i));
    // Backward error of the factorisation: γ_{rank+1}·tr, and the same again for what was measured of it.
    made.allowed = static_cast<double>(n - made.rank()) * made.tolerance + 8 * static_cast<double>(n + 2) * eps * trace;
    return made;
}

}  // namespace mercer
