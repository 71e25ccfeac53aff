// Bilinear: k(x, z) = xᵀAz, A symmetric positive semidefinite.
#pragma once

#include "mercer/kernels/embedding.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer {

struct bilinear {
    std::vector<std::vector<double>> A;

    static kernel_info info() {
        return {"bilinear",
                {},
                "x'Az",
                domain::vectors,
                {{"A", "", "A symmetric positive semidefinite", "[[...], ...]"}},
                "bilinear: A = RᵀR, so xᵀAz is the linear kernel pulled back by x ↦ Rx",
                true,
                {}};
    }
    static bilinear from(const mercer::arguments& given) { return {given.table("A")}; }
    void check() const { root(); }
    std::vector<argument> arguments() const { return {A}; }
    feature source() const { return linear_map("root " + call_text(info(), arguments()), root()); }

    static constexpr statistic what = statistic::dot;
    static constexpr map_input input = map_input::value;
    linear map() const { return {}; }

    expansion expand(map_builder& build) const {
        const map_builder::inside mapped(build, source(), "Rx");
        return build.multinomial(1, 0, 1);
    }

    // R with A = RᵀR; fails when A is not symmetric positive semidefinite.
    std::vector<std::vector<double>> root() const;
};

// A matrix parameter given by rows, as (M + Mᵀ)/2; anisotropic.h takes its covariance in the same way. Fails, naming
// the kernel `owner`, unless M is square, finite, and symmetric up to 1e-12 of its largest entry.
matrix<double> symmetric_matrix(const std::string& owner, const std::vector<std::vector<double>>& rows);
// The rows of a matrix that is stored column by column.
std::vector<std::vector<double>> rows_of_column_major(const double* by_columns, index rows, index cols);

}  // namespace mercer
