// mercer scale: scales the columns of a file, or applies the scaling of another file.
#include <fmt/format.h>

#include "fit.h"
#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/io/csv.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/preprocess/pipeline.h"
#include "mercer/preprocess/scaling.h"

namespace mercer::cli {
namespace {

struct scale_options {
    data_options from;
    common_options common;
    std::string out, save, by;
};

// Returns lines `label index:value …` without the values that are 0.
std::string libsvm_text(const loaded_data& of) {
    std::string out;
    const auto line = [&](index i) {
        out += of.data.y.empty() ? "0" : number_text(of.data.y[static_cast<std::size_t>(i)]);
    };
    const auto entry = [&](index column, double value) {
        if (value != 0) fmt::format_to(std::back_inserter(out), " {}:{}", column + 1, number_text(value));
    };
    if (const auto* rows = of.data.x.as<sparse<double>>()) {
        for (index i = 0; i < rows->size(); ++i) {
            line(i);
            for (std::size_t k = 0; k < rows->cols(i).size(); ++k) entry(rows->cols(i)[k], rows->values(i)[k]);
            out += "\n";
        }
        return out;
    }
    const dense<double> rows = as_dense<double>(of.data.x);
    for (index i = 0; i < rows.size(); ++i) {
        line(i);
        for (index c = 0; c < rows.dims(); ++c) entry(c, rows.row(i)[c]);
        out += "\n";
    }
    return out;
}

// Returns CSV, with a header if the columns have names. The target column comes last.
std::string csv_text(const loaded_data& of, const std::string& target) {
    const dense<double> rows = as_dense<double>(of.data.x);
    const bool labelled = !of.data.y.empty();
    std::string out;
    for (const auto& each : of.data.feature_names) out += (out.empty() ? "" : ",") + format_csv_field(each);
    if (!out.empty()) out += (labelled ? "," + format_csv_field(target.empty() ? "target" : target) : "") + "\n";
    for (index i = 0; i < rows.size(); ++i) {
        for (index c = 0; c < rows.dims(); ++c) out += (c ? "," : "") + number_text(rows.row(i)[c]);
        if (labelled) out += "," + format_csv_field(of.class_of(i));
        out += "\n";
    }
    return out;
}

void write(const scale_options& options, const loaded_data& of) {
    const std::string& path = options.out;
    if (path.ends_with(".npy")) return write_matrix(path, as_dense<double>(of.data.x).view());
    const bool as_csv = path.ends_with(".csv") || (!path.ends_with(".svm") && !path.ends_with(".libsvm") &&
                                                   !of.data.x.is_sparse() && options.from.format != "libsvm");
    const std::string text = as_csv ? csv_text(of, options.from.label) : libsvm_text(of);
    if (path.empty()) return print(text);
    write_atomically(path, text);
}

void scale(const scale_options& options) {
    options.common.apply();
    loaded_data on = load_raw(options.from);
    if (on.data.x.kind() != object_kind::vectors)
        fail(errc::unsupported,
             fmt::format("scaling needs vectors, but '{}' was read as {}", options.from.path, name(on.data.x.kind())));
    const std::string how = options.from.scale.empty() ? "standard" : options.from.scale;
    const scaling by = options.by.empty() ? *api::fit_scaling(on.data.x, how) : scaling::load(options.by);
    on.data.x = api::apply_scaling(by, on.data.x);
    if (!options.save.empty()) by.save(options.save);
    write(options, on);
    if (options.out.empty()) return;
    const json answer{{"data", options.from.path},
                      {"n", on.size()},
                      {"columns", by.dims()},
                      {"method", by.options().method == scaling_method::standardise ? "standard" : "minmax"},
                      {"written", options.out}};
    if (options.common.as_json) return print(answer);
    print(fmt::format("{}; {} scaling of {} features written to {}\n", on.about, answer["method"].get<std::string>(),
                      by.dims(), options.out));
}

}  // namespace

void add_scale(CLI::App& program) {
    CLI::App* command =
        add_command(program, "scale", "Scale the features of a data file",
                    "Scales the features of a data file for other programs. Models of `mercer fit --scale` scale their "
                    "input themselves.");
    const auto options = std::make_shared<scale_options>();
    options->from.add_to(*command);
    command->get_option("--scale")->description(
        "Scaling: standard (mean 0, variance 1) or minmax (-1 to 1); default: standard");
    command->add_option("--save-scaling", options->save, "Save the scaling to this file, for --scaling")
        ->option_text("FILE")
        ->group("Output");
    command->add_option("--scaling", options->by, "Apply the scaling from this file, written by --save-scaling")
        ->option_text("FILE")
        ->excludes(command->get_option("--scale"))
        ->group("Data");
    command
        ->add_option("-o,--output", options->out,
                     "Write data to this .csv, .npy, .svm or .libsvm file (default: standard output)")
        ->option_text("FILE")
        ->group("Output");
    options->common.add_to(*command);
    command->get_option("--json")->description("With --output: print a summary of the scaling as JSON");
    set_common_options(*command, {"--target", "--scale", "--save-scaling", "--scaling", "-o", "--json"});
    command->footer(
        "Examples:\n"
        "  mercer scale data/iris.svm --save-scaling iris.scaling -o train.svm\n"
        "  mercer scale data/iris.svm --scaling iris.scaling -o test.svm\n"
        "  mercer scale data/iris.csv --target species --scale minmax --rows 5");
    command->callback([options] { scale(*options); });
}

}  // namespace mercer::cli
