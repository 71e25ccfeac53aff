// Which features moved a decision. Where a kernel has explicit features (explicit_features.h), k = Σ_f s_f
// φ_f(x)φ_f(z), a function f(x) = Σᵢ coefᵢ·k(x, xᵢ) + b is linear in them:
//
//     f(x) = Σ_f w_f φ_f(x) + b,    w_f = s_f Σᵢ coefᵢ φ_f(xᵢ).
//
// The terms w_f φ_f(x) say what the k-mers, words, subtrees or items of x have done, the weights w_f what the machine
// has learned.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/kernels/embedding.h"
#include "mercer/methods/kernel_expansion.h"
#include "mercer/model/model.h"

namespace mercer {

struct feature_share {
    std::string name;
    std::string kernel;  // the part of the kernel that it belongs to
    double value = 0;    // φ_f(x); 0 where no object is meant
    double weight = 0;   // w_f
    double share() const { return value * weight; }
};

// One decision taken apart.
struct decision_shares {
    double f = 0, offset = 0;
    index features = 0;                  // that the object has
    std::vector<feature_share> largest;  // the largest |share| first
    double rest = 0;                     // the shares of all others together
    // For each byte of a string or node of a graph its part of the shares, each divided among its places; empty where
    // no feature has places.
    std::vector<double> parts;
};

// Where the features of an object stand that are not known from the kernel, as those of tf-idf.
struct known_places {
    std::vector<feature_place> places;
    index size = 0;  // bytes
};

// The decisions of all functions about object `row` of x, with the `top` largest shares of each. They add up:
// f = Σ share + rest + offset. Fails with errc::unsupported, naming the part of the kernel without explicit features.
std::vector<decision_shares> share_decisions(const kernel_expansion& f, const dataset& x, index row, index top,
                                             const known_names& known = {},
                                             const std::optional<known_places>& where = {});
// The `top` largest |w_f| of each function.
std::vector<std::vector<feature_share>> largest_weights(const kernel_expansion& f, index top,
                                                        const known_names& known = {});

}  // namespace mercer

namespace mercer::api {

// A fitted model in terms of the features of its kernel: which k-mers, words, subtrees or items moved a decision, and
// which ones weigh most in the model (inspection/explanation.h).

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

}  // namespace mercer::api
