// How the regions change as a parameter grows: one fit for each value, on two features of the data.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/plot/class_regions.h"

namespace mercer {

struct sequence_spec {
    std::string kernel;  // "rbf(gamma=1)": one kernel by its name
    double C = 1;
    std::string vary;  // "C", or a parameter of the kernel
    std::vector<double> values;
};

// The seven sequences of a course on kernels: linear with C growing; RBF with γ, with C; polynomial with degree, with
// C; sigmoid with γ, with C.
std::vector<sequence_spec> course_sequences();

// "rbf(gamma=1)" with gamma = 10: "rbf(gamma=10)". Fails, with the names it has, for a parameter that the kernel lacks.
std::string with_parameter(const std::string& kernel_text, const std::string& parameter, double value);

// x has two columns or more; two of them are taken, and the fits see nothing else.
struct sequence_data {
    dataset x;
    std::vector<double> y;
    std::vector<std::string> class_names;
    std::vector<std::string> feature_names;
    std::pair<index, index> pair{0, 1};
};
// `fitted` is called after every fit. Fits that take longer than `most_seconds` are drawn as far as they came, and say
// so.
region_sequence fit_sequence(const sequence_spec& spec, const sequence_data& data, double most_seconds = 10,
                             const std::function<void()>& fitted = {});

}  // namespace mercer
