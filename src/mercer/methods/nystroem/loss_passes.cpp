#include "mercer/methods/nystroem/loss_passes.h"

#include <algorithm>

#include "mercer/base/communicator.h"

namespace mercer {

using namespace points;

loss_passes::loss_passes(const nystroem_operator& k, row_losses& losses, bool offset)
    : k_(k), losses_(losses), m_(k.basis->size()), n_(m_ + (offset ? 1 : 0)), r_(losses.functions()) {}

losses_at loss_passes::at(const point& p, bool precisely) {
    const index problems = losses_.independent() ? r_ : 1;
    numbers totals(static_cast<std::size_t>(problems + r_));
    const auto step = [&](index first, matrix_view<double> f, double* sums) {
        losses_.derive(first, f, sums);
        add_curvatures(first, f.rows, sums + problems);
    };
    losses_at out;
    out.slope = pass(dot(p, p) == 0 ? nullptr : &p, step, precisely, totals);
    out.value.assign(totals.begin(), totals.begin() + problems);
    out.bend.assign(totals.begin() + problems, totals.end());
    return out;
}

std::pair<losses_at, losses_at> loss_passes::at_both_ends(const point& p, bool precisely) {
    point ends(2 * r_, n_);
    std::copy_n(p.data(), r_ * n_, ends.data());
    numbers totals(static_cast<std::size_t>(3 * r_));
    const auto step = [&](index first, matrix_view<double> f, double* sums) {
        losses_.derive(first, f.block(0, r_, f.rows, r_), sums + r_);
        losses_.derive(first, f.block(0, 0, f.rows, r_), sums);
        add_curvatures(first, f.rows, sums + 2 * r_);
    };
    const point slopes = pass(&ends, step, precisely, totals);
    const auto end = [&](index which) {
        losses_at out{{totals.begin() + which * r_, totals.begin() + (which + 1) * r_},
                      {totals.begin() + 2 * r_, totals.end()},
                      point(r_, n_)};
        std::copy_n(slopes.row(which * r_), r_ * n_, out.slope.data());
        return out;
    };
    return {end(0), end(1)};
}

point loss_passes::curved(const point& p, bool precisely, const thinned_rows& rows) const {
    if (rows.all())
        return pass(&p, [&](index first, matrix_view<double> f, double*) { losses_.curve(first, f); }, precisely, {});
    const auto step = [&](index row, matrix_view<double> f, double*) {
        losses_.curve(row, f);
        const double times = rows.times(row);
        for (index c = 0; c < f.cols; ++c) f(0, c) *= times;
    };
    return pass(&p, step, precisely, {}, [&](index row) { return rows.times(row) > 0; });
}

matrix<double> loss_passes::coefficients(point p) const {
    k_.basis->to_coefficients({p.data(), p.rows(), m_, n_});
    matrix<double> out(n_, p.rows());
    for (index j = 0; j < n_; ++j)
        for (index c = 0; c < p.rows(); ++c) out(j, c) = p(c, j);
    return out;
}

void loss_passes::add_curvatures(index first, index rows, double* sums) const {
    for (index c = 0; c < r_; ++c)
        for (index i = 0; i < rows; ++i) sums[c] += losses_.curvature(first + i, c);
}

point loss_passes::pass(const point* p, const row_step& step, bool precisely, std::span<double> totals,
                        const row_filter& only) const {
    const index columns = p ? p->rows() : r_;
    const process_group* group = k_.exact->processes();
    matrix<double> v, out(n_, columns);
    if (p) v = coefficients(*p);
    if (group && p) group->broadcast(v.data(), static_cast<std::size_t>(v.rows() * v.cols()) * sizeof(double));
    if (precisely)
        round_trip<double>(*k_.exact, v.view(), step, out.view(), totals, only);
    else
        round_trip<float>(*k_.rough, v.view(), step, out.view(), totals, only);
    point turned(columns, n_);
    for (index j = 0; j < n_; ++j)
        for (index c = 0; c < columns; ++c) turned(c, j) = out(j, c);
    k_.basis->to_gradient({turned.data(), columns, m_, n_});
    return turned;
}

}  // namespace mercer
