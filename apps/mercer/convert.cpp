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
        add_command(program, "convert", "Convert a model to ONNX, PMML, C++, or LIBSVM's format",
                    "Converts a model to ONNX, PMML, a C++ header or LIBSVM's format, and models of LIBSVM to "
                    "Mercer's format.");
    const auto options = std::make_shared<convert_options>();
    command->add_option("MODEL", options->model, "Model file, written by a command of Mercer or by LIBSVM's svm-train")
        ->required();
    command
        ->add_option("-o,--output", options->out,
                     "Output file (required): .onnx, .pmml, .h (C++), .libsvm or .model (Mercer)")
        ->option_text("FILE")
        ->required()
        ->group("Output");
    command
        ->add_option("--to", options->to,
                     "Format: onnx, pmml, header, libsvm or mercer (default: by the ending of -o FILE)")
        ->option_text("FORMAT")
        ->group("Output");
    command
        ->add_flag("--plain", options->plain,
                   "ONNX: use basic operators in double, not those of ai.onnx.ml, which use float")
        ->group("Output");
    command
        ->add_option("--name", options->name,
                     "C++ header: namespace (default: name of the output file without its ending)")
        ->option_text("NAME")
        ->group("Output");
    options->common.add_to(*command);
    command->get_option("--json")->description("Print format, size and notes of the output file as JSON");
    set_common_options(*command, {"-o", "--to", "--plain", "--name", "--json"});
    command->footer(
        "The input of an ONNX model is X (double, one row per example): the features in the order of the training "
        "data, not scaled: the ONNX model scales X. The outputs are label, scores and, if the model has them, "
        "probabilities for classes; prediction for values; components for kernel_pca.\n"
        "\nExamples:\n"
        "  mercer fit svc data/iris.csv --target species -o iris.model\n"
        "  mercer convert iris.model -o iris.onnx\n"
        "  mercer convert iris.model -o iris.h --name iris");
    command->callback([options] { convert(*options); });
}

}  // namespace mercer::cli
