// Density estimation by the mean embedding: f(x) = Σᵢ wᵢ k(x, xᵢ)/(W·Z) with Z = ∫ k(x, 0) dx and W = Σw, w the weights
// of the training objects xᵢ. For vectors of d features Z is known for these kernels (kernels/vectors defines their
// parameters):
//     rbf: (π/γ)^(d/2);  laplacian: (2/γ)^d;  matern: 2^d π^(d/2) Γ(ν+d/2)/Γ(ν)·(ℓ²/2ν)^(d/2);
//     rational_quadratic, 2α > d: (2αℓ²π)^(d/2) Γ(α-d/2)/Γ(α).
// For other kernels, and for objects that are not vectors, only the mean embedding Σᵢ wᵢk(x, xᵢ)/W is available: an
// unnormalised score of how typical x is.
//
// Example:
//
//     const double numbers[] = {-1, 0, 1}, places[] = {0, 10};
//     const kernel_density_model m = fit_kernel_density(gaussian{0.5}, dense<double>({numbers, 3, 1}));
//     const std::vector<double> log_f = log_density(m, dense<double>({places, 2, 1}));
//     assert(m.normalised && log_f[0] > log_f[1]);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/kernels/kernel.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/kernel_expansion.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/model_file.h"

namespace mercer {

// The method kernel_density as a value for fit() of mercer.h: its kernel, its scaling and its options.
struct kernel_density {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};

    static method_info info() {
        return {"kernel_density",         {"kde"},
                method_family::density,   "kernel density estimation",
                "f(x) = Σ k(x, xᵢ)/(nZ)", "mercer-kernel-density-model",
                target_kind::none};
    }
    template <class V>
    void options(V&) {}
};

// Options of fit_kernel_density().
struct kernel_density_options {
    std::vector<double> sample_weight{};  // weights; empty: all 1
};

// The result of fit_kernel_density(): the mean embedding of the training objects and the normalisation Z.
struct kernel_density_model {
    kernel_expansion mean;    // the function Σᵢ wᵢk(x, xᵢ)/W
    bool normalised = false;  // true if Z is known
    double log_scale = 0;     // log Z
};

// Fits to the n objects x. Throws errc::data if there are no objects or a value or weight is not finite.
kernel_density_model fit_kernel_density(const kernel& k, const dataset& x, const kernel_density_options& options = {});
// Fits to a kernel matrix of the examples, of which only the size is used. The model has no normalisation, so
// log_density() throws.
kernel_density_model fit_kernel_density(const gram<double>& K, const kernel_density_options& options = {});

// Returns Σᵢ wᵢk(z, xᵢ)/W for every object of z. K contains kernel values of new objects (rows) against all training
// examples (columns).
std::vector<double> mean_embedding(const kernel_density_model& model, const dataset& z);
std::vector<double> mean_embedding(const kernel_density_model& model, const gram<double>& K);
// Returns the logarithm of the density, log f(z), for every object of z. Throws errc::unsupported if Z is not known. If
// all terms of a Gaussian underflow, they are summed as logarithms.
std::vector<double> log_density(const kernel_density_model& model, const dataset& z);

namespace api {
struct method;
// The entry of kernel_density in the list of methods.
method kernel_density_method();
}  // namespace api

}  // namespace mercer
