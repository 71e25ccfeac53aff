// How far P(γ, b) = Σ loss(i, fᵢ) + λ/2 ‖γ‖², f = Φγ + b, is above its minimum at most, from its gradient there.
//
// Without offsets ‖g‖²/(2λ), for P bends by λ at least. An offset has no ridge. With s = |Σu| its slope, ΣD its
// curvature and κ the largest k(x, x) of the centres (and, it is assumed, of the rows), a change β of b either comes
// with a δ that takes half of it back somewhere, so that ‖δ‖ >= |β|/(2√κ) and P falls by no more than
//     (‖g‖ + 2√κ·s)²/(2λ),
// or no row takes half of it back, P is bent by a quarter of ΣD along it, and falls by no more than
//     ‖g‖²/(2λ) + 2s²/ΣD
// where curvatures stay. Those of logistic losses fall no faster than e^-|β|: ΣD·(t + (1 - t)log(1 - t)) with t = 2s/ΣD
// in place of 2s²/ΣD, and no bound from t = 1 on. For softmax, whose functions share rows (4√κ for 2√κ), and the
// squared hinge the second case holds near the minimum. The gap is the larger of the two cases.
#pragma once

#include "mercer/methods/nystroem/points.h"
#include "mercer/methods/nystroem/row_losses.h"

namespace mercer {

// m: where an offset stands in a row of g, if there is one.
struct gradient_shape {
    index m = 0, problems = 1;
    double lambda = 1, largest = 1;  // κ
    const points::numbers& bend;     // ΣD of each function
};
double gradient_gap(const points::point& g, const gradient_shape& shape, const row_losses& losses);
// The same as if curvatures stayed as they are: finite, for deciding how far to go.
double gradient_size(const points::point& g, const gradient_shape& shape);
// That of each problem.
points::numbers gradient_sizes(const points::point& g, const gradient_shape& shape);

}  // namespace mercer
