#include "command_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/io/image_files.h"
#include "mercer/io/row_batches.h"
#include "program.h"

namespace mercer::cli {
namespace {

namespace fs = std::filesystem;

const char* const standard_output = "/dev/stdout";

enum class file_use { none, read, written, kept };  // kept: read if it exists, and written

bool value_name_contains(const CLI::Option& option, const char* word) {
    const std::string text = option.get_positional() ? option.get_name(true) : option.get_option_text();
    return text.find(word) != std::string::npos;
}

file_use file_use_of(const CLI::App& command, const CLI::Option& option) {
    if (option.get_positional()) {
        const bool read = value_name_contains(option, "DATA") || value_name_contains(option, "MODEL") ||
                          value_name_contains(option, "SECOND");
        return read ? file_use::read : file_use::none;
    }
    if (!value_name_contains(option, "FILE") && !value_name_contains(option, "FOLDER")) return file_use::none;
    const auto& longs = option.get_lnames();
    const auto is = [&](const char* name) { return std::ranges::find(longs, name) != longs.end(); };
    if (is("scaling") || is("other")) return file_use::read;
    if (is("log")) return command.get_name() == "evaluate" ? file_use::read : file_use::kept;
    return is("checkpoint") ? file_use::kept : file_use::written;
}

struct named_file {
    std::string option, path;
};

// Returns the files that an input name stands for: the file itself, standard input, or the files that match a pattern.
std::vector<std::string> files_of_input(const std::string& name) {
    if (name == "-") return {"/dev/stdin"};
    std::error_code unknown;
    if (fs::exists(name, unknown)) return {name};
    try {
        return expand_paths({name});
    } catch (const error&) {  // the reader reports that no file matches
        return {};
    }
}

bool is_plain_file(const std::string& path) {
    std::error_code unknown;
    return fs::is_regular_file(path, unknown);
}

// Returns true if an existing file lies in a folder, at any depth.
bool is_in_folder(const std::string& path, const std::string& folder) {
    std::error_code unknown;
    if (!fs::is_directory(folder, unknown) || !is_plain_file(path)) return false;
    const fs::path inner = fs::canonical(path, unknown), outer = fs::canonical(folder, unknown);
    return std::ranges::mismatch(outer, inner).in1 == outer.end();
}

// Returns the entry of a folder, or of its sub-folders up to `levels` deep, that is the same file; empty if there is
// none.
std::string link_in(const fs::path& folder, const std::string& file, int levels) {
    std::error_code unknown;
    for (fs::directory_iterator each(folder, unknown), end; !unknown && each != end; each.increment(unknown)) {
        std::error_code ignored;
        if (is_same_file(each->path().string(), file)) return each->path().string();
        if (levels == 0 || !fs::is_directory(each->path(), ignored)) continue;
        if (std::string found = link_in(each->path(), file, levels - 1); !found.empty()) return found;
    }
    return {};
}

// Returns the name under which the command reads the output's file as a part of an input; empty if the command does not
// read it.
std::string name_in_input(const std::string& output, const std::string& input, const std::string& name_of_input) {
    constexpr int deepest = 1;  // readers of folders read sub-folders, but not their sub-folders
    std::error_code unknown;
    if (!is_plain_file(output)) return {};
    if (fs::is_directory(input, unknown)) return link_in(input, output, deepest);
    if (!is_plain_file(input)) return {};
    for (const std::string& each : files_read_with_images(input, name_of_input))
        if (is_same_file(output, each)) return each;
    return {};
}

void require_no_input(const named_file& output, const named_file& input) {
    for (const std::string& each : files_of_input(input.path)) {
        if (is_in_folder(output.path, each))
            throw usage_error(fmt::format("{} '{}' lies in the folder '{}' that the command reads: name another file",
                                          output.option, output.path, input.path));
        if (is_plain_file(each) && is_same_file(output.path, each))
            throw usage_error(
                fmt::format("{} '{}' is the same file as {} '{}', which the command reads: name another "
                            "file",
                            output.option, output.path, input.option, input.path));
        const std::string within = name_in_input(output.path, each, input.path == "-" ? "<stdin>" : each);
        if (!within.empty())
            throw usage_error(
                fmt::format("{} '{}' is the same file as '{}', which the command reads with {} '{}': name another file",
                            output.option, output.path, within, input.option, input.path));
    }
}

void require_other_output(const named_file& output, const named_file& before) {
    std::error_code unknown;
    // Writing twice to /dev/null or to a terminal loses nothing.
    if (fs::is_character_file(output.path, unknown) || !is_same_file(output.path, before.path)) return;
    throw usage_error(fmt::format("{} '{}' and {} '{}' are the same file: name two files", before.option, before.path,
                                  output.option, output.path));
}

const CLI::App& chosen_command(const CLI::App& from) {
    const auto below = from.get_subcommands();
    return below.empty() ? from : chosen_command(*below.front());
}

}  // namespace

void accept_dash_as_stdout(CLI::App& program, bool& taken) {
    for (CLI::App* each : program.get_subcommands([](const CLI::App*) { return true; }))
        accept_dash_as_stdout(*each, taken);
    for (CLI::Option* option : program.get_options([](const CLI::Option*) { return true; })) {
        if (file_use_of(program, *option) != file_use::written) continue;
        option->transform([&taken](const std::string& path) {
            if (path != "-") return path;
            taken = true;
            return std::string(standard_output);
        });
    }
}

void require_separate_files(const CLI::App& program) {
    const CLI::App& command = chosen_command(program);
    std::vector<named_file> inputs, outputs;
    for (const CLI::Option* option : command.get_options()) {
        const file_use use = file_use_of(command, *option);
        if (use == file_use::none || option->count() == 0) continue;
        const std::string name = option->get_positional() ? option->get_name(true) : option->get_name();
        for (const std::string& path : option->results()) {
            if (path.empty()) throw usage_error(fmt::format("{}: the name of the file is empty", name));
            if (use == file_use::kept && path == "-")
                throw usage_error(fmt::format(
                    "{} cannot be '-' (standard input), because the file is read again later: name a file", name));
            if (!value_name_contains(*option, "FOLDER"))
                (use == file_use::read ? inputs : outputs).push_back({name, path});
        }
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        for (const named_file& each : inputs) require_no_input(outputs[i], each);
        for (std::size_t j = 0; j < i; ++j) require_other_output(outputs[i], outputs[j]);
    }
    for (const named_file& each : outputs) require_writable(each.path);
}

}  // namespace mercer::cli
