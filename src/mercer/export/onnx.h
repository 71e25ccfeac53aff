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

#include <optional>
#include <string>

#include "mercer/export/model_computation.h"
#include "mercer/export/onnx_graph.h"
#include "mercer/methods/svm/svm.h"

namespace mercer::api {

struct onnx_file {
    std::string bytes;
    bool in_float = false;  // the operators of support vector machines
};
onnx_file onnx_of(const model& m, bool plain);

// The parts.
// K(x, z), one row an object of x; z is a constant. `x` and `z` are tensors of rows.
std::string onnx_kernel(onnx_graph& out, const formula& k, const std::string& x, const std::string& z);
// The operators of a computation behind the scaled X; outputs and all.
void onnx_operators(onnx_graph& out, const computation& c, const std::string& x);
// Those behind f, one row an object.
void onnx_answers(onnx_graph& out, const computation& c, const std::string& f);
// SVMClassifier or SVMRegressor; false where they cannot hold the machine.
bool onnx_svm(onnx_graph& out, const computation& c, const svm_model& s, const std::string& x);

}  // namespace mercer::api
