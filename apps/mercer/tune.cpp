// mercer tune: chooses parameters of a method and its kernel by cross-validation, and fits the model with them.
#include "tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fit.h"
#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/model_selection/nested_search.h"
#include "mercer/model_selection/search.h"
#include "mercer/plot/panels.h"
#include "mercer/plot/score_map.h"

namespace mercer::cli {
namespace {

// If no parameter is open, opens C, or the corresponding parameter of a method without C.
void open_default_parameter(api::spec& s) {
    const api::method& m = api::find_method(s.method);
    const bool open = s.kernel.find('?') != std::string::npos || std::ranges::any_of(s.options, [](const auto& o) {
                          return o.second.find('?') != std::string::npos;
                      });
    if (open) return;
    for (const char* name : {"C", "nu", "alpha", "n_neighbors"})
        if (std::ranges::find(m.options, name, &api::option_info::name) != m.options.end() &&
            std::ranges::find(s.options, name, &std::pair<std::string, std::string>::first) == s.options.end())
            return s.options.emplace_back(name, "?"), void();
}

score_map make_score_map(const api::tuning& found) {
    score_map out;
    const auto values = [&](std::size_t a) {
        std::vector<double> all;
        for (const auto& t : found.trials) all.push_back(t.at[a]);
        std::ranges::sort(all);
        all.erase(std::unique(all.begin(), all.end()), all.end());
        return all;
    };
    out.across = values(0), out.up = values(1);
    out.score = matrix<double>(static_cast<index>(out.up.size()), static_cast<index>(out.across.size()));
    std::fill_n(out.score.row(0), out.score.rows() * out.score.cols(), std::nan(""));
    out.dropped = matrix<std::uint8_t>(out.score.rows(), out.score.cols());
    const auto place = [](const std::vector<double>& in, double v) {
        return static_cast<index>(std::ranges::lower_bound(in, v) - in.begin());
    };
    for (const auto& t : found.trials) {
        out.score(place(out.up, t.at[1]), place(out.across, t.at[0])) = t.mean;
        out.dropped(place(out.up, t.at[1]), place(out.across, t.at[0])) = t.dropped;
    }
    const auto& best = found.trials[found.chosen].at;
    out.best_across = place(out.across, best[0]), out.best_up = place(out.up, best[1]);
    out.larger_is_better = found.larger_is_better;
    out.across_name = found.axes[0].name, out.up_name = found.axes[1].name, out.score_name = found.metric;
    out.title = "Score of each setting";
    out.note = found.how;
    return out;
}

curves make_score_curve(const api::tuning& found) {
    std::vector<std::pair<double, double>> points;
    for (const auto& t : found.trials) points.emplace_back(t.at[0], t.mean);
    std::ranges::sort(points);
    curves out;
    out.lines.push_back({found.metric, {}});
    for (const auto& [x, y] : points) out.x.push_back(x), out.lines[0].y.push_back(y);
    out.best = static_cast<index>(std::ranges::find(out.x, found.trials[found.chosen].at[0]) - out.x.begin());
    out.log_x = found.axes[0].logarithmic;
    out.title = "Score of each setting", out.note = found.how;
    out.across = found.axes[0].name, out.up = found.metric;
    return out;
}

struct tune_command {
    method_options method;
    data_options from;
    common_options common;
    search_options search;
    std::string out, picture, curve;
    index top = 5;
    int nested = 0;
};

std::string summary_of(const api::nested_estimate& found) {
    return fmt::format("nested: {} {:.5g}, 95 % interval {:.5g} to {:.5g} ({}), {}, in {:.2f} s\n{}", found.metric,
                       found.mean, found.range.low, found.range.high, found.interval_method, found.how, found.seconds,
                       found.complete ? "" : fmt::format("stopped after {} of them\n", found.scores.size()));
}

std::string summary_of(const api::learning_curve& found) {
    std::vector<std::vector<std::string>> lines{{"examples", "training", "±", "held-out", "±"}};
    const auto number = [](double v) { return std::isnan(v) ? std::string() : fmt::format("{:.4g}", v); };
    for (std::size_t i = 0; i < found.examples.size(); ++i)
        lines.push_back({fmt::format("{}", found.examples[i]), number(found.training[i]),
                         number(found.training_error[i]), number(found.held_out[i]), number(found.held_out_error[i])});
    return fmt::format("learning curve: {}\n{}", found.metric, align_table(lines, std::vector<bool>(5, true)));
}

panel learning_curve_panel(const api::learning_curve& found) {
    curves out;
    for (const index n : found.examples) out.x.push_back(static_cast<double>(n));
    out.lines = {{"training examples", found.training}, {"held-out examples", found.held_out}};
    out.best = static_cast<index>(out.x.size()) - 1;
    out.log_x = true;
    out.title = "Learning curve", out.across = "examples", out.up = found.metric;
    out.note = "more examples may help as long as the two curves are apart";
    return curves_panel(out);
}

std::string table_of(const api::tuning& found, index top) {
    std::vector<std::size_t> order(found.trials.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        const api::trial &x = found.trials[a], &y = found.trials[b];
        if (x.dropped != y.dropped) return y.dropped;
        return found.larger_is_better ? x.mean > y.mean : x.mean < y.mean;
    });
    std::vector<std::vector<std::string>> lines(1);
    for (const axis& a : found.axes) lines[0].push_back(a.name);
    lines[0].insert(lines[0].end(), {found.metric, "±", ""});
    for (std::size_t i = 0; i < std::min(order.size(), static_cast<std::size_t>(top)); ++i) {
        const api::trial& t = found.trials[order[i]];
        std::vector<std::string> line;
        for (const double v : t.at) line.push_back(fmt::format("{:.4g}", v));
        line.push_back(fmt::format("{:.5g}", t.mean));
        line.push_back(std::isnan(t.error) ? "" : fmt::format("{:.2g}", t.error));
        line.emplace_back(order[i] == found.chosen ? "← chosen" : t.dropped ? "dropped early" : "");
        lines.push_back(std::move(line));
    }
    std::vector<bool> right(lines[0].size(), true);
    right.back() = false;
    return align_table(lines, right);
}

// Adds what --nested and --curve ask for: nested cross-validation of the search, and the learning curve of the chosen
// setting.
std::string add_estimates(const tune_command& options, const api::spec& open, const api::tuning& found,
                          const loaded_data& on, progress_line& shown, json& all) {
    std::string out;
    api::fit_control control;
    control.memory_bytes = options.method.memory;
    const cancellation_scope stop(is_interrupted);
    if (options.nested > 0) {
        shown.set_phase("nested cross-validation");
        watch_interrupt();
        api::tune_options how = options.search.how;
        how.seed = options.from.seed;
        how.progress = [&](const api::tune_progress& now) {
            if (now.total > 0) shown.set_fraction(static_cast<double>(now.done) / static_cast<double>(now.total));
            return !is_interrupted();
        };
        const api::nested_estimate estimate = api::nested_tune(open, on.data, options.nested, how, control);
        (void)acknowledge_interrupt();
        all["nested"] = json::parse(api::to_json(estimate));
        out += "\n" + summary_of(estimate);
    }
    if (!options.curve.empty()) {
        shown.set_phase("learning curve");
        api::tune_options how = options.search.how;
        how.seed = options.from.seed;
        const api::learning_curve curve = api::learn_curve(found.chosen_spec(), on.data, how, control);
        all["learning_curve"] = json::parse(api::to_json(curve));
        out += "\n" + summary_of(curve);
        write_atomically(options.curve, picture_page(fmt::format("{} {}", open.method, found.chosen_spec().kernel),
                                                     on.about, {learning_curve_panel(curve)}));
        out += fmt::format("learning curve: {}\n", options.curve);
    }
    return out;
}

void run(const tune_command& options) {
    options.common.apply();
    api::spec s = options.method.search_request();
    s.scale = options.from.scale;
    s.text = options.from.text;
    fit_output answer;
    {
        progress_line shown;
        shown.set_phase("reading " + options.from.path);
        const loaded_data on = load_raw(options.from, read_options_for(s.kernel), options.method.memory);
        open_default_parameter(s);
        const api::tuning found =
            tune_with_progress(s, on, options.search, options.from.seed, options.method.memory, shown);
        api::model m = fit_with_progress(found.chosen_spec(), on.data, options.method.memory, shown);
        m.label = detail::to_utf8(options.from.label);
        m.text_column = detail::to_utf8(options.from.text_column);
        if (!options.picture.empty()) {
            shown.set_phase("drawing");
            const auto drawn = search_panel(found);
            if (!drawn)
                fail(errc::unsupported,
                     fmt::format("--svg can plot at most two tuned parameters, got {}", found.axes.size()));
            write_atomically(options.picture, picture_page(fmt::format("{} {}", s.method, found.chosen_spec().kernel),
                                                           on.about, {*drawn}));
        }
        answer.all = json::parse(api::to_json(found));
        answer.all["data"] = on.about;
        answer.all["model"] = figures_json(m.describe());
        std::string more;
        const bool finished = was_interrupted() || completes_unless_cancelled([&] {
                                  more = add_estimates(options, s, found, on, shown, answer.all);
                              });
        if (!finished && acknowledge_interrupt())
            warn("stopped: --nested and --curve were not computed; the model is complete");
        answer.save(m, options.out);
        if (!options.out.empty()) answer.all["model_file"] = answer.saved_path;
        answer.text = fmt::format("{}\n\n{}\n{}", on.about, summary(found), table_of(found, options.top));
        answer.text += more;
        answer.text += fmt::format("\n{}\n", m.describe().text());
        answer.add_warning(m);
    }
    answer.show(options.common, options.picture);
}

}  // namespace

