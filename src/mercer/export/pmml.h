// Writes fitted models as PMML 4.4 (dmg.org): linear models as a RegressionModel, models with a linear, polynomial,
// Gaussian or sigmoid kernel as a SupportVectorMachineModel. Derived fields scale the columns.
#pragma once

#include <string>

#include "mercer/export/model_computation.h"

namespace mercer::api {

// Returns the file. `target` is the name of the predicted field; empty: "y". Throws errc::unsupported, with the reason,
// if PMML cannot represent the model.
std::string write_pmml(const model_computation& c, const std::string& target);
// Returns true if the model has probabilities that the file leaves out.
bool pmml_omits_probabilities(const model_computation& c);

}  // namespace mercer::api
