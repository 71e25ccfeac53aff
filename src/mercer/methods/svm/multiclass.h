// The binary problems of a fit with several classes: they are constructed, solved in parallel by any solver, and
// combined to one model. Regression and one-class are one problem.
#pragma once

#include <functional>
#include <vector>

#include "mercer/methods/svm/fit_svm.h"

namespace mercer {

// One binary problem.
struct binary_problem {
    std::vector<index> rows;
    std::vector<double> sign;     // ±1, empty for regression and one-class
    std::vector<double> penalty;  // C of each example
    index first = 0, second = 0;  // classes
};

// The examples and classes of a fit, which all binary problems share.
struct training_set {
    std::span<const double> y;
    const svm_options& options;
    std::vector<index> used;     // examples of positive weight
    std::vector<double> weight;  // weight of every example
    std::vector<double> classes;
    std::vector<double> class_weight;
    std::vector<std::vector<index>> members;  // examples of each class
    std::span<const index> rank;              // rank of each example: the order in a problem; empty: order of the data

    std::vector<index> sorted_by_rank(std::vector<index> rows) const;
};

// Checks the input of a fit: throws errc::invalid_argument or errc::data unless the options are in range and there are
// finite targets and weights for n examples.
void check_svm(const svm_options& options, index n, std::span<const double> y);

// ν-classification: throws errc::infeasible unless both classes of every pair have enough weight for their sum of α,
// νn/2.
void require_feasible_nu(index n, std::span<const double> y, const svm_options& options);

// Solves problem number `which`. Called from several threads; up to `concurrent_problems` problems are solved
// concurrently.
using binary_solver =
    std::function<dual_solution(const binary_problem& problem, std::size_t which, index concurrent_problems)>;

// Checks the options, constructs the binary problems, solves them in parallel and returns the model, without kernel and
// objects. `rank`: the order of the examples within a class (canonical_order.h); empty: the order of the data.
svm_model fit_binary_problems(index n, std::span<const double> y, const svm_options& options,
                              const binary_solver& solve, std::span<const index> rank = {});

// Like fit_binary_problems(), for a solver that also needs the examples and classes of the whole fit.
using training_solver = std::function<dual_solution(const training_set& all, const binary_problem& problem,
                                                    std::size_t which, index concurrent_problems)>;
svm_model fit_problems(index n, std::span<const double> y, const svm_options& options, std::span<const index> rank,
                       const training_solver& solve);

// The coefficients of an earlier model for the examples of one problem, scaled from its C to that of the fit. Empty if
// that model has other examples, classes, task or scheme.
std::vector<double> start_coefficients(const svm_model& start, const training_set& t, const binary_problem& problem,
                                       std::size_t which);

}  // namespace mercer
