// mercer completion, mercer manual: what shells and man know of the program.
#include <fmt/format.h>

#include <filesystem>

#include "command_table.h"
#include "mercer/base/file.h"
#include "mercer/base/text.h"

namespace mercer::cli {
namespace {

void print_manual(const CLI::App& program, const std::vector<std::string>& command, const std::string& folder) {
    const auto all = command_table(program);
    if (!folder.empty()) {
        std::filesystem::create_directories(folder);
        for (const auto& each : all)
            write_atomically((std::filesystem::path(folder) / (each.words("-") + ".1")).string(),
                             manual_page(each, all), durability::unsynced);
        return;
    }
    std::vector<std::string> path{program.get_name()}, known;
    path.insert(path.end(), command.begin(), command.end());
    for (const auto& each : all) {
        if (each.path == path) return print(manual_page(each, all));
        known.push_back(each.words().substr(std::min(each.words().size(), program.get_name().size() + 1)));
    }
    const std::string wanted = joined(command, " "), meant = nearest_name(wanted, known);
    throw usage_error(fmt::format("there is no command '{}'{}; see `mercer --help`", wanted,
                                  meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant)));
}

}  // namespace

void add_help_commands(CLI::App& program) {
    CLI::App* completion = add_command(program, "completion", "A script that completes command lines in a shell");
    const auto shell = std::make_shared<std::string>();
    completion->add_option("SHELL", *shell, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    completion->footer(
        "`make install` puts them where shells look for them.\n\nExamples:\n"
        "  source <(mercer completion bash)\n"
        "  mercer completion zsh > ~/.zfunc/_mercer\n"
        "  mercer completion fish > ~/.config/fish/completions/mercer.fish");
    completion->callback([shell, &program] { print(completion_script(command_table(program), *shell)); });

    CLI::App* manual = add_command(program, "manual", "The manual page of a command, as man reads it");
    const auto command = std::make_shared<std::vector<std::string>>();
    const auto folder = std::make_shared<std::string>();
    manual->add_option("COMMAND", *command, "Such as `fit` or `kernel test` (default: the program)");
    manual->add_option("--folder", *folder, "Write the pages of all commands into this folder")->option_text("FOLDER");
    manual->footer("Examples:\n  mercer manual fit | man -l -\n  mercer manual --folder ~/.local/share/man/man1");
    manual->callback([command, folder, &program] { print_manual(program, *command, *folder); });
}

}  // namespace mercer::cli
