// Former spellings of options, of their values and of JSON keys. They keep working, and appear neither in help texts
// nor in manual pages, completion or suggestions. tests/apps/aliases.txt lists all of them.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace mercer::cli {

// Returns the words of the command line with the present spelling of every option and value, without the name of the
// program.
std::vector<std::string> replace_former_names(const CLI::App& program, int argc, const char* const* argv);

// Returns true if add_renamed_keys() would change the value.
bool has_renamed_key(const nlohmann::ordered_json& value);
// Writes every renamed key of every object under both its present and its former name, the present name first.
void add_renamed_keys(nlohmann::ordered_json& value);

}  // namespace mercer::cli
