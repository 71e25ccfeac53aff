// What the binding files about support vector machines share.
#pragma once

#include "convert.h"
#include "mercer/methods/svm/svm.h"

namespace mercer::python {

// The options that all solvers have, by their names in Python; nu, epsilon and shrinking may be left out.
svm_options svm_options_from(const py::dict& given);
// What a callback is told.
py::dict progress_dict(const svm_progress& now);

}  // namespace mercer::python
