// mercer predict, mercer transform and mercer describe: apply a fitted model to data, and print its properties.

#include "predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <map>
#include <optional>

#include "fit.h"
#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/base/terminal_text.h"
#include "mercer/data/dataset.h"
#include "mercer/io/csv.h"
#include "mercer/io/npy.h"
#include "mercer/io/row_batches.h"
#include "mercer/kernel_analysis/geometry.h"

namespace mercer::cli {
namespace {

json prediction_json(const api::model& m, double value) {
    if (m.prediction_kind() == api::target_kind::classes && !m.class_names().empty()) return m.class_text(value);
    if (value == std::floor(value) && std::abs(value) < 1e15 && m.prediction_kind() != api::target_kind::values)
        return static_cast<std::int64_t>(value);
    return value;
}

// Writes the same digits as json::dump, but without its serializer, which allocates memory for each value.
void append_json_number(double value, std::string& out) {
    char digits[64];
    if (std::isfinite(value))
        out.append(digits, nlohmann::detail::to_chars(digits, digits + sizeof(digits), value));
    else
        out += "null";
}

// Escapes line breaks so that a class name takes one line.
std::string one_line(std::string text) {
    for (std::size_t at = 0; (at = text.find_first_of("\r\n", at)) != std::string::npos; ++at)
        text.replace(at, 1, text[at] == '\n' ? "\\n" : "\\r");
    return text;
}

std::string prediction_header(const api::columns& details) {
    std::string out = "prediction";
    for (const auto& name : details.names) out += "," + format_csv_field(name);
    return out + "\n";
}

std::string prediction_lines(const api::model& m, const std::vector<double>& found, const api::columns& details,
                             bool csv) {
    cancellation_check asked;
    std::string out;
    for (std::size_t i = 0; i < found.size(); ++i) {
        asked.count(64 * (static_cast<std::size_t>(details.values.cols()) + 1));
        out += csv ? format_csv_field(m.class_text(found[i])) : one_line(m.class_text(found[i]));
        for (index c = 0; c < details.values.cols(); ++c)
            fmt::format_to(std::back_inserter(out), ",{}", details.values(static_cast<index>(i), c));
        out += "\n";
    }
    return out;
}

}  // namespace

json predictions_json(const api::model& m, const std::vector<double>& found) {
    json list = json::array();
    for (const double value : found) list.push_back(prediction_json(m, value));
    return list;
}

json columns_json(const api::columns& made) {
    json rows = json::array();
    for (index i = 0; i < made.values.rows(); ++i)
        rows.push_back(std::vector<double>(made.values.row(i), made.values.row(i) + made.values.cols()));
    return {{"names", made.names}, {"values", std::move(rows)}};
}

void append_json_text(const std::string& text, std::string& out) {
    out += json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

void append_predictions_json(const api::model& m, const std::vector<double>& found, std::string& out) {
    cancellation_check asked;
    std::map<double, std::string> names;
    out += '[';
    for (std::size_t i = 0; i < found.size(); ++i) {
        asked.count(64);
        if (i > 0) out += ',';
        const json value = prediction_json(m, found[i]);
        if (value.is_string()) {
            std::string& name = names[found[i]];
            if (name.empty()) append_json_text(value.get_ref<const std::string&>(), name);
            out += name;
        } else if (value.is_number_float()) {
            append_json_number(found[i], out);
        } else {
            fmt::format_to(std::back_inserter(out), "{}", value.get<std::int64_t>());
        }
    }
    out += ']';
}

void append_columns_json(const api::columns& made, std::string& out) {
    cancellation_check asked;
    out += "\"names\":[";
    for (std::size_t c = 0; c < made.names.size(); ++c) {
        if (c > 0) out += ',';
        append_json_text(made.names[c], out);
    }
    out += "],\"values\":[";
    for (index i = 0; i < made.values.rows(); ++i) {
        out += i > 0 ? ",[" : "[";
        for (index c = 0; c < made.values.cols(); ++c) {
            asked.count(64);
            if (c > 0) out += ',';
            append_json_number(made.values(i, c), out);
        }
        out += ']';
    }
    out += ']';
}

std::string prediction_text(const api::model& m, const std::vector<double>& found, const api::columns& details,
                            bool csv) {
    return (csv ? prediction_header(details) : "") + prediction_lines(m, found, details, csv);
}

std::string columns_text(const api::columns& made) {
    cancellation_check asked;
    std::string out;
    for (std::size_t c = 0; c < made.names.size(); ++c) out += (c ? "," : "") + format_csv_field(made.names[c]);
    out += "\n";
    for (index i = 0; i < made.values.rows(); ++i) {
        for (index c = 0; c < made.values.cols(); ++c) {
            asked.count(64);
            fmt::format_to(std::back_inserter(out), "{}{}", c ? "," : "", made.values(i, c));
        }
        out += "\n";
    }
    return out;
}

namespace {

struct model_command {
    std::string model;
    model_data from;
    common_options common;
    std::string out, picture;
    bool details = false, score_only = false, stream = false;
    index batch = 8192;
    std::size_t memory = 0;  // 0: predict all rows at once
};

void require_prediction(const api::model& m) {
    if (!api::find_method(m.method_name()).can_predict)
        fail(errc::unsupported, fmt::format("{} does not predict: use `mercer transform`", m.method_name()));
}

// Returns a warning if objects equal training objects in feature space, since their score says little about new
// objects. Returns "" for vectors.
std::string repeated_objects_warning(const api::model& m, const dataset& x) {
    if (x.kind() == object_kind::vectors || m.text()) return {};
    const auto f = m.inner().kernel_expansions();
    if (!f || !f->k) return {};
    const auto found = std::ranges::count(find_equal_images(*f->k, x, f->x), true);
    return found == 0 ? std::string()
                      : fmt::format(
                            "{} of {} equal an example that the model stores (compared in feature space): the "
                            "score says little about new objects",
                            found, count_text(x.size(), "object"));
}

// Predicts, with details if `with_details`, in batches whose kernel values fit into `memory` bytes.
api::detailed_predictions predict_in_batches(const api::model& m, const dataset& x, bool with_details,
                                             std::size_t memory) {
    const auto at_once = [&](const dataset& some) {
        return with_details ? m.predict_with_details(some) : api::detailed_predictions{m.predict(some), {}};
    };
    if (memory == 0 || x.size() == 0) return at_once(x);
    constexpr index objects_of_other_models = 4096;  // assumed number of support objects if the model does not know it
    const api::part_value kept = m.inner().part("objects");
    const auto* const objects = std::get_if<dataset>(&kept);
    const auto bytes_a_row =
        static_cast<std::size_t>(std::max<index>(1, objects ? objects->size() : objects_of_other_models)) * 2 *
        sizeof(double);
    const index rows = std::clamp<index>(static_cast<index>(memory / bytes_a_row), 1, x.size());
    api::detailed_predictions all;
    for (index first = 0; first < x.size(); first += rows) {
        const index count = std::min(rows, x.size() - first);
        const api::detailed_predictions some = at_once(part(x, first, count));
        all.predicted.insert(all.predicted.end(), some.predicted.begin(), some.predicted.end());
        if (first == 0) all.details = {matrix<double>(x.size(), some.details.values.cols()), some.details.names};
        for (index i = 0; i < std::min(count, some.details.values.rows()); ++i)
            std::copy_n(some.details.values.row(i), some.details.values.cols(), all.details.values.row(first + i));
    }
    return all;
}

void predict(const model_command& options) {
    options.common.apply();
    std::string text, caution;
    json answer = json::object();
    {
        progress_line shown;
        shown.set_phase("reading " + options.model);
        const api::model m = api::load(options.model);
        require_prediction(m);
        shown.set_phase("reading " + options.from.path);
        const table data = options.from.load(m);
        shown.set_phase(fmt::format("predicting {} examples", data.x.size()));
        auto [found, details] = predict_in_batches(m, data.x, options.details, options.memory);
        // throws an error with the reason if the model has no details
        if (options.details && details.names.empty()) details = m.details(data.x);
        const bool scored = !data.y.empty() && m.prediction_kind() != api::target_kind::clusters &&
                            m.prediction_kind() != api::target_kind::none;
        if (options.score_only && !scored)
            fail(errc::data, fmt::format("'{}' has no targets for a score: name the target column with --target",
                                         options.from.path));
        const api::summary score = scored ? m.score(data, found) : api::summary{};
        if (scored) caution = repeated_objects_warning(m, data.x);

        answer = {
            {"method", m.method_name()}, {"model", options.model}, {"data", options.from.path}, {"n", data.x.size()}};
        if (scored) answer["score"] = figures_json(score);
        if (!caution.empty()) answer["warning"] = caution;
        if (!options.score_only) answer["predictions"] = predictions_json(m, found);
        if (options.details) answer["details"] = columns_json(details);
        if (!options.out.empty()) {
            if (options.out.ends_with(".npy")) {
                matrix<double> out(static_cast<index>(found.size()), 1);
                std::ranges::copy(found, out.data());
                write_matrix(options.out, out.view());
            } else {
                write_atomically(options.out,
                                 prediction_text(m, found, details, options.out.ends_with(".csv") || options.details));
            }
            answer["written"] = options.out;
        }
        if (options.score_only) {
            text = score.text();
        } else if (options.out.empty()) {
            text = prediction_text(m, found, details, options.details);
        } else {
            text = fmt::format("{} of {}, {} examples\n{}predictions: {}\n", m.method_name(), options.from.path,
                               data.x.size(), score.text(), options.out);
        }
    }
    if (options.common.as_json) return print(answer);
    if (!caution.empty()) warn(caution);
    print(text);
}

// mercer predict --stream: reads, predicts and writes batch by batch.

struct stream_command {
    std::string model;
    model_data from;
    common_options common;
    std::string out;
    bool details = false, score_only = false;
    index batch = 8192;
};

// Writes to a file, which appears after commit(), or directly to standard output.
class line_output {
public:
    explicit line_output(const std::string& path) {
        if (!path.empty() && path != "-") file_.emplace(path);
    }
    void write(const std::string& text) {
        if (file_) return file_->write(text);
        print(text);
        flush_output();
    }
    void commit() {
        if (file_) file_->commit();
    }

private:
    std::optional<atomic_file> file_;
};

void predict_streamed(const stream_command& o) {
    o.common.apply();
    if (o.common.as_json || o.out.ends_with(".npy"))
        throw usage_error("--stream writes text line by line: leave --json and .npy out");
    const api::model m = api::load(o.model);
    if (!api::find_method(m.method_name()).can_predict)
        fail(errc::unsupported, fmt::format("{} does not predict: use `mercer transform`", m.method_name()));
    read_options how = api::read_options_for(m);
    if (o.from.format != "auto") how.format = &find_file_format(o.from.format);
    if (!o.from.label.empty()) how.csv.label = o.from.label == "none" ? "" : o.from.label;
    how.csv.on_note = warn;
    const auto data = open_batches({o.from.path}, how, o.batch, o.from.label.empty());
    const bool csv = o.out.ends_with(".csv") || o.details;
    std::optional<line_output> to;
    if (!o.score_only) to.emplace(o.out);
    table seen;  // targets of all batches, for the score
    std::vector<double> answers;
    index n = 0;
    for (table batch; data->next(batch); batch = {}) {
        match_columns(batch, m.feature_names(), o.from.path, "the data the model was fitted on");
        auto [found, details] =
            o.details ? m.predict_with_details(batch.x) : api::detailed_predictions{m.predict(batch.x), {}};
        // throws an error with the reason if the model has no details
        if (o.details && details.names.empty()) details = m.details(batch.x);
        if (to && csv && n == 0) to->write(prediction_header(details));
        if (to) to->write(prediction_lines(m, found, details, csv));
        n += batch.x.size();
        seen.y.insert(seen.y.end(), batch.y.begin(), batch.y.end());
        if (!batch.y.empty()) answers.insert(answers.end(), found.begin(), found.end());
    }
    if (n == 0) fail(errc::data, fmt::format("{}: the data have no examples", o.from.path));
    if (to) to->commit();
    const bool scored = !seen.y.empty() && m.prediction_kind() != api::target_kind::clusters &&
                        m.prediction_kind() != api::target_kind::none;
    if (o.score_only && !scored)
        fail(errc::data,
             fmt::format("'{}' has no targets for a score: name the target column with --target", o.from.path));
    const std::string score = scored ? m.score(seen, answers).text() : "";
    if (o.score_only) return print(score);
    if (o.out.empty() || o.out == "-") return;
    print(fmt::format("{} of {}, {} examples\n{}predictions: {}\n", m.method_name(), o.from.path, n, score, o.out));
}

void write_columns(const std::string& path, const api::columns& values) {
    if (path.ends_with(".npy")) return write_matrix(path, values.values.view());
    if (path.empty()) return print(columns_text(values));
    write_atomically(path, columns_text(values));
}

void transform(const model_command& options) {
    options.common.apply();
    if (!options.out.empty()) matrix_writer::check_name(options.out);
    api::columns made;
    std::string head;
    {
        progress_line shown;
        shown.set_phase("reading " + options.model);
        const api::model m = api::load(options.model);
        if (!api::find_method(m.method_name()).can_transform) {
            std::string there;
            for (const auto& each : api::methods())
                if (each.can_transform) there += (there.empty() ? "" : ", ") + each.name;
            fail(errc::unsupported,
                 fmt::format("{} does not transform (there are {}): use `mercer predict`", m.method_name(), there));
        }
        shown.set_phase("reading " + options.from.path);
        const table data = options.from.load(m);
        shown.set_phase(fmt::format("transforming {} examples", data.x.size()));
        made = m.transform(data.x);
        head = fmt::format("{} of {}, {} examples, {} features", m.method_name(), options.from.path, data.x.size(),
                           made.values.cols());
        if (!options.picture.empty()) {
            scatter points;
            points.at = made.values;
            points.title = m.method_name() == "kernel_pca" ? "Kernel principal components" : "Transformed examples";
            points.across = made.names.empty() ? "" : made.names[0];
            points.up = made.names.size() > 1 ? made.names[1] : "";
            colour_by_target(points, data);
            write_atomically(options.picture, picture_page(m.method_name(), head, {scatter_panel(std::move(points))}));
        }
    }
    if (!options.out.empty()) write_columns(options.out, made);
    if (options.common.as_json) {
        json answer{{"model", options.model}, {"data", options.from.path}, {"n", made.values.rows()}};
        answer.update(columns_json(made));
        return print(answer);
    }
    if (options.out.empty()) return write_columns("", made);
    print(fmt::format("{}\nwritten to {}\n", head, options.out) +
          (options.picture.empty() ? "" : fmt::format("picture: {}\n", options.picture)));
}

void describe(const model_command& options) {
    options.common.apply();
    const api::model m = api::load(options.model);
    if (options.common.as_json) return print(figures_json(m.describe()));
    std::string text = m.describe().text();
    if (const std::string wrong = m.inner().warning(); !wrong.empty()) text += wrong + "\n";
    print(text);
}

}  // namespace

void add_predict(CLI::App& program) {
    CLI::App* command =
        add_command(program, "predict", "Predict with a fitted model",
                    "Predicts the class, value or cluster of every example with a fitted model. If DATA has targets, "
                    "--output, --json and --score also print the score: accuracy, or mean squared error and R².");
    const auto options = std::make_shared<model_command>();
    command->add_option("MODEL", options->model, "Model file, written by a command of Mercer or by LIBSVM's svm-train")
        ->required();
    options->from.add_to(*command);
    options->common.add_to(*command);
    command
        ->add_option("-o,--output", options->out,
                     "Write predictions to this .csv, .npy or text file (default: standard output)")
        ->option_text("FILE")
        ->group("Output");
    command
        ->add_flag("--details", options->details,
                   "Add the model's decision values, probabilities, distances or variances")
        ->group("Output");
    command->add_flag("--score", options->score_only, "Print only the score: accuracy, or mean squared error and R²")
        ->group("Output");
    command->add_flag("--stream", options->stream, "Read, predict and write in batches, for data larger than memory")
        ->group("Data");
    command
        ->add_option("--max-memory", options->memory,
                     "Memory limit for kernel values, such as 50MB (default: no limit)")
        ->option_text("SIZE")
        ->transform(CLI::AsSizeValue(false))
        ->check(CLI::PositiveNumber)
        ->group("Data");
    command->add_option("--batch", options->batch, "With --stream: number of rows per batch (default: 8192)")
        ->option_text("ROWS")
        ->check(CLI::PositiveNumber)
        ->group("Data");
    set_common_options(*command, {"--target", "--details", "--score", "--stream", "-o", "--json"});
    command->footer(
        "Examples:\n"
        "  mercer fit svc data/iris.csv --target species -o iris.model\n"
        "  mercer predict iris.model data/iris.csv --score\n"
        "  mercer predict iris.model data/iris.csv --details -o predictions.csv");
    command->callback([options, command] {
        if (options->stream && command->count("--max-memory"))
            throw usage_error(
                "--max-memory has no effect with --stream: set the number of rows per batch with --batch");
        if (options->stream)
            return predict_streamed({options->model, options->from, options->common, options->out, options->details,
                                     options->score_only, options->batch});
        if (command->count("--batch")) throw usage_error("--batch needs --stream");
        predict(*options);
    });
}

void add_transform(CLI::App& program) {
    CLI::App* command = add_command(
        program, "transform", "Map data to the components or distances of a fitted model",
        "Maps data to the features of a fitted model: principal components, Fisher's directions, Nyström or "
        "random features, or distances to class means or cluster centres.");
    const auto options = std::make_shared<model_command>();
    command->add_option("MODEL", options->model, "Model file, for example of kernel_pca, nystroem or random_features")
        ->required();
    options->from.add_to(*command);
    options->common.add_to(*command);
    command
        ->add_option("-o,--output", options->out,
                     "Write the new features to this .csv or .npy file (default: standard output)")
        ->option_text("FILE")
        ->group("Output");
    command->add_option("--svg", options->picture, "Plot the first two new features to this SVG file")
        ->option_text("FILE")
        ->group("Output");
    set_common_options(*command, {"--target", "-o", "--svg", "--json"});
    command->footer(
        "Examples:\n"
        "  mercer fit kernel_pca data/wine.svm --scale standard -o wine.model\n"
        "  mercer transform wine.model data/wine.svm -o wine.csv --svg wine.svg");
    command->callback([options] { transform(*options); });
}

void add_describe(CLI::App& program) {
    CLI::App* command =
        add_command(program, "describe", "Print method, kernel and options of a model file",
                    "Prints the contents of a model file: method, kernel, options, and status and results of the fit.");
    const auto options = std::make_shared<model_command>();
    command->add_option("MODEL", options->model, "Model file, written by a command of Mercer or by LIBSVM's svm-train")
        ->required();
    options->common.add_to(*command);
    command->footer(
        "Examples:\n"
        "  mercer fit svc data/iris.csv --target species -o iris.model\n"
        "  mercer describe iris.model\n"
        "  mercer describe iris.model --json");
    command->callback([options] { describe(*options); });
}

}  // namespace mercer::cli