void search_options::add_to(CLI::App& command) {
    command
        .add_option("--search", how.search,
                    "Search strategy: grid, random, halving or bayes (docs/tuning.md; default: grid)")
        ->option_text("HOW")
        ->check(CLI::IsMember({"grid", "random", "halving", "bayes"}))
        ->group("Search");
    command
        .add_option("--points", how.points, "Grid values per parameter (default: 10; for 3 parameters 6, for more 4)")
        ->option_text("N")
        ->check(CLI::Range(2, 1000))
        ->group("Search");
    command.add_option("--trials", how.trials, "Number of settings that random, halving and bayes try (default: 60)")
        ->option_text("N")
        ->check(CLI::Range(1, 100000))
        ->group("Search");
    command.add_option("--folds", how.folds, "Number of folds of the cross-validation (default: 5)")
        ->option_text("N")
        ->group("Search");
    command.add_option("--repeats", how.repeats, "Repeat cross-validation N times with new folds (default: 1)")
        ->option_text("N")
        ->check(CLI::Range(1, 1000))
        ->group("Search");
    command.add_flag("--by-time", how.by_time, "Rows are in order of time: train on earlier rows, test on later rows")
        ->group("Search");
    command
        .add_option("--metric", how.metric, "Score to optimise (list: `mercer tune --help`; default: accuracy or rmse)")
        ->option_text("NAME")
        ->group("Search");
    command
        .add_flag("--one-se", how.one_standard_error,
                  "Choose the simplest setting whose score is within one standard error of the best")
        ->group("Search");
    command
        .add_flag("!--no-race", how.race, "Compute all folds of every setting, even of settings that are clearly worse")
        ->group("Search");
    command
        .add_option("--search-rows", how.max_rows,
                    "Search on a random sample of at most N rows (default: 10000; 0: all rows)")
        ->option_text("N")
        ->group("Search");
    command.add_option("--log", how.log, "Log the search to this file, and resume from it if it exists")
        ->option_text("FILE")
        ->group("Search");
}

