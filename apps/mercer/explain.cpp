// mercer explain: checks a classifier on its training data and explains its decisions.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "fit.h"
#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/inspection/binary_problems.h"
#include "mercer/inspection/feature_explanation.h"
#include "mercer/inspection/influence.h"
#include "mercer/inspection/leave_one_out.h"
#include "mercer/io/file_contents.h"
#include "mercer/methods/svm/svm_model.h"
#include "mercer/model/model_file.h"
#include "mercer/plot/decision_features.h"
#include "mercer/plot/report_page.h"
#include "program.h"
#include "regions.h"

namespace mercer::cli {
namespace {

struct explain_options {
    std::string model;
    data_options from;
    common_options common;
    std::string kernel;
    std::optional<double> C;
    double tol = 1e-3;
    std::vector<std::string> class_weight;
    std::string html, save, pair, rest = "mean";
    std::optional<index> why;
    bool features = false;
    index top = 20;
    std::string picture;
    bool leave_out = false;
    int folds = 0;
};

// The model to explain and its training data.
struct explained_model {
    loaded_data on;
    svm_model model;  // support_rows are rows of `on`
    margin_options how;
    std::vector<convergence_point> curve;
};

constexpr index max_default_loo = 500;  // up to here leave-one-out takes only seconds
constexpr index max_traced = 3000;      // up to here a second fit records the convergence curve

void check_options(explain_options& o) {
    if (!o.kernel.empty() && o.from.path.empty()) std::swap(o.model, o.from.path);  // only DATA was given
    if (o.from.path.empty())
        throw usage_error(o.model.empty() ? "MODEL and DATA are required; see `mercer explain --help`"
                                          : fmt::format("DATA is missing: `mercer explain {} DATA`, or fit first with "
                                                        "--kernel; see `mercer explain --help`",
                                                        o.model));
    if (!o.kernel.empty() && !o.model.empty())
        throw usage_error("MODEL and --kernel cannot be combined: --kernel fits a new model, leave one of them out");
    if (o.kernel.empty() && !o.save.empty())
        throw usage_error("--output needs --kernel, because it writes the model that is fitted here");
    if (o.C && !(*o.C > 0)) throw usage_error(fmt::format("--C must satisfy C > 0, got {}", *o.C));
    if (o.leave_out && o.folds > 0)
        throw usage_error("--loo and --folds cannot be combined: take one of them to estimate the error");
}

// The label may be the name of a class in the data.
std::vector<std::pair<double, double>> class_weights(const explain_options& o, const table& data) {
    std::vector<std::pair<double, double>> out;
    for (const std::string& each : o.class_weight) {
        const auto [label, factors] = named_numbers(each, "--class-weight");
        if (factors.size() != 1 || !(factors[0] > 0))
            throw usage_error(fmt::format("--class-weight takes LABEL=FACTOR with FACTOR > 0, got '{}'", each));
        const auto at = std::ranges::find(data.class_names, label);
        const double known = at != data.class_names.end() ? static_cast<double>(at - data.class_names.begin())
                                                          : std::strtod(label.c_str(), nullptr);
        if (std::ranges::find(data.y, known) == data.y.end())
            throw usage_error(fmt::format("--class-weight: no example has the label '{}'", label));
        out.emplace_back(known, factors[0]);
    }
    return out;
}

svm_model fit_classifier(const explain_options& o, const kernel& k, explained_model& s, progress_line& shown) {
    svm_options options;
    options.C = o.C.value_or(1.0);
    options.tol = o.tol;
    options.class_weight = s.how.class_weight;
    shown.set_phase(fmt::format("fitting {} examples", s.on.size()));
    options.progress = record_progress(s.curve, 0, [&](const svm_progress& now) {
        shown.set_phase(fmt::format("fitting: KKT violation {:.2g} after {} steps", now.solver.gap, now.solver.steps));
        return true;
    });
    svm_model model = fit_svm(k, s.on.data.x, s.on.data.y, options);
    if (!o.html.empty() && s.on.size() <= max_traced) {
        shown.set_phase("recording the convergence of the solver");
        const shared_gram K(k, s.on.data.x, std::size_t{256} << 20);
        s.curve = trace_convergence(K.fast(), K.exact(), s.on.data.y, options);
    }
    return model;
}

// Returns true if the file was written by `mercer fit`.
bool is_api_model(const std::string& path) {
    constexpr std::string_view mark = "mercer-model ";
    std::string beginning;
    byte_stream(path).read(beginning, mark.size());
    return beginning == mark;
}

explained_model prepare(explain_options& o, progress_line& shown) {
    o.common.apply();
    check_options(o);
    std::optional<kernel> k;
    if (!o.kernel.empty()) k = parse_kernel(o.kernel);
    std::optional<api::model> from_fit;  // a model of `mercer fit`, which contains its scaling and labels
    explained_model s;
    if (!k) {
        shown.set_phase("reading " + o.model);
        if (is_api_model(o.model)) {
            from_fit.emplace(api::load(o.model));
            if (from_fit->method_name() != "svc" && from_fit->method_name() != "nu_svc")
                fail(errc::unsupported,
                     fmt::format("{} is a model of {}, which has no margins to explain: take a model of svc or nu_svc",
                                 o.model, from_fit->method_name()));
            s.model = api::model_of<svm_model>(from_fit->inner());
            if (o.from.label.empty()) o.from.label = from_fit->label;
        } else {
            s.model = load_any_model(o.model);
        }
        if (!s.model.k)
            fail(errc::unsupported, fmt::format("{} is a model of a precomputed kernel matrix and contains no "
                                                "examples, so its decisions cannot be explained",
                                                o.model));
        s.how.C = o.C;
        s.how.tol = o.tol;
    }
    shown.set_phase("reading " + o.from.path);
    read_options how = from_fit ? api::read_options_for(*from_fit) : read_options();
    // class names get the numbers that the model uses
    if (!from_fit) how.csv.classes = how.tsv.classes = s.model.class_names;
    s.on = load(o.from, how);
    if (from_fit) {
        match_columns(s.on.data, from_fit->feature_names(), o.from.path, "the data the model was fitted on");
        s.on.data.x = from_fit->preprocess(s.on.data.x);
    }
    require_classes(s.on, o.from.path);
    require_fit(k ? *k : *s.model.k, s.on, o.from.path);
    feature_pair(o.pair, s.on.data);  // reports invalid features before a long computation
    s.how.class_weight = class_weights(o, s.on.data);
    if (k) s.model = fit_classifier(o, *k, s, shown);
    if (s.model.class_names.empty()) s.model.class_names = s.on.data.class_names;
    if (!o.save.empty()) save_model(s.model, o.save);
    if (s.model.is_classifier()) s.model = locate_support_vectors(s.model, s.on.data.x, s.on.data.y);
    s.how.feature_names = s.on.data.feature_names;
    return s;
}

void estimate_error(const explain_options& o, const explained_model& s, margin_report& report, progress_line& shown) {
    const bool leave_out = o.leave_out || (o.folds == 0 && s.on.size() <= max_default_loo &&
                                           !(report.task == svm_task::nu_svc && report.problems.size() > 1));
    if (!leave_out && o.folds == 0) return;
    svm_options again = refit_options(s.model, report, s.how);
    again.tol = o.tol;
    const bool skip = report.loo_bound().has_value();
    shown.set_phase(leave_out
                        ? fmt::format("leave-one-out fits for {}", skip ? count_text(report.support, "support vector")
                                                                        : count_text(report.n, "example"))
                        : fmt::format("cross-validating with {} folds", o.folds));
    const shared_gram K(*s.model.k, s.on.data.x, std::size_t{1} << 30);
    report.estimate = leave_out
                          ? leave_one_out(
                                K, s.on.data.y, again, s.model, [&](double done) { shown.set_fraction(done); }, skip)
                          : cross_validation(K, s.on.data.y, again, o.folds, o.from.seed);
}

explained_decision explain_row(const explain_options& o, const explained_model& s) {
    const auto at = std::ranges::find(s.on.rows, *o.why);
    if (at == s.on.rows.end())
        fail(errc::invalid_argument,
             fmt::format("--why: row {} is not among the {} rows that were read from {} (rows count from 0)", *o.why,
                         s.on.size(), o.from.path));
    const index i = at - s.on.rows.begin();
    explained_decision why = explain_decision(s.model, s.on.data.x, i, s.on.data.y[static_cast<std::size_t>(i)]);
    why.row = *o.why;
    return why;
}

std::vector<report_figure> pictures(const explain_options& o, const explained_model& s, const margin_report& report,
                                    progress_line& shown) {
    shown.set_phase("drawing");
    picture_options how;
    how.pair = feature_pair(o.pair, s.on.data);
    how.rest = o.rest == "mean" ? other_features::mean : other_features::nearest;
    how.feature_names = s.on.data.feature_names;
    return classifier_pictures(s.model, s.on.data.x, s.on.data.y, report, how);
}

// Arguments of --features: a model and, if `row` is set, the row whose decision to explain.
struct feature_request {
    std::string model;
    model_data data;
    std::optional<index> row;
    index top = 20;
    std::string picture;
    bool as_json = false;
};

// mercer explain --features: the k-mers, words, subtrees or items with the largest weights in a model, or with the
// largest effect on one decision.

void explain_features(const feature_request& o) {
    if (o.model.empty()) throw usage_error("MODEL is required with --features; see `mercer explain --help`");
    if (o.row && o.data.path.empty())
        throw usage_error(
            fmt::format("DATA is missing: `mercer explain {} DATA --features --why {}`", o.model, *o.row));
    if (!o.picture.empty() && !o.row) throw usage_error("--svg draws one object: name its row with --why ROW");
    std::string text;
    json answer = json::object();
    {
        progress_line shown;
        shown.set_phase("reading " + o.model);
        const api::model m = api::load(o.model);
        api::feature_explanation found;
        if (o.row) {
            shown.set_phase("reading " + o.data.path);
            const table data = o.data.load(m);
            shown.set_phase("explaining");
            found = api::explain_object(m, data.x, *o.row, o.top);
            if (!o.picture.empty()) write_atomically(o.picture, api::draw_explanation(found, data.x));
        } else {
            shown.set_phase("explaining");
            found = api::explain_model(m, o.top);
        }
        if (o.as_json) answer = json::parse(api::to_json(found));
        text = api::text(found);
        if (!o.row) text += "\nDATA and --why ROW explain the prediction of one example\n";
        if (!o.picture.empty()) text += fmt::format("\npicture: {}\n", o.picture);
    }
    if (o.as_json) return print(answer);
    print(text);
}

// --features: explains decisions by the features of the kernel. Works for every model that is a sum over kernel values.
void explain_by_features(const explain_options& o) {
    o.common.apply();
    if (!o.kernel.empty())
        throw usage_error("--features needs a fitted MODEL, not --kernel: fit one with `mercer fit ... -o MODEL`");
    feature_request asked{o.model,   {o.from.path, o.from.format, o.from.label, o.from.text_column},
                          o.why,     o.top,
                          o.picture, o.common.as_json};
    explain_features(asked);
}

void explain(explain_options o) {
    if (o.features) return explain_by_features(o);
    if (!o.picture.empty()) throw usage_error("--svg needs --features and --why ROW");
    std::string text;
    json answer = json::object();
    {
        progress_line shown;
        explained_model s = prepare(o, shown);
        shown.set_phase(fmt::format("checking {} examples", s.on.size()));
        s.how.ball = s.on.size() <= 20000;
        margin_report report = report_margins(s.model, s.on.data.x, s.on.data.y, s.how);
        const report_subject about{s.on.about, s.on.rows};
        std::optional<explained_decision> why;
        if (o.why) why = explain_row(o, s);
        estimate_error(o, s, report, shown);
        if (!o.html.empty()) {
            report_page page;
            page.title = o.model.empty() ? "Support vector machine, explained" : fmt::format("{}, explained", o.model);
            page.regions = pictures(o, s, report, shown);
            page.convergence = s.curve;
            if (why) page.decisions.push_back(*why);
            write_atomically(o.html, report_html(report, about, page));
        }
        if (o.common.as_json) {
            answer = json::parse(report_json(report, about));
            if (why) answer["why"] = json::parse(decision_json(*why, about));
        }
        text = report_text(report, about);
        if (report.C_inferred && !std::ranges::all_of(report.problems, &margin_problem::optimal))
            text +=
                "\nThe model file does not contain C: if the fit had another C, or class weights, set them with --C "
                "and "
                "--class-weight\n";
        if (why) text += decision_text(*why, about);
        if (!report.estimate) text += fmt::format("\n--loo or --folds N also estimate the error on new examples\n");
        if (!o.save.empty()) text += fmt::format("\nmodel: {}\n", o.save);
        text += o.html.empty() ? "\n--html FILE writes these results with pictures to a report\n"
                               : fmt::format("\nreport: {}\n", o.html);
    }
    if (o.common.as_json) return print(answer);
    print(text);
}

void add_fit_options(CLI::App& command, explain_options& o) {
    command
        .add_option("--kernel", o.kernel,
                    "Fit a classifier with this kernel instead of MODEL (see `mercer kernel list`)")
        ->option_text("EXPR")
        ->group("Fit");
    command.add_option("--C", o.C, "Penalty parameter C; inf: hard margin (default: 1; with MODEL: inferred)")
        ->option_text("NUMBER")
        ->group("Fit");
    command.add_option("--tol", o.tol, "Tolerance of the KKT violation of a fit (default: 0.001)")
        ->option_text("NUMBER")
        ->check(CLI::PositiveNumber)
        ->group("Fit");
    command
        .add_option("--class-weight", o.class_weight,
                    "Factor W of C for one class (default: 1); repeat the option for other classes")
        ->option_text("CLASS=W")
        ->allow_extra_args(false)
        ->group("Fit");
    command.add_option("-o,--output", o.save, "With --kernel: write the fitted model to this file")
        ->option_text("FILE")
        ->group("Fit");
}

void add_questions(CLI::App& command, explain_options& o) {
    command.add_option("--why", o.why, "Explain the decision for this row of DATA, counted from 0")
        ->option_text("ROW")
        ->group("Questions");
    command
        .add_flag(
            "--loo", o.leave_out,
            fmt::format("Estimate the error by leave-one-out (always done for at most {} examples)", max_default_loo))
        ->group("Questions");
    command.add_option("--folds", o.folds, "Estimate the error by N-fold cross-validation instead of leave-one-out")
        ->option_text("N")
        ->check(CLI::Range(2, 1000000))
        ->group("Questions");
    command
        .add_flag("--features", o.features,
                  "Show the features (columns, k-mers, words, ...) of largest absolute weight")
        ->group("Questions");
    command.add_option("--top", o.top, "With --features: number of features to show (default: 20)")
        ->option_text("N")
        ->check(CLI::Range(1, 1000000))
        ->group("Questions");
    command
        .add_option("--svg", o.picture, "With --features and --why: plot the object, coloured by contribution (SVG)")
        ->option_text("FILE")
        ->group("Output");
    command.add_option("--html", o.html, "Write a report with all results and pictures to this file")
        ->option_text("FILE")
        ->group("Output");
    command
        .add_option("--pair", o.pair, "With --html: features to plot, names or positions (default: best separation)")
        ->option_text("A,B")
        ->group("Output");
    command
        .add_option("--rest", o.rest, "With --html: other features: mean, or as in the nearest example (default: mean)")
        ->option_text("HOW")
        ->check(CLI::IsMember({"mean", "nearest"}))
        ->group("Output");
}

}  // namespace

void add_explain(CLI::App& program) {
    CLI::App* command =
        add_command(program, "explain", "Check a classifier on its training data and explain its decisions",
                    "Checks a support vector classifier on its training data (margins, slack, optimality, error "
                    "bounds) and explains its decisions.");
    const auto o = std::make_shared<explain_options>();
    command->add_option("MODEL", o->model, "Model file of Mercer or LIBSVM; leave MODEL out with --kernel");
    o->from.add_to(*command);
    command->get_option("DATA")->required(false)->description(
        "Training data; can be left out if --features is used without --why");
    command->get_option("--target")
        ->description("Target column of CSV: name or position from 0 (default: as stored in MODEL)");
    command->get_option("--scale")->description(
        "With --kernel or a LIBSVM model: scale the features, standard or minmax");
    command->get_option("--seed")->description("Random seed of --sample and --folds (default: 1)");
    add_fit_options(*command, *o);
    add_questions(*command, *o);
    o->common.add_to(*command);
    set_common_options(*command, {"--target", "--kernel", "--C", "--why", "--features", "--top", "--loo", "--folds",
                                  "--html", "--svg", "-o", "--json"});
    command->footer(
        "Examples:\n"
        "  mercer explain --kernel 'linear()' data/iris.csv --target species --why 106\n"
        "  mercer explain --kernel 'rbf(gamma=0.05)' data/sonar.svm --html sonar.html\n"
        "  mercer fit svc data/promoters.tsv -o promoters.model\n"
        "  mercer explain promoters.model --features --top 10");
    command->callback([o] { explain(*o); });
}

}  // namespace mercer::cli
