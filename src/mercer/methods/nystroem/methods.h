// Approximations for many examples, as values: nystroem_ridge, nystroem_logistic, nystroem_svc, nystroem_pca, nystroem,
// random_features; machines in cells (cell_methods.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/kernels/kernel.h"
#include "mercer/meta/cells.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/nystroem/centre_options.h"

namespace mercer {
namespace detail {

// How many centres suffice, and whether they do.
template <class V>
void reach_options(V& v, double& accuracy, bool& doubling) {
    v.number(
        "accuracy", accuracy, below(at_least(0), 1),
        "above 0: as many centres, in place of n_centres, as leave this share of the trace of the kernel matrix out "
        "of reach, as far as memory and time go",
        option_needs{{"centres", {"mixed", "rpcholesky"}}});
    v.flag("doubling", doubling, "fit with twice as many centres too, and say by how much the answer changes",
           option_needs{{"centres", {"mixed", "rpcholesky", "uniform", "kmeans++"}}});
}
template <class V>
void pass_options(V& v, double& tol, index& max_iter) {
    v.number("tol", tol, above(0), "of the duality gap, relative to the objective");
    v.whole("max_iter", max_iter, 1, "passes over the examples at most");
}

}  // namespace detail

struct nystroem_ridge {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double alpha = 1;
    index n_centres = 1000;
    double accuracy = 0;
    std::string centres = "mixed";
    std::vector<double> centre_rows{};
    bool fit_intercept = false;
    bool doubling = false;
    double tol = 1e-6;
    index max_iter = 500, seed = 0;

    static method_facts facts() {
        return with_checkpoints({"nystroem_ridge",
                                 {"falkon"},
                                 method_family::regression,
                                 "kernel ridge regression on a few centres, for millions of examples",
                                 "min Σ(yᵢ - f(xᵢ))² + λ‖f‖², f = Σ βⱼk(·, zⱼ)",
                                 "mercer-nystroem-ridge-model",
                                 answer::values});
    }
    template <class V>
    void options(V& v) {
        v.number("alpha", alpha, above(0), "λ, the price of large coefficients");
        detail::centre_options(v, n_centres, centres, centre_rows, seed, detail::centres_to_predict());
        detail::reach_options(v, accuracy, doubling);
        v.flag("fit_intercept", fit_intercept, "with an offset b");
        detail::pass_options(v, tol, max_iter);
    }
};

struct nystroem_logistic {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double C = 1;
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
            {"nystroem_logistic",
             {},
             method_family::classification,
             "kernel logistic regression on a few centres: classes with probabilities, for millions of examples",
             "min Σ log(1 + e^(-yᵢf(xᵢ))) + 1/(2C) ‖f‖², f = Σ βⱼk(·, zⱼ) + b",
             "mercer-nystroem-logistic-model",
             answer::classes});
    }
    template <class V>
    void options(V& v) {
        v.number("C", C, above(0), "1/λ");
        detail::centre_options(v, n_centres, centres, centre_rows, seed, detail::centres_to_predict());
        detail::reach_options(v, accuracy, doubling);
        v.flag("fit_intercept", fit_intercept, "with an offset");
        detail::pass_options(v, tol, max_iter);
    }
};

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

struct nystroem_pca {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    index n_components = 2;
    index n_centres = 1000;
    std::string centres = "rpcholesky";
    std::vector<double> centre_rows{};
    double tol = 1e-9;
    index max_iter = 200, seed = 0;

    static method_facts facts() {
        return with_checkpoints({"nystroem_pca",
                                 {},
                                 method_family::components,
                                 "principal components in the span of a few centres, for millions of examples",
                                 "Φ̃ᵀΦ̃u = λu, Φ = K(X, Z) K(Z, Z)^-½",
                                 "mercer-nystroem-pca-model",
                                 answer::none,
                                 true,
                                 false,
                                 true});
    }
    template <class V>
    void options(V& v) {
        v.whole("n_components", n_components, 1, "how many");
        detail::centre_options(v, n_centres, centres, centre_rows, seed, detail::centres_of_features());
        v.number("tol", tol, above(0), "‖Au - λu‖ <= tol·λ₁");
        v.whole("max_iter", max_iter, 1, "passes over the examples at most");
    }
};

struct nystroem {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    index n_centres = 100;
    std::string centres = "rpcholesky";
    std::vector<double> centre_rows{};
    index seed = 0;

    static method_facts facts() {
        return {"nystroem",
                {"nystroem_features"},
                method_family::components,
                "explicit features whose inner products are about those of the kernel",
                "φ(x) = K(Z, Z)^-½ k(Z, x)",
                "mercer-nystroem-features-model",
                answer::none,
                true,
                false,
                true};
    }
    template <class V>
    void options(V& v) {
        detail::centre_options(v, n_centres, centres, centre_rows, seed, detail::centres_of_features());
    }
};

struct random_features {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    index n_components = 100;
    std::string frequencies = "orthogonal";
    index seed = 0;

    static method_facts facts() {
        return {"random_features",
                {"rff", "random_fourier_features", "count_sketch"},
                method_family::components,
                "random features: Fourier's of rbf, laplacian and matern, count sketches of poly and linear",
                "φ(x) = √(2/D) (cos wⱼᵀx, sin wⱼᵀx), w from the Fourier transform of the kernel; a sketch of x⊗…⊗x",
                "mercer-random-features-model",
                answer::none,
                true,
                false,
                true};
    }
    template <class V>
    void options(V& v) {
        v.whole("n_components", n_components, 1, "D, features");
        v.choice("frequencies", frequencies, {"orthogonal", "independent", "structured"},
                 "at right angles to each other, which takes from the variance; each by itself; at right angles by "
                 "fast transforms, for many coordinates (rbf, matern)");
        v.formerly("orthogonal", {{"true", "orthogonal"}, {"false", "independent"}});
        v.whole("seed", seed, 0, "of what is drawn");
    }
};

}  // namespace mercer
