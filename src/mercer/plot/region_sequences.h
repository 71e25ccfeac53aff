// Sequences of class regions for growing values of a parameter: one fit for each value, on two features of the data.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/plot/class_regions.h"

namespace mercer {

// A sequence: one fit for each of `values`.
struct sequence_spec {
    std::string kernel;  // a kernel by its name, e.g. "rbf(gamma=1)"
    double C = 1;
    std::string vary;  // "C" or a parameter of the kernel
    std::vector<double> values;
};

// The seven sequences of a course on kernels: linear over C; RBF over γ and over C; polynomial over degree and over C;
// sigmoid over γ and over C.
std::vector<sequence_spec> course_sequences();

// Returns the expression of a single kernel with another value of a parameter: with_parameter("rbf(gamma=1)", "gamma",
// 10) is "rbf(gamma=10)". A parameter that the expression leaves at its default is added, and gamma of rbf replaces
// sigma and vice versa. Throws errc::invalid_argument if the expression is not one kernel of the list, such as a sum,
// or if the kernel has no parameter of this name (the message lists its parameters).
std::string with_parameter(const std::string& kernel_text, const std::string& parameter, double value);

// x has at least two columns; the fits use the two columns of `pair`.
struct sequence_data {
    dataset x;
    std::vector<double> y;
    std::vector<std::string> class_names;
    std::vector<std::string> feature_names;
    std::pair<index, index> pair{0, 1};
};
// Fits the models of a sequence. `fitted` is called after every fit. A fit that takes more than `max_seconds` is
// stopped; its unfinished model is drawn and marked.
region_sequence fit_sequence(const sequence_spec& spec, const sequence_data& data, double max_seconds = 10,
                             const std::function<void()>& fitted = {});

}  // namespace mercer
