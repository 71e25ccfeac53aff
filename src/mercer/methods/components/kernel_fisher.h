// Kernel Fisher discriminant (Mika et al. 1999; Baudat & Anouar 2000 for several classes): directions v = Σᵢ αᵢφ(xᵢ)
// that separate the class means relative to the spread within the classes,
//     max αᵀMα/αᵀ(N + μI)α,
//     N = Σ_c K_c(W_c - w_cw_cᵀ/Σw)K_cᵀ     (spread within classes),
//     M = Σ_c ω_c(m_c - m)(m_c - m)ᵀ         (spread between classes),
// where K_c are the columns of class c, m_c = K_c w_c/Σw is its mean and ω_c its weight. M = BBᵀ has at most classes -
// 1 dimensions, so one Cholesky decomposition of N + μI and an eigenproblem of order `classes` give all directions. The
// directions are scaled so that the regularised spread within classes is the unit matrix. A new example gets the class
// whose mean is nearest in the space of the directions.
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

struct kernel_fisher_options {
    double regularisation = 1e-3;         // μ, relative to the mean of the diagonal of N
    std::vector<double> sample_weight{};  // weights; empty: all 1
    std::size_t memory_bytes = std::size_t{2} << 30;
    progress_callback progress{};  // returns false to end the fit with errc::cancelled
};

struct kernel_fisher_model {
    kernel_expansion directions;  // function j is the projection on direction j, with the mean of all examples at zero
    std::vector<double> classes;  // labels in ascending order
    matrix<double> class_means;   // classes × directions
    std::vector<double> ratios;   // αᵀMα/αᵀ(N + μI)α of each direction, descending
};

kernel_fisher_model fit_kernel_fisher(const kernel& k, const dataset& x, std::span<const double> y,
                                      const kernel_fisher_options& options = {});
kernel_fisher_model fit_kernel_fisher(const gram<double>& K, std::span<const double> y,
                                      const kernel_fisher_options& options = {});

matrix<double> transform(const kernel_fisher_model& model, const dataset& z);
matrix<double> transform(const kernel_fisher_model& model, const gram<double>& K);
std::vector<double> predict(const kernel_fisher_model& model, const dataset& z);
std::vector<double> predict(const kernel_fisher_model& model, const gram<double>& K);

namespace api {
struct method;
method kernel_fisher_method();
}  // namespace api

}  // namespace mercer
