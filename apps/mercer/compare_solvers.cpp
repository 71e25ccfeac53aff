// mercer compare-solvers: trains the same support vector machine with every solver and compares the objective over
// time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/methods/svm/svm_solvers.h"
#include "mercer/plot/convergence_picture.h"
#include "program.h"

namespace mercer::cli {
namespace {

struct compare_options {
    data_options from;
    common_options common;
    std::string expression = "linear()";
    std::vector<std::string> solvers;
    std::string picture;
    double C = 1;
    double tol = 1e-4;
    double constant = 1;
    double seconds = 30;
    std::int64_t epochs = 300;
};

struct outcome {
    svm_solver solver;
    std::string refused;  // the reason why the solver did not run; empty if it ran
    trained_svm fit;
    double accuracy = 0;

    const trace_point& end() const { return fit.trace.back(); }
};

// Encodes labels as ±1: the smallest label as 1, all others as -1.
std::vector<double> two_classes(const loaded_data& on) {
    if (on.data.y.empty()) fail(errc::data, "compare-solvers needs class labels: name the target column with --target");
    std::map<double, index> count;
    for (const double y : on.data.y) ++count[y];
    if (count.size() < 2)
        fail(errc::data, fmt::format("compare-solvers needs two classes, but all labels are {}", count.begin()->first));
    std::vector<double> y;
    for (const double each : on.data.y) y.push_back(each == count.begin()->first ? 1 : -1);
    return y;
}

outcome run(svm_solver solver, const kernel& k, const loaded_data& on, std::span<const double> y,
            const compare_options& options) {
    outcome out{solver, {}, {}, 0};
    train_options o;
    o.trace = true;
    o.constant = options.constant;
    o.svm.C = options.C;
    o.svm.tol = options.tol;
    o.svm.max_seconds = options.seconds;
    o.subgradient.schedule = step_schedule::best;
    o.subgradient.tol = o.pegasos.tol = options.tol;
    o.subgradient.max_epochs = 10 * options.epochs;
    o.pegasos.max_epochs = options.epochs;
    o.pegasos.seed = o.subgradient.seed = o.coordinate.seed = options.from.seed;
    o.coordinate.tol = options.tol;
    try {
        out.fit = train_svm(solver, k, on.data.x, y, o);
        const std::vector<double> label = predict(out.fit.model, on.data.x);
        for (std::size_t i = 0; i < label.size(); ++i)
            out.accuracy += (label[i] == y[i] ? 1.0 : 0.0) / static_cast<double>(label.size());
    } catch (const error& problem) {
        if (problem.code() != errc::unsupported && problem.code() != errc::memory) throw;
        out.refused = problem.what();
    }
    return out;
}

// The problem and the result of every solver.
struct comparison {
    std::string kernel, about;
    index size = 0;
    std::vector<outcome> all;
    double best = std::numeric_limits<double>::infinity();  // smallest objective J of all solvers
};

comparison compare(const compare_options& options) {
    const kernel k = parse_kernel(options.expression);
    std::vector<svm_solver> solvers;
    for (const std::string& each : options.solvers) solvers.push_back(find_svm_solver(each));
    if (solvers.empty())
        for (int i = 0; i < 7; ++i) solvers.push_back(static_cast<svm_solver>(i));
    progress_line shown;
    shown.set_phase("reading " + options.from.path);
    const loaded_data on = load(options.from);
    require_fit(k, on, options.from.path);
    const std::vector<double> y = two_classes(on);
    comparison made;
    made.kernel = k.text();
    made.about = on.about;
    made.size = on.size();
    for (const svm_solver solver : solvers) {
        shown.set_phase(fmt::format("training with {}", name(solver)));
        made.all.push_back(run(solver, k, on, y, options));
    }
    for (const outcome& each : made.all)
        if (each.refused.empty() && std::isfinite(each.end().primal))
            made.best = std::min(made.best, each.end().primal);
    return made;
}

std::string picture_of(const comparison& made, double C) {
    std::vector<convergence_line> lines;
    for (const outcome& each : made.all)
        if (each.refused.empty()) lines.push_back({name(each.solver), each.fit.trace});
    return convergence_picture(made.kernel + fmt::format(", C = {:g}", C), made.about, lines, made.best);
}

json number(double v) { return std::isfinite(v) ? json(v) : json(nullptr); }

json as_json(const outcome& each) {
    json one{{"solver", name(each.solver)}};
    if (!each.refused.empty()) {
        one["refused"] = each.refused;
        return one;
    }
    one.update({{"status", name(each.fit.model.reports[0].status)},
                {"seconds", each.end().seconds},
                {"iterations", each.end().iteration},
                {"primal", number(each.end().primal)},
                {"dual", number(each.end().dual)},
                {"support", each.fit.model.coef.cols()},
                {"accuracy", each.accuracy},
                {"trace", json::array()}});
    for (const trace_point& point : each.fit.trace)
        one["trace"].push_back({{"seconds", point.seconds},
                                {"iteration", point.iteration},
                                {"primal", number(point.primal)},
                                {"dual", number(point.dual)}});
    return one;
}

std::string table_of(const comparison& made) {
    const auto shown = [](double v, const char* how) {
        return std::isfinite(v) ? fmt::format(fmt::runtime(how), v) : std::string("-");
    };
    std::vector<std::vector<std::string>> lines{
        {"solver", "status", "seconds", "iterations", "J(w, b)", "above best", "dual", "accuracy"}};
    for (const outcome& each : made.all) {
        if (!each.refused.empty()) continue;
        const trace_point& end = each.end();
        lines.push_back({name(each.solver), name(each.fit.model.reports[0].status), fmt::format("{:.4f}", end.seconds),
                         fmt::format("{}", end.iteration), shown(end.primal, "{:.8g}"),
                         shown((end.primal - made.best) / made.best, "{:.1e}"), shown(end.dual, "{:.8g}"),
                         fmt::format("{:.2f} %", 100 * each.accuracy)});
    }
    return align_table(lines, {false, false, true, true, true, true, true, true});
}

void show(const compare_options& options) {
    options.common.apply();
    const comparison made = compare(options);
    if (!options.picture.empty()) write_atomically(options.picture, picture_of(made, options.C));
    if (options.common.as_json) {
        json answer{{"kernel", made.kernel}, {"data", made.about},        {"n", made.size},
                    {"C", options.C},        {"best", number(made.best)}, {"solvers", json::array()}};
        for (const outcome& each : made.all) answer["solvers"].push_back(as_json(each));
        return print(answer);
    }
    std::string text = fmt::format("{}, C = {:g}\n{}\n\n{}", made.kernel, options.C, made.about, table_of(made));
    for (const outcome& each : made.all)
        if (!each.refused.empty()) text += fmt::format("\n  {}", each.refused);
    text +=
        "\nIterations are pairs (smo), steps (interior_point, primal_qp) or epochs (all others). J = ½‖w‖² + CΣξ.\n"
        "dual_coordinate_descent also penalises the offset; the table shows J without that penalty.\n";
    if (!options.picture.empty()) text += fmt::format("\npicture: {}\n", options.picture);
    print(text);
}

}  // namespace

void add_compare_solvers(CLI::App& program) {
    CLI::App* command =
        add_command(program, "compare-solvers", "Compare the solvers of support vector machines",
                    "Trains the same support vector classifier with every solver and compares the primal "
                    "objective J = ½‖w‖² + CΣξ over time. With more than two classes, the class with "
                    "the smallest label, or the first name in sorted order, is separated from the "
                    "rest.");
    const auto options = std::make_shared<compare_options>();
    options->from.add_to(*command);
    command->get_option("--seed")->description("Random seed of --sample and the stochastic solvers (default: 1)");
    options->common.add_to(*command);
    command
        ->add_option("--kernel", options->expression, "Kernel expression (see `mercer kernel list`; default: linear())")
        ->option_text("EXPR")
        ->group("Solver");
    command->add_option("--C", options->C, "Penalty parameter C (default: 1)")
        ->option_text("NUMBER")
        ->check(CLI::PositiveNumber)
        ->group("Solver");
    command->add_option("--tol", options->tol, "Tolerance at which a solver stops, see below (default: 1e-4)")
        ->option_text("NUMBER")
        ->check(CLI::PositiveNumber)
        ->group("Solver");
    command
        ->add_option("--bias", options->constant,
                     "dual_coordinate_descent: constant feature for the offset (default: 1; 0: none)")
        ->option_text("B")
        ->check(CLI::NonNegativeNumber)
        ->group("Solver");
    command
        ->add_option("--solver", options->solvers,
                     "Solvers to run, separated by blanks (see the list below; default: all)")
        ->option_text("NAME ...")
        ->group("Solver");
    command
        ->add_option("--max-epochs", options->epochs,
                     "Maximum epochs of pegasos, kernel_pegasos; subgradient: 10·N (default: 300)")
        ->option_text("N")
        ->check(CLI::PositiveNumber)
        ->group("Solver");
    command->add_option("--max-seconds", options->seconds, "Time limit of each solver in seconds (default: 30)")
        ->option_text("S")
        ->check(CLI::PositiveNumber)
        ->group("Solver");
    command
        ->add_option("--svg", options->picture,
                     "Plot the relative distance of J from the smallest J over time to this SVG file")
        ->option_text("FILE")
        ->group("Output");
    set_common_options(
        *command, {"--kernel", "--C", "--tol", "--solver", "--max-seconds", "--target", "--scale", "--svg", "--json"});
    command->footer(
        "Solvers: smo, interior_point and kernel_pegasos for all kernels; dual_coordinate_descent for kernels with "
        "explicit features; primal_qp, subgradient and pegasos for linear(). --tol bounds the relative duality gap of "
        "subgradient, pegasos and kernel_pegasos, and the KKT violation of the other solvers.\n"
        "\nExamples:\n"
        "  mercer compare-solvers data/heart_scale.svm --max-seconds 1 --svg heart.svg\n"
        "  mercer compare-solvers data/sonar.svm --kernel 'rbf(gamma=1)' --max-seconds 1");
    command->callback([options] { show(*options); });
}

}  // namespace mercer::cli
