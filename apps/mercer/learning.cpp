#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>

#include "fit.h"
#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/methods/components/kernel_pca.h"
#include "predict.h"

namespace mercer::cli {

void add_learning(CLI::App& program) {
    add_fit(program);
    add_tune(program);
    add_learn(program);
    add_predict(program);
    add_evaluate(program);
    add_transform(program);
    add_describe(program);
    add_convert(program);
    add_serve(program);
    add_cluster(program);
    add_test(program);
    add_methods(program);
}

void add_memory(CLI::App& command, std::size_t& bytes) {
    command
        .add_option(
            "--memory", bytes,
            "Memory for kernel values, and for packed data when unpacked, such as 500MB (default: the method's own)")
        ->option_text("SIZE")
        ->transform(CLI::AsSizeValue(false))
        ->group("Method");
}

namespace {

// cells(svc, size=2000) is cells_svc with size=2000; any other word stays as it is.
std::string in_cells(std::string& word, std::vector<std::string>& options) {
    if (!word.starts_with("cells(") || !word.ends_with(")")) return {};
    std::vector<std::string> parts;
    std::string inside = word.substr(6, word.size() - 7);
    for (std::size_t comma; !inside.empty(); inside = comma == inside.size() ? "" : inside.substr(comma + 1)) {
        comma = std::min(inside.find(','), inside.size());
        const std::string part = inside.substr(0, comma);
        const auto first = part.find_first_not_of(' '), last = part.find_last_not_of(' ');
        if (first != std::string::npos) parts.push_back(part.substr(first, last - first + 1));
    }
    if (parts.empty()) return "cells(METHOD, size=4000): METHOD is missing";
    std::string machine = parts.front();
    if (machine.starts_with("kernel_")) machine.erase(0, 7);
    word = "cells_" + machine;
    options.assign(parts.begin() + 1, parts.end());
    return {};
}

}  // namespace

void method_options::add_to(CLI::App& command, bool with_method) {
    if (with_method)
        command
            .add_option("METHOD", method,
                        "What to fit; `mercer methods` lists all, `mercer methods METHOD` its options")
            ->required()
            ->transform(CLI::Validator([this](std::string& word) { return in_cells(word, in_name); }, ""));
    command
        .add_option("--kernel", kernel,
                    "The kernel (default: one for the kind of object, rbf with gamma = 1/(d·variance) for vectors); "
                    "see `mercer kernel list`")
        ->option_text("EXPR")
        ->group("Method");
    command.add_option("--set", set, "An option of the method, name=value; can be repeated")
        ->option_text("NAME=VALUE ...")
        ->group("Method");
    add_memory(command, memory);
}

api::spec method_options::spec() const {
    api::spec out;
    try {
        const api::method& m = api::find_method(method);
        out.method = m.name;
        for (const auto* list : {&in_name, &set})
            for (const auto& each : *list) out.options.push_back(api::parse_setting(each));
        const api::option_values checked(m.name, m.options, out.options);
        if (!kernel.empty() && !m.takes_kernel && !m.takes_features)
            fail(errc::invalid_argument, fmt::format("{} takes no --kernel: {} does", m.name, api::kernel_twin(m)));
    } catch (const error& wrong) {
        throw usage_error(fmt::format("{}; see `mercer methods`", wrong.what()));
    }
    if (!kernel.empty()) {
        out.ready = std::make_shared<const mercer::kernel>(parse_kernel(kernel));
        out.kernel = out.ready->text();
    }
    return out;
}

api::spec method_options::open_spec() const {
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
            fail(errc::invalid_argument, fmt::format("{} takes no --kernel: {} does", m.name, api::kernel_twin(m)));
    } catch (const error& wrong) {
        throw usage_error(fmt::format("{}; see `mercer methods`", wrong.what()));
    }
    out.kernel = kernel.find('?') != std::string::npos || kernel.empty() ? kernel : parse_kernel(kernel).text();
    return out;
}

objects load_unscaled(const data_options& from, read_options how, std::size_t memory) {
    const source file = from.open(how, memory);
    return load_unscaled(from, file, std::move(how));
}

objects load_unscaled(data_options from, const source& file, read_options how) {
    from.scale.clear();
    from.text.clear();
    return load(from, file, std::move(how));
}

void require_fit(const api::spec& s, const objects& from, const std::string& path) {
    if (s.ready && s.text.empty()) require_fit(*s.ready, from, path);  // with --text the kernel is one on vectors
}

void model_data::add_to(CLI::App& command) {
    command.add_option("DATA", path, "The data: a file (also .gz and .xz) or a folder; FORMAT:FILE says what it is")
        ->required()
        ->transform(take_format(format));
    command
        .add_option("--format", format,
                    fmt::format("One of {} (default: by the file's name and first lines)", names_of_formats()))
        ->option_text("NAME")
        ->check(one_of_the_formats())
        ->group("Data");
    command
        .add_option("--label,--target", label,
                    "CSV: the column of targets (default: the one the model was fitted with, where it is there); "
                    "strings and sets: 'none' where there are none")
        ->option_text("COLUMN")
        ->group("Data");
    command.add_option("--text-column", text_column, "CSV: the column of texts (default: the one of the fit)")
        ->option_text("COLUMN")
        ->group("Data");
}

table model_data::load(const api::model& m) const { return load(m, read_source_or_folder(path), warn); }

