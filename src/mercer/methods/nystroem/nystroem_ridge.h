// Kernel ridge regression over the span of M centres, for one or several targets and millions of examples:
//
//     min Σ wᵢ(yᵢ - f(xᵢ))² + λ‖f‖²        over f(x) = Σⱼ βⱼk(x, zⱼ) + b, b not penalised (0 without fit_intercept)
//
// The centres zⱼ are chosen among the n examples (Williams, Seeger 2001), and the functions are fitted to all examples
// by passes over K(X, Z), which is not stored: any kernel, any kind of object, memory n + M², time n·M per pass. If all
// examples are centres, this is kernel_ridge.
//
// nystroem_ridge, nystroem_logistic and nystroem_svc with squared hinge are solved as in Falkon (Rudi, Carratino,
// Rosasco 2017; Meanti, Carratino, Rosasco, Rudi 2020), to a measured duality gap (nystroem_newton.h). The model
// reports the quality of the approximation: the fraction of the trace of K(X, X) that the centres do not explain, the
// gap of the problem that was solved, and the number of passes.
//
// Example:
//
//     const table housing = read("data/housing.svm");
//     const dataset x = scaling::fit(housing.x, {.method = scaling_method::minmax}).apply(housing.x);
//     const nystroem_ridge_model m = fit_nystroem_ridge(make_rows(gaussian{0.1}, x), {housing.y.data(), 506, 1},
//                                                       {.alpha = 0.1, .n_centres = 200});
//     assert(m.status == fit_status::converged && m.f.size() <= 200);
//     assert(decide(m, x).rows() == 506);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/kernels/kernel.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/nystroem/nystroem_fit.h"

namespace mercer {

// The method nystroem_ridge as a value for fit() of mercer.h: its kernel, its scaling and its options.
struct nystroem_ridge {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double alpha = 1;
    index n_centres = 1000;
    double trace_tol = 0;
    std::string centres = "mixed";
    std::vector<double> centre_rows{};
    bool fit_intercept = false;
    bool doubling = false;
    double tol = 1e-6;
    index max_iter = 500, seed = 0;

    static method_info info() {
        return with_checkpoints({"nystroem_ridge",
                                 {"falkon"},
                                 method_family::regression,
                                 "kernel ridge regression by the Nyström method, for millions of examples",
                                 "min Σ(yᵢ - f(xᵢ))² + α‖f‖², f = Σ βⱼk(·, zⱼ)",
                                 "mercer-nystroem-ridge-model",
                                 target_kind::values});
    }
    template <class V>
    void options(V& v) {
        v.number("alpha", alpha, above(0), option_text::penalty);
        detail::centre_options(v, n_centres, centres, centre_rows, seed, detail::prediction_centre_choices());
        detail::trace_options(v, trace_tol, doubling);
        v.flag("fit_intercept", fit_intercept, option_text::intercept);
        detail::pass_options(v, tol, max_iter);
    }
};

// The result of fit_nystroem_ridge(); the members are those of nystroem_fit (nystroem_fit.h).
struct nystroem_ridge_model : nystroem_fit {};

// Fits to the examples x. `x` is made by make_rows() from a kernel and objects, or from a kernel matrix, and is used
// only during the fit. y has one row per example and one column per target. If several processes share the rows of x, y
// and the weights are those of this process, and every process gets the whole model. Throws errc::invalid_argument if
// an option is out of range or sizes differ, errc::data if there are no examples or a value is not finite, and
// errc::memory if the fit does not fit into memory_bytes.
nystroem_ridge_model fit_nystroem_ridge(const training_rows& x, matrix_view<const double> y,
                                        const nystroem_options& options);

namespace api {
struct method;
// The entry of nystroem_ridge in the list of methods.
method nystroem_ridge_method();
}  // namespace api

}  // namespace mercer
