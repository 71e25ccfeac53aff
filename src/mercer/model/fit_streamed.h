// Fits methods to data that are larger than memory: the rows are read in batches, again for every pass.
//
// Example:
//
//     read_options how;
//     how.csv.label = "species";
//     const auto batches = open_batches({"data/iris.csv"}, how, 768);  // 768 rows at a time
//     const api::spec s{"nystroem_svc", "rbf(gamma=0.5)", "standard", {{"n_centres", "30"}}};
//     const api::model m = api::fit(s, *batches);
//     assert(m.score(read_table("data/iris.csv", how)).number("accuracy") > 0.95);
#pragma once

#include "mercer/io/row_batches.h"
#include "mercer/model/model.h"

namespace mercer::api {

// Fits like fit() of a table (model/fit.h), but reads the data in batches (io/row_batches.h). Unless one batch contains
// all rows, the number of rows per batch must be a multiple of 768. Supports nystroem_ridge, nystroem_logistic and
// nystroem_svc. The result is bit-identical to that of the fit in memory. Throws errc::unsupported for other methods
// and for text features.
model fit(const spec& s, row_batches& data, const fit_control& control = {});

}  // namespace mercer::api
