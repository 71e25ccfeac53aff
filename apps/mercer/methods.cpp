// mercer methods: all methods with their options. docs/methods.md is the output of --markdown.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>

#include "fit.h"
#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer::cli {
namespace {

struct method_list_options {
    std::string only;
    bool markdown = false;
    common_options common;
};

// Begins the text with a capital, unless its first word is a symbol such as the k of k-means.
std::string sentence(std::string text) {
    if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[0])) && text[1] != '-' && text[1] != ' ')
        text[0] = static_cast<char>(std::toupper(text[0]));
    return text;
}

std::string as_markdown(const std::vector<const api::method*>& wanted) {
    std::string out =
        "# Methods\n\n"
        "Fit a model by a method, with options, and store it in a file:\n\n"
        "    mercer fit METHOD DATA --set NAME=VALUE ... -o MODEL\n"
        "    mercer fit svc data/iris.svm --set C=10 multiclass=ovr -o iris.model\n\n"
        "In C++ the options are the members of a struct: `fit(METHOD{.NAME = VALUE}, data)` after\n"
        "`#include <mercer/mercer.h>`. In Python they are parameters of a class ([python.md](python.md)).\n"
        "`mercer methods METHOD` prints the options of one method.\n\n"
        "In a formula, x and y are the examples and their targets, k the kernel and φ its map into the feature space.\n"
        "The column *values* of a table names the allowed values. A list of numbers is written `a,b,c`, or\n"
        "`low:high:count` for `count` values from `low` to `high` with equal ratios (`0.01:100:5` is\n"
        "`0.01,0.1,1,10,100`).\n\n"
        "This page is the output of `mercer methods --markdown`.\n";
    std::string family;
    for (const auto* each : wanted) {
        if (family != name(each->family)) {
            family = name(each->family);
            out += fmt::format("\n## {}{}\n", static_cast<char>(std::toupper(family[0])), family.substr(1));
        }
        out += fmt::format("\n### {}\n\n{}.  \nFormula: `{}`  \n", each->name, sentence(each->about), each->formula);
        if (!each->aliases.empty()) out += fmt::format("Also called `{}`.  \n", join(each->aliases, "`, `"));
        out += fmt::format("Input: {}. The model can {}.\n",
                           each->takes_kernel     ? "objects that a kernel compares"
                           : each->takes_features ? "vectors, or the explicit features of a kernel"
                                                  : "vectors; takes no kernel",
                           !each->can_transform ? "predict"
                           : each->can_predict  ? "predict and transform"
                                                : "transform");
        if (each->options.empty()) continue;
        out += "\n| option | default | values | meaning |\n|---|---|---|---|\n";
        for (const auto& o : each->options) {
            const std::string needs = o.requirements("`");
            out += fmt::format("| `{}` | {} | {} | {}{}{} |\n", o.name,
                               o.default_value.empty() ? "" : "`" + o.default_value + "`", escape_cell(o.condition()),
                               escape_cell(o.about), needs.empty() ? "" : "; ", escape_cell(needs));
        }
        for (const auto& o : each->options) {
            if (o.choice_meanings.empty()) continue;
            out += fmt::format("\nChoices of `{}`:\n\n", o.name);
            for (const auto& [choice, meaning] : o.choice_meanings) out += fmt::format("- `{}`: {}\n", choice, meaning);
        }
    }
    return out;
}

json as_json(const api::method& m) {
    json options = json::array();
    for (const auto& o : m.options)
        options.push_back(
            {{"name", o.name}, {"default", o.default_value}, {"condition", o.condition()}, {"about", o.about}});
    return {{"name", m.name},
            {"aliases", m.aliases},
            {"family", name(m.family)},
            {"about", m.about},
            {"problem", m.formula},
            {"kernel", m.takes_kernel},
            {"kernel_features", m.takes_features},
            {"targets", m.targets == api::target_kind::classes  ? "classes"
                        : m.targets == api::target_kind::values ? "values"
                                                                : "none"},
            {"predicts", m.can_predict},
            {"transforms", m.can_transform},
            {"options", options}};
}

void list(const method_list_options& options) {
    std::vector<const api::method*> wanted;
    if (options.only.empty()) {
        for (const auto& each : api::methods()) wanted.push_back(&each);
    } else {
        try {
            wanted.push_back(&api::find_method(options.only));
        } catch (const error& wrong) {
            throw usage_error(wrong.what());
        }
    }
    if (options.common.as_json) {
        json all = json::array();
        for (const auto* each : wanted) all.push_back(as_json(*each));
        return print(json{{"methods", all}});
    }
    if (options.markdown) return print(as_markdown(wanted));
    if (!options.only.empty()) {
        std::string text = api::help(*wanted[0]);
        if (!wanted[0]->aliases.empty()) text += fmt::format("  also called {}\n", join(wanted[0]->aliases, ", "));
        return print(text);
    }
    std::string text, family;
    for (const auto* each : wanted) {
        if (family != name(each->family)) {
            family = name(each->family);
            text += fmt::format("{}{}\n", text.empty() ? "" : "\n", family);
        }
        std::string names;
        for (const auto& o : each->options) names += (names.empty() ? "" : ", ") + o.name;
        text += fmt::format("  {:<18} {}\n", each->name, each->about);
        if (!names.empty()) text += fmt::format("  {:<18}   options: {}\n", "", names);
    }
    print(text +
          "\n`mercer methods METHOD` explains the options; `mercer fit METHOD DATA --set name=value` uses them.\n");
}

}  // namespace

void add_methods(CLI::App& program) {
    CLI::App* command =
        add_command(program, "methods", "List all methods and their options",
                    "Lists the methods that `mercer fit` accepts as METHOD, or describes the options of "
                    "one method: default, allowed values and meaning.");
    const auto options = std::make_shared<method_list_options>();
    command->add_option("METHOD", options->only, "Method to describe (default: list all methods)");
    options->common.add_to(*command);
    command->add_flag("--markdown", options->markdown, "Print the list as Markdown, as in docs/methods.md")
        ->excludes(command->get_option("--json"))
        ->group("Output");
    command->footer(
        "Examples:\n"
        "  mercer methods\n"
        "  mercer methods svc");
    command->callback([options] { list(*options); });
}

}  // namespace mercer::cli
