// Gaussian (RBF): k(x, z) = exp(-γ‖x-z‖²), γ = 1/(2σ²) > 0.
#pragma once

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/kernel_info.h"

namespace mercer {

struct gaussian {
    double gamma = 1;

    static gaussian from_sigma(double sigma) {
        require(sigma > 0 && std::isfinite(sigma), "rbf", "sigma > 0", sigma);
        return {1 / (2 * sigma * sigma)};
    }
    static kernel_info info() {
        return {"rbf",
                {"gaussian"},
                "exp(-gamma*|x-z|^2)",
                object_kind::vectors,
                {{"gamma", "1", "gamma > 0", "inverse squared width; or give sigma: gamma = 1/(2*sigma^2)"}},
                "Gaussian: exp(-γ‖x-z‖²) = exp(-γ‖x‖²)·exp(2γ xᵀz)·exp(-γ‖z‖²), the exponential of a "
                "kernel, conjugated by h(x) = exp(-γ‖x‖²)",
                true,
                {.stationary = true, .radial = true, .normalised = true}};
    }
    static gaussian from(const mercer::arguments& given) {
        if (given.has("sigma") && given.has("gamma"))
            fail(errc::invalid_argument,
                 "rbf: gamma and sigma are both given; gamma = 1/(2*sigma^2), so one is enough");
        if (given.has("sigma")) return from_sigma(given.number("sigma"));
        return {given.number("gamma", 1)};
    }
    static std::vector<std::string> other_arguments() { return {"sigma"}; }
    void check() const { require(gamma > 0 && std::isfinite(gamma), "rbf", "gamma > 0", gamma); }
    std::vector<argument> arguments() const { return {gamma}; }

    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::squared_distance;

    template <class R>
    R operator()(R squared_distance) const {
        using std::exp;
        return exp(-gamma * squared_distance);
    }
};

}  // namespace mercer
