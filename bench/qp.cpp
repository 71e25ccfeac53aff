// The interior-point method on the dual of a support vector machine. bench/qp.py writes the input for this program and
// for cvxopt: row 0 is y, the other n rows are Q. Prints one line of JSON.
//   qp FILE.npy C REPEATS
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "mercer/base/error.h"
#include "mercer/io/npy.h"
#include "mercer/solvers/interior_point/quadratic_program.h"

int main(int count, char** argument) {
    using namespace mercer;
    if (count != 4) {
        std::fprintf(stderr, "qp FILE.npy C REPEATS\n");
        return 2;
    }
    try {
        const dense<double> all = as_dense<double>(read_npy(argument[1]).x);
        const double C = std::atof(argument[2]);
        const mercer::index n = all.dims();
        const matrix_view<const double> Q = all.view().block(1, 0, n, n);
        const std::vector<double> p(static_cast<std::size_t>(n), -1.0), lower(static_cast<std::size_t>(n), 0.0),
            upper(static_cast<std::size_t>(n), C), b{0.0};
        const quadratic_program problem{Q, p, {}, {}, lower, upper, {all.row(0), 1, n}, b};
        qp_options options;
        options.tol = 1e-6;  // the relative gap of cvxopt
        qp_result best;
        best.seconds = 1e300;
        for (int r = 0; r < std::atoi(argument[3]); ++r) {
            qp_result now = solve_qp(problem, options);
            if (now.seconds < best.seconds) best = std::move(now);
        }
        std::printf("%s\n", nlohmann::json{{"seconds", best.seconds},
                                           {"status", name(best.status)},
                                           {"steps", best.steps},
                                           {"primal", best.primal},
                                           {"gap", best.gap},
                                           {"primal_residual", best.primal_residual},
                                           {"dual_residual", best.dual_residual}}
                                .dump()
                                .c_str());
    } catch (const error& problem) {
        std::fprintf(stderr, "qp: %s\n", problem.what());
        return 1;
    }
    return 0;
}
