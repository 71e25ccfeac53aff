// The dual problems of the support vector machines, posed to the SMO solver and read back.
#pragma once

#include <string>
#include <vector>

#include "mercer/gram/gram.h"
#include "mercer/methods/svm/svm.h"

namespace mercer {

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
