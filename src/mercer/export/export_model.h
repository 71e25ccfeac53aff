// Fitted models in the forms that others read: LIBSVM's text, ONNX, PMML, a C++ header; and our own.
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
// By name: "mercer", "libsvm", "onnx", "header", "pmml"; none for another word.
std::optional<export_format> export_format_named(std::string_view name);
// By the ending of a file's name: .model; .libsvm, .svm-model; .onnx; .h, .hpp, .hh; .pmml. None for another.
std::optional<export_format> export_format_of(std::string_view path);

struct export_options {
    export_format to = export_format::mercer;
    bool plain = false;          // ONNX: plain operators in double, also where ai.onnx.ml has one of its own, in float
    std::string name = "model";  // header: the namespace
};

struct exported {
    std::string bytes;
    std::vector<std::string> notes;  // what the form cannot hold and leaves out, or holds with less precision
};

// Fails with errc::unsupported for what the form cannot hold, naming it.
exported export_model(const model& m, const export_options& how);

}  // namespace mercer::api
