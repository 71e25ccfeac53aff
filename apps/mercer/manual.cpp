// mercer manual: manual pages in the language of man(7).
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "command_table.h"
#include "mercer/base/file.h"
#include "mercer/base/text.h"

namespace mercer::cli {
namespace {

// Escapes text: hyphens remain ASCII when copied, and a leading dot or quote does not begin a request.
std::string escape_roff(const std::string& text) {
    std::string out;
    bool line_begins = true;
    for (const char c : text) {
        if (line_begins && (c == '.' || c == '\'')) out += "\\&";
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else
            out += c;
        line_begins = c == '\n';
    }
    return out;
}

std::string bold(const std::string& text) { return "\\fB" + escape_roff(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + escape_roff(text) + "\\fR"; }

std::string upper(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

std::string reference(const std::string& page) { return bold(page) + "(1)"; }

std::string synopsis(const command_entry& of) {
    std::string out = bold(of.words());
    if (!of.commands.empty()) return out + " " + italic("COMMAND") + " [" + italic("OPTIONS") + "]";
    for (const auto& each : of.positionals)
        out += each.required ? " " + italic(each.names[0]) : " [" + italic(each.names[0]) + "]";
    return out + " [" + italic("OPTIONS") + "]";
}

std::string option_list(const std::vector<option_entry>& options) {
    std::string out;
    for (const auto& each : options) {
        std::string names;
        for (const auto& name : each.names) names += (names.empty() ? "" : ", ") + bold(name);
        const bool named = each.names[0].starts_with('-');
        out += ".TP\n" + (named ? names : italic(each.names[0]));
        if (named && !each.value.empty()) out += " " + italic(each.value);
        out += "\n" + escape_roff(each.about) + ".\n";
        if (!each.choices.empty() && named) out += fmt::format("Values: {}.\n", escape_roff(join(each.choices, ", ")));
    }
    return out;
}

// Returns the sections made from a footer: notes, and examples without line filling.
std::string footer_sections(const std::string& footer) {
    const std::string mark = "Examples:\n";
    const auto at = footer.find(mark);
    std::string words = footer.substr(0, at == std::string::npos ? footer.size() : at), examples, rest;
    if (at != std::string::npos) {
        examples = footer.substr(at + mark.size());
        if (const auto end = examples.find("\n\n"); end != std::string::npos)
            rest = examples.substr(end + 2), examples.resize(end);
    }
    std::string out;
    while (words.ends_with('\n')) words.pop_back();
    if (!words.empty()) out += ".SH NOTES\n" + escape_roff(words) + "\n";
    if (!examples.empty()) out += ".SH EXAMPLES\n.nf\n" + escape_roff(examples) + "\n.fi\n";
    if (!rest.empty()) out += ".PP\n" + escape_roff(rest) + "\n";
    return out;
}

std::string manual_page(const command_entry& of, const std::vector<command_entry>& all) {
    const std::string page = of.words("-");
    std::string out = fmt::format(
        ".\\\" made by `mercer manual`\n.TH {} 1 \"\" \"mercer {}\" \"Mercer\"\n.SH NAME\n{} \\- {}\n.SH "
        "SYNOPSIS\n{}\n",
        upper(page), MERCER_VERSION, escape_roff(page), escape_roff(of.about), synopsis(of));
    out += ".SH DESCRIPTION\n" + escape_roff(of.description) + "\n";
    if (!of.commands.empty()) {
        out += ".SH COMMANDS\n";
        for (std::size_t i = 0; i < of.commands.size(); ++i)
            out += ".TP\n" + reference(page + "-" + of.commands[i]) + "\n" + escape_roff(of.descriptions[i]) + "\n";
    }
    if (!of.positionals.empty()) out += ".SH ARGUMENTS\n" + option_list(of.positionals);
    const auto heading = [](const option_entry& option) {
        return option.common ? "Common options" : option.group + " options";
    };
    std::vector<std::string> headings;
    for (const auto& each : of.options)
        if (std::ranges::find(headings, heading(each)) == headings.end()) headings.push_back(heading(each));
    out += ".SH OPTIONS\n";
    for (const auto& wanted : headings) {
        std::vector<option_entry> some;
        std::ranges::copy_if(of.options, std::back_inserter(some),
                             [&](const auto& each) { return heading(each) == wanted; });
        if (headings.size() > 1) out += ".SS " + escape_roff(wanted) + "\n";
        out += option_list(some);
    }
    out += footer_sections(of.footer);
    out +=
        ".SH EXIT STATUS\n0 for success, 1 for an error, 2 for an invalid command line, 130 for a computation stopped "
        "by Ctrl\\-C. An error is one line on standard error.\n.SH SEE ALSO\n";
    std::string others;
    for (const auto& each : all) {
        const bool near =
            each.path.size() == 1 || (each.path.size() == of.path.size() && of.path.size() > 1 &&
                                      std::equal(each.path.begin(), each.path.end() - 1, of.path.begin()));
        if (near && each.path != of.path) others += (others.empty() ? "" : ",\n") + reference(each.words("-"));
    }
    return out + (others.empty() ? reference("svm-train") : others) + "\n";
}

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
    const std::string wanted = join(command, " "), meant = nearest_name(wanted, known);
    throw usage_error(fmt::format("there is no command '{}'{}; see `mercer --help`", wanted,
                                  meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant)));
}

}  // namespace

void add_manual(CLI::App& program) {
    CLI::App* manual = add_command(program, "manual", "Print the manual page of a command",
                                   "Prints the manual page of a command in roff, the format that man reads.");
    const auto command = std::make_shared<std::vector<std::string>>();
    const auto folder = std::make_shared<std::string>();
    manual->add_option("COMMAND", *command, "Command, such as `fit` or `kernel test` (default: page of mercer itself)");
    manual->add_option("--folder", *folder, "Write the manual pages of all commands to this folder instead")
        ->option_text("FOLDER");
    manual->footer(
        "Examples:\n"
        "  mercer manual fit | man -l -\n"
        "  mercer manual --folder man1");
    manual->callback([command, folder, &program] { print_manual(program, *command, *folder); });
}

}  // namespace mercer::cli
