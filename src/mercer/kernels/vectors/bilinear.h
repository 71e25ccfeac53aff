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
                object_kind::vectors,
                {{"A", "", "A is symmetric positive semidefinite", "matrix [[...], ...]"}},
                "bilinear: A = RᵀR, so xᵀAz is the linear kernel pulled back by x ↦ Rx",
                true,
                {}};
    }
    static bilinear from(const mercer::arguments& given) { return {given.table("A")}; }
    void check() const { root(); }
    std::vector<argument> arguments() const { return {A}; }
    mercer::embedding embedding() const { return linear_map("root " + call_text(info(), arguments()), root()); }

    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::value;
    linear map() const { return {}; }

    expansion expand(expansion_builder& build) const {
        const expansion_builder::pull_back_scope mapped(build, embedding(), "Rx");
        return build.multinomial(1, 0, 1);
    }

    // R by rows, with A = RᵀR. Throws errc::not_psd if A is not positive semidefinite and errc::invalid_argument if it
    // is not square, symmetric and finite.
    std::vector<std::vector<double>> root() const;
};

// The symmetric part (M + Mᵀ)/2 of a matrix parameter M given by rows; anisotropic.cpp uses it too. Throws
// errc::invalid_argument, naming the kernel `owner`, unless M is square, finite, and symmetric up to 1e-12 of its
// largest entry.
matrix<double> symmetric_matrix(const std::string& owner, const std::vector<std::vector<double>>& rows);
// The rows of a matrix that is stored column by column.
std::vector<std::vector<double>> rows_of_column_major(const double* by_columns, index rows, index cols);

}  // namespace mercer
