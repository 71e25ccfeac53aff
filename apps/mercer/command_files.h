// The files that a command line names as inputs and outputs. No command overwrites a file that it reads.
#pragma once

#include <CLI/CLI.hpp>

namespace mercer::cli {

// Lets "-" stand for standard output in every option of every command that names an output file. Sets `taken` if an
// output is standard output.
void accept_dash_as_stdout(CLI::App& program, bool& taken);

// Throws usage_error, before any work is done, if a file name is empty, if an output is the same file as an input or as
// another output, or if an output cannot be written. Files are compared by identity, not by name, so that links and
// different spellings of a path are recognised. An option that names a file counts as an output unless it is known to
// be an input.
void require_separate_files(const CLI::App& program);

}  // namespace mercer::cli
