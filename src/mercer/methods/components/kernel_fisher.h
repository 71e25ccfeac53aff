// Kernel Fisher discriminant (Mika et al. 1999; Baudat & Anouar 2000 for several classes): directions v = Σᵢ αᵢφ(xᵢ)
// that separate the class means relative to the spread within the classes,
//     max αᵀMα/αᵀ(N + μI)α,
//     N = Σ_c K_c(W_c - w_cw_cᵀ/ω_c)K_cᵀ     (spread within classes),
//     M = Σ_c ω_c(m_c - m)(m_c - m)ᵀ         (spread between classes),
// where K_c are the columns of the kernel matrix that belong to the examples of class c, w_c the vector of the weights
// of these examples, W_c = diag(w_c) and ω_c = Σw_c the weight of the class; m_c = K_c w_c/ω_c is the mean of the
// class, m = Σ ω_cm_c/Σω_c that of all examples, and μ the regularisation. M = BBᵀ has at most classes - 1 dimensions,
// so one Cholesky decomposition of N + μI and an eigenproblem of order `classes` give all directions. The directions
// are scaled so that the regularised spread within classes is the unit matrix. A new example is assigned to the class
// whose mean is nearest in the space of the directions.
//
// Example:
//
//     const table iris = read("data/iris.csv", {.label = "species"});
//     const kernel_fisher_model m = fit_kernel_fisher(gaussian{0.1}, iris.x, iris.y);
//     assert(transform(m, iris.x).cols() == 2);  // three classes have two directions
//     assert(count_correct(iris.y, predict(m, iris.x)) > 140);
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/kernel_expansion.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/model_file.h"

namespace mercer {

// The method kernel_fisher as a value for fit() of mercer.h: its kernel, its scaling and its options.
struct kernel_fisher {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double regularisation = 1e-3;

    static method_info info() {
        return {"kernel_fisher",
                {"fisher", "kfd"},
                method_family::classification,
                "kernel Fisher discriminant: the nearest class mean along separating directions",
                "max αᵀMα/αᵀ(N + μI)α",
                "mercer-kernel-fisher-model",
                target_kind::classes,
                true,
                true,
                true};
    }
    template <class V>
    void options(V& v) {
        v.number("regularisation", regularisation, above(0),
                 "regularisation μ as a multiple of the mean diagonal entry of N");
    }
};

// Options of fit_kernel_fisher().
struct kernel_fisher_options {
    double regularisation = 1e-3;         // μ, relative to the mean of the diagonal of N
    std::vector<double> sample_weight{};  // weights; empty: all 1
    std::size_t memory_bytes = std::size_t{2} << 30;
    progress_callback progress{};  // returns false to end the fit with errc::cancelled
};

// The result of fit_kernel_fisher(): the directions, and the class means projected on them.
struct kernel_fisher_model {
    kernel_expansion directions;  // function j is the projection on direction j, with the mean of all examples at zero
    std::vector<double> classes;  // labels in ascending order
    matrix<double> class_means;   // classes × directions
    std::vector<double> ratios;   // αᵀMα/αᵀ(N + μI)α of each direction, descending
};

// Finds the directions from objects x or from the kernel matrix K of the examples. y contains one class label per
// example. Throws errc::invalid_argument if an option is out of range or sizes differ, errc::data if there is only one
// class or a value is not finite, errc::not_psd if the regularised spread is not positive definite, and errc::memory if
// 16n² bytes exceed memory_bytes. Time O(n³).
kernel_fisher_model fit_kernel_fisher(const kernel& k, const dataset& x, std::span<const double> y,
                                      const kernel_fisher_options& options = {});
kernel_fisher_model fit_kernel_fisher(const gram<double>& K, std::span<const double> y,
                                      const kernel_fisher_options& options = {});

// Returns the projections of new objects: a row for each object, a column for each direction. K contains kernel values
// of new objects (rows) against all training examples (columns).
matrix<double> transform(const kernel_fisher_model& model, const dataset& z);
matrix<double> transform(const kernel_fisher_model& model, const gram<double>& K);
// Returns the label of the class with the nearest mean for each object.
std::vector<double> predict(const kernel_fisher_model& model, const dataset& z);
std::vector<double> predict(const kernel_fisher_model& model, const gram<double>& K);

namespace api {
struct method;
// The entry of kernel_fisher in the list of methods.
method kernel_fisher_method();
}  // namespace api

}  // namespace mercer
