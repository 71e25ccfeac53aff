// Fits any method by its name, with the options in a spec. The program, Python and the playground call this function;
// C++ code can also pass a method value to fit() of mercer.h.
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

// Fits the method of the spec to the table, after text features and scaling; without a kernel in the spec, with
// default_kernel(). Throws errc::invalid_argument for an unknown method, option or value, listing the known ones;
// errc::data if there are no examples, a value is not finite, or the targets are unsuitable for the method;
// errc::unsupported if the method or the kernel does not support this kind of object.
model fit(const spec& s, const table& data, const fit_control& control = {});
// The default kernel for a kind of object: rbf(gamma=1/(d·variance)) for d-dimensional vectors (scikit-learn's
// gamma="scale"), with the variance of all coordinates, and gamma=1 if that is not finite; Kind::default_kernel (data/)
// for objects of another kind, such as spectrum(k=3) for strings and jaccard() for sets; for records the sum of the
// normalised default kernels of the fields.
kernel default_kernel(const dataset& x);

}  // namespace mercer::api
