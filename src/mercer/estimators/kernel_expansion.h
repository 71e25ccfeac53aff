// Functions in the form the representer theorem gives them: fⱼ(x) = Σᵢ coef(i, j)·k(x, xᵢ) + offsetⱼ. Projections, means of groups and
// densities are all of this form, so their models share it.
#pragma once

#include <memory>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/gram/gram.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

struct kernel_expansion {
    std::shared_ptr<const kernel> k;  // null: fitted on a matrix, which knows neither kernel nor objects
    dataset x;                        // the training objects; empty where k is null
    matrix<double> coef;              // training objects × functions
    std::vector<double> offset;

    index size() const { return coef.rows(); }
    index functions() const { return coef.cols(); }
    // One row an object, one column a function; all in double. Nothing of size (objects × training objects) is stored.
    matrix<double> values(const dataset& z) const;
    // From kernel values: rows are new objects, columns the training objects.
    matrix<double> values(const gram<double>& K) const;
};

}  // namespace mercer
