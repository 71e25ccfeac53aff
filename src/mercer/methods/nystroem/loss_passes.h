// Passes over K for the losses of functions f = Φγ + b (nystroem_basis.h): their values and first derivatives at a
// point, and their second derivatives times a direction. A point has a row for each function (points.h).
#pragma once

#include <span>
#include <utility>

#include "mercer/methods/nystroem/nystroem_newton.h"
#include "mercer/methods/nystroem/points.h"
#include "mercer/methods/nystroem/thinned_rows.h"

namespace mercer {

// Of the losses alone, without the ridge.
struct losses_at {
    points::numbers value;  // of each problem
    points::numbers bend;   // ΣD of each function
    points::point slope;    // Φᵀu, u the derivatives
};

class loss_passes {
public:
    loss_passes(const nystroem_operator& k, row_losses& losses, bool offset);

    // In double where `precisely`, else in float.
    losses_at at(const points::point& p, bool precisely);
    // At p and at 0, by one pass; of losses that do not depend on each other.
    std::pair<losses_at, losses_at> at_both_ends(const points::point& p, bool precisely);
    // ΦᵀDΦp, of the rows taken
    points::point curved(const points::point& p, bool precisely, const thinned_rows& rows) const;
    // β with b behind it, a column a function.
    matrix<double> coefficients(points::point p) const;

private:
    void add_curvatures(index first, index rows, double* sums) const;
    // Φᵀ step(Φp); without p it is 0.
    points::point pass(const points::point* p, const row_step& step, bool precisely, std::span<double> totals,
                       const row_filter& only = {}) const;

    const nystroem_operator& k_;
    row_losses& losses_;
    index m_, n_, r_;
};

}  // namespace mercer
