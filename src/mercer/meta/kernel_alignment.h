// Weights of a sum of kernels by centred alignment with the targets (alignf; Cortes, Mohri, Rostamizadeh, JMLR 13,
// 2012):
//
//     max over d >= 0 of   ⟨K_d, T⟩ / (‖K_d‖·‖T‖),     K_d = Σ dₘHKₘH,  H = I - 11ᵀ/n,  T = HYYᵀH,
//
// with Frobenius products and norms; Kₘ is the matrix of kernel m, and Y contains the targets, or an indicator column
// for each class. Up to a positive factor, d is the solution v of
//
//     min over v >= 0 of   vᵀMv - 2vᵀa,      M(l, m) = ⟨HK_lH, HKₘH⟩,   a(m) = ⟨HKₘH, T⟩,
//
// a quadratic program with one variable for each kernel. The sums over n² pairs are computed in double, tile by tile;
// no matrix is stored.
//
// Example:
//
//     const table iris = read("data/iris.csv", {.label = "species"});
//     const kernel_family family({gaussian{0.1}, gaussian{1}, linear{}}, iris.x, true, gibibytes(1));
//     const aligned_weights found = align_weights(family, iris.y, true);
//     assert(found.weights.size() == 3 && found.alignment > 0.5);
//     const kernel learned = family.sum(found.weights);
#pragma once

#include <span>
#include <vector>

#include "mercer/meta/kernel_family.h"
#include "mercer/methods/fit_control.h"

namespace mercer {

// Options of align_weights().
struct alignment_options {
    double tol = 1e-8;  // tolerance of the relative duality gap of the quadratic program
    progress_callback progress{};
};

// The result of align_weights().
struct aligned_weights {
    std::vector<double> weights;  // d, normalised to sum 1
    std::vector<double> scales;   // divisor of each kernel
    std::vector<double> single;   // alignment of each kernel alone
    double alignment = 0;         // alignment of the weighted sum, 0 to 1
    double gap = 0;               // relative duality gap of the quadratic program
    fit_status status = fit_status::converged;
};

// Computes the weights. y contains one target per object: a class label if `classes` is true, otherwise a number.
// Throws errc::data if all targets are equal. Time O(m²n²) for m kernels and n objects.
aligned_weights align_weights(const kernel_family& family, std::span<const double> y, bool classes,
                              const alignment_options& options = {});

}  // namespace mercer
