// A fitted model of any method, and the conversion of the arguments of fit().
#pragma once

#include "convert.h"
#include "mercer/methods/method.h"

namespace mercer::python {

struct python_model {
    api::estimator_ptr fitted;
    const api::estimator* operator->() const { return fitted.get(); }
};

// Converts Python options to the option values of a method.
api::option_values values_of(const api::method& m, const py::dict& given);
bool has_steps(const api::method& m);
matrix_view<const double> targets_of(const std::optional<doubles>& y);
std::vector<std::pair<double, double>> class_weights(const py::object& given);
// memory: bytes for kernel values, and bytes for everything except the data. checkpoint: (path, seconds), an empty path
// for none.
fit_control control_of(const std::pair<std::size_t, std::size_t>& memory, const py::object& time_limit,
                       const py::object& n_jobs, const std::pair<std::string, double>& checkpoint, run_control& run);

}  // namespace mercer::python
