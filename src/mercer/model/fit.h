// Fits any method by its name. Programs, Python and the browser page call this function.
//
//     const api::spec s = api::parse_spec(R"({"method": "svc", "kernel": "rbf(gamma=0.5)", "C": 10})");
//     const api::model m = api::fit(s, read_table("iris.csv"));
//     m.predict(other.x);
//     m.save("iris.model");
#pragma once

#include "mercer/kernels/kernel.h"
#include "mercer/model/model.h"

namespace mercer::api {

// Fits the method to the table, after text features and scaling. Throws an error with errc::invalid_argument for an
// unknown method, option or value, listing the known ones; with errc::data for unsuitable targets; with
// errc::unsupported if the method or the kernel does not support this kind of object.
model fit(const spec& s, const table& data, const fit_control& control = {});
// The default kernel for a kind of object: rbf(gamma=1/(d·variance)) for d-dimensional vectors (scikit-learn's
// gamma="scale"), spectrum(k=3) for strings, jaccard() for sets, the sum of the normalised default kernels of the
// fields for records.
kernel default_kernel(const dataset& x);

}  // namespace mercer::api
