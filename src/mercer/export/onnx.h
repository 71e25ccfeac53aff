// Fitted models as ONNX files. The input is `X`, double, one row an object. The outputs are
//
//     prediction       double: values of regression, densities; `components` of kernel PCA
//     label            of classes: their names, or whole numbers where they have none; 1 and -1 of one-class machines
//     scores           the functions that labels come from
//     probabilities    where the model has them
//
// Support vector machines with a linear, polynomial, Gaussian or sigmoid kernel are one operator of ai.onnx.ml,
// SVMClassifier or SVMRegressor, which computes in float. Everything else, and with `plain` those too, is made of plain
// operators of opset 13, in double.
#pragma once

#include <string>

#include "mercer/model/model.h"

namespace mercer::api {

struct onnx_file {
    std::string bytes;
    bool in_float = false;  // the operators of support vector machines
};
onnx_file onnx_of(const model& m, bool plain);

}  // namespace mercer::api
