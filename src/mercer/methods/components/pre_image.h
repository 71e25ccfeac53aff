// Pre-images: vectors z in input space whose image φ(z) is close to a given point of feature space, here the projection
// of φ(x) onto the components of a kernel PCA. With few components the pre-image is a denoised x.
//
// Example:
//
//     const table iris = read("data/iris.csv", {.label = "species"});
//     const kernel_pca_model m = fit_kernel_pca(gaussian{0.1}, iris.x, {.n_components = 2});
//     const pre_image_result clean = denoise(m, iris.x);
//     assert(clean.points.rows() == 150 && clean.points.cols() == 4);
#pragma once

#include <vector>

#include "mercer/methods/components/kernel_pca.h"

namespace mercer {

// Options of denoise() and pre_images().
struct pre_image_options {
    enum class method {
        automatic,  // fixed point for a Gaussian, neighbours for other radial kernels
        // Mika et al. 1999, Gaussian kernel only: z ← Σᵢ gᵢk(z,xᵢ)xᵢ/Σᵢ gᵢk(z,xᵢ), where Pφ(x) = Σᵢ gᵢφ(xᵢ), starting
        // from z = x.
        fixed_point,
        // Kwok & Tsang 2004, any radial kernel: distances in feature space to the nearest training examples are
        // converted to distances in input space, which determine z by least squares as in multidimensional scaling.
        neighbours
    };
    method how = method::automatic;
    index n_neighbors = 10;
    index max_iter = 100;
    double tol = 1e-8;  // fixed point: stops if z moves by at most tol·(1 + ‖z‖)
};

// The pre-images and how their computation ended.
struct pre_image_result {
    matrix<double> points;  // one row per example
    // The status of the worst row. step_limit: max_iter was reached. stalled: all weights of a fixed point became 0;
    // the row is then the nearest training example.
    fit_status status = fit_status::converged;
    index unfinished = 0;  // number of rows whose iteration did not converge
};

// Returns the pre-images of the projections of the rows of x, a row for each row of x with the features of the training
// data. Throws errc::unsupported unless the model was fitted to vectors with a kernel that the method supports, and
// errc::invalid_argument if an option is out of range.
pre_image_result denoise(const kernel_pca_model& model, const dataset& x, const pre_image_options& options = {});
// Returns the pre-images of points that are given by their scores (a row for each point, a column for each component).
// The fixed point iteration starts from the nearest training example.
pre_image_result pre_images(const kernel_pca_model& model, matrix_view<const double> scores,
                            const pre_image_options& options = {});

}  // namespace mercer
