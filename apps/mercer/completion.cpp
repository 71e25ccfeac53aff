// mercer completion: scripts that complete command lines of mercer in bash, zsh and fish. Each script follows the words
// typed so far as long as they are commands, and then offers subcommands, options and the allowed values of options.
#include <fmt/format.h>

#include "command_table.h"
#include "mercer/base/text.h"

namespace mercer::cli {
namespace {

std::string single_quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
    return out + "'";
}

// Returns a description for a menu line: without a default or reference in parentheses at its end.
std::string menu_text(const std::string& about) {
    const auto open = about.rfind(" (");
    return about.ends_with(')') && open != std::string::npos ? about.substr(0, open) : about;
}

std::string all_names(const std::vector<option_entry>& options) {
    std::string out;
    for (const auto& each : options)
        for (const auto& name : each.names) out += (out.empty() ? "" : " ") + name;
    return out;
}

// Returns the allowed words of a positional argument; the first one that has a list counts.
std::string words_without_name(const command_entry& of) {
    for (const auto& each : of.positionals)
        if (!each.choices.empty()) return join(each.choices, " ");
    return {};
}

std::string bash(const std::vector<command_entry>& all) {
    std::string out =
        "# Completes command lines of mercer in bash; made by `mercer completion bash`.\n"
        "_mercer() {\n"
        "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} path=mercer i\n"
        "    local commands= options= words= choices= files=\n"
        "    for ((i = 1; i < COMP_CWORD; ++i)); do\n"
        "        case \"$path ${COMP_WORDS[i]}\" in\n";
    for (const auto& each : all)
        if (each.path.size() > 1)
            out += fmt::format("            '{}') path={};;\n", each.words(), single_quoted(each.words()));
    out += "        esac\n    done\n    case \"$path\" in\n";
    for (const auto& each : all)
        out += fmt::format("        '{}') commands={} options={} words={};;\n", each.words(),
                           single_quoted(join(each.commands, " ")), single_quoted(all_names(each.options)),
                           single_quoted(words_without_name(each)));
    out += "    esac\n    case \"$path $previous\" in\n";
    for (const auto& each : all)
        for (const auto& option : each.options) {
            if (option.value.empty()) continue;
            std::string names;
            for (const auto& name : option.names)
                names += fmt::format("{}'{} {}'", names.empty() ? "" : "|", each.words(), name);
            out += fmt::format("        {}) ", names);
            if (!option.choices.empty())
                out += fmt::format("choices={};;\n", single_quoted(join(option.choices, " ")));
            else
                out += option.is_file() ? "files=1;;\n" : "COMPREPLY=(); return;;\n";
        }
    out +=
        "    esac\n"
        "    if [[ $choices ]]; then\n"
        "        COMPREPLY=($(compgen -W \"$choices\" -- \"$current\"))\n"
        "    elif [[ $files ]]; then\n"
        "        compopt -o filenames 2>/dev/null\n"
        "        COMPREPLY=($(compgen -f -- \"$current\"))\n"
        "    elif [[ $current == -* ]]; then\n"
        "        COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
        "    elif [[ $commands ]]; then\n"
        "        COMPREPLY=($(compgen -W \"$commands\" -- \"$current\"))\n"
        "    else\n"
        "        compopt -o filenames 2>/dev/null\n"
        "        COMPREPLY=($(compgen -W \"$words\" -- \"$current\") $(compgen -f -- \"$current\"))\n"
        "    fi\n"
        "}\n"
        "complete -F _mercer mercer\n";
    return out;
}

// Returns an entry for zsh's _describe: 'name:description'.
std::string zsh_entry(const std::string& name, const std::string& about) {
    return single_quoted(name + ":" + menu_text(about));
}

std::string zsh(const std::vector<command_entry>& all) {
    std::string out =
        "#compdef mercer\n"
        "# Completes command lines of mercer in zsh; made by `mercer completion zsh`.\n"
        "_mercer() {\n"
        "    local at=mercer previous=${words[CURRENT-1]} i\n"
        "    local -a commands options choices\n"
        "    for ((i = 2; i < CURRENT; ++i)); do\n"
        "        case \"$at ${words[i]}\" in\n";
    for (const auto& each : all)
        if (each.path.size() > 1)
            out += fmt::format("            ({}) at={};;\n", single_quoted(each.words()), single_quoted(each.words()));
    out += "        esac\n    done\n    case \"$at $previous\" in\n";
    for (const auto& each : all)
        for (const auto& option : each.options) {
            if (option.value.empty()) continue;
            std::string names;
            for (const auto& name : option.names)
                names += (names.empty() ? "" : "|") + single_quoted(each.words() + " " + name);
            out += fmt::format("        ({}) ", names);
            if (!option.choices.empty())
                out += fmt::format("choices=({}); _describe choice choices; return;;\n", join(option.choices, " "));
            else
                out += option.is_file() ? "_files; return;;\n"
                                        : fmt::format("_message {}; return;;\n", single_quoted(option.value));
        }
    out += "    esac\n    case \"$at\" in\n";
    for (const auto& each : all) {
        std::string commands, options;
        for (std::size_t i = 0; i < each.commands.size(); ++i)
            commands += " " + zsh_entry(each.commands[i], each.descriptions[i]);
        for (const auto& option : each.options)
            for (const auto& name : option.names) options += " " + zsh_entry(name, option.about);
        out += fmt::format("        ({}) commands=({} ) options=({} ) choices=({});;\n", single_quoted(each.words()),
                           commands, options, words_without_name(each));
    }
    out +=
        "    esac\n"
        "    if [[ ${words[CURRENT]} == -* ]]; then\n"
        "        _describe option options\n"
        "    elif (( $#commands )); then\n"
        "        _describe command commands\n"
        "    else\n"
        "        (( $#choices )) && _describe word choices\n"
        "        _files\n"
        "    fi\n"
        "}\n"
        "if [[ ${funcstack[1]} == _mercer ]]; then _mercer \"$@\"; else compdef _mercer mercer; fi\n";
    return out;
}

std::string fish(const std::vector<command_entry>& all) {
    std::string out =
        "# Completes command lines of mercer in fish; made by `mercer completion fish`.\n"
        "function __mercer_at\n"
        "    set -l at mercer\n"
        "    for word in (commandline -opc)[2..-1]\n"
        "        switch \"$at $word\"\n";
    for (const auto& each : all)
        if (each.path.size() > 1)
            out += fmt::format("            case {}\n                set at {}\n", single_quoted(each.words()),
                               single_quoted(each.words()));
    out +=
        "        end\n"
        "    end\n"
        "    test \"$at\" = \"$argv\"\n"
        "end\n"
        "complete -c mercer -f -n '__mercer_at mercer'\n";
    for (const auto& each : all) {
        const std::string here = fmt::format("complete -c mercer -n '__mercer_at {}'", each.words());
        for (std::size_t i = 0; i < each.commands.size(); ++i)
            out += fmt::format("{} -f -a {} -d {}\n", here, each.commands[i],
                               single_quoted(menu_text(each.descriptions[i])));
        if (const std::string words = words_without_name(each); !words.empty())
            out += fmt::format("{} -a {}\n", here, single_quoted(words));
        for (const auto& option : each.options) {
            out += here;
            for (const auto& name : option.names)
                out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
            if (!option.choices.empty())
                out += fmt::format(" -x -a {}", single_quoted(join(option.choices, " ")));
            else if (!option.value.empty())
                out += option.is_file() ? " -r -F" : " -x";
            out += fmt::format(" -d {}\n", single_quoted(menu_text(option.about)));
        }
    }
    return out;
}

std::string completion_script(const std::vector<command_entry>& all, const std::string& shell) {
    return shell == "bash" ? bash(all) : shell == "zsh" ? zsh(all) : fish(all);
}

}  // namespace

void add_completion(CLI::App& program) {
    CLI::App* completion =
        add_command(program, "completion", "Print a script for shell completion",
                    "Prints a script that completes command lines of mercer in bash, zsh or fish. `make install` "
                    "installs the scripts for all three shells.");
    const auto shell = std::make_shared<std::string>();
    completion->add_option("SHELL", *shell, "Shell: bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    completion->footer(
        "bash reads the script from ~/.local/share/bash-completion/completions/mercer, zsh from the file _mercer in a "
        "folder of $fpath, fish from ~/.config/fish/completions/mercer.fish.\n"
        "\nExamples:\n"
        "  source <(mercer completion bash)\n"
        "  mercer completion zsh > _mercer\n"
        "  mercer completion fish > mercer.fish");
    completion->callback([shell, &program] { print(completion_script(command_table(program), *shell)); });
}

}  // namespace mercer::cli
