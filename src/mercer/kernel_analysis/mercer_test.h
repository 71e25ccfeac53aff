// Is it a kernel? Mercer's condition on data: K = Kᵀ and cᵀKc >= 0 for every c.
//
// Rounding cannot tell 0 from -1e-17, so "K ⪰ 0" is decided up to a stated tolerance
//     δ = 2(n+2)ε·Σ|Kᵢᵢ| + e,   ε = 2⁻⁵²,
// where e covers what is not known of the entries, and the answer is one of
//     certified      λ >= -δ for all eigenvalues, proven: a Cholesky factorisation of K + ½δI that runs to its end has
//     backward error
//                    at most γ_{n+1}·tr <= ½δ (Demmel; Rump, "Verification of positive definiteness", 2006);
//     indefinite     a witness c on a few points has cᵀKc < 0 by more than all errors: a proof on its own;
//     contradiction  the same, of a kernel that is proven to be one: a fault in Mercer, not a property of the kernel;
//     asymmetric     K differs from Kᵀ by more than rounding;
//     undecided      in between; or the entries are known too badly; or only a sample of the rows was tested and
//     nothing was found.
// A witness on a sample of the rows is one for the whole matrix, a certificate is not.
//
// Entries of a matrix are taken to have the relative error `entry_error`: e = entry_error·Σ|Kᵢᵢ|. Entries of a kernel
// are not: sums cancel (k₁ - 0.999k₂), and arguments of an exponential or of tanh lose digits. Where no proof stands
// behind the answer each entry is compared with a value that carries its own bound (pair_evaluation.h), e is
// at least twice the norm of the errors found, and a witness is checked in higher precision.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/gram/gram.h"
#include "mercer/kernels/error_bounded.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

enum class mercer_verdict { certified, indefinite, asymmetric, undecided, contradiction };
const char* name(mercer_verdict verdict) noexcept;

struct mercer_options {
    index max_n = 4000;      // larger matrices are tested on a random sample of that many rows
    std::uint64_t seed = 1;  // of the sample
    double entry_error =
        32 *
        std::numeric_limits<double>::epsilon();  // of a given matrix, relative; 1e-6 for values from float arithmetic
    double symmetry = 1e-12;                     // |Kᵢⱼ - Kⱼᵢ| <= symmetry·max|K| counts as symmetric
    bool eigenvalues = false;  // compute the extreme eigenvalues even when a certificate is found without them
};

// Points and coefficients with Σᵢⱼ cᵢcⱼK(pᵢ, pⱼ) < 0.
struct mercer_witness {
    std::vector<index> points;
    std::vector<double> coefficients;
    double value = 0;  // Σᵢⱼ cᵢcⱼK(pᵢ, pⱼ)
    double error_bound =
        0;  // its distance from the exact sum is at most this, whatever the entries are within their errors
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
    asymmetry worst_pair;               // the largest |Kᵢⱼ - Kⱼᵢ| and where
    bool proven = false;                // the form of the kernel proves it, whatever the data
    std::optional<double> entry_error;  // of a kernel, where it was looked at: no entry is further from its true value
    std::vector<std::string> taken_as_exact;  // parts of the kernel of whose rounding nothing is known

    bool sampled() const { return tested < n; }
    // The rows that were tested, in words; and why there is no verdict.
    std::string subject() const;
    std::string doubt() const;
    std::string text() const;
};

mercer_result mercer_test(const gram<double>& k, const mercer_options& options = {});
mercer_result mercer_test(const kernel& k, const dataset& x, const mercer_options& options = {});

// A proof on few points that a symmetric matrix is not positive semidefinite.

// What is known of the entries at m points of a matrix: all m × m pairs, row by row.
using known_entries = std::function<std::vector<bounded<long double>>(std::span<const index> points)>;

// As few points as a greedy search finds on which K still has an eigenvalue below -delta; `direction` is the
// eigenvector of the smallest eigenvalue of K, which must be below -delta. K is what the search looks at; what it found
// is checked by `known` alone.
mercer_witness short_witness(const matrix<double>& k, double delta, std::span<const double> direction,
                             const known_entries& known);

}  // namespace mercer
