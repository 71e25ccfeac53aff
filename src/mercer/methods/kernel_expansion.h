// Functions in the form the representer theorem gives them: fⱼ(x) = Σₛ coef(s, j)·k(x, xₛ) + offsetⱼ. Solutions of
// kernel ridge, logistic and the other losses, projections, means of groups and densities are all of this form, so
// their models share it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/gram/make_gram.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

struct kernel_expansion {
    std::shared_ptr<const kernel> k;  // null: fitted on a matrix, which knows neither kernel nor objects
    dataset x;                        // the objects xₛ; empty where k is null
    std::vector<index> rows;          // their numbers among the training examples; empty: all of them, in order
    matrix<double> coef;              // objects × functions
    std::vector<double> offset;       // of each function
    index training_size = 0;          // 0: as many as there are coefficients
    ready_rows ready{};               // of x, for those who ask again and again

    index size() const { return coef.rows(); }
    index functions() const { return coef.cols(); }
    std::string kernel_text() const { return k ? k->text() : std::string(); }
    // One row an object, one column a function; all in double. Nothing of size (objects × training objects) is stored.
    matrix<double> values(const dataset& z) const;
    // From kernel values: rows are new objects, columns all training examples, or only those that are kept.
    matrix<double> values(const gram<double>& K) const;
    matrix<double> values(matrix_view<const double> K) const;
};

}  // namespace mercer
