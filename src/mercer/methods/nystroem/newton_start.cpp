#include "mercer/methods/nystroem/newton_start.h"

#include <algorithm>
#include <limits>

#include "mercer/methods/nystroem/loss_passes.h"

namespace mercer {

using namespace points;

newton_start start_on_some(const nystroem_operator& k, row_losses& some, const gram_batches<double>& others,
                           row_losses& judges, double rows, const nystroem_newton_options& whole) {
    constexpr double too_near = 1.5;
    const double times = rows / static_cast<double>(k.exact->rows());
    nystroem_operator seen = k;
    seen.exact = &others;
    loss_passes judged(seen, judges, whole.intercept);
    newton_start best;
    double lowest = std::numeric_limits<double>::infinity();
    nystroem_newton_options o;
    o.lambda = whole.lambda / times, o.intercept = whole.intercept, o.tol = 1e-2,
    o.max_passes = std::min<index>(whole.max_passes, 100);
    if (whole.progress)
        o.progress = [&](index, double) { return whole.progress(0, std::numeric_limits<double>::infinity()); };
    o.level_done = [&](double level, const point& at, double own) {
        double p = sum(judged.at(at, true).value) * rows / static_cast<double>(others.rows());
        for (index c = 0; c < at.rows(); ++c)
            p += 0.5 * whole.lambda * smo::best_vector_ops().dot(at.row(c), at.row(c), k.basis->size());
        if (!(p < lowest) || p > too_near * own * times) return false;
        lowest = p, best = {at, level * times};
        return true;
    };
    nystroem_newton(k, some, o);
    return best;
}

}  // namespace mercer
