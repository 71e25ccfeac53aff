// Kernel ridge regression: fit, path and prediction in one process, on the same numbers as scikit-learn in
// bench/methods_ridge.py. Prints one line of JSON per measurement.
//   methods_ridge N DIMS GAMMA ALPHA REPEATS [PREDICTIONS]
// The data equal those of the script: xᵢⱼ and the noise come from a linear congruential generator, y is a wave.
// PREDICTIONS is an output file for f at the first 1000 points.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/kernels/vectors/gaussian.h"
#include "mercer/methods/regression/kernel_ridge.h"
#include "mercer/methods/regression/kernel_ridge_path.h"

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

template <class Work>
double best_of(int repeats, Work work) {
    double best = 1e300;
    for (int r = 0; r < repeats; ++r) {
        const double start = now();
        work();
        best = std::min(best, now() - start);
    }
    return best;
}

}  // namespace

int main(int count, char** argument) {
    using namespace mercer;
    if (count < 6) {
        std::fprintf(stderr, "usage: methods_ridge N DIMS GAMMA ALPHA REPEATS [PREDICTIONS]\n");
        return 2;
    }
    try {
        const mercer::index n = std::atoll(argument[1]), d = std::atoll(argument[2]);
        const double gamma = std::atof(argument[3]), alpha = std::atof(argument[4]);
        const int repeats = std::atoi(argument[5]);
        // The sum of four uniform numbers, shifted and scaled to variance 1: nearly normal, and easy to reproduce in
        // any language.
        std::uint64_t state = 1;
        const auto uniform = [&] {
            return static_cast<double>((state = state * 6364136223846793005ull + 1442695040888963407ull) >> 11) *
                   0x1p-53;
        };
        const auto draw = [&] {
            const double sum = uniform() + uniform() + uniform() + uniform();
            return (sum - 2) * std::sqrt(3.0);
        };
        matrix<double> rows(2 * n, d), y(n, 1);
        for (mercer::index i = 0; i < 2 * n; ++i)
            for (mercer::index j = 0; j < d; ++j) rows(i, j) = draw();
        for (mercer::index i = 0; i < n; ++i)
            y(i, 0) = std::sin(rows(i, 0)) + 0.5 * std::cos(2 * rows(i, d > 1 ? 1 : 0)) + 0.1 * draw();
        const dataset x = dense<double>(rows.view().block(0, 0, n, d)),
                      z = dense<double>(rows.view().block(n, 0, n, d));
        const kernel k = gaussian{gamma};
        const auto print = [](const nlohmann::json& line) {
            std::printf("%s\n", line.dump().c_str());
            std::fflush(stdout);
        };

        kernel_ridge_options fit;
        fit.alpha = alpha;
        fit.memory_bytes = std::size_t{64} << 30;
        kernel_ridge_model model;
        const double fitted = best_of(repeats, [&] { model = fit_kernel_ridge(k, x, y.view(), fit); });
        print({{"what", "fit"},
               {"n", n},
               {"d", d},
               {"seconds", fitted},
               {"gram", model.seconds_gram},
               {"solve", model.seconds_solve}});

        matrix<double> f;
        const double predicted = best_of(repeats, [&] { f = predict(model, z); });
        print({{"what", "predict"}, {"n", n}, {"points", n}, {"seconds", predicted}});
        if (count > 6) {
            std::FILE* out = std::fopen(argument[6], "w");
            if (!out) fail(errc::io, std::string("cannot write ") + argument[6]);
            for (mercer::index i = 0; i < std::min<mercer::index>(n, 1000); ++i) std::fprintf(out, "%.17g\n", f(i, 0));
            std::fclose(out);
        }

        // Reference time for the path: one fit with a Cholesky decomposition in double.
        fit.variance = true;
        const double in_double = best_of(repeats, [&] { model = fit_kernel_ridge(k, x, y.view(), fit); });
        print({{"what", "fit in double"},
               {"n", n},
               {"seconds", in_double},
               {"gram", model.seconds_gram},
               {"solve", model.seconds_solve}});
        fit.variance = false;
        fit.loo = true;
        print({{"what", "fit with leave-one-out"}, {"n", n}, {"seconds", best_of(1, [&] {
                                                                  model = fit_kernel_ridge(k, x, y.view(), fit);
                                                              })}});
        ridge_path_options path;
        path.memory_bytes = fit.memory_bytes;
        for (int l = 0; l < 50; ++l) path.alphas.push_back(1e-4 * std::pow(10.0, 6.0 * l / 49));
        for (const auto score : {ridge_score::gcv, ridge_score::loo}) {
            kernel_ridge_path found;
            const double seconds = best_of(score == ridge_score::gcv ? repeats : 1,
                                           [&] { found = fit_kernel_ridge_path(k, x, y.view(), path); });
            print({{"what", score == ridge_score::gcv ? "path of 50 by gcv" : "path of 50 by loo"},
                   {"n", n},
                   {"seconds", seconds},
                   {"fits", seconds / in_double},
                   {"best", found.model.alpha}});
            path.score = ridge_score::loo;
        }
    } catch (const error& problem) {
        std::fprintf(stderr, "methods_ridge: %s\n", problem.what());
        return 1;
    }
    return 0;
}
