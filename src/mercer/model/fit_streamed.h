// Fits methods to data that are larger than memory: the rows are read in batches, again for every pass.
#pragma once

#include "mercer/io/row_batches.h"
#include "mercer/model/model.h"

namespace mercer::api {

// As fit() of a table, for data in batches (io/row_batches.h). Supports nystroem_ridge, nystroem_logistic and
// nystroem_svc. The result is bit-identical to that of the fit in memory. Throws an error with errc::unsupported for
// other methods and for text features.
model fit(const spec& s, row_batches& data, const fit_control& control = {});

}  // namespace mercer::api
