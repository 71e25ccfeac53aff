// Writes fitted models in the formats of other programs (LIBSVM's text, ONNX, PMML), as a C++ header without
// dependencies, and in the library's own format.
//
// Example:
//
//     const table iris = read("data/iris.csv", {.label = "species"});
//     const model m = fit(svc{.kernel = gaussian{0.5}}, iris);
//     const api::exported_model made = api::export_model(m, {.to = api::export_format::onnx});
//     write_atomically("iris.onnx", made.bytes);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/model/model.h"

namespace mercer::api {

// mercer: the model file of this library, which api::load() reads. libsvm: the text format of LIBSVM's svm-train.
// header: C++ code with a function that predicts.
enum class export_format { mercer, libsvm, onnx, header, pmml };
const char* name(export_format form) noexcept;
// Returns the format named "mercer", "libsvm", "onnx", "header" or "pmml"; none for another word.
std::optional<export_format> find_export_format(std::string_view name);
// Returns the format for the ending of a file name: .model, .mercer; .libsvm, .svm-model; .onnx; .h, .hpp, .hh; .pmml.
// None for another ending.
std::optional<export_format> export_format_of_path(std::string_view path);

// The format and its options.
struct export_options {
    export_format to = export_format::mercer;
    bool plain = false;          // ONNX: always basic operators in double, never those of ai.onnx.ml, which use float
    std::string name = "model";  // header: the namespace, made an identifier by make_cpp_identifier()
};

// The result of export_model().
struct exported_model {
    std::string bytes;
    std::vector<std::string> notes;  // parts of the model that are left out or stored with less precision
};

// Returns the contents of a file with the model in the format how.to. Throws errc::unsupported, with the reason, if the
// format cannot represent the model.
exported_model export_model(const model& m, const export_options& how);

}  // namespace mercer::api
