// nystroem_svc with the hinge itself, which no Newton step helps with: the Nyström features φ(x) = T⁻ᵀk(Z, x)
// (methods/nystroem/nystroem_basis.h) of all examples, kept in memory, and a linear machine on them by dual coordinate
// descent (solvers/linear_svm/coordinate_descent.h),
//
//     min  Σ wᵢ max(0, 1 - yᵢf(xᵢ)) + 1/(2C) (‖f‖² + b²/k),     f(x) = γᵀφ(x) + b,   k the largest k(z, z):
//
// an offset is the weight of one more feature, as long as the others, and penalised like them. An epoch is a pass; it
// ends when the duality gap, measured after each, is at most tol of the objective.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/kernels/kernel.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/nystroem/nystroem_fit.h"

namespace mercer {

struct nystroem_svc {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double C = 1;
    std::string loss = "squared_hinge";
    index n_centres = 1000;
    double accuracy = 0;
    std::string centres = "mixed";
    std::vector<double> centre_rows{};
    bool fit_intercept = true;
    bool doubling = false;
    double tol = 1e-6;
    index max_iter = 1000, seed = 0;

    static method_facts facts() {
        return with_checkpoints(
            {"nystroem_svc",
             {},
             method_family::classification,
             "support vector machine on a few centres, for millions of examples; squared hinge loss, or hinge",
             "min Σ max(0, 1 - yᵢf(xᵢ))² + 1/(2C) ‖f‖², f = Σ βⱼk(·, zⱼ) + b",
             "mercer-nystroem-svc-model",
             answer::classes},
            "loss=squared_hinge");
    }
    template <class V>
    void options(V& v) {
        v.number("C", C, above(0), "price of an error");
        v.choice(
            "loss", loss, {"squared_hinge", "hinge"},
            "squared_hinge by passes that store nothing; hinge by features of all examples, kept in memory, with a "
            "penalised offset");
        detail::centre_options(v, n_centres, centres, centre_rows, seed, detail::centres_to_predict());
        detail::reach_options(v, accuracy, doubling);
        v.flag("fit_intercept", fit_intercept, "with an offset");
        detail::pass_options(v, tol, max_iter);
    }
};

struct nystroem_svc_model : nystroem_fit {};

// Where several processes share the rows of x, y and weights are those of this one, and each has the whole model.
nystroem_svc_model fit_nystroem_svc(const kernel_rows& x, std::span<const double> y, const nystroem_options& options);

namespace api {
struct method;
method nystroem_svc_method();
}  // namespace api

}  // namespace mercer
