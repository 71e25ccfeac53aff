// Sigmoid: k(x, z) = tanh(γ xᵀz + r). It is not positive semidefinite for general γ and r. It is offered because it is
// widely used, and marked as unproven.
#pragma once

#include <cmath>

#include "mercer/kernels/kernel_info.h"

namespace mercer {

struct sigmoid {
    double gamma = 1;
    double coef0 = 0;

    static kernel_info info() {
        return {
            "sigmoid",
            {"tanh"},
            "tanh(gamma*x'z + coef0)",
            object_kind::vectors,
            {{"gamma", "1", "gamma is finite", "factor of the inner product"},
             {"coef0", "0", "coef0 is finite", "constant term"}},
            "no rule: tanh has negative Taylor coefficients, so the sigmoid is not positive semidefinite in general",
            false,
            {}};
    }
    static sigmoid from(const mercer::arguments& given) { return {given.number("gamma", 1), given.number("coef0", 0)}; }
    void check() const {
        require(std::isfinite(gamma), "sigmoid", "|gamma| < infinity", gamma);
        require(std::isfinite(coef0), "sigmoid", "|coef0| < infinity", coef0);
    }
    std::vector<argument> arguments() const { return {gamma, coef0}; }

    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::value;

    template <class R>
    R operator()(R dot) const {
        using std::tanh;
        return tanh(gamma * dot + coef0);
    }
};

}  // namespace mercer
