// The commands and options of the program as a table, taken from where they are parsed: completion and manual pages
// are made of it, so that they say what --help says.
#pragma once

#include "program.h"

namespace mercer::cli {

struct option_entry {
    std::vector<std::string> names;  // "-o", "--out"; of what stands without a name, what help calls it: "DATA"
    std::string value;               // "FILE"; empty: a flag
    std::string about, group;
    std::vector<std::string> choices;  // words it can be; empty: any
    bool required = false;

    bool is_file() const;
};

struct command_entry {
    std::vector<std::string> path;  // {"mercer", "kernel", "test"}
    std::string about, footer;
    std::vector<std::string> commands;  // below it, by name
    std::vector<std::string> abouts;    // of each of these
    std::vector<option_entry> options;  // in the order of the help text
    std::vector<option_entry> positionals;

    std::string words(const char* between = " ") const;  // "mercer kernel test"
};

// Of the whole program, a command before those below it.
std::vector<command_entry> command_table(const CLI::App& program);

}  // namespace mercer::cli
