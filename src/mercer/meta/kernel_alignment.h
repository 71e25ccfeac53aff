// Weights of a sum of kernels by centred alignment (Cortes, Mohri, Rostamizadeh, JMLR 13, 2012, alignf):
//
//     max over d >= 0 of   ⟨K_d, T⟩ / (‖K_d‖·‖T‖),     K_d = Σ dₘHKₘH,  H = I - 11ᵀ/n,  T = HYYᵀH,
//
// Frobenius products; Y holds the targets, or a column of 0 and 1 for each class. With v = d up to a factor this is
//
//     min over v >= 0 of   vᵀMv - 2vᵀa,      M(k, l) = ⟨K_k, K_l⟩,   a(k) = ⟨K_k, T⟩,
//
// a quadratic program of as many numbers as there are kernels. The sums over n² pairs are taken in double, block by
// block: no matrix is stored.
#pragma once

#include <span>
#include <vector>

#include "mercer/meta/kernel_family.h"
#include "mercer/methods/fit_control.h"

namespace mercer {

struct alignment_options {
    double tol = 1e-8;  // of the quadratic program's gap
    progress_callback progress{};
};

struct aligned_weights {
    std::vector<double> weights;  // d; they add up to 1
    std::vector<double> scales;   // what each kernel was divided by
    std::vector<double> single;   // the alignment of each kernel alone
    double alignment = 0;         // of the sum, 0 … 1
    double gap = 0;               // of the quadratic program, relative
    fit_status status = fit_status::converged;
};

// y: labels where `classes`, else numbers.
aligned_weights align_weights(const kernel_family& family, std::span<const double> y, bool classes,
                              const alignment_options& options = {});

}  // namespace mercer
