// Polynomial: k(x, z) = (γ xᵀz + r)^d, γ > 0, r >= 0, d a whole number >= 1. Homogeneous when r = 0.
#pragma once

#include <cmath>

#include "mercer/kernels/kernel_info.h"

namespace mercer {

struct polynomial {
    int degree = 3;
    double gamma = 1;
    double coef0 = 0;

    static kernel_info info() {
        return {"poly",
                {"polynomial"},
                "(gamma*x'z + coef0)^degree",
                object_kind::vectors,
                {{"degree", "3", "integer, degree >= 1", "exponent"},
                 {"gamma", "1", "gamma > 0", "factor of the inner product"},
                 {"coef0", "0", "coef0 >= 0", "constant term"}},
                "polynomial: a power of γ·linear + constant, by the rules for scale, sum and product",
                true,
                {}};
    }
    static polynomial from(const mercer::arguments& given) {
        return {given.whole("degree", 3), given.number("gamma", 1), given.number("coef0", 0)};
    }
    void check() const {
        require(degree >= 1, "poly", "degree >= 1", degree);
        require(gamma > 0 && std::isfinite(gamma), "poly", "gamma > 0", gamma);
        require(coef0 >= 0 && std::isfinite(coef0), "poly", "coef0 >= 0", coef0);
    }
    std::vector<argument> arguments() const { return {static_cast<double>(degree), gamma, coef0}; }

    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::value;

    expansion expand(expansion_builder& build) const { return build.multinomial(gamma, coef0, degree); }

    template <class R>
    R operator()(R dot) const {
        return whole_power(R(gamma * dot + coef0), degree);
    }
};

}  // namespace mercer