api::tuning tune_with_progress(const api::spec& s, const loaded_data& on, const search_options& search,
                               std::uint64_t seed, std::size_t memory, progress_line& shown) {
    shown.set_phase(fmt::format("tuning {}", s.method));
    watch_interrupt();
    api::tune_options how = search.how;
    how.seed = seed;
    how.progress = [&](const api::tune_progress& now) {
        if (!std::isnan(now.best)) shown.set_phase(fmt::format("tuning {}, best so far {:.4g}", s.method, now.best));
        if (now.total > 0) shown.set_fraction(static_cast<double>(now.done) / static_cast<double>(now.total));
        return !is_interrupted();
    };
    const cancellation_scope stop(is_interrupted);
    api::fit_control control;
    control.memory_bytes = memory;
    api::tuning found = api::tune(s, on.data, how, control);
    if (acknowledge_interrupt())
        warn(
            "the search was stopped: the result is the best setting found so far; with --log FILE the same command "
            "continues the search");
    return found;
}

std::optional<panel> search_panel(const api::tuning& found) {
    if (found.axes.empty() || found.axes.size() > 2) return std::nullopt;
    return found.axes.size() == 2 ? score_map_panel(make_score_map(found)) : curves_panel(make_score_curve(found));
}

std::string summary(const api::tuning& found) {
    const auto dropped = std::ranges::count_if(found.trials, &api::trial::dropped);
    const auto unfinished = std::ranges::count_if(found.trials, [](const auto& t) { return !t.warning.empty(); });
    std::string out =
        fmt::format("{} settings by {}, {}, in {:.2f} s", found.trials.size(), found.metric, found.how, found.seconds);
    if (found.rows < found.of_rows)
        out += fmt::format("\nsearched on a random sample of {} of {} rows", found.rows, found.of_rows);
    if (dropped > 0)
        out += fmt::format("\n{} settings were dropped early because they were significantly worse", dropped);
    if (unfinished > 0)
        out += fmt::format("\nfits of {} settings did not converge: their scores are approximate", unfinished);
    for (std::size_t a = 0; a < found.axes.size(); ++a) {
        const axis& x = found.axes[a];
        const double v = found.trials[found.chosen].at[a];
        const double low = x.values.empty() ? x.low : x.values.front(),
                     high = x.values.empty() ? x.high : x.values.back();
        if ((v <= low || v >= high) && high > low)
            out += fmt::format("\n{} = {:.4g} is at the end of its range; try a wider range: {}=?[low, high]", x.name,
                               v, x.name);
    }
    return out + "\n";
}

