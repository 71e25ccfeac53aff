// Pegasos on a LIBSVM file: seconds and objective J after a number of epochs, without checks of the duality gap in
// between. bench/pegasos.py compares it with another implementation.
//   pegasos TRAIN C EPOCHS REPEATS prints one line of JSON
#include "mercer/solvers/linear_svm/pegasos.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/data/vectors.h"
#include "mercer/io/libsvm.h"

int main(int count, char** argument) {
    using namespace mercer;
    if (count < 5) {
        std::fprintf(stderr, "usage: pegasos TRAIN C EPOCHS REPEATS\n");
        return 2;
    }
    try {
        libsvm_options reading;
        reading.numbers = precision::f64;
        const table t = read_libsvm(argument[1], reading);
        const auto rows = make_linear_operand(t.x);
        const std::vector<double> C(t.y.size(), std::atof(argument[2]));
        pegasos_options options;
        options.max_epochs = options.evaluate_every = std::atoi(argument[3]);
        options.tol = 1e-12;
        double best = 1e300, J = 0;
        for (int r = 0; r < std::atoi(argument[4]); ++r) {
            const auto start = std::chrono::steady_clock::now();
            J = solve_pegasos({*rows, t.y, C}, options).primal;
            best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        }
        std::printf("{\"seconds\": %.6f, \"J\": %.10g}\n", best, J);
    } catch (const error& problem) {
        std::fprintf(stderr, "pegasos: %s\n", problem.what());
        return 1;
    }
}
