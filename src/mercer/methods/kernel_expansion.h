// Kernel expansions: functions fⱼ(x) = Σₛ coef(s, j)·k(x, xₛ) + offsetⱼ, as in the representer theorem. Solutions of
// kernel ridge and logistic regression and of other losses, projections, means of groups and densities have this form,
// so their models share it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/gram/make_gram.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

// The functions f₁ … f_p of the file comment. An object xₛ is a training example or a centre.
struct kernel_expansion {
    std::shared_ptr<const kernel> k;  // null: the model was fitted on a kernel matrix
    dataset x;                        // the objects xₛ; empty if k is null
    std::vector<index> rows;          // the training examples xₛ by number; empty: all of them, in order
    matrix<double> coef;              // objects × functions
    std::vector<double> offset;       // offset of each function
    index training_size = 0;          // number of training examples; 0: coef.rows()
    prepared_support ready{};         // prepared data of x, for repeated calls of values()

    index size() const { return coef.rows(); }
    index functions() const { return coef.cols(); }
    std::string kernel_text() const { return k ? k->text() : std::string(); }
    // The values of the functions (columns) for each object of z (row), computed in double. The kernel matrix is not
    // stored. Throws errc::unsupported if k is null.
    matrix<double> values(const dataset& z) const;
    // The values of the functions from known kernel values: K has a row for each new object, and a column for each
    // training example or for each object xₛ. Throws errc::invalid_argument for another number of columns.
    matrix<double> values(const gram<double>& K) const;
    matrix<double> values(matrix_view<const double> K) const;
};

}  // namespace mercer
