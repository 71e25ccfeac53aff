// mercer evaluate: how good a model is on data whose targets are known, with intervals, curves and pictures.
#include "mercer/inspection/evaluate.h"

#include <fmt/format.h>

#include <cmath>

#include "evaluate.h"
#include "evaluation_text.h"
#include "fit.h"
#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/model_selection/logged.h"
#include "mercer/plot/evaluation_plots.h"
#include "tune.h"

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
    evaluation_page page = model_page(m, data, o.from.path, o.seed);
    page.title = title, page.about = about;
    if (!o.log.empty()) add_search(api::read_tune_log(o.log), page);
    write_atomically(o.html, evaluation_html(all, page));
}

void run(const evaluate_command& given) {
    evaluate_command o = given;
    o.common.apply();
    if (!o.log.empty() && o.html.empty()) throw usage_error("--log has its place on the page: say --html FILE too");
    if (!o.how.metric.empty() && !o.how.importance)
        throw usage_error("--metric is that of the importance: say --importance too");
    o.how.figures.seed = o.how.shuffles.seed = o.seed;
    json answer = json::object();
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
    CLI::App* command = add_command(
        program, "evaluate",
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
