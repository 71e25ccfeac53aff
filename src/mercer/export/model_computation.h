// The computation of a fitted model for one vector, as data from which exporters write it in other languages:
//
//     x ↦ (x - shift)·factor + base,    fⱼ(x) = Σₛ coef(s, j)·k(x, xₛ) + offsetⱼ,    then a rule from f to the answer.
//
// Nearly all methods have this form. The nearest mean μ of a class or cluster minimises k(x, x) - 2⟨φ(x), μ⟩ + ‖μ‖², so
// it maximises f = ⟨φ(x), μ⟩ - ½‖μ‖².
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mercer/export/kernel_formula.h"
#include "mercer/model/model.h"

namespace mercer::api {

struct model_computation {
    enum class rule {
        values,       // f
        exponential,  // e^f
        logarithm,    // log f - scale
        sign,         // one class if f > 0, the other class otherwise
        largest,      // the class of the largest f, the first one of equal values
        votes,        // one-versus-one: each f is a vote, and the class with most votes wins, the first one of a tie
        neighbours    // the vote or the mean of the nearest xₛ: f is not used
    };
    enum class probability {
        none,
        logistic,  // of the second class: 1/(1 + e^-f)
        softmax,   // of class j: e^fⱼ/Σ e^f
        platt      // of the first class: 1/(1 + e^(A f + B))
    };

    std::string method, kernel_text;
    index dims = 0;
    std::vector<std::string> feature_names;  // empty: none

    std::vector<double> shift, factor, base;  // scaling of each column; empty: none

    std::shared_ptr<const kernel_node> k;  // null: a linear model, fⱼ(x) = Σₐ coef(a, j)·xₐ + offsetⱼ
    matrix<double> points;                 // xₛ
    matrix<double> coef;                   // points (or features, if k is null) × functions
    std::vector<double> offset;

    rule decision = rule::values;
    target_kind gives = target_kind::values;
    std::vector<double> labels;      // labels of the classes, sides or clusters
    std::vector<std::string> names;  // names of the classes; empty: labels are numbers
    bool zero_is_positive = false;   // sign: f = 0 counts as positive
    std::size_t positive = 0;        // sign: the position in `labels` of the class for f > 0, 0 or 1
    double scale = 0;                // logarithm: the number subtracted from log f
    probability probability_form = probability::none;
    double slope = 0, intercept = 0;  // A and B of platt

    // Rule neighbours: the number of neighbours; votes are 1/distance; the target of each point (its class as a row of
    // zeros with a single 1, or its value); k(xₛ, xₛ); the weights of the points (empty: all 1).
    index neighbours = 0;
    bool weighted_by_distance = false;
    matrix<double> targets;
    std::vector<double> self, weight;

    index functions() const { return coef.cols(); }
    bool is_regression() const { return labels.empty(); }
    std::vector<std::string> label_texts() const;  // the names of the classes ("setosa"), or their numbers
    bool has_whole_labels() const;                 // returns true if all labels are whole numbers
};

// Returns the computation of a model. Throws errc::unsupported, with the reason, for models of other objects than
// vectors and for methods without this form. `form` names the result in error messages, as in "an ONNX file".
model_computation make_computation(const model& m, const std::string& form);

// Returns the objects of a model as rows of `dims` numbers. Throws if they are not vectors or more than 2²⁷ numbers.
matrix<double> dense_rows(const dataset& x, index dims, const std::string& form);
// Throws if the objects of the model are not vectors, or if it makes vectors from texts.
void require_vectors(const model& m, const std::string& form);

}  // namespace mercer::api
