// Constant: k(x, z) = c, c >= 0.
#pragma once

#include <cmath>

#include "mercer/kernels/kernel_info.h"

namespace mercer {

struct constant {
    double c = 1;

    static kernel_info info() {
        return {"constant",
                {},
                "c",
                object_kind::any,
                {{"c", "1", "c >= 0", "value of the kernel"}},
                "constant: the inner product of the one-dimensional feature √c",
                true,
                {.stationary = true, .radial = true, .normalised = false}};
    }
    static constant from(const mercer::arguments& given) { return {given.number("c", 1)}; }
    void check() const { require(c >= 0 && std::isfinite(c), "constant", "c >= 0", c); }
    std::vector<argument> arguments() const { return {c}; }
    expansion expand(expansion_builder&) const { return expansion::constant(c); }
    int emit(plan_builder& code) const {
        instruction step;
        step.operation = instruction::op::fill;
        step.shift = c;
        return code.push(std::move(step));
    }
};

}  // namespace mercer
