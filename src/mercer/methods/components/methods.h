// Directions in feature space as values: kernel_pca, kernel_fisher.
#pragma once

#include <optional>
#include <string>

#include "mercer/base/matrix_view.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/method_info.h"

namespace mercer {

struct kernel_pca {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    index n_components = 0;
    std::string solver = "automatic";
    double tol = 1e-11;
    index max_iter = 200, seed = 0;

    static method_facts facts() {
        return with_checkpoints({"kernel_pca",
                                 {"pca"},
                                 method_family::components,
                                 "principal components in feature space",
                                 "D H K Hᵀ D u = λu",
                                 "mercer-kernel-pca-model",
                                 answer::none,
                                 true,
                                 false,
                                 true},
                                "solver=iterative");
    }
    template <class V>
    void options(V& v) {
        const option_needs iterative{{"solver", {"iterative"}}};
        v.whole("n_components", n_components, 0, "how many; 0: all above rounding");
        v.choice("solver", solver, {"automatic", "full", "iterative"}, "of the eigenproblem");
        v.number("tol", tol, above(0), "iterative: ‖Au - λu‖ <= tol·λ₁", iterative);
        v.whole("max_iter", max_iter, 1, "iterative: passes over K at most", iterative);
        v.whole("seed", seed, 0, "iterative: of the starting block", iterative);
    }
};

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

}  // namespace mercer
