// Fits any method by its name. Programs, Python and the browser page call this function.
//
// Example:
//
//     const api::spec s = api::parse_spec(R"json({"method": "svc", "kernel": "rbf(gamma=0.5)", "C": 10})json");
//     const table iris = read_table("data/iris.svm");
//     const api::model m = api::fit(s, iris);
//     m.save("iris_by_spec.model");
//     assert(api::load("iris_by_spec.model").predict(iris.x) == m.predict(iris.x));
#pragma once

#include "mercer/kernels/kernel.h"
#include "mercer/model/model.h"

namespace mercer::api {

// Fits the method to the table, after text features and scaling. Throws errc::invalid_argument for an unknown method,
// option or value, listing the known ones; errc::data for unsuitable targets; errc::unsupported if the method or the
// kernel does not support this kind of object.
model fit(const spec& s, const table& data, const fit_control& control = {});
// The default kernel for a kind of object: rbf(gamma=1/(d·variance)) for d-dimensional vectors (scikit-learn's
// gamma="scale"), spectrum(k=3) for strings, jaccard() for sets, the sum of the normalised default kernels of the
// fields for records.
kernel default_kernel(const dataset& x);

}  // namespace mercer::api
