// Eigenpairs of A = D H K Hᵀ D, a kernel matrix centred with weights w: D = diag(√w), H = I - 1wᵀ/W, W = Σw. Kernel PCA
// rests on it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "mercer/base/fit_status.h"
#include "mercer/base/matrix_view.h"
#include "mercer/dense/lanczos.h"
#include "mercer/gram/gram.h"

namespace mercer {

// What A is made with beside K. The last two come with the first product with K.
struct centring {
    std::vector<double> root;    // √w
    std::vector<double> mean;    // w/W
    std::vector<double> k_mean;  // K w/W
    double total = 0;            // wᵀKw/W²
};

centring centred_by(const std::vector<double>& weight);

// How K is multiplied by.
struct gram_multiplication {
    block_operator product;
    index block = 8;   // columns at once
    double least = 0;  // the least tolerance the numbers of K allow
};

// By rows of K as they come. Where kernel values must be computed a pass is dear, and a wide block makes the most of
// it.
template <class T>
gram_multiplication by_rows(const gram<T>& K, index components);

// What a decomposition of A gives, falling; row j of vectors is uⱼ.
struct centred_pairs {
    std::vector<double> values;
    matrix<double> vectors;
    std::vector<double> residuals;
    fit_status status = fit_status::converged;
    index passes = 0;
    double lowest = 0;  // the smallest eigenvalue, or an upper bound on it
};

// All of A decomposed.
template <class T>
centred_pairs all_centred_pairs(const gram<T>& K, const gram_multiplication& by, centring& c);

struct centred_eigen_options {
    index count = 1;
    double tol = 1e-11;
    index most_passes = 200;
    std::uint64_t seed = 0;
    std::function<bool(index pass, double residual)> progress{};  // false stops
};

// The `count` largest pairs by products with K, block Lanczos.
centred_pairs largest_centred_pairs(const gram_multiplication& K, centring& c, const centred_eigen_options& o);

}  // namespace mercer
