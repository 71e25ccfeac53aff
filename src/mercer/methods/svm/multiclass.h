// A support vector machine of several classes cut into binary problems, whoever solves them.
#pragma once

#include <functional>
#include <vector>

#include "mercer/methods/svm/fit_svm.h"

namespace mercer {

// One binary problem: its examples, and signs where it is a classification.
struct binary_problem {
    std::vector<index> rows;
    std::vector<double> sign;     // ±1, empty for regression and one-class
    std::vector<double> penalty;  // C of each example
    index first = 0, second = 0;  // classes
};

// The examples and classes of a fit: what every binary problem is cut out of.
struct training_set {
    std::span<const double> y;
    const svm_options& options;
    std::vector<index> used;     // examples of positive weight
    std::vector<double> weight;  // of all examples
    std::vector<double> classes;
    std::vector<double> class_weight;
    std::vector<std::vector<index>> members;  // of each class
    std::span<const index> rank;              // empty: problems take the examples as they stand; else by rising rank

    std::vector<index> in_order(std::vector<index> rows) const;
};

// Fails unless the options are in range and there are targets and weights for n examples.
void check_svm(const svm_options& options, index n, std::span<const double> y);

// ν-classification: fails with errc::infeasible unless both classes of every pair can hold their sum νn/2.
void require_feasible_nu(index n, std::span<const double> y, const svm_options& options);

// Solves problem number `which` while `side_by_side` of them may run at once; called from several threads.
using binary_solver =
    std::function<dual_solution(const binary_problem& problem, std::size_t which, index side_by_side)>;

// Checks the options, cuts the n examples into problems, has each solved and puts the model together, without kernel
// and objects. `rank`: the order of the examples within a class (canonical_order.h); empty: as they stand.
svm_model fit_binary_problems(index n, std::span<const double> y, const svm_options& options,
                              const binary_solver& solve, std::span<const index> rank = {});

// The same for a solver that needs to know of all examples.
using training_solver = std::function<dual_solution(const training_set& all, const binary_problem& problem,
                                                    std::size_t which, index side_by_side)>;
svm_model fit_problems(index n, std::span<const double> y, const svm_options& options, std::span<const index> rank,
                       const training_solver& solve);

// α of an earlier model for the examples of one problem, scaled from its C to this one; empty where that model is of
// other examples or classes.
std::vector<double> earlier_coefficients(const svm_model& start, const training_set& t, const binary_problem& problem,
                                         std::size_t which);

}  // namespace mercer
