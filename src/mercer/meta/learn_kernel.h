// Learns the kernel of a method from data: the weights of a sum of kernels, or a scale factor for every column.
//
//     by         what is learned                                                        for
//     mkl        weights, together with the machine (multiple_kernels.h)                svc, svr, one_class
//     alignment  weights, by centred alignment with the targets (kernel_alignment.h)    methods with targets
//     relevance  a factor for each column, by evidence or leave-one-out (relevance.h)   methods with targets
//
// Example:
//
//     const table iris = read("data/iris.csv", {.label = "species"});
//     const api::spec s{"svc", "rbf(gamma=0.1) + rbf(gamma=1) + linear()", "standard", {{"C", "10"}}};
//     const api::learning found = api::learn(s, iris);
//     std::cout << found.what.kernel << '\n';  // a sum with learned factors, such as 0.3*rbf(gamma=0.1) + 1.2*linear()
//     const api::model m = api::fit(found.what, iris);
//     assert(m.score(iris).number("accuracy") > 0.9);
#pragma once

#include <string>
#include <vector>

#include "mercer/model/spec.h"

namespace mercer::api {

// Options of learn().
struct learn_options {
    std::string by = "mkl";
    double norm = 1;                     // mkl: p of ‖d‖ₚ <= 1
    bool balance = true;                 // mkl, alignment: divide each kernel by its variance in feature space first
    std::string criterion = "evidence";  // relevance: evidence or loo
    double tol = 0;                      // 0: default of the method
    index max_iter = 0;                  // 0: default of the method
    index max_rows = 1000;               // relevance: larger data are reduced to a random sample of this size
    std::uint64_t seed = 1;
};

// The result of learn(): pass `what` to fit().
struct learning {
    spec what;                       // spec with the learned kernel
    summary about;                   // by, status, duality gap and others
    std::vector<std::string> names;  // names of the kernels or of the columns
    // weights of the kernels; γ of the columns of a Gaussian kernel, otherwise their factors
    std::vector<double> weights;
    std::string weight_name;  // "weight", "gamma", "factor"
    bool complete = true;     // false: cancelled, or a limit was reached
};

// Learns the kernel of a spec. A spec without a kernel uses Gaussians of several widths and a linear kernel (mkl,
// alignment) or one Gaussian (relevance). Throws errc::unsupported, naming an alternative, for methods without kernels
// or without targets.
learning learn(const spec& s, const table& data, const learn_options& options = {}, const fit_control& control = {});

// {"by", "kernel", "spec", "parts": [{"kernel" or "column", weight_name}], "status", "gap", "objective", "bound", …}
std::string to_json(const learning& found);

}  // namespace mercer::api
