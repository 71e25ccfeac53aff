// Evaluates a fitted model on data with known targets.
//
// Example:
//
//     const table iris = read("data/iris.csv", {.label = "species"});
//     const model m = fit(svc{.kernel = gaussian{0.5}}, iris);
//     const evaluation all = api::evaluate(m, iris, {.metrics = {.resamples = 100}, .importance = true});
//     assert(all.find("accuracy")->value > 0.95 && all.importance.size() == 4);
//     std::cout << api::evaluation_json(all) << '\n';
#pragma once

#include <functional>
#include <string>

#include "mercer/metrics/evaluation.h"
#include "mercer/model/model.h"

namespace mercer::api {

// Options of evaluate().
struct evaluate_options {
    evaluation_options metrics{};
    bool importance = false;  // also compute the permutation importance of the features (vectors only)
    std::string metric{};     // metric of the importance; empty: accuracy, or rmse for values
    importance_options permutations{};
};

// Predicts the objects of `data` and compares the predictions with their targets. Throws errc::data if the data have no
// targets, and errc::unsupported if the model predicts neither classes nor values. One-class models are evaluated with
// the targets 1 (inside) and -1.
evaluation evaluate(const model& m, const table& data, const evaluate_options& options = {});

// The evaluation as JSON, without the examples themselves. The keys are described in docs/evaluate.md.
std::string evaluation_json(const evaluation& all);

}  // namespace mercer::api
