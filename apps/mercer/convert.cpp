// mercer convert: writes a fitted model in another file format.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "fit.h"
#include "mercer/base/file.h"
#include "mercer/export/export_model.h"

namespace mercer::cli {
namespace {

struct convert_options {
    std::string model, out, to, name;
    bool plain = false;
    common_options common;
};

api::export_options export_options_of(const convert_options& from) {
    constexpr const char* endings = ".onnx, .h or .hpp, .pmml, .libsvm or .svm-model, .model";
    api::export_options out;
    const auto form = from.to.empty() ? api::export_format_of_path(from.out) : api::find_export_format(from.to);
    if (!form && from.to.empty())
        throw usage_error(fmt::format(
            "the format cannot be detected from the ending of {}: take one of {}, or name the format with --to",
            from.out, endings));
    if (!form) throw usage_error(fmt::format("--to must be onnx, header, pmml, libsvm or mercer, got '{}'", from.to));
    out.to = *form;
    out.plain = from.plain;
    if (from.plain && out.to != api::export_format::onnx) throw usage_error("--plain needs the format onnx");
    if (!from.name.empty() && out.to != api::export_format::header) throw usage_error("--name needs the format header");
    out.name = !from.name.empty()          ? from.name
               : from.out == "/dev/stdout" ? "model"
                                           : std::filesystem::path(from.out).stem().string();
    return out;
}

void convert(const convert_options& options) {
    options.common.apply();
    const api::export_options how = export_options_of(options);
    const api::model m = api::load(options.model);
    const api::exported_model made = api::export_model(m, how);
    write_atomically(options.out, made.bytes);
    if (options.out == "/dev/stdout") {
        for (const std::string& each : made.notes) warn(each);
        return;
    }
    if (options.common.as_json)
        return print(json{{"model", options.model},
                          {"method", m.method_name()},
                          {"kernel", m.kernel_text()},
                          {"written", options.out},
                          {"format", api::name(how.to)},
                          {"bytes", made.bytes.size()},
                          {"notes", made.notes}});
    std::string text = fmt::format("{}{} as {}: {}, {} bytes\n", m.method_name(),
                                   m.kernel_text().empty() ? "" : " with " + m.kernel_text(), api::name(how.to),
                                   options.out, made.bytes.size());
    for (const std::string& each : made.notes) text += each + "\n";
    print(text);
}

}  // namespace

void add_convert(CLI::App& program) {
    CLI::App* command =
        add_command(program, "convert",
                    "A fitted model in the forms that others read: ONNX, PMML, a C++ header, LIBSVM's text; and back");
    const auto options = std::make_shared<convert_options>();
    command->add_option("MODEL", options->model, "Any model file of the library, or LIBSVM's")->required();
    command
        ->add_option(
            "-o,--out", options->out,
            "Write here, in the form that its ending says: .onnx, .h or .hpp (a C++17 header without "
            "dependencies), .pmml (4.4), .libsvm or .svm-model (LIBSVM's text), .model (ours); '-' is standard output")
        ->option_text("FILE")
        ->required()
        ->group("Output");
    command->add_option("--to", options->to, "The form, whatever the ending: onnx, header, pmml, libsvm, mercer")
        ->option_text("FORMAT")
        ->group("Output");
    command
        ->add_flag(
            "--plain", options->plain,
            "ONNX: plain operators, in double, also for the machines that ai.onnx.ml has an operator for, in float")
        ->group("Output");
    command->add_option("--name", options->name, "The namespace of a header (default: the name of the file)")
        ->option_text("NAME")
        ->group("Output");
    options->common.add_to(*command);
    command->footer(
        "ONNX files take X, double, one row an object, with the columns of the fit, and scale it themselves; they give "
        "label and scores (and\nprobabilities), prediction, or components.\n\n"
        "Examples:\n  mercer convert iris.model -o iris.onnx\n  mercer convert iris.model -o iris.h --name iris\n"
        "  mercer convert iris.model -o - --to libsvm\n  mercer convert heart.svm-model -o heart.model");
    command->callback([options] { convert(*options); });
}

}  // namespace mercer::cli
