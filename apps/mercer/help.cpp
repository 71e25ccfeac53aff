#include "help.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "mercer/base/text.h"
#include "program.h"

namespace mercer::cli {
namespace {

constexpr std::size_t widest_name = 28;  // longer names of options stand on a line of their own

// Counts characters, not bytes.
std::size_t letters(const std::string& text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

// Returns the width of the terminal: COLUMNS if it is set, else what the terminal reports, else 80.
std::size_t terminal_width() {
    constexpr long least = 40, most = 1000;
    if (const char* columns = std::getenv("COLUMNS"))
        if (const long n = std::strtol(columns, nullptr, 10); n >= least && n <= most)
            return static_cast<std::size_t>(n);
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= least) return size.ws_col;
    return 80;
}

// Breaks a line at blanks. Following lines begin with `indent` blanks; the first line is taken to begin with `first`
// characters that are not part of `text`.
std::string wrap(const std::string& text, std::size_t first, std::size_t indent, std::size_t width) {
    std::istringstream words(text);
    std::string out, word;
    std::size_t at = first;
    bool line_begins = true;
    while (words >> word) {
        const std::size_t size = letters(word);
        if (!line_begins && at + 1 + size > width) {
            out += "\n" + std::string(indent, ' ');
            at = indent;
            line_begins = true;
        }
        out += (line_begins ? "" : " ") + word;
        at += size + (line_begins ? 0 : 1);
        line_begins = false;
    }
    return out;
}

// Wraps prose and leaves lines that begin with a blank, such as examples, as they are.
std::string wrap_paragraphs(const std::string& text, std::size_t width) {
    std::istringstream lines(text);
    std::string out, line;
    while (std::getline(lines, line)) out += (line.starts_with(' ') ? line : wrap(line, 0, 0, width)) + "\n";
    return out;
}

struct entry {
    std::string name, about;
};

std::string entry_lines(const std::vector<entry>& all, std::size_t column, std::size_t width) {
    std::string out;
    for (const entry& each : all) {
        out += "  " + each.name;
        const std::size_t end = 2 + letters(each.name);
        out += end + 2 > column ? "\n" + std::string(column, ' ') : std::string(column - end, ' ');
        out += wrap(each.about, column, column, width) + "\n";
    }
    return out;
}

// Returns the column at which the descriptions of these entries begin.
std::size_t text_column(const std::vector<entry>& all) {
    std::size_t widest = 0;
    for (const entry& each : all)
        if (letters(each.name) <= widest_name) widest = std::max(widest, letters(each.name));
    return widest + 4;
}

// Returns "-o, --output FILE" for an option, "DATA" for a positional argument.
std::string option_name(const CLI::Option& option) {
    if (option.get_positional()) return option.get_name(true);
    std::string out;
    for (const auto& each : option.get_snames()) out += (out.empty() ? "-" : ", -") + each;
    for (const auto& each : option.get_lnames()) out += (out.empty() ? "--" : ", --") + each;
    if (option.get_items_expected_max() > 0 && !option.get_option_text().empty()) out += " " + option.get_option_text();
    return out;
}

bool is_help(const CLI::App& command, const CLI::Option& option) {
    return &option == command.get_help_ptr() || &option == command.get_help_all_ptr();
}

std::string command_path(const CLI::App& command) {
    const CLI::App* parent = command.get_parent();
    return (parent ? command_path(*parent) + " " : "") + command.get_name();
}

std::vector<const CLI::App*> commands_of(const CLI::App& group) {
    return group.get_subcommands([](const CLI::App*) { return true; });
}

// Returns the names of the groups of commands or options, in the order of their first appearance.
template <class List>
std::vector<std::string> groups_of(const List& all) {
    std::vector<std::string> out;
    for (const auto* each : all)
        if (std::ranges::find(out, each->get_group()) == out.end()) out.push_back(each->get_group());
    return out;
}

class help_formatter : public CLI::FormatterBase {
public:
    std::string description;
    std::vector<std::string> common;  // names of the common options, in the order of the help text; empty: all

    std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode mode) const override {
        const std::size_t width = terminal_width();
        const bool all = mode == CLI::AppFormatMode::All;
        if (!app->get_parent() && !all) return program_help(*app);
        const std::vector<const CLI::App*> commands = commands_of(*app);
        std::string out = wrap_paragraphs(description.empty() ? app->get_description() + "." : description, width);
        out += "\n" + wrap("Usage: " + usage(*app), 0, 7, width) + "\n";
        if (!commands.empty()) out += command_lists(commands, width);
        std::size_t rest = 0;
        out += option_lists(*app, all, width, rest);
        if (const std::string& footer = app->get_footer(); !footer.empty())
            out += "\n" + wrap_paragraphs(footer, width);
        if (!commands.empty() && app->get_parent())
            out += fmt::format("\n`{} COMMAND --help` describes a command.\n", command_path(*app));
        if (rest > 0) out += fmt::format("\n`{} --help-all` shows {} more options.\n", command_path(*app), rest);
        return out;
    }

private:
    // The commands of the first group with their descriptions, the names of the others: 24 lines of 80 columns.
    static std::string program_help(const CLI::App& program) {
        const std::vector<const CLI::App*> commands = commands_of(program);
        std::string out = program.get_description() + ".\n\nUsage: " + usage(program) + "\n";
        std::vector<entry> first, others;
        const std::vector<std::string> groups = groups_of(commands);
        for (const std::string& group : groups) {
            std::string names;
            for (const CLI::App* each : commands)
                if (each->get_group() == group) {
                    if (group == groups.front()) first.push_back({each->get_name(), each->get_description()});
                    names += (names.empty() ? "" : ", ") + each->get_name();
                }
            if (group != groups.front()) others.push_back({group, names});
        }
        out += "\n" + groups.front() + ":\n" + entry_lines(first, text_column(first), 80);
        out += "\nOther commands:\n" + entry_lines(others, text_column(others), 80);
        return out + "\n" + program.get_footer() + "\n";
    }

