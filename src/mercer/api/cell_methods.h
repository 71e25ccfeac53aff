// Machines in cells as methods: cells_svc, cells_logistic, cells_svr, cells_ridge.
#pragma once

#include <vector>

#include "mercer/api/method.h"

namespace mercer::api {

std::vector<method> cell_methods();

}  // namespace mercer::api
