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
    command->add_option("MODEL", options->model, "Model file of Mercer or LIBSVM")->required();
    command
        ->add_option("-o,--output", options->out,
                     "Output file (required): .onnx, .pmml, .h, .hpp, .libsvm, .svm-model or .model")
        ->option_text("FILE")
        ->required()
        ->group("Output");
    command
        ->add_option("--to", options->to,
                     "Format: onnx, pmml, header, libsvm or mercer (default: by the name of the file)")
        ->option_text("FORMAT")
        ->group("Output");
    command->add_flag("--plain", options->plain, "ONNX: use only basic operators, in double precision")
        ->group("Output");
    command->add_option("--name", options->name, "C++ header: namespace (default: the name of the file)")
        ->option_text("NAME")
        ->group("Output");
    options->common.add_to(*command);
    set_common_options(*command, {"-o", "--to", "--plain", "--name", "--json"});
    command->footer(
        "An ONNX file has the input X (double, one row per example) with the features of the training data, which the "
        "ONNX model scales itself. Its outputs are label and scores (and probabilities), prediction, or components.\n"
        "\nExamples:\n"
        "  mercer fit svc data/iris.csv --target species -o iris.model\n"
        "  mercer convert iris.model -o iris.onnx\n"
        "  mercer convert iris.model -o iris.h --name iris");
    command->callback([options] { convert(*options); });
}

}  // namespace mercer::cli
