// A model judged on data whose targets are known.
//
//     const evaluation all = api::evaluate(m, read_table("test.csv", api::read_like(m)), {.importance = true});
//     std::puts(api::evaluation_json(all).c_str());
#pragma once

#include <functional>
#include <string>

#include "mercer/metrics/evaluation.h"
#include "mercer/model/model.h"

namespace mercer::api {

struct evaluate_options {
    evaluation_options figures{};
    bool importance = false;  // also shuffle every feature; of vectors
    std::string metric{};     // of the importance; empty: accuracy, or rmse
    importance_options shuffles{};
};

// Fails with errc::data without targets, errc::unsupported for models whose answers are neither classes nor values.
// Machines of one class are judged by targets 1, inside, and -1.
evaluation evaluate(const model& m, const table& data, const evaluate_options& options = {});

// All of it but the examples themselves; the keys are in docs/evaluate.md.
std::string evaluation_json(const evaluation& all);

}  // namespace mercer::api
