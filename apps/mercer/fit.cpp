// mercer fit: fits a method to a data file. Without METHOD, fit_automatic.cpp chooses one. This file also implements
// the functions of fit.h, which other subcommands use too.

#include "fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "evaluate.h"
#include "fit_automatic.h"
#include "mercer/base/communicator.h"
#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/base/memory.h"
#include "mercer/base/text.h"
#include "mercer/base/threads.h"
#include "mercer/io/row_batches.h"
#include "mercer/methods/components/kernel_pca.h"
#include "mercer/methods/nystroem/streamed_rows.h"
#include "mercer/model/fit_streamed.h"
#include "predict.h"

namespace mercer::cli {

void add_memory(CLI::App& command, std::size_t& bytes) {
    command
        .add_option("--max-memory", bytes, "Memory limit for kernel values, such as 500MB (default: depends on METHOD)")
        ->option_text("SIZE")
        ->transform(CLI::AsSizeValue(false))
        ->group("Method");
}

namespace {

// Replaces "cells(svc, size=2000)" by "cells_svc" with the option size=2000. Leaves any other word unchanged. Returns
// an error message, empty if there is none.
std::string expand_cells(std::string& word, std::vector<std::string>& options) {
    if (!word.starts_with("cells(") || !word.ends_with(")")) return {};
    std::vector<std::string> parts;
    std::string inside = word.substr(6, word.size() - 7);
    for (std::size_t comma; !inside.empty(); inside = comma == inside.size() ? "" : inside.substr(comma + 1)) {
        comma = std::min(inside.find(','), inside.size());
        const std::string part = inside.substr(0, comma);
        const auto first = part.find_first_not_of(' '), last = part.find_last_not_of(' ');
        if (first != std::string::npos) parts.push_back(part.substr(first, last - first + 1));
    }
    if (parts.empty()) return "cells(METHOD, size=4000): METHOD is missing, got '" + word + "'";
    std::string machine = parts.front();
    if (machine.starts_with("kernel_")) machine.erase(0, 7);
    word = "cells_" + machine;
    options.assign(parts.begin() + 1, parts.end());
    return {};
}

}  // namespace

void method_options::add_to(CLI::App& command, bool with_method) {
    if (with_method)
        command.add_option("METHOD", method, "Method, such as svc or kernel_ridge (see `mercer methods`)")
            ->required()
            ->transform(CLI::Validator([this](std::string& word) { return expand_cells(word, name_options); }, ""));
    command
        .add_option("--kernel", kernel, "Kernel (see `mercer kernel list`; default: by kind of data, rbf for vectors)")
        ->option_text("EXPR")
        ->group("Method");
    command.add_option("--set", set, "Options of the method (see `mercer methods METHOD`)")
        ->option_text("NAME=VALUE ...")
        ->group("Method");
    add_memory(command, memory);
}

api::spec method_options::spec() const {
    api::spec out;
    try {
        const api::method& m = api::find_method(method);
        out.method = m.name;
        for (const auto* list : {&name_options, &set})
            for (const auto& each : *list) out.options.push_back(api::parse_setting(each));
        const api::option_values checked(m.name, m.options, out.options);
        if (!kernel.empty() && !m.takes_kernel && !m.takes_features)
            fail(errc::invalid_argument,
                 fmt::format("{} has no --kernel: {} has one", m.name, api::kernel_counterpart(m)));
    } catch (const error& wrong) {
        throw usage_error(fmt::format("{}; see `mercer methods`", wrong.what()));
    }
    if (!kernel.empty()) {
        out.parsed_kernel = std::make_shared<const mercer::kernel>(parse_kernel(kernel));
        out.kernel = out.parsed_kernel->text();
    }
    return out;
}

api::spec method_options::search_request() const {
    api::spec out;
    try {
        const api::method& m = api::find_method(method);
        out.method = m.name;
        api::settings closed;
        for (const auto& each : set) {
            out.options.push_back(api::parse_setting(each));
            if (out.options.back().second.find('?') == std::string::npos) closed.push_back(out.options.back());
        }
        const api::option_values checked(m.name, m.options, closed);
        if (!kernel.empty() && !m.takes_kernel)
            fail(errc::invalid_argument,
                 fmt::format("{} has no --kernel: {} has one", m.name, api::kernel_counterpart(m)));
    } catch (const error& wrong) {
        throw usage_error(fmt::format("{}; see `mercer methods`", wrong.what()));
    }
    out.kernel = kernel.find('?') != std::string::npos || kernel.empty() ? kernel : parse_kernel(kernel).text();
    return out;
}

loaded_data load_raw(const data_options& from, read_options how, std::size_t memory) {
    const file_contents file = from.open(how, memory);
    return load_raw(from, file, std::move(how));
}

loaded_data load_raw(data_options from, const file_contents& file, read_options how) {
    from.scale.clear();
    from.text.clear();
    return load(from, file, std::move(how));
}

void require_fit(const api::spec& s, const loaded_data& from, const std::string& path) {
    if (s.parsed_kernel && s.text.empty())
        require_fit(*s.parsed_kernel, from, path);  // with --text the kernel is a kernel on vectors
}

void model_data::add_to(CLI::App& command) {
    command.add_option("DATA", path, "Data file (also .gz or .xz) or folder; csv:FILE reads FILE in the format csv")
        ->required()
        ->transform(split_format_prefix(format));
    command
        .add_option("--format", format,
                    "File format (names: `mercer manual fit`; default: detected by name and content)")
        ->option_text("NAME")
        ->check(format_validator())
        ->group("Data");
    command
        .add_option("--target", label,
                    "Target column: name, position or none (default: as in the training data, if any)")
        ->option_text("COLUMN")
        ->group("Data");
    command
        .add_option("--text-column", text_column,
                    "CSV column with the texts: name or position (default: as in the training data)")
        ->option_text("COLUMN")
        ->group("Data");
}

table model_data::load(const api::model& m) const { return load(m, read_file_or_folder(path), warn); }

table model_data::load(const api::model& m, const file_contents& file,
                       const std::function<void(const std::string&)>& tell) const {
    read_options how = api::read_options_for(m);
    if (format != "auto") how.format = &find_file_format(format);
    how.csv.label = label == "none" ? "" : label;
    if (!text_column.empty()) how.csv.text = text_column;
    how.csv.on_note = tell;
    how.csv.header = header;
    how.allow_other_files = allow_other_files;
    how.max_pixels = max_pixels;
    how.tsv.labelled = label != "none";
    table out;
    if (label.empty() && !m.label.empty()) {
        // New data may lack the target column of the training data.
        how.csv.label = m.label;
        try {
            out = parse_table(file, how);
        } catch (const error& first) {
            how.csv.label.clear();
            try {
                out = parse_table(file, how);
            } catch (const error&) {
                // the target column is missing, and the data have another error
                if (first.code() == errc::invalid_argument) throw;
                throw first;
            }
            const bool named =
                !m.feature_names().empty() && !out.feature_names.empty();  // named columns are matched by name below
            if (!named && m.dims() > 0 && out.x.dims() != m.dims()) throw first;
        }
    } else {
        out = parse_table(file, how);
    }
    if (out.x.size() == 0) fail(errc::data, fmt::format("{}: the data have no examples", file.name()));
    match_columns(out, m.feature_names(), file.name(), "the data the model was fitted on");
    // Sparse rows without column names may have more columns than the model: this is a warning. For all other data more
    // columns are an error, which the model reports.
    if (m.kind() == object_kind::vectors && m.feature_names().empty() && out.x.is_sparse() && m.dims() > 0 &&
        out.x.dims() > m.dims())
        tell(fmt::format("{}: the file has indices up to {}, but the model was fitted on {} columns", file.name(),
                         out.x.dims(), m.dims()));
    return out;
}

api::model fit_with_progress(const api::spec& s, const table& data, std::size_t memory, progress_line& shown,
                             const fit_checkpoint& checkpoint) {
    shown.set_phase(fmt::format("fitting {} on {} examples", s.method, data.x.size()));
    api::fit_control control;
    control.memory_bytes = memory;
    control.checkpoint = checkpoint;
    control.progress = [&](const fit_progress& p) {
        shown.set_phase(fmt::format("{}: {}", s.method, p.phase));
        if (p.total > 0) shown.set_fraction(static_cast<double>(p.done) / static_cast<double>(p.total));
        return !is_interrupted();
    };
    watch_interrupt();
    // a method that can return its current solution stops at its own progress calls
    const cancellation_scope stop(interrupt_grace_expired);
    return api::fit(s, data, control);
}

api::summary score_until_interrupted(const api::model& m, const table& data) {
    // After a Ctrl-C that ended the fit, the score may take at most 0.3 s.
    constexpr std::chrono::milliseconds grace{300};
    const bool was_cut_short = was_interrupted();
    const auto started = std::chrono::steady_clock::now();
    api::summary score;
    const cancellation_scope stop(
        [&] { return is_interrupted() || (was_cut_short && std::chrono::steady_clock::now() - started > grace); });
    if (!completes_unless_cancelled([&] { score = m.score(data); })) {
        (void)acknowledge_interrupt();
        warn(fmt::format("stopped: the model is {}, but its score on the training data was not computed",
                         was_cut_short ? "fitted only in part" : "complete"));
    }
    return score;
}

json figures_json(const api::summary& all) { return json::parse(all.json()); }

void fit_output::save(const api::model& m, const std::string& out) {
    saved_path = out;
    (void)acknowledge_interrupt();
    if (was_interrupted()) {
        const bool beside = !out.empty() && std::filesystem::is_regular_file(out);
        if (beside) saved_path += ".interrupted";
        warn(fmt::format(
            "stopped: {}{}",
            out.empty() ? "the model is not written" : "the model fitted so far is written to " + saved_path,
            beside ? fmt::format(", and {} was not changed", out) : ""));
    }
    if (!saved_path.empty()) m.save(saved_path);
}

void fit_output::add_warning(const api::model& m) {
    const std::string wrong = m.inner().warning();
    if (wrong.empty()) return;
    all["warning"] = wrong;
    text += wrong + "\n";
}

void fit_output::show(const common_options& common, const std::string& picture, const std::string& page) {
    if (common.as_json) return print(all);
    text += saved_path.empty() ? "the model was not written: name a file with -o FILE\n"
                               : fmt::format("model: {}\n", saved_path);
    if (!picture.empty()) text += fmt::format("picture: {}\n", picture);
    if (!page.empty()) text += fmt::format("report: {}\n", page);
    print(text);
}

scatter component_scatter(const kernel& k, const dataset& x, std::size_t memory) {
    kernel_pca_options o;
    o.n_components = std::min<index>(2, x.size());
    if (memory) o.memory_bytes = memory;
    const kernel_pca_model pca = fit_kernel_pca(k, x, o);
    scatter out;
    out.at = pca.scores;
    out.title = "Kernel principal components";
    if (pca.negative_share > 0) {
        out.note = "the kernel matrix has negative eigenvalues, so there are no shares of a variance";
        return out;
    }
    double share = 0;
    for (std::size_t c = 0; c < pca.explained_variance_ratio.size(); ++c) {
        share += pca.explained_variance_ratio[c];
        (c == 0 ? out.across : out.up) += fmt::format(", {:.1f} %", 100 * pca.explained_variance_ratio[c]);
    }
    out.note = fmt::format("{:.1f} % of the variance in feature space", 100 * share);
    return out;
}

namespace {

std::vector<double> numbers_of(const api::model& m, const char* name) {
    const api::summary_value* found = m.fit_summary().find(name);
    const auto* list = found ? std::get_if<std::vector<double>>(found) : nullptr;
    return list ? *list : std::vector<double>{};
}

curves path_curves(const api::model& m, const std::vector<double>& alphas) {
    curves out;
    out.x = alphas;
    out.log_x = true;
    for (const auto& [key, name] :
         {std::pair{"path_loo", "leave-one-out"}, {"path_gcv", "generalised cross-validation"}})
        if (auto y = numbers_of(m, key); !y.empty()) out.lines.push_back({name, std::move(y)});
    const api::summary_value* chosen = m.fit_summary().find("alpha");
    const double alpha = chosen && std::get_if<double>(chosen) ? std::get<double>(*chosen) : -1;
    for (std::size_t i = 0; i < alphas.size(); ++i)
        if (alphas[i] == alpha) out.best = static_cast<index>(i);
    out.title = "Error over α";
    out.note = fmt::format("smallest at α = {:.4g}", alpha);
    out.across = "α";
    out.up = "estimated mean squared error";
    return out;
}

}  // namespace

std::vector<panel> model_panels(const api::model& m, const table& data, std::size_t memory) {
    std::vector<panel> out;
    if (const auto alphas = numbers_of(m, "path_alpha"); alphas.size() > 1)
        return {curves_panel(path_curves(m, alphas))};
    const std::vector<double> ratios = numbers_of(m, "explained_variance_ratio");
    scatter points;
    if (m.method_name() == "kernel_pca") {
        points.at = m.inner().training_scores().values;
        points.title = "Kernel principal components";
        if (!ratios.empty()) points.across += fmt::format(", {:.1f} %", 100 * ratios[0]);
        if (ratios.size() > 1) points.up += fmt::format(", {:.1f} %", 100 * ratios[1]);
        points.note = data.y.empty() ? "" : "coloured by target";
    } else if (m.method_name() == "kernel_fisher") {
        points.at = m.transform(data.x).values;
        points.title = "Fisher's directions";
        points.across = "first direction";
        points.up = points.at.cols() > 1 ? "second direction" : "";
        points.note = "coloured by class";
    } else {
        const dataset x = m.preprocess(data.x);
        points = component_scatter(m.kernel_text().empty() ? kernel::parse("linear()") : kernel::parse(m.kernel_text()),
                                   x, memory);
        table shown = data;
        shown.y = m.inner().predict(x);
        shown.class_names = m.class_names();
        points.note += m.prediction_kind() == api::target_kind::classes ? ", coloured by predicted class"
                                                                        : ", coloured by predicted value";
        points.value_name = "predicted";
        if (m.prediction_kind() == api::target_kind::values) {
            points.value = shown.y;
        } else {
            colour_by_target(points, shown);
        }
        return {scatter_panel(std::move(points))};
    }
    colour_by_target(points, data);
    out.push_back(scatter_panel(std::move(points)));
    if (!ratios.empty()) out.push_back(scree_panel(ratios));
    return out;
}

namespace {

void fit(const fit_command& options) {
    options.common.apply();
    api::spec s = options.method.spec();
    s.scale = options.from.scale == "none" ? "" : options.from.scale;
    s.text = options.from.text;
    fit_output answer;
    {
        progress_line shown;
        shown.set_phase("reading " + options.from.path);
        const loaded_data on = load_raw(options.from, read_options_for(s.kernel), options.method.memory);
        require_fit(s, on, options.from.path);
        const auto started = std::chrono::steady_clock::now();
        api::model m = fit_with_progress(s, on.data, options.method.memory, shown,
                                         {options.checkpoint, options.checkpoint_seconds});
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
        m.label = detail::to_utf8(options.from.label);
        m.text_column = detail::to_utf8(options.from.text_column);
        answer.save(m, options.out);
        if (!options.picture.empty()) {
            shown.set_phase("drawing");
            write_atomically(options.picture, picture_page(fmt::format("{} {}", m.method_name(), m.kernel_text()),
                                                           on.about, model_panels(m, on.data, options.method.memory)));
        }
        if (!options.html.empty()) {
            shown.set_phase("writing the report");
            write_fit_page(options.html, m, on.data, options.from.path, options.from.seed, nullptr);
        }
        const api::method& about = api::find_method(m.method_name());
        api::summary score;
        if (about.targets != api::target_kind::none) {
            shown.set_phase("scoring");
            score = score_until_interrupted(m, on.data);
        }
        answer.all = figures_json(m.describe());
        answer.all["data"] = on.about;
        answer.all["n"] = on.size();
        answer.all["seconds"] = seconds;
        if (!score.empty()) answer.all["training_score"] = figures_json(score);
        if (!options.out.empty()) answer.all["model"] = answer.saved_path;
        answer.text = fmt::format("{}\n\n{}", on.about, m.describe().text());
        if (!score.empty()) answer.text += "\nscore on the training data\n" + score.text();
        answer.text += fmt::format("\nfitted in {:.2f} s\n", seconds);
        answer.add_warning(m);
    }
    answer.show(options.common, options.picture, options.html);
}

// mercer fit METHOD DATA --stream: data that are larger than memory.

// Opens the files or, with several processes, this rank's share of their rows.
std::unique_ptr<row_batches> open_rows(const fit_command& options, const communicator* group) {
    read_options how;
    if (options.from.format != "auto") how.format = &find_file_format(options.from.format);
    how.csv.label = options.from.label;
    auto rows = group ? open_share({options.from.path}, how, streamed_rows::batch_rows, *group, chunk_rows)
                      : open_batches({options.from.path}, how, streamed_rows::batch_rows);
    // Keeps the rows in memory if they fit; the results are bit-identical.
    return cache_batches(std::move(rows),
                         options.method.memory > 0 ? options.method.memory / 4 : std::size_t{256} << 20);
}

// Progress lines on the standard error of rank 0, at most one in 10 s: under mpirun standard error is usually a file.
class job_log {
public:
    job_log(const communicator* group, bool quiet) : on_(group && group->rank() == 0 && !quiet) {}
    void write(const std::string& what) {
        const auto now = std::chrono::steady_clock::now();
        if (!on_ || now - last_ < std::chrono::seconds(10)) return;
        last_ = now;
        fmt::print(stderr, "mercer: {}, {:.0f} s\n", what, std::chrono::duration<double>(now - started_).count());
    }

private:
    bool on_;
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now(), last_ = started_;
};

void fit_streamed(const fit_command& options) {
    options.common.apply();
    if (options.from.rows || options.from.sample || !options.picture.empty() || !options.html.empty() ||
        !options.from.text.empty())
        throw usage_error(
            "--rows, --sample, --text, --svg and --html need the data in memory: leave them out with --stream");
    api::spec s = options.method.spec();
    s.scale = options.from.scale == "none" ? "" : options.from.scale;
    return_freed_memory();
    const communicator* group = started_communicator();
    if (group && options.common.threads == 0) set_threads(threads_per_rank(*group));
    const bool has_gap = api::find_method(s.method).targets != api::target_kind::none;
    if (!group) watch_interrupt();  // mpirun handles Ctrl-C and ends all processes
    const cancellation_scope stop(
        interrupt_grace_expired);  // ends phases that have no solution to return, such as the first pass over the files
    fit_output answer;
    {
        progress_line shown;
        job_log log(group, options.common.quiet);
        shown.set_phase("reading " + options.from.path);
        const auto data = open_rows(options, group);
        const auto started = std::chrono::steady_clock::now();
        api::fit_control control;
        control.memory_bytes = options.method.memory;
        control.checkpoint = {options.checkpoint, options.checkpoint_seconds};
        if (options.factors != "auto")
            control.factors = options.factors == "local" ? factor_choice::local : factor_choice::distributed;
        control.progress = [&](const fit_progress& p) {
            std::string line = fmt::format("{}: {} {}", s.method, p.done, p.phase);
            if (has_gap && p.phase == std::string_view("passes")) line += fmt::format(", duality gap {:.3g}", p.value);
            shown.set_phase(line);
            log.write(line);
            return !is_interrupted();
        };
        api::model m = api::fit(s, *data, control);
        if (group && group->rank() > 0) return;  // all ranks have the same model
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
        m.label = options.from.label;
        answer.save(m, options.out);
        answer.all = figures_json(m.describe());
        answer.all["data"] = options.from.path;
        answer.all["seconds"] = seconds;
        if (group) answer.all["processes"] = group->size();
        if (!options.out.empty()) answer.all["model"] = answer.saved_path;
        answer.text =
            fmt::format("{}, read in batches{}\n\n{}\nfitted in {:.2f} s\n", options.from.path,
                        group ? fmt::format(" by {} processes", group->size()) : "", m.describe().text(), seconds);
        answer.add_warning(m);
    }
    answer.show(options.common, "");
}

// Throws usage_error if a METHOD is given together with options of the automatic choice.
void require_automatic(const CLI::App& command, const std::string& method) {
    for (const CLI::Option* each : command.get_options())
        if (each->count() > 0 && (each->get_group() == "Search" || each->get_group() == "Choices"))
            throw usage_error(
                fmt::format("{} needs `mercer fit DATA` without a METHOD: leave {} out, or take `mercer tune {} DATA`",
                            each->get_name(), method, method));
}

// Checks that the method can share rows among processes. Each process reads its own rows.
void require_shareable(fit_command& options) {
    const std::string& name = options.method.method;
    const std::vector<std::string> shared = api::distributed_methods();
    if (name.empty() || std::ranges::find(shared, api::find_method(name).name) == shared.end())
        throw usage_error(fmt::format("{} runs in one process: only {} can be fitted by several processes",
                                      name.empty() ? "`mercer fit` without a METHOD" : name, join(shared, ", ")));
    options.stream = true;
}

void add_choices(CLI::App& command, fit_command& options) {
    command.remove_option(command.get_option("--scale"));
    command
        .add_option("--scale", options.from.scale,
                    "Scale features: standard, minmax or none (default: none; no METHOD: standard)")
        ->option_text("HOW")
        ->check(CLI::IsMember({"standard", "minmax", "none"}))
        ->group("Data");
    command.get_option("METHOD")->required(false)->check(method_name_validator());
    command.validate_positionals();
    command
        .add_option("--task", options.task,
                    "Without METHOD: classification, regression or one_class (default: by the target)")
        ->option_text("TASK")
        ->check(CLI::IsMember({"classification", "regression", "one_class"}))
        ->group("Choices");
    command
        .add_option("--missing", options.missing,
                    "Without METHOD: impute missing values or refuse them (default: impute)")
        ->option_text("HOW")
        ->check(CLI::IsMember({"impute", "refuse"}))
        ->group("Choices");
    options.search.add_to(command);
}

// Options for data that exceed the memory, the time or the size of one process.
void add_scale_options(CLI::App& command, fit_command& options) {
    command
        .add_flag("--stream", options.stream,
                  "Read DATA in batches, for data larger than memory (methods: docs/scale.md)")
        ->group("Data");
    command
        .add_option("--trace-tol", options.trace_tol,
                    "Nyström: choose n_centres so that at most X·trace(K) is unexplained (0 < X < 1)")
        ->option_text("X")
        ->check(range_validator(1e-15, 0.999999))
        ->group("Method");
    command
        .add_option("--checkpoint", options.checkpoint,
                    "Save the state of the fit to FILE, to resume from FILE (methods: docs/scale.md)")
        ->option_text("FILE")
        ->group("Output");
    command
        .add_option("--checkpoint-seconds", options.checkpoint_seconds,
                    "Shortest time between two checkpoints in seconds (default: 60)")
        ->option_text("S")
        ->check(CLI::NonNegativeNumber)
        ->group("Output");
    command
        .add_option("--factorisation", options.factors,
                    "MPI: factor the centre matrix on each rank (local) or distributed; default: auto")
        ->option_text("WHERE")
        ->check(CLI::IsMember({"auto", "local", "distributed"}))
        ->group("Method");
}

}  // namespace

void add_fit(CLI::App& program) {
    CLI::App* command =
        add_command(program, "fit", "Fit a model to a data file",
                    "Fits a model to a data file. Without METHOD, Mercer detects the target, the task and the column "
                    "types, encodes categories, imputes missing values, and chooses the method and its parameters by "
                    "cross-validation.");
    const auto options = std::make_shared<fit_command>();
    options->method.add_to(*command);
    command->get_option("METHOD")->description("Method (see `mercer methods`); without METHOD, Mercer chooses one");
    options->from.add_to(*command);
    command->get_option("--target")
        ->description("Target column of CSV: name or position (default: none; without METHOD: detected)");
    command->get_option("--seed")->description(
        "Random seed of --sample, search and --html (default: 1; of METHOD: --set seed=N)");
    options->common.add_to(*command);
    add_choices(*command, *options);
    command->add_option("-o,--output", options->out, "Write the model to this file")
        ->option_text("FILE")
        ->group("Output");
    command
        ->add_option("--svg", options->picture,
                     "Plot the examples in feature space and their predictions to this SVG file")
        ->option_text("FILE")
        ->group("Output");
    command->add_option("--html", options->html, "Write a report with data, choices, scores and pictures to this file")
        ->option_text("FILE")
        ->group("Output");
    add_scale_options(*command, *options);
    set_common_options(*command, {"--target", "--task", "--missing", "--kernel", "--set", "--scale", "--text",
                                  "--stream", "-o", "--html", "--json"});
    command->footer(
        "The search options apply without METHOD; with METHOD, use `mercer tune`.\n"
        "\nExamples:\n"
        "  mercer fit data/penguins.csv --target species -o penguins.model\n"
        "  mercer fit svc data/iris.csv --target species --scale standard --set C=10\n"
        "  mercer fit kernel_pca data/wine.svm --scale standard --svg wine.svg");
    command->callback([options, command] {
        if (started_communicator()) require_shareable(*options);
        if (options->method.method.empty() && options->stream)
            throw usage_error("--stream needs a METHOD: nystroem_ridge, nystroem_logistic or nystroem_svc");
        if (options->trace_tol > 0) options->method.set.push_back(fmt::format("trace_tol={}", options->trace_tol));
        if (options->method.method.empty()) return fit_automatically(*options);
        require_automatic(*command, options->method.method);
        if (options->stream) return fit_streamed(*options);
        fit(*options);
    });
}

}  // namespace mercer::cli
