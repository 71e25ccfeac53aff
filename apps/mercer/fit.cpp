// mercer fit: any method on a data file, into a model file; without a method, what the data ask for
// (fit_automatic.cpp).
#include "fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "evaluate.h"
#include "fit_automatic.h"
#include "mercer/base/communicator.h"
#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/base/text.h"

namespace mercer::cli {
namespace {

void fit(const automatic_fit& options) {
    options.common.apply();
    api::spec s = options.method.spec();
    s.scale = options.from.scale == "none" ? "" : options.from.scale;
    s.text = options.from.text;
    fit_answer answer;
    {
        progress shown;
        shown.phase("reading " + options.from.path);
        const objects on = load_unscaled(options.from, read_for(s.kernel), options.method.memory);
        require_fit(s, on, options.from.path);
        const auto started = std::chrono::steady_clock::now();
        api::model m =
            fit_shown(s, on.data, options.method.memory, shown, {options.checkpoint, options.checkpoint_seconds});
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
        m.label = detail::as_utf8(options.from.label);
        m.text_column = detail::as_utf8(options.from.text_column);
        answer.keep(m, options.out);
        if (!options.picture.empty()) {
            shown.phase("drawing");
            write_atomically(options.picture, picture_page(fmt::format("{} {}", m.method_name(), m.kernel_text()),
                                                           on.about, model_panels(m, on.data, options.method.memory)));
        }
        if (!options.html.empty()) {
            shown.phase("writing the page");
            write_fit_page(options.html, m, on.data, options.from.path, options.from.seed, nullptr);
        }
        const api::method& about = api::find_method(m.method_name());
        api::figures score;
        if (about.targets != api::answer::none) {
            shown.phase("scoring");
            score = score_unless_stopped(m, on.data);
        }
        answer.all = figures_json(m.describe());
        answer.all["data"] = on.about;
        answer.all["n"] = on.size();
        answer.all["seconds"] = seconds;
        if (!score.empty()) answer.all["training_score"] = figures_json(score);
        if (!options.out.empty()) answer.all["model"] = answer.kept;
        answer.text = fmt::format("{}\n\n{}", on.about, m.describe().text());
        if (!score.empty()) answer.text += "\non the data it was fitted on\n" + score.text();
        answer.text += fmt::format("\nfitted in {:.2f} s\n", seconds);
        answer.trouble(m);
    }
    answer.show(options.common, options.picture, options.html);
}

// What says how to choose has no meaning where the choice was made.
void require_automatic(const CLI::App& command, const std::string& method) {
    for (const CLI::Option* each : command.get_options())
        if (each->count() > 0 && (each->get_group() == "Search" || each->get_group() == "Choices"))
            throw usage_error(
                fmt::format("{} is for `mercer fit DATA`, which chooses the method: leave {} out, or take "
                            "`mercer tune {} DATA`",
                            each->get_name(), method, method));
}

// Several processes share the rows, each reading its own.
void require_shared(automatic_fit& options) {
    const std::string& name = options.method.method;
    const std::vector<std::string> shared = api::methods_of_processes();
    if (name.empty() || std::ranges::find(shared, api::find_method(name).name) == shared.end())
        throw usage_error(fmt::format("{} is for one process: {} are shared by several",
                                      name.empty() ? "`mercer fit` without a METHOD" : name, joined(shared, ", ")));
    options.stream = true;
}

void add_choices(CLI::App& command, automatic_fit& options) {
    command.remove_option(command.get_option("--scale"));
    command
        .add_option("--scale", options.from.scale,
                    "Bring columns to mean 0 and variance 1 (standard), to -1 ... 1 (minmax), or leave them (none); "
                    "without a METHOD standard, else none")
        ->option_text("HOW")
        ->check(CLI::IsMember({"standard", "minmax", "none"}))
        ->group("Data");
    command.get_option("METHOD")->required(false)->check(method_or_nothing());
    command.validate_positionals();
    command
        .add_option("--task", options.task,
                    "classification, regression or one_class (default: by the targets, without a METHOD)")
        ->option_text("TASK")
        ->check(CLI::IsMember({"classification", "regression", "one_class"}))
        ->group("Choices");
    command
        .add_option(
            "--missing", options.missing,
            "Missing values of a table: fill (the median or the most frequent one, with an indicator) or refuse")
        ->option_text("HOW")
        ->check(CLI::IsMember({"fill", "refuse"}))
        ->group("Choices");
    options.search.add_to(command);
}

// For more examples than one memory, one hour or one process holds.
void add_scale_options(CLI::App& command, automatic_fit& options) {
    command
        .add_flag("--stream", options.stream,
                  joined(api::methods_by_passes(), ", ") +
                      ": read DATA again for every pass instead of keeping it, for files larger than memory (csv, "
                      "libsvm, npy, packed or not; 'part-*.csv' is all such files)")
        ->group("Data");
    command
        .add_option(
            "--accuracy", options.accuracy,
            "nystroem_ridge, nystroem_logistic, nystroem_svc: choose the number of centres, such that this share "
            "of the kernel matrix's trace is out of their reach; the same as --set accuracy=X")
        ->option_text("X")
        ->check(number_between(1e-15, 0.999999))
        ->group("Method");
    command
        .add_option("--checkpoint", options.checkpoint,
                    joined(api::methods_with_checkpoints(), ", ") +
                        ": keep what the fit needs to go on in this file; the same command goes on from it after a "
                        "crash, with any number of processes, to the same model")
        ->option_text("FILE")
        ->group("Output");
    command
        .add_option("--checkpoint-seconds", options.checkpoint_seconds,
                    "Write the checkpoint at most once in so many seconds (default 60)")
        ->option_text("S")
        ->check(CLI::NonNegativeNumber)
        ->group("Output");
    command
        .add_option("--factors", options.factors,
                    "Of several processes (mpirun): who factors matrices of the centres, each of them (alone), or all "
                    "together, to other last bits; auto: together from 10000 centres on")
        ->option_text("WHO")
        ->check(CLI::IsMember({"auto", "alone", "together"}))
        ->group("Method");
}

}  // namespace

void add_fit(CLI::App& program) {
    CLI::App* command = add_command(program, "fit",
                                    "Fit a data file: without a METHOD the task, the columns and the "
                                    "numbers of the method are found out; with one, "
                                    "any of classification, regression, clusters, components, densities");
    const auto options = std::make_shared<automatic_fit>();
    options->method.add_to(*command);
    options->from.add_to(*command);
    options->common.add_to(*command);
    add_choices(*command, *options);
    command->add_option("-o,--out", options->out, "Write the model to this file")->option_text("FILE")->group("Output");
    command
        ->add_option("--svg", options->picture,
                     "Write a picture: components and shares, λ path, or the objects coloured by what is predicted")
        ->option_text("FILE")
        ->group("Output");
    command
        ->add_option("--html", options->html,
                     "Write one page with everything: data, choices, the search, how good it is, margins, pictures")
        ->option_text("FILE")
        ->group("Output");
    add_scale_options(*command, *options);
    command->footer(
        "Examples:\n"
        "  mercer fit data/penguins.csv --target species -o penguins.model --html penguins.html\n"
        "  mercer fit svc data/iris.csv --label species --scale standard --set C=10 -o iris.model\n"
        "  mercer fit kernel_ridge data/housing.svm --scale standard --set alphas=1e-4:1e2:25 score=loo -o "
        "housing.model --svg path.svg\n"
        "  mercer fit kernel_pca data/wine.svm --scale standard --set n_components=5 -o wine.model --svg wine.svg\n"
        "  mercer fit linear_svc sms.tsv --text 'tfidf(ngram=2)' -o sms.model\n"
        "  mercer fit nystroem_ridge 'flights-*.csv.xz' --stream --label delay --scale standard --kernel "
        "'rbf(gamma=0.1)' "
        "--set n_centres=2000 -o flights.model\n"
        "  mercer fit knn data/promoters.tsv --kernel 'normalize(spectrum(k=4))' -o promoters.model");
    command->callback([options, command] {
        if (started_processes()) require_shared(*options);
        if (options->method.method.empty() && options->stream)
            throw usage_error("--stream needs a METHOD: nystroem_ridge, nystroem_logistic or nystroem_svc");
        if (options->accuracy > 0) options->method.set.push_back(fmt::format("accuracy={}", options->accuracy));
        if (options->method.method.empty()) return fit_automatically(*options);
        require_automatic(*command, options->method.method);
        if (options->stream) return fit_streamed(*options);
        fit(*options);
    });
}

}  // namespace mercer::cli
