// Kernel Fisher discriminant (Mika et al. 1999; Baudat & Anouar 2000 for several classes): directions v = Σᵢ αᵢφ(xᵢ)
// that pull class means apart while classes stay narrow,
//     max αᵀMα/αᵀ(N + μI)α,   N = Σ_c K_c(W_c - w_cw_cᵀ/Σw)K_cᵀ within classes,  M = Σ_c ω_c(m_c - m)(m_c - m)ᵀ between
//     them,
// with K_c the columns of class c, m_c = K_c w_c/Σw its mean, ω_c its weight. M = BBᵀ has rank <= classes-1, so one
// Cholesky decomposition of N + μI and an eigenproblem of the size of the classes give all directions. They are scaled
// so that the regularised spread within classes is the unit matrix; a new object gets the class of the nearest mean
// there.
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

    static method_facts facts() {
        return {"kernel_fisher",
                {"fisher", "kfd"},
                method_family::classification,
                "directions that separate the classes, and the nearest mean there",
                "max αᵀMα/αᵀ(N + μI)α",
                "mercer-kernel-fisher-model",
                answer::classes,
                true,
                true,
                true};
    }
    template <class V>
    void options(V& v) {
        v.number("regularisation", regularisation, above(0), "μ, relative to the mean of N's diagonal");
    }
};

struct kernel_fisher_options {
    double regularisation = 1e-3;         // μ, relative to the mean of N's diagonal
    std::vector<double> sample_weight{};  // empty: all 1
    std::size_t memory_bytes = std::size_t{2} << 30;
    progress_callback progress{};  // false ends the fit with errc::cancelled
};

struct kernel_fisher_model {
    kernel_expansion directions;  // function j is the projection on direction j, zero at the mean of all
    std::vector<double> classes;  // ascending
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
