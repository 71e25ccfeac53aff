// Fits support vector machines by SMO (sequential minimal optimisation, solvers/smo/smo.h): fit_svm() encodes the
// classes and solves the dual of each binary problem. svm_model.h states the optimisation problems, and has the
// functions that predict.
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

// The state of a running fit, as passed to svm_options::progress.
struct svm_progress {
    smo_progress solver;
    index problem = 0;   // number of the binary problem
    index problems = 1;  // number of binary problems
};

// Options of fit_svm(). The meaning of C, nu and epsilon is that of svm_model.h; options that the task does not use are
// ignored.
struct svm_options {
    svm_task task = svm_task::c_svc;
    double C = 1;          // penalty parameter C > 0; infinity: hard margin
    double nu = 0.5;       // 0 < ν <= 1
    double epsilon = 0.1;  // half the width of the tube, >= 0
    double tol = 1e-3;     // tolerance of the KKT violation (svm_report::gap), in units of f
    multiclass classes = multiclass::one_vs_one;
    bool sorted_classes = true;                           // false: classes in order of first appearance, as in LIBSVM
    std::vector<std::pair<double, double>> class_weight;  // label → factor of C; other labels have 1
    // ν-classification only. true: class weights are factors of C = 1/ρ, where ρ is that of a first fit without class
    // weights; false: class weights are factors of the upper bounds of α in the dual of the ν-problem.
    bool class_weight_of_C = false;
    // One weight per example: weight 2 counts an example twice, weight 0 leaves it out. Empty: all weights are 1.
    std::vector<double> sample_weight;
    // Limit in bytes for stored kernel rows, converted copies of the data and matrices of the solver. fit_memory()
    // returns a limit for the whole fit.
    std::size_t memory_bytes = std::size_t{200} << 20;
    bool shrinking = true;  // do not update variables that are likely to stay at a bound (solvers/smo/smo.h)
    std::int64_t max_steps = std::numeric_limits<std::int64_t>::max();  // pair steps per binary problem
    double max_seconds = std::numeric_limits<double>::infinity();       // time limit of the whole fit
    std::function<bool(const svm_progress&)> progress;  // if it returns false, the fit ends with the current model
    // Sorts the examples first, so that the result does not depend on their order. Not for given matrices.
    bool canonical_order = false;
    // A model of the same examples, or null: the solver starts from its α, scaled to this C. Borrowed during the fit.
    const svm_model* start = nullptr;
    // α is written to this file every checkpoint_seconds, and the solver starts from the file if it exists. Empty:
    // none.
    std::string checkpoint_file;
    double checkpoint_seconds = 60;
};

// Fits to n objects x with one target per object: class labels for classification, values for regression; one-class
// ignores y. A fit that does not reach the tolerance is no error: svm_report::status states how it ended. Throws
// errc::invalid_argument if an option is out of range or sizes differ; errc::data if there are no examples, a value is
// not finite, or a classification has only one class; errc::infeasible for a hard margin that does not exist and for an
// infeasible ν.
svm_model fit_svm(const kernel& k, const dataset& x, std::span<const double> y, const svm_options& options);
// Fits to the n × n kernel matrix K of the examples. The model has no kernel and no objects, so it predicts from kernel
// values only.
svm_model fit_svm_precomputed(matrix_view<const double> K, std::span<const double> y, const svm_options& options);
// Fits to the n × n Gram matrix of the examples in float (`fast`) and in double (`exact`), for code that fits several
// times to the same matrix.
svm_model fit_svm(const gram<float>& fast, const gram<double>& exact, std::span<const double> y,
                  const svm_options& options);
// Returns an upper bound of the bytes that fit_svm() needs in addition to the data.
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

// The solution of a dual_input.
struct dual_solution {
    std::vector<double> coef;  // f(x) = Σ coefᵢ k(xᵢ, x) + offset
    double offset = 0;
    svm_report report;
};

// Solves the dual. `fast` and `exact` are the kernel matrix of the examples of this problem, in float and in double.
dual_solution solve_dual(const gram<float>& fast, const gram<double>& exact, const dual_input& in, smo_options options);

}  // namespace mercer
