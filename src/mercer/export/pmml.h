// Fitted models as PMML 4.4 (dmg.org): linear ones as a RegressionModel, machines with a linear, polynomial, Gaussian
// or sigmoid kernel as a SupportVectorMachineModel; columns are scaled by derived fields.
#pragma once

#include <string>

#include "mercer/export/model_computation.h"

namespace mercer::api {

// target: the name of the field that is predicted. Fails with errc::unsupported for what these cannot hold, naming it.
std::string pmml_of(const computation& c, const std::string& target);
// Whether the model has probabilities that the file leaves out.
bool pmml_lacks_probabilities(const computation& c);

}  // namespace mercer::api
