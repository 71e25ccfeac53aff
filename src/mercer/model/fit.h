// The front door: fit any method by name, predict, transform, score, describe, save and load. What every front end
// calls.
//
//     api::spec s = api::parse_spec(R"-({"method": "svc", "kernel": "rbf(gamma=0.5)", "scale": "standard", "C":
//     10})-"); api::model m = api::fit(s, read_table("iris.csv")); m.predict(other.x);  m.save("iris.model");
//
// A model file holds the method, the spec, the names of classes and features, the scaling, the terms of texts, the
// figures of the fit, and the estimator's own file as it is. A file of an estimator alone is known by its first line as
// well.
#pragma once

#include "mercer/kernels/kernel.h"
#include "mercer/model/model.h"

namespace mercer::api {

// Fails with errc::invalid_argument for unknown methods, options and values, listing what there is.
model fit(const spec& s, const table& data, const fit_control& control = {});
// rbf with gamma = 1/(d·variance) on vectors (as scikit-learn's "scale"), spectrum(k=3) on strings, jaccard() on sets.
kernel default_kernel(const dataset& x);

}  // namespace mercer::api
