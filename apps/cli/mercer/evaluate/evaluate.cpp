// mercer evaluate: how good a model is on data whose targets are known, with intervals, curves and pictures.
#include "mercer/api/evaluation/evaluate.h"

#include <fmt/format.h>

#include <cmath>

#include "../learning.h"
#include "../tuned.h"
#include "evaluation_text.h"
#include "mercer/api/tuning/logged.h"
#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/base/seeded.h"
#include "mercer/pictures/evaluation/evaluation_html.h"
#include "mercer/pictures/evaluation/evaluation_pictures.h"

namespace mercer::cli {
namespace {

struct evaluate_command {
    std::string model;
    model_data from;
    common_options common;
    api::evaluate_options how;
    std::uint64_t seed = 1;
    std::string html, picture, log;
};

constexpr index drawn_rows = 1500;  // of a picture of the objects: kernel PCA takes their matrix

shown_figures data_figures(const evaluate_command& o, const table& data, const evaluation& all) {
    shown_figures out{{"file", o.from.path}, {"examples", fmt::format("{}", all.n)}, {"kind", name(data.x.kind())}};
    if (data.x.kind() == domain::vectors) out.emplace_back("columns", fmt::format("{}", data.x.dims()));
    if (!data.label.empty()) out.emplace_back("targets", data.label);
    std::string classes;
    for (const class_figures& c : all.classes)
        classes += fmt::format("{}{} {}", classes.empty() ? "" : ", ", all.name_of(c.label), c.support);
    if (!classes.empty()) out.emplace_back("examples of the classes", classes);
    return out;
}

shown_figures shown(const api::figures& all) {
    shown_figures out;
    for (const auto& [name, value] : all.all()) {
        std::string words = name;
        std::ranges::replace(words, '_', ' ');
        out.emplace_back(words, api::text(value));
    }
    return out;
}

// The best few settings of the search.
void add_search(const api::tuning& found, evaluation_page& page) {
    page.search_note =
        fmt::format("{} settings by {}, {}, on {} examples", found.trials.size(), found.metric, found.how, found.rows);
    if (const auto drawn = search_panel(found))
        page.search.push_back({panel_figure(*drawn, "scores of the settings"), "The ring is the best setting."});
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

// The objects as the model sees them, a sample of many.
void add_pictures(const api::model& m, const table& data, std::uint64_t seed, evaluation_page& page) {
    table drawn = data;
    if (data.x.size() > drawn_rows) {
        class seeded random(seed);  // the class: selection/folds.h has a function of that name
        std::vector<index> rows = random.sample(data.x.size(), drawn_rows);
        std::ranges::sort(rows);
        drawn.x = gather(data.x, selection(rows));
        drawn.y.clear();
        for (const index i : rows) drawn.y.push_back(data.y[static_cast<std::size_t>(i)]);
    }
    for (const panel& each : model_panels(m, drawn, 0))
        page.pictures.push_back({panel_figure(each, "the model on the data"),
                                 data.x.size() > drawn_rows
                                     ? fmt::format("{} of {} examples, drawn at random", drawn_rows, data.x.size())
                                     : std::string()});
}

void write_pages(const evaluate_command& o, const api::model& m, const table& data, const evaluation& all) {
    const std::string title = fmt::format("{} on {}", m.method_name(), o.from.path);
    const std::string about = fmt::format("{}{}{} · {}", o.model, m.kernel_text().empty() ? "" : " · ", m.kernel_text(),
                                          counted(all.n, "example"));
    if (!o.picture.empty()) {
        std::vector<panel> panels;
        for (const named_panel& each : evaluation_panels(std::make_shared<const evaluation>(all)))
            panels.push_back(each.draw);
        write_atomically(o.picture, picture_page(title, about, panels));
    }
    if (o.html.empty()) return;
    evaluation_page page{title, about, data_figures(o, data, all), shown(m.describe()), {}, {}, {}, {}};
    if (!o.log.empty()) add_search(api::read_tune_log(o.log), page);
    add_pictures(m, data, o.seed, page);
    write_atomically(o.html, evaluation_html(all, page));
}

void run(const evaluate_command& given) {
    evaluate_command o = given;
    o.common.apply();
    if (!o.log.empty() && o.html.empty()) throw usage_error("--log has its place on the page: say --html FILE too");
    if (!o.how.metric.empty() && !o.how.importance)
        throw usage_error("--metric is that of the importance: say --importance too");
    o.how.figures.seed = o.how.shuffles.seed = o.seed;
    json answer;
    std::string text;
    {
        progress shown;
        shown.phase("reading " + o.model);
        const api::model m = api::load(o.model);
        shown.phase("reading " + o.from.path);
        const table data = o.from.load(m);
        if (data.y.empty())
            fail(errc::data,
                 fmt::format("'{}' has no targets to judge by: name their column with --label", o.from.path));
        shown.phase(fmt::format("evaluating {} on {}", m.method_name(), counted(data.x.size(), "example")));
        o.how.shuffles.progress = [&](double share) {
            shown.phase("shuffling features");
            shown.share(share);
        };
        const evaluation all = api::evaluate(m, data, o.how);
        if (!o.html.empty() || !o.picture.empty()) shown.phase("drawing");
        write_pages(o, m, data, all);
        answer = {{"method", m.method_name()}, {"model", o.model}, {"data", o.from.path}};
        answer.update(json::parse(api::evaluation_json(all)));
        if (!o.html.empty()) answer["html"] = o.html;
        if (!o.picture.empty()) answer["svg"] = o.picture;
        text = fmt::format("{} of {} on {}, {}\n\n{}", m.method_name(), o.model, o.from.path, counted(all.n, "example"),
                           evaluation_text(all));
    }
    if (o.common.as_json) return print(answer);
    if (!o.html.empty()) text += fmt::format("\npage: {}\n", o.html);
    if (!o.picture.empty()) text += fmt::format("{}picture: {}\n", o.html.empty() ? "\n" : "", o.picture);
    if (o.html.empty() && o.picture.empty()) text += "\n--html FILE writes all of this with pictures\n";
    print(text);
}

void add_options(CLI::App& command, evaluate_command& o) {
    command
        .add_flag("--importance", o.how.importance,
                  "Also shuffle every feature: how much worse is the model without it? Of vectors")
        ->group("Importance");
    command.add_option("--repeats", o.how.shuffles.repeats, "Shuffles of each feature (default 10)")
        ->option_text("N")
        ->check(CLI::Range(1, 100000))
        ->group("Importance");
    command
        .add_option("--metric", o.how.metric,
                    "What is lost: accuracy, balanced_accuracy, f1, auc, log_loss; rmse, mse, mae, r2 (default "
                    "accuracy, rmse)")
        ->option_text("NAME")
        ->group("Importance");
    command
        .add_option("--resamples", o.how.figures.resamples,
                    "Draws of the bootstrap behind the intervals (default 1000, fewer of many examples)")
        ->option_text("N")
        ->check(CLI::Range(10, 1000000))
        ->group("Intervals");
    command.add_option("--bins", o.how.figures.bins, "Bins of the probabilities in the calibration curve (default 10)")
        ->option_text("N")
        ->check(CLI::Range(1, 1000))
        ->group("Intervals");
    command.add_option("--seed", o.seed, "Seed of draws and shuffles (default 1)")
        ->option_text("N")
        ->group("Intervals");
    command.add_option("--html", o.html, "Write one page with everything, pictures too, that needs nothing else")
        ->option_text("FILE")
        ->group("Output");
    command.add_option("--log", o.log, "With --html: the log of `mercer tune --log FILE`; its map goes onto the page")
        ->option_text("FILE")
        ->group("Output");
    command.add_option("--svg", o.picture, "Draw the pictures alone")->option_text("FILE")->group("Output");
}

}  // namespace

void add_evaluate(CLI::App& program) {
    CLI::App* command = program.add_subcommand(
        "evaluate",
        "How good a model is on data with targets: figures with intervals, curves, importance of features, one page");
    const auto o = std::make_shared<evaluate_command>();
    command->add_option("MODEL", o->model, "A file of `mercer fit` or `mercer tune`, or LIBSVM's")->required();
    o->from.add_to(*command);
    add_options(*command, *o);
    o->common.add_to(*command);
    command->footer(
        "Examples:\n"
        "  mercer fit svc data/iris.csv --label species --scale standard --set probability=true -o iris.model\n"
        "  mercer evaluate iris.model data/iris.csv --importance --html iris.html\n"
        "  mercer evaluate housing.model test.svm --json\n"
        "  mercer tune svc train.csv --scale standard --log search.log -o best.model\n"
        "  mercer evaluate best.model test.csv --html report.html --log search.log\n"
        "\nThe keys of --json are in docs/evaluate.md.");
    command->callback([o] { run(*o); });
}

}  // namespace mercer::cli
