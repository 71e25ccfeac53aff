// Why this class? A decision is a sum over support vectors, f(x) = Σ αᵢyᵢk(xᵢ, x) + b: each term pulls x to one side.
// Sorted by size, they are the answer in terms of examples.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/methods/svm/svm_model.h"

namespace mercer {

struct influence_term {
    index support = 0;       // number among the support vectors
    index row = 0;           // number among the training examples
    double coefficient = 0;  // αᵢyᵢ
    double kernel = 0;       // k(xᵢ, x)
    double value = 0;        // their product
};

// One decision taken apart.
struct influence {
    index problem = 0;
    std::vector<influence_term> terms;  // the largest |value| first
    double offset = 0;
    double f = 0;                       // the terms added up in the order of the model, and the offset
    double positive = 0, negative = 0;  // sums of the terms of either sign
    // So many terms, the largest first, are enough that the rest together cannot change the sign of f.
    index enough = 0;
};

// For object `row` of x, one for every binary problem of the model. Kernel values are in double.
std::vector<influence> influences(const svm_model& model, const dataset& x, index row);
// From kernel values of the object with the support vectors, in their order.
std::vector<influence> influences(const svm_model& model, std::span<const double> kernel_values);

// One decision explained: the object, what the model says, and why, with the classes by name.
struct explained_decision {
    index row = 0;                                             // as the reader counts
    std::string said, truth;                                   // names of classes; truth empty where it is not known
    std::vector<influence> parts;                              // the binary problems that the class said takes part in
    std::vector<std::pair<std::string, std::string>> classes;  // of each part: y = +1, y = -1
    std::vector<std::string> class_of_support;                 // of every support vector of the model
};
explained_decision explain_decision(const svm_model& model, const dataset& x, index row,
                                    std::optional<double> label = {});

}  // namespace mercer
