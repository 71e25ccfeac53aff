// Anisotropic Gaussian: k(x, z) = exp(-½ (x-z)ᵀ Σ⁻¹ (x-z)), Σ a full symmetric positive definite or a diagonal
// covariance.
#pragma once

#include "mercer/kernels/embedding.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/kernels/vectors/gaussian.h"

namespace mercer {

struct anisotropic {
    std::vector<std::vector<double>> covariance;  // Σ by rows, or one row with the variances of a diagonal Σ

    static kernel_info info() {
        return {"anisotropic",
                {"gaussian_full"},
                "exp(-(x-z)'S^-1(x-z)/2), S = covariance",
                object_kind::vectors,
                {{"covariance", "", "covariance is symmetric positive definite",
                  "matrix [[...], ...], or only the diagonal [v1, v2, ...] of a diagonal matrix"}},
                "anisotropic Gaussian: the Gaussian pulled back by x ↦ L⁻¹x, Σ = LLᵀ",
                true,
                {.stationary = true, .radial = false, .normalised = true}};
    }
    static anisotropic from(const mercer::arguments& given) { return {given.table("covariance")}; }
    void check() const {
        if (is_diagonal())
            inverse_roots();
        else
            whitening();
    }
    std::vector<argument> arguments() const {
        if (is_diagonal()) return {covariance.front()};
        return {covariance};
    }
    mercer::embedding embedding() const {
        const std::string key = "whiten " + call_text(info(), arguments());
        if (is_diagonal())
            return scale_map_of_differences(key, "anisotropic: there are variances for vectors", inverse_roots());
        return linear_map_of_differences(key, whitening());
    }

    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::squared_distance;
    gaussian map() const { return {0.5}; }

    bool is_diagonal() const { return covariance.size() == 1; }
    // 1/√v for the variances v of a diagonal Σ. Throws errc::invalid_argument unless all are positive and finite.
    std::vector<double> inverse_roots() const;
    // L⁻¹ by rows, with the Cholesky factor L of a full Σ = LLᵀ. Throws errc::not_psd if Σ is not positive definite and
    // errc::invalid_argument if it is not square, symmetric and finite.
    std::vector<std::vector<double>> whitening() const;
};

}  // namespace mercer
