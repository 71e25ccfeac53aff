// The commands and options of the program as a table, read from the CLI11 parser. Completion scripts and manual pages
// are made from this table, so that they agree with --help.
#pragma once

#include "program.h"

namespace mercer::cli {

struct option_entry {
    std::vector<std::string> names;  // "-o", "--output"; for a positional argument its name in the help text: "DATA"
    std::string value;               // the name of the value, such as "FILE"; empty for a flag
    std::string about, group;
    std::vector<std::string> choices;  // the words that the value may be; empty if any value is allowed
    bool required = false;
    bool common = false;  // --help shows it; other options appear only under --help-all

    bool is_file() const;
};

struct command_entry {
    std::vector<std::string> path;  // {"mercer", "kernel", "test"}
    std::string about, description, footer;
    std::vector<std::string> commands;      // names of the subcommands
    std::vector<std::string> descriptions;  // descriptions of the subcommands, in the order of `commands`
    std::vector<option_entry> options;      // the common ones in the order of the help text, others, --help
    std::vector<option_entry> positionals;

    std::string words(const char* between = " ") const;  // "mercer kernel test"
};

// Returns all commands of the program, each one before its subcommands.
std::vector<command_entry> command_table(const CLI::App& program);

}  // namespace mercer::cli
