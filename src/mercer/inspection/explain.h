// A fitted model in terms of the features of its kernel: which k-mers, words, subtrees or items moved a decision, and
// which ones weigh most in the model (inspection/explanation.h).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mercer/inspection/explanation.h"
#include "mercer/model/model.h"

namespace mercer::api {

// The classes, by their labels, that a function stands between: f > 0 speaks for the first. None where f is a value;
// no second: all the others.
struct function_sides {
    std::optional<double> positive, negative;
};
std::vector<function_sides> sides_of(const fitted& m, index functions);

struct explained_function {
    std::string positive, negative;      // names of classes; empty where there are none
    decision_shares decision;            // of an object, where one was asked about
    std::vector<feature_share> weights;  // the largest
};
struct feature_explanation {
    std::string method, kernel;
    std::optional<index> row;
    std::string said;  // what the model predicts of the object
    // Of an object with a class: those functions that its class is a side of.
    std::vector<explained_function> functions;
};

// Fails with errc::unsupported where the model is no sum over kernel values or the kernel has no explicit features.
feature_explanation explain_object(const model& m, const dataset& x, index row, index top);
feature_explanation explain_model(const model& m, index top);

std::string text(const feature_explanation& e);
std::string to_json(const feature_explanation& e);
// The object with its letters, words or nodes coloured by their share of the decision, and the largest shares as bars.
std::string picture(const feature_explanation& e, const dataset& x);

}  // namespace mercer::api