table model_data::load(const api::model& m, const source& file,
                       const std::function<void(const std::string&)>& tell) const {
    read_options how = api::read_like(m);
    if (format != "auto") how.format = &file_format_named(format);
    how.csv.label = label == "none" ? "" : label;
    if (!text_column.empty()) how.csv.text = text_column;
    how.csv.tell = tell;
    how.csv.header = header;
    how.other_files = other_files;
    how.most_pixels = most_pixels;
    how.tsv.labelled = label != "none";
    table out;
    if (label.empty() && !m.label.empty()) {
        // New data may come without the column of targets.
        how.csv.label = m.label;
        try {
            out = parse_table(file, how);
        } catch (const error& first) {
            how.csv.label.clear();
            try {
                out = parse_table(file, how);
            } catch (const error&) {
                if (first.code() == errc::invalid_argument) throw;  // it lacks the column, and has another fault
                throw first;
            }
            const bool named =
                !m.feature_names().empty() && !out.feature_names.empty();  // then the columns are looked for by name
            if (!named && m.dims() > 0 && out.x.dims() != m.dims()) throw first;
        }
    } else {
        out = parse_table(file, how);
    }
    if (out.x.size() == 0) fail(errc::data, fmt::format("{}: no objects", file.name()));
    match_columns(out, m.feature_names(), file.name(), "the data the model was fitted on");
    // Columns with names are a fixed number of them: more is an error, and the method says so.
    if (m.kind() == domain::vectors && m.feature_names().empty() && out.x.is_sparse() && m.dims() > 0 &&
        out.x.dims() > m.dims())
        tell(fmt::format("{}: indices up to {}, but the model was fitted on {} columns", file.name(), out.x.dims(),
                         m.dims()));
    return out;
}

api::model fit_shown(const api::spec& s, const table& data, std::size_t memory, progress& shown,
                     const fit_checkpoint& checkpoint) {
    shown.phase(fmt::format("fitting {} on {} objects", s.method, data.x.size()));
    api::fit_control control;
    control.memory_bytes = memory;
    control.checkpoint = checkpoint;
    control.progress = [&](const fit_progress& p) {
        shown.phase(fmt::format("{}: {}", s.method, p.phase));
        if (p.total > 0) shown.share(static_cast<double>(p.done) / static_cast<double>(p.total));
        return !interrupted();
    };
    watch_interrupt();
    const stop_scope stop(interrupt_is_old);  // a method with something to keep hears of it at its steps
    return api::fit(s, data, control);
}

api::figures score_unless_stopped(const api::model& m, const table& data) {
    // After a Ctrl-C that ended the fit, a score that takes long is not waited for.
    constexpr std::chrono::milliseconds grace{300};
    const bool was_cut_short = was_interrupted();
    const auto started = std::chrono::steady_clock::now();
    api::figures score;
    const stop_scope stop(
        [&] { return interrupted() || (was_cut_short && std::chrono::steady_clock::now() - started > grace); });
    if (!unless_stopped([&] { score = m.score(data); })) {
        (void)take_interrupt();
        warn(fmt::format("stopped: the model is {}, but its score on the data it was fitted on was not computed",
                         was_cut_short ? "kept" : "complete"));
    }
    return score;
}

json figures_json(const api::figures& all) { return json::parse(all.json()); }

void fit_answer::keep(const api::model& m, const std::string& out) {
    kept = out;
    (void)take_interrupt();
    if (was_interrupted()) {
        const bool beside = !out.empty() && std::filesystem::is_regular_file(out);
        if (beside) kept += ".interrupted";
        warn(fmt::format("stopped: {}{}", out.empty() ? "the model is not kept" : "the model as it is goes to " + kept,
                         beside ? fmt::format(", and {} was left as it is", out) : ""));
    }
    if (!kept.empty()) m.save(kept);
}

void fit_answer::trouble(const api::model& m) {
    const std::string wrong = m.inner().trouble();
    if (wrong.empty()) return;
    all["warning"] = wrong;
    text += wrong + "\n";
}

void fit_answer::show(const common_options& common, const std::string& picture, const std::string& page) {
    if (common.as_json) return print(all);
    text += kept.empty() ? "the model was not kept: say -o FILE\n" : fmt::format("model: {}\n", kept);
    if (!picture.empty()) text += fmt::format("picture: {}\n", picture);
    if (!page.empty()) text += fmt::format("page: {}\n", page);
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
    const api::figure_value* found = m.fit_figures().find(name);
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
    const api::figure_value* chosen = m.fit_figures().find("alpha");
    const double alpha = chosen && std::get_if<double>(chosen) ? std::get<double>(*chosen) : -1;
    for (std::size_t i = 0; i < alphas.size(); ++i)
        if (alphas[i] == alpha) out.best = static_cast<index>(i);
    out.title = "Error over λ";
    out.note = fmt::format("smallest at λ = {:.4g}", alpha);
    out.across = "λ";
    out.up = "mean squared error, estimated";
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
        const dataset x = m.prepared(data.x);
        points = component_scatter(m.kernel_text().empty() ? kernel::parse("linear()") : kernel::parse(m.kernel_text()),
                                   x, memory);
        table shown = data;
        shown.y = m.inner().predict(x);
        shown.class_names = m.class_names();
        points.note +=
            m.gives() == api::answer::classes ? ", coloured by predicted class" : ", coloured by what is predicted";
        points.value_name = "predicted";
        if (m.gives() == api::answer::values) {
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

void write_columns(const std::string& path, const api::columns& values) {
    if (path.ends_with(".npy")) return write_matrix(path, values.values.view());
    if (path.empty()) return print(columns_text(values));
    write_atomically(path, columns_text(values));
}

}  // namespace mercer::cli
