// Anisotropic Gaussian: k(x, z) = exp(-½ (x-z)ᵀ Σ⁻¹ (x-z)), Σ a full symmetric positive definite or a diagonal
// covariance.
#pragma once

#include "mercer/kernels/features/features.h"
#include "mercer/kernels/gaussian.h"
#include "mercer/kernels/leaf.h"

namespace mercer {

struct anisotropic {
    std::vector<std::vector<double>> covariance;  // full, by rows; or one row: the variances of a diagonal Σ

    static kernel_info info() {
        return {"anisotropic",
                {"gaussian_full"},
                "exp(-(x-z)'S^-1(x-z)/2), S = covariance",
                domain::vectors,
                {{"covariance", "", "covariance symmetric positive definite",
                  "[[...], ...], or [v1, v2, ...] for a diagonal"}},
                "anisotropic Gaussian: the Gaussian pulled back by x ↦ L⁻¹x, Σ = LLᵀ",
                true,
                {.stationary = true, .radial = false, .normalised = true}};
    }
    static anisotropic from(const mercer::arguments& given) { return {given.table("covariance")}; }
    void check() const { whitening(); }
    std::vector<argument> arguments() const {
        if (covariance.size() == 1) return {covariance.front()};
        return {covariance};
    }
    feature source() const {
        return linear_map_of_differences("whiten " + call_text(info(), arguments()), whitening());
    }

    static constexpr statistic what = statistic::dot;
    static constexpr map_input input = map_input::squared_distance;
    gaussian map() const { return {0.5}; }

    // L⁻¹ with Σ = LLᵀ; fails when Σ is not symmetric positive definite.
    std::vector<std::vector<double>> whitening() const;
};

}  // namespace mercer
