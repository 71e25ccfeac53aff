// What is read off a fitted support vector machine beside its decisions.
#pragma once

#include "mercer/methods/svm/svm.h"

namespace mercer {

// One score per class from the decisions of one-versus-one: its votes, and where votes are equal the sum s of its
// decision values, squeezed to s/(3(|s|+1)), which lies within ±1/3 and so never outweighs a vote. A decision of 0
// votes for the first of both classes, as in scikit-learn. Needs more than two classes; those of one-versus-rest are
// their own scores.
matrix<double> class_scores(const svm_model& model, matrix_view<const double> decisions);

// visit(support vector, problem, coefficient) for every coefficient that is not zero, in the order of the support
// vectors.
template <class Visit>
void each_coefficient(const svm_model& model, Visit visit) {
    const class_problems pairs = model.pairs();
    index c = 0, end = pairs.by_pairs() ? model.class_support[0] : model.coef.cols();
    for (index s = 0; s < model.coef.cols(); ++s) {
        while (s == end) end += model.class_support[static_cast<std::size_t>(++c)];
        for (index m = 0; m < model.coef.rows(); ++m)
            if (const double coef = model.coef(m, s); coef != 0) visit(s, pairs.of_row(c, m), coef);
    }
}

// w of every binary problem, for a model of the linear kernel: f(x) = wᵀx + b.
matrix<double> linear_weights(const svm_model& model);

}  // namespace mercer
