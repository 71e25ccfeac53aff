// Fits to examples that are larger than memory.
#pragma once

#include "mercer/io/row_batches.h"
#include "mercer/model/model.h"

namespace mercer::api {

// The same for examples that come in batches (io/row_batches.h) and are read again for every pass: for
// nystroem_ridge, nystroem_logistic and nystroem_svc. The bits are those of the fit in memory.
model fit(const spec& s, row_batches& data, const fit_control& control = {});

}  // namespace mercer::api
