// Fits support vector machines: fit_svm() encodes the classes, poses the binary problems and solves their duals.
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
    index problem = 0;  // of the binary problems, this one
    index problems = 1;
};

struct svm_options {
    svm_task task = svm_task::c_svc;
    double C = 1;  // infinity: hard margin
    double nu = 0.5;
    double epsilon = 0.1;
    double tol = 1e-3;
    multiclass classes = multiclass::one_vs_one;
    bool sorted_classes = true;                           // else in the order in which they first appear, as LIBSVM
    std::vector<std::pair<double, double>> class_weight;  // label → factor of C; labels not named have 1
    bool class_weight_of_C = false;  // ν-classification: weights are factors of C = 1/ρ, found without them first, and
                                     // not of the bounds in ν's dual
    std::vector<double> sample_weight;                  // empty: all 1. 2 = the example twice, 0 = absent
    std::size_t memory_bytes = std::size_t{200} << 20;  // for the kernel rows kept while fitting
    bool shrinking = true;
    std::int64_t most_steps = std::numeric_limits<std::int64_t>::max();  // per binary problem
    double most_seconds = std::numeric_limits<double>::infinity();       // for the whole fit
    std::function<bool(const svm_progress&)> progress;                   // false: stop and keep what there is
    bool any_order = false;  // sort the examples first: the answer is then the same in whatever order they come (not
                             // for given matrices)
    const svm_model* start =
        nullptr;  // a model of the same examples: its α, scaled to this C, is where the solver starts
    // Write α to this file every so many seconds, and start from it when it is there and fits.
    std::string checkpoint_file;
    double checkpoint_seconds = 60;
};

// Two classes need labels of two kinds; regression takes any y; one-class ignores it.
svm_model fit_svm(const kernel& k, const dataset& x, std::span<const double> y, const svm_options& options);
// K is the n × n matrix of training kernel values.
svm_model fit_svm_precomputed(matrix_view<const double> K, std::span<const double> y, const svm_options& options);
// From the same n × n matrix in float and in double, whatever it is made of: what validation and calibration share
// between fits. The model holds no kernel and no objects.
svm_model fit_svm(const gram<float>& fast, const gram<double>& exact, std::span<const double> y,
                  const svm_options& options);
// Bytes that fit_svm will need beside the data, at most.
std::size_t fit_memory(const kernel& k, const dataset& x, const svm_options& options);

// The dual problems of the support vector machines, posed to the SMO solver and read back.

struct dual_input {
    svm_task task = svm_task::c_svc;
    std::vector<double> y;        // targets (regression)
    std::vector<double> sign;     // ±1 (classification)
    std::vector<double> penalty;  // upper bound of each |α|; ∞ for a hard margin
    double nu = 0.5;
    double epsilon = 0.1;
    std::vector<double> start;    // signed coefficients to start from; empty: none
    std::vector<index> rows;      // names of the examples, for messages
    std::string checkpoint_file;  // empty: none
};

struct dual_solution {
    std::vector<double> coef;  // f(x) = Σ coefᵢ k(xᵢ, x) + offset
    double offset = 0;
    svm_report report;
};

dual_solution solve_dual(const gram<float>& fast, const gram<double>& exact, const dual_input& in, smo_options options);

}  // namespace mercer
