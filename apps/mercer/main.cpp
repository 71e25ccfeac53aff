// The program `mercer`: its subcommands, error messages and exit codes.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <thread>

#include "blas_threads.h"
#include "command_files.h"
#include "former_names.h"
#include "mercer/base/communicator.h"
#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/base/terminal_text.h"
#include "mercer/base/text.h"
#include "program.h"

namespace {

using namespace mercer::cli;

// Returns the command that was parsed so far, such as "mercer kernel test".
std::string command_path(const CLI::App* app) {
    const auto chosen = app->get_subcommands();
    const std::string& name = app->get_name();
    return chosen.empty() ? name : name + " " + command_path(chosen.front());
}

// Returns the innermost subcommand that was parsed before the error.
const CLI::App* innermost_command(const CLI::App* app) {
    const auto chosen = app->get_subcommands();
    return chosen.empty() ? app : innermost_command(chosen.front());
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
    const std::string near = mercer::nearest_name(word, known);
    return near.empty() ? "" : fmt::format("; did you mean {}?", near);
}

// Returns CLI11's message, or a clearer one if a command is missing or unknown.
std::string usage_message(const CLI::App& program, const CLI::ParseError& wrong) {
    const CLI::App* at = innermost_command(&program);
    std::vector<std::string> names;
    for (const CLI::App* each : at->get_subcommands({})) names.push_back(each->get_name());
    const auto rest = at->remaining();
    if (!rest.empty() && rest.front().starts_with('-') && rest.front() != "-") {
        const std::string word = rest.front().substr(0, rest.front().find('='));
        std::vector<std::string> options;
        for (const CLI::Option* each : at->get_options())
            for (const auto& name : each->get_lnames()) options.push_back("--" + name);
        return fmt::format("there is no option '{}'{}", word, suggestion(word, options));
    }
    if (names.empty()) return wrong.what();
    const std::string start =
        rest.empty() ? "a command is missing"
                     : fmt::format("there is no command '{}'{}", rest.front(), suggestion(rest.front(), names));
    return fmt::format("{}: {} {}", start, names.size() == 1 ? "there is only" : "one of", mercer::join(names, ", "));
}

int report_error(int code, const std::string& message) {
    std::fflush(stdout);
    const mercer::communicator* group = mercer::joined_communicator();
    // If all ranks fail, the message of rank 0 suffices: it ends the other ranks. The other ranks wait before they
    // print theirs: 20 s for a wrong command line, where all ranks fail, else 1 s.
    if (group && group->rank() > 0) std::this_thread::sleep_for(std::chrono::seconds(code == 2 ? 20 : 1));
    fmt::print(stderr, "mercer: {}{}\n", group && group->rank() > 0 ? fmt::format("process {}: ", group->rank()) : "",
               mercer::terminal_safe(stderr, message));
    std::fflush(stderr);
    if (group) group->abort(code);
    return code;
}

std::terminate_handler usual_terminate = std::abort;

// Must not allocate memory.
int report_out_of_memory() {
    std::fflush(stdout);
    std::fputs("mercer: out of memory: take fewer examples with --rows N or --sample N\n", stderr);
    if (const mercer::communicator* group = mercer::joined_communicator()) group->abort(1);
    return 1;
}

// Destructors and noexcept functions of libraries allocate (nlohmann::json, CLI11). A std::bad_alloc thrown there ends
// the process without reaching main().
[[noreturn]] void terminate_for_lack_of_memory() {
    try {
        if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
        std::_Exit(report_out_of_memory());
    } catch (...) {
    }
    usual_terminate();
    std::abort();
}

// Prints the message of the exception that is being handled and returns the exit code.
int report_exception() {
    try {
        throw;
    } catch (const usage_error& wrong) {
        return report_error(2, wrong.what());
    } catch (const mercer::row_error& problem) {
        return report_error(1, problem.one_based_message());
    } catch (const mercer::error& problem) {
        if (problem.code() == mercer::errc::cancelled && is_interrupted())
            return report_error(130, "stopped before a model was fitted");
        return report_error(1, problem.what());
    } catch (const std::bad_alloc&) {
        return report_out_of_memory();
    } catch (const std::exception& problem) {
        return report_error(1, problem.what());
    }
}

// Only `fit` shares work among several processes: every process would do the whole work of any other command.
void require_single_process(int argc, char** argv) {
    if (mercer::started_communicator() && argc > 1 && argv[1] != std::string("fit"))
        throw usage_error(
            fmt::format("`mercer {}` runs in one process: only `mercer fit` can use several processes", argv[1]));
}

// The commands by group, in the order of `mercer --help`, which describes those of the first group.
const std::vector<std::pair<const char*, std::vector<const char*>>> command_groups{
    {"Common commands", {"fit", "predict", "evaluate", "tune", "explain"}},
    {"Models", {"describe", "transform", "convert", "serve"}},
    {"Learning", {"cluster", "learn"}},
    {"Kernels", {"kernel", "test"}},
    {"Comparison", {"regions", "compare-solvers"}},
    {"Tools", {"scale", "methods", "devices", "completion", "manual"}}};

int run(int argc, char** argv) {
    CLI::App program("Fit, tune and explain kernel machines on tables, texts, graphs and images", "mercer");
    use_help_formatter(program);
    program.set_version_flag("--version", std::string("mercer ") + MERCER_VERSION, "Print the version and exit");
    program.set_help_flag("-h,--help", "Print the common options and exit");
    program.set_help_all_flag("--help-all", "Print all options and exit");
    for (const char* each : {"--help", "--help-all"}) program.get_option(each)->group("Help");
    program.require_subcommand(0, 1);
    program.footer(
        "Example:\n"
        "  mercer fit data/penguins.csv --target species -o penguins.model\n"
        "\n`mercer COMMAND --help` describes a command, `mercer --help-all` every command.");
    add_fit(program);
    add_predict(program);
    add_evaluate(program);
    add_tune(program);
    add_explain(program);
    add_describe(program);
    add_transform(program);
    add_convert(program);
    add_serve(program);
    add_cluster(program);
    add_learn(program);
    add_kernel(program);
    add_test(program);
    add_regions(program);
    add_compare_solvers(program);
    add_scale(program);
    add_methods(program);
    add_devices(program);
    add_completion(program);
    add_manual(program);
    for (const auto& [group, names] : command_groups)
        for (const char* name : names) program.get_subcommand(name)->group(group);
    accept_dash_as_stdout(program, output_to_stdout());
    program.parse_complete_callback([&program] { require_separate_files(program); });
    try {
        std::vector<std::string> words = replace_former_names(program, argc, argv);
        std::ranges::reverse(words);  // CLI11 takes them from the end
        program.parse(std::move(words));
        if (program.get_subcommands().empty()) print(program.help());
    } catch (const CLI::CallForHelp&) {
        print(program.help());
    } catch (const CLI::CallForAllHelp&) {
        print(program.help("", CLI::AppFormatMode::All));
    } catch (const CLI::CallForVersion& version) {
        print(std::string(version.what()) + "\n");
    } catch (const CLI::ParseError& wrong) {
        return report_error(2,
                            fmt::format("{}; see `{} --help`", usage_message(program, wrong), command_path(&program)));
    }
    return exit_code();
}

}  // namespace

int main(int argc, char** argv) {
    mercer::remove_temporaries_on_signals();
    start_blas_threads_lazily();
    usual_terminate = std::set_terminate(terminate_for_lack_of_memory);
    try {
        require_single_process(argc, argv);
        const int code = run(argc, argv);
        flush_output();  // a full disk is reported only here
        return code;
    } catch (...) {
        try {
            return report_exception();
        } catch (const std::bad_alloc&) {  // there is not enough memory for the message
            return report_out_of_memory();
        }
    }
}
