#include <fmt/format.h>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/methods/svm/svm_solvers.h"

namespace mercer {
namespace {

constexpr const char* names[] = {
    "smo", "interior_point", "primal_qp", "subgradient", "pegasos", "kernel_pegasos", "dual_coordinate_descent"};

}  // namespace

const char* name(svm_solver solver) noexcept { return names[static_cast<int>(solver)]; }

svm_solver svm_solver_named(std::string_view text) {
    for (int i = 0; i < 7; ++i)
        if (text == names[i]) return static_cast<svm_solver>(i);
    fail(errc::invalid_argument, fmt::format("there is no solver '{}': one of {}", text, joined(names, ", ")));
}

bool needs_linear_kernel(svm_solver solver) noexcept {
    return solver == svm_solver::primal_qp || solver == svm_solver::subgradient || solver == svm_solver::pegasos ||
           solver == svm_solver::dual_coordinate_descent;
}

}  // namespace mercer
