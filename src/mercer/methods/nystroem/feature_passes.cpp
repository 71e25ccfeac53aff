#include "mercer/methods/nystroem/feature_passes.h"

#include <fmt/format.h>

#include "mercer/base/communicator.h"
#include "mercer/base/error.h"

namespace mercer {

matrix<double> turned(matrix_view<const double> a) {
    matrix<double> out(a.cols, a.rows);
    for (index i = 0; i < a.rows; ++i)
        for (index j = 0; j < a.cols; ++j) out(j, i) = a(i, j);
    return out;
}

void take_centres(kernel_expansion& f, nystroem_problem& posed, const kernel_rows& x) {
    f.k = x.known_kernel(), f.x = std::move(posed.objects), f.rows = std::move(posed.centres);
    f.training_size = x.size();
}

feature_passes::feature_passes(const kernel_rows& x, const nystroem_problem& posed, const nystroem_basis& basis,
                               std::size_t budget)
    : basis_(basis),
      rough_(x.rough_passes(posed.objects, budget)),
      exact_(rough_.it ? owned<gram_batches<double>>() : x.passes(posed.objects, posed.centres, budget)) {}

matrix<double> feature_passes::operator()(matrix_view<const double> v, index cols, const row_step& step,
                                          std::span<double> totals) const {
    matrix<double> out(basis_.size(), cols);
    const matrix<double> beta = v.rows > 0 ? coefficients(v) : matrix<double>();
    round(beta.view(), step, out.view(), totals);
    matrix<double> rows = turned(out.view());
    basis_.to_gradient(rows.view());
    return turned(rows.view());
}

void feature_passes::forward(matrix_view<const double> v, const row_step& step, std::span<double> totals) const {
    round(coefficients(v).view(), step, {}, totals);
}

matrix<double> feature_passes::coefficients(matrix_view<const double> v) const {
    matrix<double> rows = turned(v);
    basis_.to_coefficients(rows.view());
    matrix<double> out = turned(rows.view());
    // The same at all processes, whose processors may round differently.
    if (const process_group* group = rough_.it ? rough_->processes() : exact_->processes())
        group->broadcast(out.data(), static_cast<std::size_t>(out.rows() * out.cols()) * sizeof(double));
    return out;
}

void feature_passes::round(matrix_view<const double> beta, const row_step& step, matrix_view<double> out,
                           std::span<double> totals) const {
    if (rough_.it)
        round_trip<float>(*rough_, beta, step, out, totals);
    else
        round_trip<double>(*exact_, beta, step, out, totals);
}

}  // namespace mercer
