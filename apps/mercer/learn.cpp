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
        {found.weight_name, found.weight_name == "weight" ? "kernel" : "feature"}};
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
                    "Learning algorithm: mkl, alignment, relevance (docs/learning.md; default: mkl)")
        ->option_text("HOW")
        ->check(CLI::IsMember({"mkl", "alignment", "relevance"}))
        ->group("Learning");
    command
        .add_option("--norm", options.how.norm,
                    "mkl: p of the p-norm that bounds the weights (default: 1, for sparse weights)")
        ->option_text("P")
        ->group("Learning");
    command
        .add_flag("!--no-balance", options.how.balance,
                  "mkl, alignment: do not divide each kernel by its variance in feature space")
        ->group("Learning");
    command
        .add_option("--criterion", options.how.criterion,
                    "relevance: criterion evidence, or loo (leave-one-out error; default: evidence)")
        ->option_text("WHICH")
        ->check(CLI::IsMember({"evidence", "loo"}))
        ->group("Learning");
    command
        .add_option("--tol", options.how.tol,
                    "Tolerance, see below (default: mkl 1e-3, alignment 1e-8, relevance 1e-4)")
        ->option_text("X")
        ->check(CLI::PositiveNumber)
        ->group("Learning");
    command
        .add_option("--max-iter", options.how.max_iter,
                    "Maximum number of iterations (default: mkl 200, relevance 100)")
        ->option_text("N")
        ->check(CLI::PositiveNumber)
        ->group("Learning");
    command
        .add_option("--max-seconds", options.seconds,
                    "Time limit in seconds, then use the best kernel found so far (default: none)")
        ->option_text("S")
        ->check(CLI::PositiveNumber)
        ->group("Learning");
    command
        .add_option("--learn-rows", options.how.max_rows,
                    "relevance: learn from a random sample of at most N rows (default: 1000; 0: all)")
        ->option_text("N")
        ->group("Learning");
}

}  // namespace

void add_learn(CLI::App& program) {
    CLI::App* command =
        add_command(program, "learn", "Learn a kernel from the data, then fit with it",
                    "Learns a kernel from the data, then fits a method with it: the weights of a sum of kernels (mkl, "
                    "alignment), or a width for every feature (relevance).");
    const auto options = std::make_shared<learn_command>();
    options->method.add_to(*command);
    command->get_option("--kernel")
        ->description("Sum of kernels to weight (default: 5 rbf + linear; for relevance one rbf)");
    options->from.add_to(*command);
    command->get_option("--seed")->description("Random seed of --sample and --learn-rows (default: 1)");
    add_options(*command, *options);
    options->common.add_to(*command);
    command->add_option("-o,--output", options->out, "Write the model to this file")
        ->option_text("FILE")
        ->group("Output");
    set_common_options(*command,
                       {"--by", "--kernel", "--set", "--target", "--scale", "--norm", "--max-seconds", "-o", "--json"});
    command->footer(
        "The learnt kernel is an expression that other commands accept. --tol bounds the relative duality gap (mkl, "
        "alignment) or the gradient of the criterion (relevance).\n"
        "\nExamples:\n"
        "  mercer learn svc data/sonar.svm --scale standard --set C=10 -o sonar.model\n"
        "  mercer learn svc data/promoters.tsv --kernel 'spectrum(k=2) + spectrum(k=4)'\n"
        "  mercer learn kernel_ridge data/housing.svm --scale standard --by relevance");
    command->callback([options] {
        options->how.seed = options->from.seed;
        run(*options);
    });
}

}  // namespace mercer::cli
