#include "mercer/kernels/series/global_alignment.h"

#include <algorithm>

#include "mercer/base/context.h"
#include "mercer/kernels/object_pairs.h"
#include "mercer/kernels/series/alignments.h"
#include "mercer/kernels/wide_number.h"

namespace mercer {
namespace {

// ln Σ over alignments of Π κ: m(i, j) = κ(i, j)·(m(i-1, j-1) + (m(i-1, j) + m(i, j-1))), m(0, 0) = 1.
double log_alignments(const one_series& x, const one_series& y, double sigma) {
    // Upper limit of t, which keeps the exponents in range; e^-1e12 is negligible in every sum.
    constexpr double most = 1e12;
    std::vector<wide_number> above(static_cast<std::size_t>(y.size()) + 1);
    above[0] = 1.0;
    cancellation_check stop_check;
    for (index i = 0; i < x.size(); ++i) {
        stop_check.count(10 * above.size());
        wide_number corner = above[0], left;
        above[0] = {};
        for (index j = 0; j < y.size(); ++j) {
            const double t = squared_distance_at(x, i, y, j) / sigma / sigma / 2;
            const wide_number g = wide_number::exp(-std::min(t, most)), up = above[static_cast<std::size_t>(j) + 1];
            left = g * wide_number(1 / (2 - g.value())) * (corner + (up + left));
            corner = up;
            above[static_cast<std::size_t>(j) + 1] = left;
        }
    }
    return above.back().log();
}

struct prepared_series {
    const one_series* values = nullptr;
    double self = 0;  // ln of the sum over the alignments of the series with itself
};

}  // namespace

int global_alignment::emit(plan_builder& code) const {
    return emit_ordered_pairs<series>(
        code, "global_alignment",
        [width = sigma](const one_series& x) {
            return prepared_series{&x, log_alignments(x, x, width)};
        },
        [width = sigma](const prepared_series& x, std::span<const prepared_series* const> others, double* out) {
            for (std::size_t p = 0; p < others.size(); ++p) {
                require_same_dims("global_alignment", *x.values, *others[p]->values);
                const double log = log_alignments(*x.values, *others[p]->values, width);
                out[p] = std::exp(log - (x.self + others[p]->self) / 2);
            }
        });
}

}  // namespace mercer
