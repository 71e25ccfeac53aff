// What needs the Nyström features themselves.
//
//     nystroem       φ(x) = K_MM^-½ k(Z, x): ⟨φ(x), φ(x')⟩ = k(x, Z) K_MM⁻¹ k(Z, x') ≈ k(x, x'), equal on the centres
//     nystroem_pca   principal components of these features over all examples: kernel PCA in the span of the centres,
//     and
//                    kernel PCA itself where every example is one. Eigenvectors of Φ̃ᵀΦ̃ (Φ̃ = Φ less its mean) by block
//                    Lanczos, a product a pass over K.
#pragma once

#include "mercer/methods/nystroem/nystroem.h"

namespace mercer {

struct nystroem_features_model {
    kernel_expansion map;  // function j is feature j
    double out_of_reach = 0;
};
nystroem_features_model fit_nystroem_features(const kernel_rows& x, const nystroem_options& options);

struct nystroem_pca_model {
    kernel_expansion projection;  // function j is the score on component j
    std::vector<double> eigenvalues, explained_variance, explained_variance_ratio, residuals;
    double total_variance = 0;  // of all examples, from a sample of rows where there are many
    double out_of_reach = 0;
    fit_status status = fit_status::converged;
    index passes = 0;
};
nystroem_pca_model fit_nystroem_pca(const kernel_rows& x, index components, const nystroem_options& options);

}  // namespace mercer
