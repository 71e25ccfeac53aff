#include "fit_automatic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "evaluate.h"
#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/model_selection/choose_automatically.h"

namespace mercer::cli {
namespace {

constexpr index many_for_svc = 50000, many_for_ridge = 15000;

api::automatic_options make_automatic_options(const fit_command& options) {
    api::automatic_options out;
    out.target = options.from.label;
    out.task = options.task;
    out.missing = options.missing == "impute" ? "fill" : options.missing;
    out.scale = options.from.scale;
    out.text = options.from.text;
    out.kernel = options.method.kernel.find('?') != std::string::npos || options.method.kernel.empty()
                     ? options.method.kernel
                     : parse_kernel(options.method.kernel).text();
    try {
        for (const auto& each : options.method.set) out.options.push_back(api::parse_setting(each));
    } catch (const error& wrong) {
        throw usage_error(wrong.what());
    }
    if (options.from.format != "auto") out.how.format = &find_file_format(options.from.format);
    out.how.csv.text = options.from.text_column;
    if (options.from.rows > 0 || options.from.sample > 0)
        out.rows = [&options](index n) { return select_rows(options.from, n); };
    return out;
}

// Warns about a long final fit before it begins.
void warn_about_slow_fit(const api::automatic_data& ready) {
    const index n = ready.data.x.size();
    if (ready.open.method == "svc" && n > many_for_svc)
        warn(
            fmt::format("the final fit on all {} rows may take long: --sample {} fits on a random sample, `mercer fit "
                        "linear_svc` fits all rows without a kernel",
                        n, many_for_svc));
    if (ready.open.method == "kernel_ridge" && n > many_for_ridge) {
        require_memory(n, 1, "a ridge");
        warn(
            fmt::format("the final fit on all {} rows may take long: --sample {} fits on a random sample, `mercer fit "
                        "ridge` fits all rows without a kernel",
                        n, many_for_ridge));
    }
}

// Describes the search without times, so that the same fit gives the same model file.
void add_search_summary(api::summary& choices, const api::tuning& found) {
    const api::trial& taken = found.trials[found.chosen];
    std::string names, values;
    for (std::size_t a = 0; a < found.axes.size(); ++a) {
        names += (a ? ", " : "") + found.axes[a].name;
        values += fmt::format("{}{} = {:.4g}", a ? ", " : "", found.axes[a].name, taken.at[a]);
    }
    choices.add("search",
                fmt::format("{}: {} settings by {}, {}{}", names, found.trials.size(), found.metric, found.how,
                            found.rows < found.of_rows ? fmt::format(", on {} rows", found.rows) : ""));
    choices.add("taken", fmt::format("{}: {} {:.4g}{}", values, found.metric, taken.mean,
                                     std::isnan(taken.error) ? "" : fmt::format(" ± {:.2g}", taken.error)));
}

std::string choices_text(const api::summary& choices) {
    std::string out;
    for (const auto& [name, value] : choices.all()) {
        const auto* list = std::get_if<text_list>(&value);
        if (!list) {
            out += fmt::format("{:10}{}\n", name, api::text(value));
            continue;
        }
        constexpr std::size_t most = 30;
        for (std::size_t i = 0; i < std::min(most, list->size()); ++i)
            out += fmt::format("{:10}{}\n", i ? "" : name, (*list)[i]);
        if (list->size() > most) out += fmt::format("{:10}... ({} lines in all: --json)\n", "", list->size());
    }
    return out;
}

json encoder_json(const column_encoder& columns) {
    json out = json::array();
    for (const column_rule& rule : columns.rules())
        out.push_back({{"name", rule.name},
                       {"about", rule.describe()},
                       {"missing", rule.missing},
                       {"coordinates", rule.coordinate_names()}});
    return out;
}

}  // namespace

CLI::Validator method_name_validator() {
    return CLI::Validator(
        [](const std::string& word) -> std::string {
            for (const auto& each : api::methods())
                if (each.name == word || std::ranges::find(each.aliases, word) != each.aliases.end()) return {};
            const bool could_be =
                std::ranges::all_of(word, [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; });
            std::error_code none;
            if (!word.empty() && word != "-" && could_be && !std::filesystem::exists(word, none)) return {};
            return "there is no method '" + word + "'";
        },
        "");
}

void fit_automatically(const fit_command& options) {
    options.common.apply();
    fit_output answer;
    {
        progress_line shown;
        shown.set_phase("reading " + options.from.path);
        const api::automatic_options choices_made = make_automatic_options(options);
        const file_contents file = options.from.open(choices_made.how, options.method.memory);
        const api::automatic_data ready = api::prepare(file, choices_made);
        warn_about_slow_fit(ready);
        api::summary choices = ready.choices;
        const auto started = std::chrono::steady_clock::now();
        loaded_data on;
        on.data = ready.data;
        on.about = fmt::format("{}, {} {}", options.from.path, on.size(), name(on.data.x.kind()));
        if (on.data.x.kind() == object_kind::vectors) on.about += fmt::format(" with {} features", on.data.x.dims());
        api::spec s = ready.open;
        std::optional<api::tuning> found;
        if (ready.needs_search) {
            found = tune_with_progress(s, on, options.search, options.from.seed, options.method.memory, shown);
            s = found->chosen_spec();
            add_search_summary(choices, *found);
            answer.all["tuning"] = json::parse(api::to_json(*found));
        }
        api::model m = ready.annotate(fit_with_progress(s, on.data, options.method.memory, shown));
        m.text_column = detail::to_utf8(options.from.text_column);
        choices.add("model", fmt::format("{} {}", m.method_name(), m.kernel_text()));
        m.choices = choices;
        answer.save(m, options.out);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
        if (!options.picture.empty())
            write_atomically(options.picture, picture_page(fmt::format("{} {}", m.method_name(), m.kernel_text()),
                                                           on.about, model_panels(m, on.data, options.method.memory)));
        if (!options.html.empty()) {
            shown.set_phase("writing the report");
            write_fit_page(options.html, m, on.data, options.from.path, options.from.seed, found ? &*found : nullptr);
        }
        json all = figures_json(m.describe());
        all["choices"] = figures_json(choices);
        if (ready.columns) all["table"] = encoder_json(*ready.columns);
        all["data"] = on.about;
        all["n"] = on.size();
        all["seconds"] = seconds;
        if (!answer.all.is_null()) all.update(answer.all);
        api::summary score;
        if (!on.data.y.empty()) score = score_until_interrupted(m, on.data);
        if (!score.empty()) all["training_score"] = figures_json(score);
        if (!options.out.empty()) all["model"] = answer.saved_path;
        answer.all = std::move(all);
        answer.text = fmt::format("{}\n\n{}\n", on.about, choices_text(choices));
        if (!score.empty()) answer.text += "score on the training data\n" + score.text() + "\n";
        answer.text += fmt::format("fitted in {:.2f} s\n", seconds);
        answer.add_warning(m);
    }
    answer.show(options.common, options.picture, options.html);
}

}  // namespace mercer::cli
