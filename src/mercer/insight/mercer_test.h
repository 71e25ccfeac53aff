// Is it a kernel? Mercer's condition on data: K = Kᵀ and cᵀKc >= 0 for every c.
//
// Rounding cannot tell 0 from -1e-17, so "K ⪰ 0" is decided up to a stated tolerance
//     δ = (2(n+2)ε + e)·Σ|Kᵢᵢ|,   ε = 2⁻⁵², e the relative error of the entries,
// and the answer is one of
//     certified    λ >= -δ for all eigenvalues, proven: a Cholesky factorisation of K + ½δI that runs to its end has backward error
//                  at most γ_{n+1}·tr <= ½δ (Demmel; Rump, "Verification of positive definiteness", 2006);
//     indefinite   λ_min < -δ, and a witness c on a few points has cᵀKc < 0 by more than all rounding errors: a proof on its own;
//     asymmetric   K differs from Kᵀ by more than rounding;
//     undecided    in between, or only a sample of the rows was tested and nothing was found.
// A witness on a sample of the rows is one for the whole matrix, a certificate is not.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "mercer/gram/gram.h"
#include "mercer/insight/dense_gram.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

enum class mercer_verdict { certified, indefinite, asymmetric, undecided };
const char* name(mercer_verdict verdict) noexcept;

struct mercer_options {
    index max_n = 4000;                                                // larger matrices are tested on a random sample of that many rows
    std::uint64_t seed = 1;                                            // of the sample
    double entry_error = 32 * std::numeric_limits<double>::epsilon();  // relative error of an entry; 1e-6 for values from float arithmetic
    double symmetry = 1e-12;                                           // |Kᵢⱼ - Kⱼᵢ| <= symmetry·max|K| counts as symmetric
    bool eigenvalues = false;                                          // compute the extreme eigenvalues even when a certificate is found without them
};

// Points and coefficients with Σᵢⱼ cᵢcⱼK(pᵢ, pⱼ) < 0.
struct mercer_witness {
    std::vector<index> points;
    std::vector<double> coefficients;
    double value = 0;        // Σᵢⱼ cᵢcⱼK(pᵢ, pⱼ) in double
    double error_bound = 0;  // its distance from the exact sum, for any entries within `entry_error` of those given, is at most this
    bool proves() const { return value + error_bound < 0; }
};

struct mercer_result {
    mercer_verdict verdict = mercer_verdict::undecided;
    index n = 0;
    index tested = 0;                         // rows that were looked at
    double tolerance = 0;                     // δ of the tested matrix
    bool sample_certified = false;            // the sample has λ >= -δ, which says nothing certain about the rest
    std::optional<double> smallest, largest;  // eigenvalues of the tested matrix
    std::optional<mercer_witness> witness;
    asymmetry worst_pair;  // the largest |Kᵢⱼ - Kⱼᵢ| and where

    bool sampled() const { return tested < n; }
    std::string text() const;
};

mercer_result mercer_test(const gram<double>& k, const mercer_options& options = {});
mercer_result mercer_test(const kernel& k, const dataset& x, const mercer_options& options = {});

}  // namespace mercer
