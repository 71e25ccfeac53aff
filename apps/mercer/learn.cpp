// mercer learn: learns a kernel expression from the data and fits a method with it.
#include <fmt/format.h>

#include <algorithm>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/meta/learn_kernel.h"
#include "tune.h"

namespace mercer::cli {
namespace {

struct learn_command {
    method_options method;
    data_options from;
    common_options common;
    api::learn_options how;
    double seconds = 0;
    std::string out;
};

// Lists the weights in decreasing order; weights of 0 are only counted.
std::string table_of(const api::learning& found) {
    std::vector<std::size_t> order(found.names.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return found.weights[a] > found.weights[b]; });
    std::vector<std::vector<std::string>> lines{
        {found.weight_name, found.weight_name == "weight" ? "kernel" : "column"}};
    std::size_t none = 0;
    for (const std::size_t i : order) {
        if (found.weights[i] == 0)
            ++none;
        else
            lines.push_back({fmt::format("{:.4g}", found.weights[i]), found.names[i]});
    }
    std::string out = align_table(lines, {true, false});
    if (none > 0) out += fmt::format("{} more with weight 0\n", none);
    return out;
}

void run(const learn_command& options) {
    options.common.apply();
    api::spec s = options.method.search_request();
    s.scale = options.from.scale;
    s.text = options.from.text;
    for (const auto& [name, value] : s.options)
        if (value.find('?') != std::string::npos)
            throw usage_error(
                fmt::format("`mercer learn` cannot choose {}=?: set {} to a number here, and tune it for the learnt "
                            "kernel with `mercer tune` afterwards",
                            name, name));
    fit_output answer;
    {
        progress_line shown;
        shown.set_phase("reading " + options.from.path);
        const loaded_data on = load_raw(options.from, {}, options.method.memory);
        shown.set_phase(fmt::format("learning the kernel of {}", s.method));
        watch_interrupt();
        api::fit_control control;
        control.memory_bytes = options.method.memory;
        if (options.seconds > 0) control.seconds = options.seconds;
        control.progress = [&](const fit_progress& now) {
            shown.set_phase(fmt::format("{}, step {}, {:.3g}", now.phase, now.done, now.value));
            return !is_interrupted();
        };
        const cancellation_scope stop(interrupt_grace_expired);
        const api::learning found = api::learn(s, on.data, options.how, control);
        if (acknowledge_interrupt()) warn("stopped: the result is the best kernel found so far");
        api::model m = fit_with_progress(found.what, on.data, options.method.memory, shown);
        m.label = detail::to_utf8(options.from.label);
        m.text_column = detail::to_utf8(options.from.text_column);
        answer.save(m, options.out);
        answer.all = json::parse(api::to_json(found));
        answer.all["data"] = on.about;
        answer.all["model"] = figures_json(m.describe());
        if (!options.out.empty()) answer.all["model_file"] = answer.saved_path;
        answer.text =
            fmt::format("{}\n\n{}\n{}\nkernel: {}\n", on.about, found.about.text(), table_of(found), found.what.kernel);
        if (!found.complete)
            answer.text +=
                "the weights of the kernel have not converged: a larger --tol, --max-iter or --max-seconds may help\n";
        answer.text += fmt::format("\n{}\n", m.describe().text());
        answer.add_warning(m);
    }
    answer.show(options.common, "");
}

void add_options(CLI::App& command, learn_command& options) {
    command
        .add_option("--by", options.how.by,
                    "mkl: weights of a sum of kernels, found together with a support vector machine (default); "
                    "alignment: weights, by centred alignment with the targets; relevance: a gamma (or a factor) for "
                    "each column")
        ->option_text("HOW")
        ->check(CLI::IsMember({"mkl", "alignment", "relevance"}))
        ->group("Learning");
    command
        .add_option("--norm", options.how.norm,
                    "mkl: p of the norm of the weights: 1 leaves a few kernels (default), 2 and more keep all")
        ->option_text("P")
        ->group("Learning");
    command
        .add_flag("!--no-balance", options.how.balance,
                  "mkl, alignment: take the kernels as they are, without dividing each by its variance")
        ->group("Learning");
    command
        .add_option("--criterion", options.how.criterion,
                    "relevance: evidence of a Gaussian process (default), or loo, the leave-one-out error of a ridge")
        ->option_text("WHICH")
        ->check(CLI::IsMember({"evidence", "loo"}))
        ->group("Learning");
    command
        .add_option("--tol", options.how.tol, "Where to stop: of the relative gap (mkl 1e-3), of the gradient (1e-4)")
        ->option_text("X")
        ->check(CLI::PositiveNumber)
        ->group("Learning");
    command.add_option("--max-iter", options.how.max_iter, "Steps at most (mkl 200, relevance 100)")
        ->option_text("N")
        ->check(CLI::PositiveNumber)
        ->group("Learning");
    command.add_option("--seconds", options.seconds, "Stop after so long, with the best there is")
        ->option_text("S")
        ->check(CLI::PositiveNumber)
        ->group("Learning");
    command
        .add_option("--learn-rows", options.how.max_rows,
                    "relevance: learn from at most so many rows, drawn at random (default 1000; 0: all)")
        ->option_text("N")
        ->group("Learning");
}

}  // namespace

void add_learn(CLI::App& program) {
    CLI::App* command = add_command(
        program, "learn", "Learn the kernel: weights of a sum of kernels, or a width for each column; and fit with it");
    const auto options = std::make_shared<learn_command>();
    options->method.add_to(*command);
    options->from.add_to(*command);
    add_options(*command, *options);
    options->common.add_to(*command);
    command->add_option("-o,--out", options->out, "Write the model to this file")->option_text("FILE")->group("Output");
    command->footer(
        "The summands of --kernel are the kernels to choose among; without it Gaussians of several widths and a linear "
        "one.\nWhat is learnt is an ordinary expression: tune C for it with `mercer tune`.\n\nExamples:\n"
        "  mercer learn svc data/sonar.svm --scale standard --set C=10 -o sonar.model\n"
        "  mercer learn svc data/promoters.tsv --kernel 'normalize(spectrum(k=2)) + normalize(spectrum(k=4))' --norm "
        "2\n"
        "  mercer learn svr data/housing.svm --scale standard --kernel 'rbf(gamma=0.05) + linear()' --by alignment\n"
        "  mercer learn kernel_ridge data/housing.svm --scale standard --by relevance");
    command->callback([options] {
        options->how.seed = options->from.seed;
        run(*options);
    });
}

}  // namespace mercer::cli
