// What a fitted model computes for one vector, taken apart so that it can be written in other languages:
//
//     x ↦ (x - shift)·factor + base,    fⱼ(x) = Σₛ coef(s, j)·k(x, xₛ) + offsetⱼ,    then what f says.
//
// Nearly all methods end here: means of classes and clusters, whose distance is k(x, x) - 2⟨φ(x), μ⟩ + ‖μ‖², by
// f = ⟨φ(x), μ⟩ - ½‖μ‖², of which the largest is the nearest.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mercer/export/kernel_formula.h"
#include "mercer/model/model.h"

namespace mercer::api {

struct computation {
    enum class rule {
        values,       // f
        exponential,  // e^f
        logarithm,    // log f - scale
        sign,         // a class where f > 0, another where not
        largest,      // the class of the largest f, the first of equals
        votes,        // one-versus-one: each f gives a vote, and the class with most wins, the first of equals
        neighbours    // the classes, or the mean, of the nearest xₛ: f is not used
    };
    enum class probability {
        none,
        logistic,  // of the second class 1/(1 + e^-f)
        softmax,   // e^fⱼ/Σ e^f
        platt      // of the first class 1/(1 + e^(A f + B))
    };

    std::string method, kernel_text;
    index dims = 0;
    std::vector<std::string> feature_names;  // empty: none

    std::vector<double> shift, factor, base;  // of the columns; empty: as they are

    std::shared_ptr<const kernel_node> k;  // null: the objects are the unit vectors, f(x) = Σₐ coef(a, j)·xₐ + offsetⱼ
    matrix<double> points;                 // xₛ
    matrix<double> coef;                   // points × functions
    std::vector<double> offset;

    rule how = rule::values;
    answer gives = answer::values;
    std::vector<double> labels;      // of the classes, sides or clusters
    std::vector<std::string> names;  // of the classes, where they have names
    bool zero_is_first = false;      // sign: f = 0 counts as positive
    std::size_t positive = 0;        // sign: which class f > 0 means, of two
    double scale = 0;                // logarithm
    probability chances = probability::none;
    double slope = 0, intercept = 0;  // A and B of platt

    // neighbours: how many, whether votes are 1/distance, what each point says (its class as a row of zeros and one 1,
    // or its value), k(xₛ, xₛ), weights (empty: all 1)
    index neighbours = 0;
    bool by_distance = false;
    matrix<double> says;
    std::vector<double> self, weight;

    index functions() const { return coef.cols(); }
    bool is_regression() const { return labels.empty(); }
    std::vector<std::string> label_texts() const;  // "setosa", or the number
    bool whole_labels() const;
};

// Fails with errc::unsupported, saying why, for models of other objects than vectors and for methods that have no such
// form; `form` is what is wanted, as in "an ONNX file".
computation computation_of(const model& m, const std::string& form);

// The objects of a model as rows of numbers. Fails where they are no vectors, or too many numbers to be written out.
matrix<double> rows_of(const dataset& x, index dims, const std::string& form);
// Fails where the model does more to its objects than scaling vectors.
void require_vectors(const model& m, const std::string& form);

}  // namespace mercer::api
