// Writes fitted models in the formats of other programs: LIBSVM's text, ONNX, PMML, a C++ header; and in our own.
//
//     api::exported made = api::export_model(api::load("iris.model"), {.to = api::export_format::onnx});
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/model/model.h"

namespace mercer::api {

enum class export_format { mercer, libsvm, onnx, header, pmml };
const char* name(export_format form) noexcept;
// Returns the format named "mercer", "libsvm", "onnx", "header" or "pmml"; none for another word.
std::optional<export_format> find_export_format(std::string_view name);
// Returns the format for the ending of a file name: .model, .mercer; .libsvm, .svm-model; .onnx; .h, .hpp, .hh; .pmml.
// None for another ending.
std::optional<export_format> export_format_of_path(std::string_view path);

struct export_options {
    export_format to = export_format::mercer;
    bool plain = false;          // ONNX: always basic operators in double, never those of ai.onnx.ml, which use float
    std::string name = "model";  // header: the namespace, made an identifier by make_cpp_identifier()
};

struct exported_model {
    std::string bytes;
    std::vector<std::string> notes;  // parts of the model that are left out or stored with less precision
};

// Throws errc::unsupported, with the reason, if the format cannot represent the model.
exported_model export_model(const model& m, const export_options& how);

}  // namespace mercer::api
