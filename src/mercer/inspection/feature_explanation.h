// Explains decisions by the explicit features of a kernel (explicit_features.h). With k(x, z) = Σ_f s_f φ_f(x)φ_f(z) a
// function f(x) = Σᵢ coefᵢ·k(x, xᵢ) + b is linear in the features:
//
//     f(x) = Σ_f w_f φ_f(x) + b,    w_f = s_f Σᵢ coefᵢ φ_f(xᵢ).
//
// The terms w_f φ_f(x) are the contributions of the k-mers, words, subtrees or items of x; the weights w_f describe the
// model.
//
// Example:
//
//     const table data = read("data/promoters.tsv");
//     const model m = fit(svc{.kernel = normalise(spectrum{3})}, data);
//     const api::feature_explanation why = api::explain_object(m, data.x, 0, 5);
//     assert(why.functions[0].decision.largest.size() == 5);
//     std::cout << api::text(why);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/kernels/embedding.h"
#include "mercer/methods/kernel_expansion.h"
#include "mercer/model/model.h"

namespace mercer {

// A feature and its contribution.
struct feature_share {
    std::string name;
    std::string kernel;  // part of the kernel that the feature belongs to
    double value = 0;    // φ_f(x); 0 if no object is explained
    double weight = 0;   // w_f
    double share() const { return value * weight; }
};

// The decision value of one function and its terms.
struct decision_shares {
    double f = 0, offset = 0;
    index features = 0;                  // number of features of the object
    std::vector<feature_share> largest;  // the largest shares, in descending order of |share|
    double rest = 0;                     // sum of all shares that are not in `largest`
    // The share of each byte of a string or node of a graph or tree: the shares of the features, divided among their
    // places. Empty if no feature has places.
    std::vector<double> parts;
};

// The places of features in an object, for features that the kernel cannot locate itself, for example the terms of
// tf-idf.
struct known_places {
    std::vector<feature_place> places;
    index size = 0;  // size of the object in bytes
};

// Returns, for every function of the expansion, its value at object `row` of x and its `top` largest shares: f = Σ
// share + rest + offset. `known` names the features, `where` locates them in the object. Throws errc::unsupported,
// naming the part of the kernel that has no explicit features.
std::vector<decision_shares> share_decisions(const kernel_expansion& f, const dataset& x, index row, index top,
                                             const known_names& known = {},
                                             const std::optional<known_places>& where = {});
// The `top` weights with the largest |w_f| of each function.
std::vector<std::vector<feature_share>> largest_weights(const kernel_expansion& f, index top,
                                                        const known_names& known = {});

}  // namespace mercer

namespace mercer::api {

// Explanations of a fitted model, with the names of classes and features.

// The labels of the classes that a function separates: f > 0 favours `positive`. If only `negative` is empty, it means
// all other classes; if both are empty, f is a predicted value.
struct function_sides {
    std::optional<double> positive, negative;
};
// Returns the sides of each of the `functions` decision functions of m.
std::vector<function_sides> class_sides(const estimator& m, index functions);

// One function of an explanation.
struct explained_function {
    std::string positive, negative;      // names of the classes; empty if there are none
    decision_shares decision;            // set if an object is explained
    std::vector<feature_share> weights;  // the largest weights; set if the model is explained
};
// The explanation of a prediction, or of a model.
struct feature_explanation {
    std::string method, kernel;
    std::optional<index> row;
    std::string prediction;  // prediction for the object
    // explain_object(): the decision functions that separate the predicted class from another class or from the rest
    // (all functions if the model predicts values). explain_model(): all functions.
    std::vector<explained_function> functions;
};

// explain_object() explains the prediction for object `row` of x by the `top` largest shares of each function that
// involves the predicted class; explain_model() explains all functions by their `top` largest weights. Both throw
// errc::unsupported if the model is not a sum over kernel values or the kernel has no explicit features.
feature_explanation explain_object(const model& m, const dataset& x, index row, index top);
feature_explanation explain_model(const model& m, index top);

// The explanation as text for people, and as JSON.
std::string text(const feature_explanation& e);
std::string to_json(const feature_explanation& e);

}  // namespace mercer::api
