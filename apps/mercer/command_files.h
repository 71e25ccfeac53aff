// The files that a command names: each is read or written, and no command writes over a file that it reads.
#pragma once

#include <CLI/CLI.hpp>

namespace mercer::cli {

// Lets "-" stand for standard output in every option that names a file to write, of all commands of the program;
// `taken` is set where one of them is standard output.
void let_outputs_be_streams(CLI::App& program, bool& taken);

// Refuses the command line that was parsed, before any work, where a file has an empty name, an output is also an input
// or another output, or an output cannot be written. Files are compared, not names: links and other spellings of a path
// lead to the same file. An option that names a file counts as an output unless it is known as an input.
void require_separate_files(const CLI::App& program);

}  // namespace mercer::cli
