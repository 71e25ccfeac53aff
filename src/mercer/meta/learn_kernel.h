// A kernel learnt for a method and its data: the weights of a sum of kernels, or a factor for every column.
//
//     api::spec s{"svc", "rbf(gamma=0.1) + rbf(gamma=1) + linear()", "standard", {{"C", "10"}}};
//     const api::learning found = api::learn(s, data);           // found.what.kernel: "0.3*rbf(gamma=0.1)
//     + 1.2*linear()" const api::model m = api::fit(found.what, data);
//
//     by         what is learnt, by what                                         for
//     mkl        weights, with the machine itself (meta/multiple_kernels.h)   svc, svr, one_class
//     alignment  weights, by centred alignment with the targets (kernel_alignment.h)              methods with targets
//     relevance  a factor for each column, by the evidence or by leaving one out (relevance.h)   methods with targets
#pragma once

#include <string>
#include <vector>

#include "mercer/model/spec.h"

namespace mercer::api {

struct learn_options {
    std::string by = "mkl";
    double norm = 1;                     // mkl: p of ‖d‖ₚ <= 1
    bool balance = true;                 // mkl, alignment: divide each kernel by its variance in feature space first
    std::string criterion = "evidence";  // relevance: or loo
    double tol = 0;                      // 0: what is usual
    index max_iter = 0;                  // 0: what is usual
    index most_rows = 1000;              // relevance: larger data are looked at by so many examples, drawn at random
    std::uint64_t seed = 1;
};

struct learning {
    spec what;                       // with the learnt kernel
    figures about;                   // by, status, gap and what else there is to say
    std::vector<std::string> names;  // of the kernels, or of the columns
    std::vector<double> weights;     // of them; of a Gaussian's columns γ, else factors
    std::string weight_name;         // "weight", "gamma", "factor"
    bool complete = true;            // false: stopped, or at a limit
};

// A spec without a kernel takes the usual ones: Gaussians of several widths and a linear one, or one Gaussian. Fails
// with errc::unsupported, saying what to take instead, for methods without kernels or without targets.
learning learn(const spec& s, const table& data, const learn_options& options = {}, const fit_control& control = {});

// {"by", "kernel", "spec", "parts": [{"kernel" or "column", the weight's name}], and the figures: "status", "gap",
// "objective", "bound", …}
std::string to_json(const learning& found);

}  // namespace mercer::api
