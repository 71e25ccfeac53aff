// Evaluates a fitted model on data with known targets.
//
//     const evaluation all = api::evaluate(m, read_table("test.csv", api::read_options_for(m)), {.importance = true});
//     std::puts(api::evaluation_json(all).c_str());
#pragma once

#include <functional>
#include <string>

#include "mercer/metrics/evaluation.h"
#include "mercer/model/model.h"

namespace mercer::api {

struct evaluate_options {
    evaluation_options metrics{};
    bool importance = false;  // also compute the permutation importance of the features (vectors only)
    std::string metric{};     // metric of the importance; empty: accuracy, or rmse for values
    importance_options permutations{};
};

// Throws an error with errc::data if the data have no targets, and with errc::unsupported if the model predicts neither
// classes nor values. One-class models are evaluated with the targets 1 (inside) and -1.
evaluation evaluate(const model& m, const table& data, const evaluate_options& options = {});

// The evaluation as JSON, without the examples themselves. The keys are described in docs/evaluate.md.
std::string evaluation_json(const evaluation& all);

}  // namespace mercer::api
