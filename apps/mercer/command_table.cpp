#include "command_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "mercer/base/text.h"
#include "mercer/methods/method.h"

namespace mercer::cli {
namespace {

// The type name "TEXT:{standard,minmax}" lists the allowed words between braces.
std::vector<std::string> choices_of(const CLI::Option& option) {
    std::vector<std::string> out;
    if (option.get_positional() && option.get_name(true).find("METHOD") != std::string::npos) {
        for (const auto& each : api::methods()) out.push_back(each.name);
        return out;
    }
    const std::string type = option.get_type_name();
    const auto open = type.find('{'), close = type.find('}');
    if (open == std::string::npos || close == std::string::npos) return out;
    std::string word;
    for (const char c : type.substr(open + 1, close - open - 1) + ",")
        if (c == ',')
            out.push_back(std::exchange(word, {}));
        else
            word += c;
    return out;
}

option_entry entry_of(const CLI::Option& option) {
    option_entry out;
    for (const auto& each : option.get_snames()) out.names.push_back("-" + each);
    for (const auto& each : option.get_lnames()) out.names.push_back("--" + each);
    if (out.names.empty()) out.names.push_back(option.get_name(true));
    if (option.get_items_expected_max() > 0)
        out.value = !option.get_option_text().empty() ? option.get_option_text() : option.get_name(true);
    out.about = option.get_description();
    out.group = option.get_group();
    out.choices = choices_of(option);
    out.required = option.get_required();
    return out;
}

void add(const CLI::App& app, std::vector<std::string> path, std::vector<command_entry>& out) {
    path.push_back(app.get_name());
    command_entry one;
    one.path = path;
    one.about = app.get_description();
    one.description = description_of(app);
    one.footer = app.get_footer();
    for (const CLI::Option* each : common_options_of(app)) {
        one.options.push_back(entry_of(*each));
        one.options.back().common = true;
    }
    for (const CLI::Option* each : app.get_options())
        if (each->get_positional() || !is_common(app, *each))
            (each->get_positional() ? one.positionals : one.options).push_back(entry_of(*each));
    std::stable_partition(one.options.begin(), one.options.end(),
                          [](const option_entry& each) { return each.group != "Help"; });
    const auto below = app.get_subcommands([](const CLI::App*) { return true; });
    for (const CLI::App* each : below) {
        one.commands.push_back(each->get_name());
        one.descriptions.push_back(each->get_description());
    }
    out.push_back(std::move(one));
    for (const CLI::App* each : below) add(*each, path, out);
}

}  // namespace

bool option_entry::is_file() const {
    for (const char* word : {"FILE", "DATA", "MODEL", "SECOND", "FOLDER"})
        if (value.find(word) != std::string::npos) return true;
    return false;
}

std::string command_entry::words(const char* between) const { return join(path, between); }

std::vector<command_entry> command_table(const CLI::App& program) {
    std::vector<command_entry> out;
    add(program, {}, out);
    return out;
}

}  // namespace mercer::cli
