#include "mercer/methods/random_features/structured_frequencies.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/threads.h"
#include "mercer/dense/fast_transforms.h"

namespace mercer {
namespace {

void turn_signs(const double* signs, double* x, index p) {
    for (index a = 0; a < p; ++a) x[a] *= signs[a];
}
// H is p^½ times a matrix that keeps lengths.
double unit_of(index p) { return 1 / (static_cast<double>(p) * std::sqrt(static_cast<double>(p))); }

}  // namespace

index structured_frequencies::width_for(index dims) { return std::max(least_width, power_of_two_from(dims)); }

structured_frequencies draw_structured(index dims, index count, normal_numbers& random,
                                       const std::function<double()>& factor) {
    const index p = structured_frequencies::width_for(dims);
    structured_frequencies out;
    out.dims = dims;
    out.signs = matrix<double>(3 * structured_frequencies::blocks_for(count, p), p);
    for (index i = 0; i < out.signs.rows() * p; ++i) out.signs.data()[i] = random.uniform() < 0.5 ? -1 : 1;
    out.lengths.resize(static_cast<std::size_t>(count));
    for (double& length : out.lengths) length = factor() * random.chi(p);
    return out;
}

void structured_frequencies::angles(const linear_operand& x, index i, double* scratch, double* out) const {
    const index p = width();
    const auto hadamard = best_transform_ops().walsh_hadamard;
    double *row = scratch, *y = scratch + p;
    std::fill_n(row, p, 0.0);
    x.add(i, unit_of(p), row);
    for (index first = 0, b = 0; first < size(); first += p, ++b) {
        std::copy_n(row, p, y);
        for (index step = 0; step < 3; ++step) {
            turn_signs(signs.row(3 * b + step), y, p);
            hadamard(y, p);
        }
        for (index j = 0; j < std::min(p, size() - first); ++j)
            out[first + j] = lengths[static_cast<std::size_t>(first + j)] * y[j];
    }
}

// w_jᵀ = s_j·e_jᵀHD₁HD₂HD₃ is the transposed product applied to e_j, H and D being symmetric.
matrix<double> structured_frequencies::written_out() const {
    const index p = width();
    matrix<double> out(size(), dims);
    const auto hadamard = best_transform_ops().walsh_hadamard;
    parallel_runs(size(), 8, [&](index from, index end) {
        buffer<double> y(p);
        for (index j = from; j < end; ++j) {
            std::fill_n(y.data(), p, 0.0);
            y[j % p] = unit_of(p) * lengths[static_cast<std::size_t>(j)];
            for (index step = 3; step-- > 0;) {
                hadamard(y.data(), p);
                turn_signs(signs.row(3 * (j / p) + step), y.data(), p);
            }
            std::copy_n(y.data(), dims, out.row(j));
        }
    });
    return out;
}

}  // namespace mercer
