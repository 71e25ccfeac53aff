// The help texts of the program: `mercer --help` fits a terminal of 24 lines and 80 columns, `mercer COMMAND --help`
// shows the common options, and --help-all shows everything.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace mercer::cli {

// Adds a subcommand to a program or a group of commands. `about` is one line for lists of commands, an imperative
// phrase; `description` is one or two sentences for the help of the command (default: `about`). This function is the
// only caller of CLI11's constructor, because every source that calls the constructor compiles all of CLI11's code.
CLI::App* add_command(CLI::App& group, const std::string& name, const std::string& about,
                      const std::string& description = {});

// Sets the options that `COMMAND --help` shows, in this order, each by one of its names. The other options appear only
// under --help-all. Without a call all options are common. Call it after all options have been added.
void set_common_options(CLI::App& command, std::vector<std::string> names);

// Lets the program, and the commands added to it afterwards, print help texts in Mercer's form.
void use_help_formatter(CLI::App& program);

std::string description_of(const CLI::App& command);
bool is_common(const CLI::App& command, const CLI::Option& option);
// Returns the common options in the order of the help text.
std::vector<const CLI::Option*> common_options_of(const CLI::App& command);

}  // namespace mercer::cli
