// The support vector machines behind multiple kernel learning: fitted for given weights, each from the one before, and
// what the duals of one say of all kernels.
#pragma once

#include <span>
#include <vector>

#include "mercer/meta/kernel_family.h"
#include "mercer/methods/svm/multiclass.h"

namespace mercer {

// Signed α of every binary problem, in the order of its rows.
using machine_coefficients = std::vector<std::vector<double>>;

struct machine_figures {
    double linear = 0;              // pᵀα
    std::vector<double> quadratic;  // αᵀKₘα of each kernel
    double objective = 0;  // ½c² Σ dₘαᵀKₘα + loss of c·f + b, f = Σ dₘKₘα, at the best c and b
};

class machines_of_family {
public:
    machines_of_family(const kernel_family& family, std::span<const double> y, const svm_options& options);

    // To a gap of `tol` in terms of f; cut short where `seconds` are over.
    machine_coefficients fit(std::span<const double> weights, double tol, double seconds);
    machine_figures measure(const machine_coefficients& coef, std::span<const double> weights, bool exact) const;
    // How large values of f are, as a rule.
    double scale() const { return scale_; }

private:
    double loss_of(std::size_t problem, const double* f, index stride, double factor) const;

    const kernel_family& family_;
    std::span<const double> y_;
    svm_options options_;
    std::vector<binary_problem> problems_;
    machine_coefficients last_;
    double scale_ = 1;
};

}  // namespace mercer
