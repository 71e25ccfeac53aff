// Tests Mercer's condition on data: the kernel matrix must satisfy K = Kᵀ and cᵀKc >= 0 for every vector c (K is
// symmetric and positive semidefinite).
//
// Rounding cannot distinguish an eigenvalue 0 from -1e-17, so "K ⪰ 0" is decided up to the tolerance
//     δ = 2(n+2)ε·Σ|Kᵢᵢ| + e,   ε = 2⁻⁵²,
// where n is the number of tested rows and e bounds the norm of the matrix of the errors of the entries. The verdict is
// one of
//     certified      λ >= -δ for all eigenvalues, proven: a Cholesky factorisation of K + ½δI that completes has a
//                    backward error of at most γ_{n+1}·tr K <= ½δ, γ_j = j·u/(1 - j·u), u = ε/2 (Demmel; Rump,
//                    "Verification of positive definiteness", 2006);
//     indefinite     a witness c on a few points has cᵀKc < 0 by more than all errors, which is a proof by itself;
//     contradiction  there is a witness, but the kernel is proven to be positive semidefinite: a defect of Mercer;
//     asymmetric     K differs from Kᵀ by more than rounding;
//     undecided      none of these, or the entries are not known precisely enough, or only a sample of the rows was
//                    tested and no witness was found.
// A witness on a sample of the rows is a witness for the whole matrix; a certificate is not.
//
// The entries of a given matrix are assumed to have the relative error `entry_error`: e = entry_error·Σ|Kᵢᵢ|. The
// entries of a kernel can have larger errors: sums cancel (k₁ - 0.999k₂), and arguments of exp or tanh lose digits. If
// the verdict is not backed by a proof, each entry is compared with a value that carries its own error bound
// (pair_evaluation.h), e is at least twice the norm of the errors found, and a witness is checked in higher precision.
//
// Example:
//
//     const double numbers[] = {0, 1, 2, 3, 4};
//     const dataset x = dense<double>({numbers, 5, 1});
//     assert(mercer_test(gaussian{0.5}, x).verdict == mercer_verdict::certified);
//     const mercer_result found = mercer_test(sigmoid{.gamma = 1, .coef0 = -1}, x);
//     assert(found.verdict == mercer_verdict::indefinite && found.witness->is_proof());
//     std::cout << found.text();
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

// Options of mercer_test().
struct mercer_options {
    index max_n = 4000;      // larger matrices are tested on a random sample of max_n rows
    std::uint64_t seed = 1;  // seed of the sample
    // relative error of the entries of a given matrix; use 1e-6 for values from float arithmetic
    double entry_error = 32 * std::numeric_limits<double>::epsilon();
    double symmetry = 1e-12;   // K counts as symmetric if |Kᵢⱼ - Kⱼᵢ| <= symmetry·max|K|
    bool eigenvalues = false;  // compute the extreme eigenvalues even if a certificate is found without them
};

// A proof that K is not positive semidefinite: examples p (rows of K) and coefficients c with Σᵢⱼ cᵢcⱼK(pᵢ, pⱼ) < 0.
struct mercer_witness {
    std::vector<index> points;
    std::vector<double> coefficients;
    double value = 0;        // Σᵢⱼ cᵢcⱼK(pᵢ, pⱼ)
    double error_bound = 0;  // bound on |value - exact sum|, including the errors of the entries
    bool is_proof() const { return value + error_bound < 0; }
};

// The result of mercer_test().
struct mercer_result {
    mercer_verdict verdict = mercer_verdict::undecided;
    index n = 0;
    index tested = 0;                         // number of tested rows
    double tolerance = 0;                     // δ of the tested matrix
    bool sample_certified = false;            // the sample has λ >= -δ, which does not certify the whole matrix
    std::optional<double> smallest, largest;  // extreme eigenvalues of the tested matrix, if computed
    std::optional<mercer_witness> witness;
    asymmetry worst_pair;  // position and size of the largest |Kᵢⱼ - Kⱼᵢ|
    bool proven = false;   // the expression of the kernel proves it to be positive semidefinite on all data
    // bound on the absolute error of all entries; set if the entries of a kernel were checked
    std::optional<double> entry_error;
    std::vector<std::string> assumed_exact;  // parts of the kernel whose rounding error is unknown

    bool is_sampled() const { return tested < n; }
    std::string tested_rows() const;       // describes the tested rows
    std::string undecided_reason() const;  // explains why the verdict is undecided
    std::string text() const;              // the whole result as text for people
};

// Tests a matrix, or the matrix of a kernel on the examples x. Time O(m³) and memory O(m²) for m = min(n, max_n) tested
// rows. Throws errc::invalid_argument if K is not square or an option is out of range, and errc::data if a tested entry
// is NaN or infinite.
mercer_result mercer_test(const gram<double>& k, const mercer_options& options = {});
mercer_result mercer_test(const kernel& k, const dataset& x, const mercer_options& options = {});

// A witness on few points that a symmetric matrix is not positive semidefinite.

// Returns the entries at m points with their error bounds: all m × m pairs, row by row.
using known_entries = std::function<std::vector<error_bounded<long double>>(std::span<const index> points)>;

// Searches greedily for few points on which K still has an eigenvalue below -delta. `direction` is the eigenvector of
// the smallest eigenvalue of K, which must be below -delta. The search uses k; the value and the bound of the witness
// are computed from `known` alone.
mercer_witness short_witness(const matrix<double>& k, double delta, std::span<const double> direction,
                             const known_entries& known);

}  // namespace mercer
