#include <algorithm>

#include "mercer/dense/band_reduction.h"
#include "mercer/dense/dense_algebra.h"
#include "mercer/gram/gram_views.h"
#include "mercer/methods/regression/kernel_ridge_path.h"
#include "mercer/methods/training_gram.h"

namespace mercer {
namespace {

// So many decompositions take as long as a reduction. Small matrices are reduced by steps too small to be quick.
constexpr std::size_t few = 4;
constexpr index small = 300;

// Row l of `coef`, which holds y on entry, ← (K + λₗI)⁻¹y; the upper half of K is lost. Whether λₗ could be done.
std::vector<char> solve_by_band(matrix_view<double> K, std::span<const double> lambdas, matrix_view<double> coef) {
    const band_reduction reduced(K);
    reduced.turn(coef.block(0, 0, 1, coef.cols));
    for (index l = 1; l < coef.rows; ++l) std::copy_n(coef.row(0), coef.cols, coef.row(l));
    std::vector<char> done;
    for (index l = 0; l < coef.rows; ++l)
        done.push_back(reduced.solve_only(lambdas[static_cast<std::size_t>(l)], coef.block(l, 0, 1, coef.cols)));
    reduced.turn_back(coef);
    return done;
}

std::vector<char> solve_each(matrix_view<const double> K, std::span<const double> lambdas, matrix_view<double> coef) {
    require_finite_half(K, "kernel ridge");
    matrix<double> a(K.rows, K.rows);
    std::vector<char> done;
    for (index l = 0; l < coef.rows; ++l) {
        for (index i = 0; i < K.rows; ++i) {
            std::copy_n(K.row(i) + i, K.rows - i, a.row(i) + i);
            a(i, i) += lambdas[static_cast<std::size_t>(l)];
        }
        done.push_back(cholesky_in_place(a));
        if (done.back()) cholesky_solve(a, coef.block(l, 0, 1, coef.cols));
    }
    return done;
}

}  // namespace

std::vector<std::vector<double>> predict_along_penalties(const gram<double>& K, std::span<const double> y,
                                                         const std::vector<index>& training,
                                                         const std::vector<index>& held_out,
                                                         std::span<const double> lambdas) {
    const auto n = static_cast<index>(training.size()), count = static_cast<index>(lambdas.size());
    half_matrix among(n);
    fill_half(subset<double>(K, training), among.view(), {}, "kernel ridge");
    matrix<double> coef(count, n);
    for (index l = 0; l < count; ++l)
        for (index i = 0; i < n; ++i) coef(l, i) = y[static_cast<std::size_t>(training[static_cast<std::size_t>(i)])];
    const std::vector<char> done = lambdas.size() > few && n >= small
                                       ? solve_by_band(among.view(), lambdas, coef.view())
                                       : solve_each(among.view(), lambdas, coef.view());
    matrix<double> across(static_cast<index>(held_out.size()), n);
    K.block(std::span<const index>(held_out), std::span<const index>(training), across.view());
    const matrix<double> f = product(coef.view(), transposed::no, across.view(), transposed::yes);
    std::vector<std::vector<double>> out(lambdas.size());
    for (index l = 0; l < count; ++l)
        if (done[static_cast<std::size_t>(l)])
            out[static_cast<std::size_t>(l)].assign(f.row(l), f.row(l) + across.rows());
    return out;
}

}  // namespace mercer
