// Linear support vector machines by dual coordinate descent on a LIBSVM file; more than two classes are trained one
// against the rest. Prints one line of JSON; bench/linear.py adds LIBLINEAR and scikit-learn.
//   linear FILE l1|l2 C TOL B REPEATS
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/data/vectors.h"
#include "mercer/io/libsvm.h"
#include "mercer/solvers/linear_svm/coordinate_descent.h"

namespace {
double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
}  // namespace

int main(int count, char** argument) {
    using namespace mercer;
    if (count != 7) {
        std::fprintf(stderr, "linear FILE l1|l2 C TOL B REPEATS\n");
        return 2;
    }
    try {
        const double started = now();
        const table data = read_libsvm(argument[1], {});
        const double reading = now() - started;
        coordinate_descent_options options;
        options.loss = std::string(argument[2]) == "l1" ? hinge_power::l1 : hinge_power::l2;
        options.tol = std::atof(argument[4]);
        const std::vector<double> C(data.y.size(), std::atof(argument[3]));
        std::map<double, std::size_t> classes;
        for (const double y : data.y) classes.try_emplace(y, 0);
        std::vector<double> labels;
        for (const auto& each : classes) labels.push_back(each.first);
        if (labels.size() == 2) labels.erase(labels.begin());
        const auto rows = make_linear_operand(data.x, std::atof(argument[5]));
        double fit = 1e300, primal = 0, dual = 0, gap = 0;
        std::int64_t epochs = 0;
        for (int r = 0; r < std::atoi(argument[6]); ++r) {
            const double begun = now();
            std::vector<descent_result> done(labels.size());
            parallel_for(static_cast<mercer::index>(labels.size()), [&](mercer::index c) {
                std::vector<double> sign;
                for (const double y : data.y) sign.push_back(y == labels[static_cast<std::size_t>(c)] ? 1 : -1);
                done[static_cast<std::size_t>(c)] = solve_dual_coordinate_descent({*rows, sign, C}, options);
            });
            fit = std::min(fit, now() - begun);
            primal = dual = gap = 0, epochs = 0;
            for (const auto& each : done)
                primal += each.primal, dual += each.dual, gap = std::max(gap, each.gap), epochs += each.epochs;
        }
        std::printf("%s\n", nlohmann::json{{"read", reading},
                                           {"fit", fit},
                                           {"primal", primal},
                                           {"dual", dual},
                                           {"gap", gap},
                                           {"epochs", epochs},
                                           {"classes", labels.size()}}
                                .dump()
                                .c_str());
    } catch (const error& problem) {
        std::fprintf(stderr, "linear: %s\n", problem.what());
        return 1;
    }
    return 0;
}
