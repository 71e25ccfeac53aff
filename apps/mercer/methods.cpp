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

std::string as_markdown(const std::vector<const api::method*>& wanted) {
    std::string out =
        "# Methods\n\n"
        "Written by `mercer methods --markdown` from the registry; a test checks that it is up to date.\n\n"
        "In the program `mercer fit METHOD DATA --set name=value`, in C++ `fit(METHOD{.name = value}, data)` after\n"
        "`#include <mercer/mercer.h>`.\n";
    std::string family;
    for (const auto* each : wanted) {
        if (family != name(each->family)) {
            family = name(each->family);
            out += fmt::format("\n## {}{}\n", static_cast<char>(std::toupper(family[0])), family.substr(1));
        }
        out += fmt::format("\n### {}\n\n{}: `{}`  \n", each->name, each->about, each->formula);
        if (!each->aliases.empty()) out += fmt::format("Also called `{}`.  \n", join(each->aliases, "`, `"));
        out +=
            fmt::format("{}{}{}.\n",
                        each->takes_kernel     ? "Takes a kernel"
                        : each->takes_features ? "Works on vectors as they are, on other objects by a kernel's features"
                                               : "Works on vectors as they are",
                        each->can_predict ? ", predicts" : "", each->can_transform ? ", transforms" : "");
        if (each->options.empty()) continue;
        out += "\n| option | default | condition | meaning |\n|---|---|---|---|\n";
        for (const auto& o : each->options) {
            std::string needs;
            for (const auto& need : o.needs) {
                needs += need.values.empty() ? fmt::format("; only with `{}`", need.option)
                         : need.values.front().empty()
                             ? fmt::format("; only without `{}`", need.option)
                             : fmt::format("; only with `{}={}`", need.option, join(need.values, "|"));
                for (const auto& other : need.alternatives)
                    needs += fmt::format(" or `{}={}`", other.option, join(other.values, "|"));
            }
            out +=
                fmt::format("| `{}` | {} | {} | {}{} |\n", o.name,
                            o.default_value.empty() ? "" : "`" + o.default_value + "`", o.condition(), o.about, needs);
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
    CLI::App* command = add_command(program, "methods", "List all methods and their options",
                                    "Lists all methods, or describes the options of one: defaults, ranges and "
                                    "meaning.");
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
