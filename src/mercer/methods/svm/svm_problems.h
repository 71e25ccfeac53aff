// A support vector machine of several classes cut into binary problems, whoever solves them.
#pragma once

#include <functional>
#include <vector>

#include "mercer/methods/svm/svm_dual.h"

namespace mercer {

// One binary problem: its examples, and signs where it is a classification.
struct binary_problem {
    std::vector<index> rows;
    std::vector<double> sign;     // ±1, empty for regression and one-class
    std::vector<double> penalty;  // C of each example
    index first = 0, second = 0;  // classes
};

// ν-classification: fails with errc::infeasible unless both classes of every pair can hold their sum νn/2.
void require_feasible_nu(index n, std::span<const double> y, const svm_options& options);

// Solves problem number `which` while `side_by_side` of them may run at once; called from several threads.
using binary_solver = std::function<dual_solution(const binary_problem& problem, std::size_t which, index side_by_side)>;

// Checks the options, cuts the n examples into problems, has each solved and puts the model together, without kernel and objects. `rank`: the
// order of the examples within a class (example_order.h); empty: as they stand.
svm_model fit_binary_problems(index n, std::span<const double> y, const svm_options& options, const binary_solver& solve, std::span<const index> rank = {});

}  // namespace mercer
