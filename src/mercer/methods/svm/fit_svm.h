// Fits support vector machines by SMO: fit_svm() encodes the classes and solves the dual of each binary problem.
//
// Example:
//
//     const double numbers[] = {0, 0, 0, 1, 3, 3, 3, 4};
//     const dataset x = dense<double>({numbers, 4, 2});  // four points of the plane, borrowed from `numbers`
//     const std::vector<double> y = {-1, -1, 1, 1};
//     svm_options options;
//     options.C = 10;
//     const svm_model m = fit_svm(gaussian{0.5}, x, y, options);
//     assert(m.worst_status() == fit_status::converged);
//     assert(decide(m, x).cols() == 1);  // one decision value for each point: there is one binary problem
//     assert(predict(m, x) == y);
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mercer/gram/gram.h"
#include "mercer/methods/svm/svm_model.h"
#include "mercer/solvers/smo/smo.h"

namespace mercer {

struct svm_progress {
    smo_progress solver;
    index problem = 0;   // number of the binary problem
    index problems = 1;  // number of binary problems
};

struct svm_options {
    svm_task task = svm_task::c_svc;
    double C = 1;  // infinity: hard margin
    double nu = 0.5;
    double epsilon = 0.1;
    double tol = 1e-3;
    multiclass classes = multiclass::one_vs_one;
    bool sorted_classes = true;                           // false: classes in order of first appearance, as in LIBSVM
    std::vector<std::pair<double, double>> class_weight;  // label → factor of C; other labels have 1
    bool class_weight_of_C = false;  // ν-classification: weights are factors of C = 1/ρ, found without them first, and
                                     // not of the bounds in ν's dual
    std::vector<double> sample_weight;                  // empty: all 1. 2: as if the example occurred twice, 0: absent
    std::size_t memory_bytes = std::size_t{200} << 20;  // of the kernel rows kept during the fit
    bool shrinking = true;
    std::int64_t max_steps = std::numeric_limits<std::int64_t>::max();  // per binary problem
    double max_seconds = std::numeric_limits<double>::infinity();       // of the whole fit
    std::function<bool(const svm_progress&)> progress;  // if it returns false, the fit ends with the current model
    bool canonical_order =
        false;  // sort the examples first: the answer is then the same in whatever order they come (not
                // for given matrices)
    const svm_model* start =
        nullptr;  // a model of the same examples: its α, scaled to this C, is where the solver starts
    // α is written to this file every checkpoint_seconds, and the solver starts from the file if it exists. Empty:
    // none.
    std::string checkpoint_file;
    double checkpoint_seconds = 60;
};

// Classification needs at least two distinct labels; regression takes any finite y; one-class ignores y. Throws
// errc::infeasible for a hard margin that does not exist and for an infeasible ν.
svm_model fit_svm(const kernel& k, const dataset& x, std::span<const double> y, const svm_options& options);
// The same from the n × n matrix of training kernel values. The model has no kernel and no objects.
svm_model fit_svm_precomputed(matrix_view<const double> K, std::span<const double> y, const svm_options& options);
// The same from one n × n Gram matrix in float and in double, which cross-validation and calibration share between
// fits.
svm_model fit_svm(const gram<float>& fast, const gram<double>& exact, std::span<const double> y,
                  const svm_options& options);
// An upper bound of the bytes that fit_svm needs beside the data.
std::size_t fit_memory(const kernel& k, const dataset& x, const svm_options& options);

// The dual of one binary problem, regression or one-class problem.
struct dual_input {
    svm_task task = svm_task::c_svc;
    std::vector<double> y;        // targets (regression)
    std::vector<double> sign;     // ±1 (classification)
    std::vector<double> penalty;  // upper bound of each |α|; ∞ for a hard margin
    double nu = 0.5;
    double epsilon = 0.1;
    std::vector<double> start;    // signed coefficients to start from; empty: none
    std::vector<index> rows;      // numbers of the examples, for messages
    std::string checkpoint_file;  // empty: none
};

// Its solution.
struct dual_solution {
    std::vector<double> coef;  // f(x) = Σ coefᵢ k(xᵢ, x) + offset
    double offset = 0;
    svm_report report;
};

dual_solution solve_dual(const gram<float>& fast, const gram<double>& exact, const dual_input& in, smo_options options);

}  // namespace mercer
