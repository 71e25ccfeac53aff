// Passes over the Nyström features Φ = K T⁻¹ of all rows (methods/nystroem/nystroem_basis.h), which nobody stores: for
// what is a product with Φ and its transpose, such as eigenvectors and means. The library's own use.
#pragma once

#include <span>

#include "mercer/methods/nystroem/nystroem.h"
#include "mercer/methods/nystroem/nystroem_basis.h"

namespace mercer {

matrix<double> turned(matrix_view<const double> a);
// Centres, kernel and numbers of a fit, for the functions it found.
void take_centres(kernel_expansion& f, nystroem_problem& posed, const kernel_rows& x);

class feature_passes {
public:
    // In float where that pays, else in double with up to `budget` bytes of K kept.
    feature_passes(const kernel_rows& x, const nystroem_problem& posed, const nystroem_basis& basis,
                   std::size_t budget);
    bool rough() const { return rough_.it != nullptr; }
    // Φᵀ step(Φ v), v and the result of M × any number; without v only Φᵀ step(0).
    matrix<double> operator()(matrix_view<const double> v, index cols, const row_step& step,
                              std::span<double> totals = {}) const;
    // step(Φ v) alone.
    void forward(matrix_view<const double> v, const row_step& step, std::span<double> totals = {}) const;

private:
    matrix<double> coefficients(matrix_view<const double> v) const;
    void round(matrix_view<const double> beta, const row_step& step, matrix_view<double> out,
               std::span<double> totals) const;

    const nystroem_basis& basis_;
    owned<gram_batches<float>> rough_;
    owned<gram_batches<double>> exact_;
};

}  // namespace mercer
