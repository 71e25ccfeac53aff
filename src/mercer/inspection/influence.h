// Explains decisions by support vectors. A decision is the sum f(x) = Σ αᵢyᵢk(xᵢ, x) + b; the terms, sorted by size,
// show which training examples favour which side.
//
// Example:
//
//     #include <mercer/methods/svm/fit_svm.h>
//
//     const table data = read_table("data/heart_scale.svm");
//     const svm_model m = fit_svm(gaussian{0.1}, data.x, data.y, svm_options{});
//     const influence why = compute_influences(m, data.x, 0)[0];
//     assert(std::abs(why.positive + why.negative + why.offset - why.f) < 1e-9);
//     const influence_term& largest = why.terms[0];  // the training example with the largest influence is largest.row
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/methods/svm/svm_model.h"

namespace mercer {

// One term αᵢyᵢk(xᵢ, x) of a decision: the contribution of a support vector xᵢ.
struct influence_term {
    index support = 0;       // position of the support vector in the model
    index row = 0;           // row of the support vector in the training data
    double coefficient = 0;  // αᵢyᵢ
    double kernel = 0;       // k(xᵢ, x)
    double value = 0;        // coefficient·kernel
};

// The decision of one binary problem and its terms.
struct influence {
    index problem = 0;
    std::vector<influence_term> terms;  // in descending order of |value|
    double offset = 0;
    double f = 0;                       // sum of the terms in the order of the model, plus the offset
    double positive = 0, negative = 0;  // sums of the positive and of the negative terms
    // The number of largest terms that determine the sign of f: the remaining terms together cannot change it.
    index deciding_terms = 0;
};

// Returns the decision value at object `row` of x and its terms for every binary problem, in the order of the model.
// Kernel values are computed in double.
std::vector<influence> compute_influences(const svm_model& model, const dataset& x, index row);
// Returns the decision value of an object and its terms for every binary problem, from kernel_values[i] = k(xᵢ, x), the
// kernel values of the object x with all support vectors xᵢ, in the order of the model.
std::vector<influence> compute_influences(const svm_model& model, std::span<const double> kernel_values);

// The explanation of one decision, with the names of the classes.
struct explained_decision {
    index row = 0;  // row of the object in its file
    std::string predicted_class,
        true_class;                // names of the predicted and the true class; true_class is empty if it is not known
    std::vector<influence> parts;  // the binary problems that involve the predicted class
    std::vector<std::pair<std::string, std::string>> classes;  // names of the classes y = +1 and y = -1 of each part
    std::vector<std::string> class_of_support;                 // class of every support vector
};
// Explains the decision of a classifier about object `row` of x. `label` is the true class of the object, if it is
// known.
explained_decision explain_decision(const svm_model& model, const dataset& x, index row,
                                    std::optional<double> label = {});

}  // namespace mercer
