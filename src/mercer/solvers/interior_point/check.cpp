// What a quadratic program must be before it is solved.
#include <fmt/format.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/infinity.h"
#include "mercer/dense/dense_algebra.h"
#include "mercer/solvers/interior_point/proofs.h"

namespace mercer {
namespace {

void check(const quadratic_program& q, const qp_options& options) {
    const auto n = static_cast<index>(q.p.size());
    const auto need = [](bool ok, const char* what, index got, index wanted) {
        if (!ok)
            fail(errc::invalid_argument, fmt::format("quadratic program: {} must be {}, got {}", what, wanted, got));
    };
    if (n == 0) fail(errc::invalid_argument, "quadratic program: there are no variables");
    if (!(options.tol > 0))
        fail(errc::invalid_argument, fmt::format("quadratic program: must satisfy tol > 0, got {}", options.tol));
    if (q.Q.rows > 0)
        need(q.Q.rows == n && q.Q.cols == n, "rows and columns of Q", q.Q.rows != n ? q.Q.rows : q.Q.cols, n);
    if (q.G.rows > 0) need(q.G.cols == n, "columns of G", q.G.cols, n);
    need(static_cast<index>(q.h.size()) == q.G.rows, "entries of h", static_cast<index>(q.h.size()), q.G.rows);
    if (q.A.rows > 0) need(q.A.cols == n, "columns of A", q.A.cols, n);
    need(static_cast<index>(q.b.size()) == q.A.rows, "entries of b", static_cast<index>(q.b.size()), q.A.rows);
    if (!q.lower.empty())
        need(static_cast<index>(q.lower.size()) == n, "lower bounds", static_cast<index>(q.lower.size()), n);
    if (!q.upper.empty())
        need(static_cast<index>(q.upper.size()) == n, "upper bounds", static_cast<index>(q.upper.size()), n);
    for (index i = 0; i < q.Q.rows; ++i)
        for (index j = i; j < n; ++j)
            if (!std::isfinite(q.Q(i, j)))
                fail(errc::data,
                     fmt::format("quadratic program: Q must be finite, got {} at row {}, column {}", q.Q(i, j), i, j));
    require_finite(q.G, "quadratic program, G");
    require_finite(q.A, "quadratic program, A");
    const auto finite = [](std::span<const double> v, const char* what) {
        for (std::size_t i = 0; i < v.size(); ++i)
            if (!std::isfinite(v[i]))
                fail(errc::data,
                     fmt::format("quadratic program: {} must be finite, got {} at position {}", what, v[i], i));
    };
    finite(q.p, "p");
    finite(q.h, "h");
    finite(q.b, "b");
    for (std::size_t i = 0; i < q.lower.size(); ++i)
        if (std::isnan(q.lower[i]) || q.lower[i] == infinity)
            fail(errc::data, fmt::format("quadratic program: lower bound {} is {}", i, q.lower[i]));
    for (std::size_t i = 0; i < q.upper.size(); ++i)
        if (std::isnan(q.upper[i]) || q.upper[i] == -infinity)
            fail(errc::data, fmt::format("quadratic program: upper bound {} is {}", i, q.upper[i]));
}

}  // namespace

qp_result solve_qp(const quadratic_program& problem, const qp_options& options) {
    check(problem, options);
    return solve_checked_qp(problem, options, true);
}

}  // namespace mercer
