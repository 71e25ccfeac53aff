// Support vector classification and regression of the examples held out from a fold, for many prices C on one matrix in
// memory: the inner loop of a search over C and the kernel's parameters.
//
// Machines of several classes are cut into binary problems as in methods/svm; each is solved for one C after the other
// (solvers/smo/c_path). The problem is that of kernel values in float: for scores to compare, not for a model.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/methods/svm/class_problems.h"
#include "mercer/methods/svm/inner_fits.h"
#include "mercer/solvers/smo/c_path.h"

namespace mercer {

struct price_options {
    multiclass scheme = multiclass::one_vs_one;
    std::span<const double> weight{};  // of the examples; empty: all 1
    double tol = 1e-2;
    index most_steps_each = 100;  // pairs solved for every example, at most
};

// What the examples held out are said to be at one price.
struct price_answer {
    std::vector<double> predicted;
    matrix<double> decisions;  // a row for each, a column for each binary problem
    inner_fits fits;
};

// C ascending. Fails where the training part has a single class: nothing is learnt from that.
std::vector<price_answer> decide_along_prices(const smo::padded_matrix& K, std::span<const double> y,
                                              std::span<const index> training, std::span<const index> held_out,
                                              std::span<const double> C, const price_options& options = {});
// ε-regression; the tolerance is in standard deviations of the training targets.
std::vector<price_answer> predict_along_prices(const smo::padded_matrix& K, std::span<const double> y,
                                               std::span<const index> training, std::span<const index> held_out,
                                               std::span<const double> C, double epsilon,
                                               const price_options& options = {});

}  // namespace mercer