void add_tune(CLI::App& program) {
    CLI::App* command =
        add_command(program, "tune", "Choose parameters by cross-validation, then fit",
                    "Chooses parameters of a method and its kernel by cross-validation, then fits a model with the "
                    "best setting.");
    const auto options = std::make_shared<tune_command>();
    options->method.add_to(*command);
    options->from.add_to(*command);
    command->get_option("--seed")->description(
        "Random seed of --sample, folds and search (default: 1; of METHOD: --set seed=N)");
    options->search.add_to(*command);
    options->common.add_to(*command);
    command->add_option("-o,--output", options->out, "Write the model to this file")
        ->option_text("FILE")
        ->group("Output");
    command->add_option("--svg", options->picture, "Plot the score over one or two tuned parameters to this SVG file")
        ->option_text("FILE")
        ->group("Output");
    command
        ->add_option("--nested", options->nested,
                     "Estimate the score on new data by nested cross-validation with N outer folds")
        ->option_text("N")
        ->check(CLI::Range(2, 1000))
        ->group("Search");
    command->add_option("--curve", options->curve, "Plot the learning curve of the chosen setting to this SVG file")
        ->option_text("FILE.svg")
        ->group("Output");
    command->add_option("--top", options->top, "Number of settings to print, best first (default: 5)")
        ->option_text("N")
        ->group("Output");
    set_common_options(*command, {"--target", "--kernel", "--set", "--scale", "--search", "--metric", "--folds",
                                  "--trials", "--nested", "-o", "--svg", "--json"});
    command->footer(
        "Write ? for a number to tune, ?[low, high] for a range, ?{a, b, c} for a list of values. Without any ?, "
        "C, nu, alpha or n_neighbors is tuned.\n"
        "Scores of classes: accuracy, balanced_accuracy, f1, auc, log_loss. Scores of values: rmse, mse, mae, r2, "
        "pinball.\n"
        "\nExamples:\n"
        "  mercer tune svc data/iris.csv --target species --scale standard -o iris.model\n"
        "  mercer tune svc data/wine.svm --kernel 'rbf(gamma=?)' --set 'C=?' --svg c.svg\n"
        "  mercer tune knn data/wine.svm --scale standard --set 'n_neighbors=?{1,3,5,9}'");
    command->callback([options] { run(*options); });
}

}  // namespace mercer::cli
