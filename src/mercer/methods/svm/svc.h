// The methods svc and nu_svc: support vector classification with the penalty parameter C, or with ν. They are fitted by
// fit() of mercer.h; svm_model.h states the optimisation problems, fit_svm.h has the function without names and
// preprocessing.
//
// Example:
//
//     const table iris = read("data/iris.csv", {.label = "species"});
//     const model m = fit(svc{.kernel = gaussian{0.5}, .scale = "standard", .C = 10, .probability = true}, iris);
//     const api::columns p = decide(m, iris);  // a probability for each class
//     assert(p.values.rows() == 150 && p.values.cols() == 3);
#pragma once

#include <optional>
#include <string>

#include "mercer/kernels/kernel.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/svm/common_options.h"

namespace mercer {

// The method svc as a value for fit() of mercer.h: its kernel, its scaling and its options.
struct svc {
    std::optional<mercer::kernel> kernel{};  // empty: the default for the kind of object
    std::string scale{};                     // scaling of the columns of vectors: "standard", "minmax"; empty: none
    double C = 1;
    double tol = 1e-3, max_seconds = 0;
    std::string multiclass = "ovo";
    bool probability = false;
    std::string solver = "smo";
    index max_iter = -1, seed = 1;
    bool shrinking = true;

    static method_info info() {
        return {"svc",
                {"svm", "c_svc"},
                method_family::classification,
                "support vector classification",
                "min ½‖w‖² + C Σξᵢ, yᵢ(wᵀφ(xᵢ)+b) >= 1-ξᵢ",
                detail::svm_format,
                target_kind::classes,
                true,
                true,
                false,
                false,
                path_over::C};
    }
    template <class V>
    void options(V& v) {
        detail::c_option(v, C);
        const option_requirements smo{{"solver", {"smo"}}};
        detail::smo_options_of(v, *this, smo);
        detail::multiclass_option(v, *this);
        v.choice("solver", solver, {"smo", "interior_point", "primal_qp", "kernel_pegasos"},
                 "algorithm that solves the optimisation problem");
        v.choice_meanings({{"smo", "sequential minimal optimisation of the dual problem"},
                           {"interior_point", "interior-point method for the dual quadratic program"},
                           {"primal_qp", "interior-point method for the primal quadratic program; linear kernel only"},
                           {"kernel_pegasos", "stochastic subgradient descent on the primal problem"}});
        v.flag("probability", probability, "also estimate class probabilities, by cross-validation", smo);
        v.integer("seed", seed, 0, "random seed of the cross-validation folds and of kernel_pegasos",
                  option_requirements{{"probability", {"true"}, {{"solver", {"kernel_pegasos"}}}}});
    }
};

// The method nu_svc as a value for fit() of mercer.h: its kernel, its scaling and its options.
struct nu_svc {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double nu = 0.5;
    double tol = 1e-3, max_seconds = 0;
    std::string multiclass = "ovo";
    bool probability = false;
    index max_iter = -1, seed = 1;
    bool shrinking = true;

    static method_info info() {
        return {"nu_svc",
                {},
                method_family::classification,
                "support vector classification with a bound ν on the fraction of errors",
                "min ½‖w‖² - νρ + (1/n) Σξᵢ, yᵢ(wᵀφ(xᵢ)+b) >= ρ-ξᵢ",
                detail::svm_format,
                target_kind::classes};
    }
    template <class V>
    void options(V& v) {
        detail::nu_option(v, nu);
        detail::smo_options_of(v, *this);
        detail::multiclass_option(v, *this);
        v.flag("probability", probability, "also estimate class probabilities, by cross-validation");
        v.integer("seed", seed, 0, "random seed of the cross-validation folds",
                  option_requirements{{"probability", {"true"}}});
    }
};

namespace api {
struct method;
// Entries of the list of methods.
method svc_method();
method nu_svc_method();
}  // namespace api

}  // namespace mercer
