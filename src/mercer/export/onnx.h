// Writes fitted models as ONNX files. The input is `X`, double, one row per object. The outputs are
//
//     prediction       double: predicted values, densities. The output of kernel PCA is named `components`
//     label            the name of the class, or its number if classes have no names; 1 or -1 for one-class models
//     scores           the values of the functions that determine the label
//     probabilities    if the model has them
//
// Support vector machines with a linear, polynomial, Gaussian or sigmoid kernel become one operator of ai.onnx.ml,
// SVMClassifier or SVMRegressor, which computes in float. All other models, and with `plain` all models, consist of
// basic operators of opset 13 in double.
#pragma once

#include <string>

#include "mercer/model/model.h"

namespace mercer::api {

struct onnx_file {
    std::string bytes;
    bool in_float = false;  // the file has an operator of ai.onnx.ml, which computes in float
};
// Throws errc::unsupported, with the reason, if the model has no such form.
onnx_file write_onnx(const model& m, bool plain);

}  // namespace mercer::api
