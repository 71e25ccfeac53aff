// mercer evaluate: scores of a model on data with targets, with confidence intervals, curves and pictures.

#include "mercer/inspection/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "evaluate.h"
#include "fit.h"
#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/base/random_generator.h"
#include "mercer/inspection/binary_problems.h"
#include "mercer/inspection/margin_report.h"
#include "mercer/methods/svm/svm_model.h"
#include "mercer/metrics/evaluation.h"
#include "mercer/model_selection/cross_validate.h"
#include "mercer/model_selection/search_log.h"
#include "mercer/plot/evaluation_plots.h"
#include "mercer/plot/report_page.h"
#include "program.h"
#include "tune.h"

namespace mercer::cli {
namespace {

using lines = std::vector<std::vector<std::string>>;

std::string short_number(double v) { return std::isfinite(v) ? fmt::format("{:.4g}", v) : "-"; }
std::string range(const interval& r) {
    return std::isfinite(r.low) ? fmt::format("{:.4g} to {:.4g}", r.low, r.high) : "-";
}

// Aligns a table whose first column holds names.
std::string align_named_table(const lines& all) {
    std::vector<bool> right(all[0].size(), true);
    right[0] = false;
    return align_table(all, right);
}

std::string metrics_text(const evaluation& all) {
    lines out{{"metric", "value", "95 %", "by"}};
    for (const evaluated_metric& m : all.metrics)
        out.push_back({m.name, short_number(m.value), range(m.range), m.interval_method});
    return align_table(out, {false, true, true, false}) + fmt::format("bootstrap: {} resamples\n", all.resamples);
}

std::string confusion_text(const evaluation& all) {
    constexpr std::size_t most = 20;
    if (all.names.size() > most)
        return fmt::format("\nThe confusion matrix of {} classes is too wide to print; use --json or --html\n",
                           all.names.size());
    lines out{{"true \\ predicted"}};
    for (const auto& name : all.names) out[0].push_back(name);
    for (index i = 0; i < all.table.count.rows(); ++i) {
        out.push_back({all.names[static_cast<std::size_t>(i)]});
        for (index j = 0; j < all.table.count.cols(); ++j)
            out.back().push_back(fmt::format("{}", all.table.count(i, j)));
    }
    return "\n" + align_named_table(out);
}

std::string classes_text(const evaluation& all) {
    lines out{{"class", "precision", "95 %", "recall", "95 %", "F1", "support", "ROC area", "average precision"}};
    for (const class_metrics& c : all.classes) {
        const auto at = std::ranges::find(all.curves, c.label, &class_curves::label);
        const bool ranked = at != all.curves.end() && !at->order.points.empty();
        out.push_back({all.name_of(c.label), short_number(c.precision), range(c.precision_interval),
                       short_number(c.recall), range(c.recall_interval), short_number(c.f1),
                       fmt::format("{}", c.support), ranked ? short_number(at->order.area) : "",
                       ranked ? short_number(at->order.average_precision) : ""});
    }
    return "\n" + align_named_table(out);
}

std::string calibration_text(const evaluation& all) {
    std::string out;
    for (const class_curves& c : all.curves)
        if (!c.probabilities.bins.empty())
            out += fmt::format("probabilities of {}: mean calibration error {:.4g}, Brier score {:.4g}\n",
                               all.name_of(c.label), c.probabilities.calibration_error, c.probabilities.brier);
    return out.empty() ? out : "\n" + out;
}

std::string importance_text(const evaluation& all) {
    constexpr std::size_t most = 30;
    std::vector<const feature_importance*> order;
    for (const feature_importance& f : all.importance) order.push_back(&f);
    std::ranges::stable_sort(order, std::ranges::greater{}, &feature_importance::mean);
    lines out{{"shuffled feature", all.importance_metric + " worse by", "95 %"}};
    for (std::size_t i = 0; i < std::min(most, order.size()); ++i)
        out.push_back({all.feature(order[i]->column), short_number(order[i]->mean), range(order[i]->mean_interval)});
    return "\n" + align_named_table(out) +
           (order.size() > most ? fmt::format("and {} more features (all with --json)\n", order.size() - most) : "");
}

std::string evaluation_text(const evaluation& all) {
    std::string out = metrics_text(all);
    if (all.of == target_kind::values) {
        const residual_summary& r = all.residuals;
        out +=
            fmt::format("\nresiduals: mean {:.4g}, standard deviation {:.4g}, from {:.4g} to {:.4g}, median {:.4g}\n",
                        r.mean, r.deviation, r.smallest, r.largest, r.median);
    } else {
        out += confusion_text(all) + classes_text(all) + calibration_text(all);
    }
    if (!all.importance.empty()) out += importance_text(all);
    return out;
}

constexpr index max_drawn_rows = 1500;  // objects in a picture: kernel PCA needs their kernel matrix

shown_figures data_figures(const api::model& m, const table& data, const std::string& path) {
    shown_figures out{{"file", path}, {"examples", fmt::format("{}", data.x.size())}, {"kind", name(data.x.kind())}};
    if (data.x.kind() == object_kind::vectors) out.emplace_back("features", fmt::format("{}", data.x.dims()));
    if (const std::string& label = data.label.empty() ? m.label : data.label; !label.empty())
        out.emplace_back("target", label);
    std::map<double, index> count;
    if (m.prediction_kind() == api::target_kind::classes)
        for (const double y : data.y) ++count[y];
    std::string classes;
    for (const auto& [y, n] : count) classes += fmt::format("{}{} {}", classes.empty() ? "" : ", ", m.class_text(y), n);
    if (!classes.empty()) out.emplace_back("examples per class", classes);
    return out;
}

shown_figures figure_texts(const api::summary& all) {
    shown_figures out;
    for (const auto& [name, value] : all.all()) {
        std::string words = name;
        std::ranges::replace(words, '_', ' ');
        out.emplace_back(words, api::text(value));
    }
    return out;
}

void add_search(const api::tuning& found, evaluation_page& page) {
    page.search_note =
        fmt::format("{} settings by {}, {}, on {} examples", found.trials.size(), found.metric, found.how, found.rows);
    if (const auto drawn = search_panel(found))
        page.search.push_back({panel_figure(*drawn, "scores of the settings"), "The ring marks the best setting."});
    std::vector<const api::trial*> order;
    for (const api::trial& t : found.trials) order.push_back(&t);
    std::ranges::stable_sort(order, [&](const api::trial* a, const api::trial* b) {
        if (a->dropped != b->dropped) return b->dropped;
        return found.larger_is_better ? a->mean > b->mean : a->mean < b->mean;
    });
    for (std::size_t i = 0; i < std::min<std::size_t>(5, order.size()); ++i) {
        std::string at = found.axes.empty() ? api::to_json(order[i]->what) : "";
        for (std::size_t a = 0; a < found.axes.size(); ++a)
            at += fmt::format("{}{} = {:.4g}", a ? ", " : "", found.axes[a].name, order[i]->at[a]);
        page.best.emplace_back(
            at, fmt::format("{:.5g}{}", order[i]->mean,
                            std::isnan(order[i]->error) ? "" : fmt::format(" ± {:.2g}", order[i]->error)));
    }
}

// Adds the picture of the model on the data, or on a random sample of `max_drawn_rows` examples.
void add_pictures(const api::model& m, const table& data, std::uint64_t seed, evaluation_page& page) {
    table drawn = data;
    if (data.x.size() > max_drawn_rows) {
        random_generator random(seed);  // the class: data/folds.h has a function of that name
        std::vector<index> rows = random.sample(data.x.size(), max_drawn_rows);
        std::ranges::sort(rows);
        drawn.x = gather(data.x, row_set(rows));
        drawn.y.clear();
        for (const index i : rows)
            if (!data.y.empty()) drawn.y.push_back(data.y[static_cast<std::size_t>(i)]);
    }
    for (const panel& each : model_panels(m, drawn, 0))
        page.pictures.push_back({panel_figure(each, "the model on the data"),
                                 data.x.size() > max_drawn_rows ? fmt::format("a random sample of {} of {} examples",
                                                                              max_drawn_rows, data.x.size())
                                                                : std::string()});
}

constexpr index max_for_margins = 20000;  // every example is compared with every support vector in double precision

// Returns the margin report of a support vector classifier on its training data; empty for other models or too many
// examples.
std::string margin_page_of(const api::model& m, const table& data, const std::string& path) {
    const bool machine = m.method_name() == "svc" || m.method_name() == "nu_svc";
    if (!machine || data.y.empty() || data.x.size() > max_for_margins) return {};
    svm_model svm = api::model_of<svm_model>(m.inner());
    if (!svm.k) return {};
    const dataset x = m.preprocess(data.x);
    if (svm.class_names.empty()) svm.class_names = m.class_names();
    svm = locate_support_vectors(svm, x, data.y);
    margin_options how;
    how.feature_names = data.feature_names;
    how.ball = data.x.size() <= max_for_margins / 4;
    const api::summary about = m.describe();
    if (const auto* C = about.find("C"); C && m.method_name() == "svc") how.C = about.number("C");
    return margins_html(report_margins(svm, x, data.y, how), report_subject{path, {}});
}

evaluation_page model_page(const api::model& m, const table& data, const std::string& path, std::uint64_t seed) {
    evaluation_page page;
    page.title = fmt::format("{} of {}", m.method_name(), path);
    page.about = fmt::format("{}{}{}", m.kernel_text(), m.kernel_text().empty() ? "" : " · ",
                             count_text(data.x.size(), "example"));
    page.data = data_figures(m, data, path);
    page.choices = figure_texts(m.describe());
    add_pictures(m, data, seed, page);
    return page;
}

}  // namespace

void write_fit_page(const std::string& file, const api::model& m, const table& data, const std::string& path,
                    std::uint64_t seed, const api::tuning* search) {
    evaluation_page page = model_page(m, data, path, seed);
    if (search) add_search(*search, page);
    page.margins = margin_page_of(m, data, path);
    const bool can_be_judged = !data.y.empty() && (m.prediction_kind() == api::target_kind::classes ||
                                                   m.prediction_kind() == api::target_kind::values);
    if (!can_be_judged) return write_atomically(file, model_html(page));
    api::evaluate_options how;
    how.metrics.seed = seed;
    page.evaluation_note =
        "Scores on the training data, which are better than on new data. " +
        (search ? fmt::format("Held-out examples in the search: {} {:.4g}.", search->metric,
                              search->trials[search->chosen].mean)
                : std::string("`mercer evaluate MODEL DATA --html FILE` scores the model on new data."));
    write_atomically(file, evaluation_html(api::evaluate(m, data, how), page));
}

namespace {

struct evaluate_command {
    std::string model;
    model_data from;
    common_options common;
    api::evaluate_options how;
    std::uint64_t seed = 1;
    std::string html, picture, log;
};

void write_pages(const evaluate_command& o, const api::model& m, const table& data, const evaluation& all) {
    const std::string title = fmt::format("{} on {}", m.method_name(), o.from.path);
    const std::string about = fmt::format("{}{}{} · {}", o.model, m.kernel_text().empty() ? "" : " · ", m.kernel_text(),
                                          count_text(all.n, "example"));
    if (!o.picture.empty()) {
        std::vector<panel> panels;
        for (const named_panel& each : evaluation_panels(std::make_shared<const evaluation>(all)))
            panels.push_back(each.draw);
        write_atomically(o.picture, picture_page(title, about, panels));
    }
    if (o.html.empty()) return;
    evaluation_page page = model_page(m, data, o.from.path, o.seed);
    page.title = title, page.about = about;
    if (!o.log.empty()) add_search(api::read_tune_log(o.log), page);
    write_atomically(o.html, evaluation_html(all, page));
}

void run(const evaluate_command& given) {
    evaluate_command o = given;
    o.common.apply();
    if (!o.log.empty() && o.html.empty()) throw usage_error("--log needs --html");
    if (!o.how.metric.empty() && !o.how.importance) throw usage_error("--metric needs --importance");
    o.how.metrics.seed = o.how.permutations.seed = o.seed;
    json answer = json::object();
    std::string text;
    {
        progress_line shown;
        shown.set_phase("reading " + o.model);
        const api::model m = api::load(o.model);
        shown.set_phase("reading " + o.from.path);
        const table data = o.from.load(m);
        if (data.y.empty())
            fail(errc::data, fmt::format("'{}' has no targets for the evaluation: name the target column with --target",
                                         o.from.path));
        shown.set_phase(fmt::format("evaluating {} on {}", m.method_name(), count_text(data.x.size(), "example")));
        o.how.permutations.progress = [&](double share) {
            shown.set_phase("shuffling features");
            shown.set_fraction(share);
        };
        const evaluation all = api::evaluate(m, data, o.how);
        if (!o.html.empty() || !o.picture.empty()) shown.set_phase("drawing");
        write_pages(o, m, data, all);
        answer = {{"method", m.method_name()}, {"model", o.model}, {"data", o.from.path}};
        answer.update(json::parse(api::evaluation_json(all)));
        if (!o.html.empty()) answer["html"] = o.html;
        if (!o.picture.empty()) answer["svg"] = o.picture;
        text = fmt::format("{} of {} on {}, {}\n\n{}", m.method_name(), o.model, o.from.path,
                           count_text(all.n, "example"), evaluation_text(all));
    }
    if (o.common.as_json) return print(answer);
    if (!o.html.empty()) text += fmt::format("\nreport: {}\n", o.html);
    if (!o.picture.empty()) text += fmt::format("{}picture: {}\n", o.html.empty() ? "\n" : "", o.picture);
    if (o.html.empty() && o.picture.empty()) text += "\n--html FILE writes these results with pictures to a report\n";
    print(text);
}

void add_options(CLI::App& command, evaluate_command& o) {
    command
        .add_flag("--importance", o.how.importance,
                  "Measure how much worse the score becomes when one feature is shuffled")
        ->group("Importance");
    command
        .add_option("--repeats", o.how.permutations.repeats,
                    "With --importance: number of shuffles of each feature (default: 10)")
        ->option_text("N")
        ->check(CLI::Range(1, 100000))
        ->group("Importance");
    command
        .add_option("--metric", o.how.metric,
                    "With --importance: score (see the list below; default: accuracy or rmse)")
        ->option_text("NAME")
        ->group("Importance");
    command
        .add_option("--resamples", o.how.metrics.resamples,
                    "Bootstrap samples for the intervals (default: 1000; for large data 100 or more)")
        ->option_text("N")
        ->check(CLI::Range(10, 1000000))
        ->group("Evaluation");
    command.add_option("--bins", o.how.metrics.bins, "Number of bins of the calibration curve (default: 10)")
        ->option_text("N")
        ->check(CLI::Range(1, 1000))
        ->group("Evaluation");
    command.add_option("--seed", o.seed, "Random seed of --resamples and --importance (default: 1)")
        ->option_text("N")
        ->group("Evaluation");
    command.add_option("--html", o.html, "Write a report with all results and pictures to this file")
        ->option_text("FILE")
        ->group("Output");
    command
        .add_option("--log", o.log, "With --html: also plot the search that `mercer tune --log` logged in this file")
        ->option_text("FILE")
        ->group("Output");
    command
        .add_option("--svg", o.picture, "Plot the confusion matrix and the curves, or the residuals, to this SVG file")
        ->option_text("FILE")
        ->group("Output");
}

}  // namespace

void add_evaluate(CLI::App& program) {
    CLI::App* command =
        add_command(program, "evaluate", "Score a model on data with targets",
                    "Scores a model on data with targets: metrics with 95 % confidence intervals and the "
                    "confusion matrix. --html and --svg add curves, --importance the importance of "
                    "every feature.");
    const auto o = std::make_shared<evaluate_command>();
    command->add_option("MODEL", o->model, "Model file, written by a command of Mercer or by LIBSVM's svm-train")
        ->required();
    o->from.add_to(*command);
    command->get_option("--target")->description("Target column: name or position (default: as in the training data)");
    add_options(*command, *o);
    o->common.add_to(*command);
    set_common_options(*command, {"--target", "--importance", "--metric", "--html", "--svg", "--json"});
    command->footer(
        "Scores of classes: accuracy, balanced_accuracy, f1, auc, log_loss. Scores of values: rmse, mse, mae, r2, "
        "pinball.\n"
        "\nExamples:\n"
        "  mercer fit svc data/iris.csv --target species -o iris.model\n"
        "  mercer evaluate iris.model data/iris.csv\n"
        "  mercer evaluate iris.model data/iris.csv --importance --html iris.html\n"
        "\nThe keys of --json are listed in docs/evaluate.md.");
    command->callback([o] { run(*o); });
}

}  // namespace mercer::cli
