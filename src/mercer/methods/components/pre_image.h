// Pre-images: an input z whose image is near a point of feature space, here the projection of φ(x) onto the components
// of a kernel PCA. Taking few components and going back removes noise from x.
#pragma once

#include <vector>

#include "mercer/methods/components/kernel_pca.h"

namespace mercer {

struct pre_image_options {
    enum class method {
        automatic,    // fixed point for a Gaussian, neighbours for other radial kernels
        fixed_point,  // Mika et al. 1999, Gaussian only: z ← Σᵢ gᵢk(z,xᵢ)xᵢ/Σᵢ gᵢk(z,xᵢ), where Pφ(x) = Σᵢ gᵢφ(xᵢ),
                      // from z = x
        neighbours    // Kwok & Tsang 2004, any radial kernel: distances to the nearest training points in feature space
                      // give distances in input space, and those the place, by least squares as in multidimensional
                      // scaling
    };
    method how = method::automatic;
    index n_neighbors = 10;
    index max_iter = 100;
    double tol = 1e-8;  // fixed point: ends when z moves by no more than tol·(1 + ‖z‖)
};

struct pre_image_result {
    matrix<double> points;                      // one row an object
    fit_status status = fit_status::converged;  // of the worst: step_limit; stalled where a fixed point lost all
                                                // weight, the nearest training point then stands for it
    index unfinished = 0;
};

// The model must be of vectors.
pre_image_result denoise(const kernel_pca_model& model, const dataset& x, const pre_image_options& options = {});
// The same from scores; the fixed point starts from the nearest training point.
pre_image_result pre_images(const kernel_pca_model& model, matrix_view<const double> scores,
                            const pre_image_options& options = {});

}  // namespace mercer