    static std::string usage(const CLI::App& app) {
        std::string out = command_path(app);
        for (const CLI::Option* each : app.get_options())
            if (each->get_positional()) {
                const std::string name = option_name(*each) + (each->get_items_expected_max() > 1 ? "..." : "");
                out += each->get_required() ? " " + name : " [" + name + "]";
            }
        if (!commands_of(app).empty()) out += " COMMAND [ARGUMENTS]";
        return out + " [OPTIONS]";
    }

    static std::string command_lists(const std::vector<const CLI::App*>& commands, std::size_t width) {
        std::vector<entry> every;
        for (const CLI::App* each : commands) every.push_back({each->get_name(), each->get_description()});
        const std::vector<std::string> groups = groups_of(commands);
        std::string out;
        for (const std::string& group : groups) {
            std::vector<entry> some;
            for (std::size_t i = 0; i < commands.size(); ++i)
                if (commands[i]->get_group() == group) some.push_back(every[i]);
            out += fmt::format("\n{}:\n", groups.size() == 1 ? "Commands" : group) +
                   entry_lines(some, text_column(every), width);
        }
        return out;
    }

    // The arguments, the common options and, if `all`, the other options by group. Counts the options left out.
    static std::string option_lists(const CLI::App& app, bool all, std::size_t width, std::size_t& rest) {
        std::vector<entry> arguments;
        std::vector<std::pair<std::string, std::vector<entry>>> lists{{"Options", {}}};
        for (const CLI::Option* each : app.get_options())
            if (each->get_positional()) arguments.push_back({option_name(*each), each->get_description()});
        for (const CLI::Option* each : common_options_of(app))
            lists.front().second.push_back({option_name(*each), each->get_description()});
        for (const CLI::Option* each : app.get_options()) {
            if (each->get_positional() || is_common(app, *each) || is_help(app, *each)) continue;
            if (!all) {
                ++rest;
                continue;
            }
            const std::string group = each->get_group() + " options";
            auto at = std::ranges::find(lists, group, &std::pair<std::string, std::vector<entry>>::first);
            if (at == lists.end()) at = lists.insert(lists.end(), {group, {}});
            at->second.push_back({option_name(*each), each->get_description()});
        }
        if (all) {
            lists.push_back({"Help", {}});
            for (const CLI::Option* each : app.get_options())
                if (is_help(app, *each)) lists.back().second.push_back({option_name(*each), each->get_description()});
        }
        std::vector<entry> every = arguments;
        for (const auto& [name, list] : lists) every.insert(every.end(), list.begin(), list.end());
        const std::size_t column = text_column(every);
        std::string out;
        if (!arguments.empty()) out += "\nArguments:\n" + entry_lines(arguments, column, width);
        for (const auto& [name, list] : lists)
            if (!list.empty()) out += fmt::format("\n{}:\n", name) + entry_lines(list, column, width);
        return out;
    }
};

std::shared_ptr<help_formatter> formatter_of(const CLI::App& command) {
    return std::static_pointer_cast<help_formatter>(command.get_formatter());
}

bool has_name(const CLI::Option& option, const std::string& name) {
    return name.starts_with("--") ? std::ranges::count(option.get_lnames(), name.substr(2)) > 0
                                  : std::ranges::count(option.get_snames(), name.substr(1)) > 0;
}

}  // namespace

CLI::App* add_command(CLI::App& group, const std::string& name, const std::string& about,
                      const std::string& description) {
    CLI::App* command = group.add_subcommand(name, about);
    const auto form = std::make_shared<help_formatter>();
    form->description = description;
    command->formatter(form);
    for (const char* each : {"--help", "--help-all"}) command->get_option(each)->group("Help");
    return command;
}

void set_common_options(CLI::App& command, std::vector<std::string> names) {
    for (const std::string& each : names) (void)command.get_option(each);  // throws if there is no such option
    formatter_of(command)->common = std::move(names);
}

void use_help_formatter(CLI::App& program) { program.formatter(std::make_shared<help_formatter>()); }

std::string description_of(const CLI::App& command) {
    const std::string& out = formatter_of(command)->description;
    return out.empty() ? command.get_description() + "." : out;
}

bool is_common(const CLI::App& command, const CLI::Option& option) {
    if (is_help(command, option)) return false;
    const std::vector<std::string>& common = formatter_of(command)->common;
    return common.empty() || std::ranges::any_of(common, [&](const auto& name) { return has_name(option, name); });
}

std::vector<const CLI::Option*> common_options_of(const CLI::App& command) {
    std::vector<const CLI::Option*> out;
    for (const CLI::Option* each : command.get_options())
        if (!each->get_positional() && is_common(command, *each)) out.push_back(each);
    const std::vector<std::string>& common = formatter_of(command)->common;
    const auto place = [&](const CLI::Option* option) {
        return std::ranges::find_if(common, [&](const auto& name) { return has_name(*option, name); }) - common.begin();
    };
    std::ranges::stable_sort(out, {}, place);
    return out;
}

}  // namespace mercer::cli
