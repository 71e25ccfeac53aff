// mercer kernel list: all registered kernels. docs/kernels.md is the output of --markdown.
#include <fmt/format.h>

#include "kernel.h"
#include "mercer/base/text.h"
#include "mercer/data/all_kinds.h"
#include "mercer/kernels/expression/listed_kernels.h"

namespace mercer::cli {
namespace {

struct list_options {
    common_options common;
    bool markdown = false;
    std::string only;
};

bool is_listed(const list_options& options, object_kind where) {
    return options.only.empty() || where == object_kind::any || options.only == name(where);
}

std::string kind_text(object_kind where) { return where == object_kind::any ? "any objects" : name(where); }

std::string call_form(const kernel_info& info) {
    std::string inside;
    for (const auto& p : info.parameters)
        inside += (inside.empty() ? "" : ", ") + p.name + (p.initial.empty() ? "" : "=" + p.initial);
    return fmt::format("{}({})", info.name, inside);
}

std::string traits_text(const traits& t) {
    std::string out;
    for (const auto& [has, word] :
         {std::pair{t.stationary, "stationary"}, {t.radial, "radial"}, {t.normalised, "normalised"}})
        if (has) out += (out.empty() ? "" : ", ") + std::string(word);
    return out;
}

json as_json(const list_options& options) {
    json kernels = json::array(), algebra = json::array();
    for (const auto& each : kernel_registry()) {
        const kernel_info& info = each.info;
        if (!is_listed(options, info.kind)) continue;
        json parameters = json::array();
        for (const auto& p : info.parameters)
            parameters.push_back({{"name", p.name},
                                  {"default", p.initial.empty() ? json(nullptr) : json(p.initial)},
                                  {"condition", p.condition},
                                  {"about", p.about}});
        kernels.push_back({{"name", info.name},
                           {"aliases", info.aliases},
                           {"formula", info.formula},
                           {"kind", name(info.kind)},
                           {"mercer", info.mercer},
                           {"rule", info.rule},
                           {"traits",
                            {{"stationary", info.properties.stationary},
                             {"radial", info.properties.radial},
                             {"normalised", info.properties.normalised}}},
                           {"parameters", parameters}});
    }
    for (const auto& each : algebra_registry())
        algebra.push_back({{"form", each.form}, {"meaning", each.meaning}, {"rule", each.rule}});
    return {{"kernels", kernels}, {"algebra", algebra}};
}

std::string as_text(const list_options& options) {
    std::string out;
    for (const object_kind where : all_object_kinds()) {
        if (!is_listed(options, where)) continue;
        std::string part;
        for (const auto& each : kernel_registry()) {
            const kernel_info& info = each.info;
            if (info.kind != where) continue;
            part +=
                fmt::format("  {:<22} {}{}\n", info.name, info.formula, info.mercer ? "" : "   [not a Mercer kernel]");
            if (!info.aliases.empty()) part += fmt::format("    also called {}\n", join(info.aliases, ", "));
            for (const auto& p : info.parameters)
                part +=
                    fmt::format("    {:<20} {:<24} {}\n",
                                p.name + (p.initial.empty() ? " (required)" : " = " + p.initial), p.condition, p.about);
        }
        if (!part.empty()) out += fmt::format("Kernels on {}\n{}\n", kind_text(where), part);
    }
    out += "Kernels from kernels\n";
    std::vector<std::vector<std::string>> lines;
    for (const auto& each : algebra_registry()) lines.push_back({each.form, each.meaning, each.rule});
    return out + align_table(lines, {false, false, false});
}

std::string code(const std::string& text) { return text.empty() ? "" : fmt::format("`{}`", text); }

std::string as_markdown(const list_options& options) {
    std::string out =
        "# Kernels\n\n"
        "Fit a method with a kernel, or look at a kernel:\n\n"
        "    mercer fit svc DATA --kernel 'rbf(gamma=0.5)'\n"
        "    mercer kernel show '0.5*rbf(gamma=0.1) + normalize(poly(degree=2))'\n\n"
        "A kernel is written as `name(parameter=value, ...)`. Parameters with a default may be left out, and values\n"
        "may be given without names in the order of the table. [Operations](#kernels-from-kernels) make new kernels\n"
        "from kernels.\n\n"
        "In formulas `x'z` is the inner product of two vectors, `|x|` the norm and `x_a` feature a of x.\n"
        "*Proof* is the reason why all matrices of the kernel are positive semidefinite, as `mercer kernel show` "
        "prints\n"
        "it. *Properties*: stationary kernels are functions of x - z, radial kernels are functions of |x - z|,\n"
        "normalised kernels have k(x, x) = 1.\n\n"
        "This page is the output of `mercer kernel list --markdown`.\n";
    for (const object_kind where : all_object_kinds()) {
        std::string part;
        for (const auto& each : kernel_registry()) {
            const kernel_info& info = each.info;
            if (info.kind != where || !is_listed(options, where)) continue;
            part +=
                fmt::format("\n### {}\n\n{}  \nExpression: {}", info.name, code(info.formula), code(call_form(info)));
            if (!info.aliases.empty()) part += fmt::format(", also called {}", code(join(info.aliases, "`, `")));
            part += ".  \n";
            if (const std::string words = traits_text(info.properties); !words.empty())
                part += fmt::format("Properties: {}.  \n", words);
            part += fmt::format("{} {}\n", info.mercer ? "*Proof:*" : "**Not a Mercer kernel:**", info.rule);
            if (info.parameters.empty()) continue;
            part += "\n| parameter | default | values | meaning |\n|---|---|---|---|\n";
            for (const auto& p : info.parameters)
                part += fmt::format("| {} | {} | {} | {} |\n", code(p.name),
                                    p.initial.empty() ? "required" : code(p.initial), escape_cell(code(p.condition)),
                                    escape_cell(p.about));
        }
        if (!part.empty()) out += fmt::format("\n## On {}\n{}", kind_text(where), part);
    }
    out += "\n## Kernels from kernels\n\n| expression | meaning | is it a kernel? |\n|---|---|---|\n";
    for (const auto& each : algebra_registry())
        out += fmt::format("| {} | {} | {} |\n", escape_cell(code(each.form)), escape_cell(each.meaning),
                           escape_cell(each.rule));
    return out;
}

}  // namespace

void add_kernel_list(CLI::App& group) {
    CLI::App* command = add_command(group, "list", "List all kernels and how to combine them",
                                    "Lists all kernels with formulas and parameters, and the operations that combine "
                                    "kernels.");
    const auto options = std::make_shared<list_options>();
    std::vector<std::string> kinds;
    for (const object_kind where : all_object_kinds())
        if (where != object_kind::any) kinds.emplace_back(name(where));
    command
        ->add_option("--kind", options->only,
                     "List only kernels on this kind of object (see the list below; default: all)")
        ->option_text("KIND")
        ->check(CLI::IsMember(kinds));
    options->common.add_to(*command);
    command->add_flag("--markdown", options->markdown, "Print the list as Markdown, as in docs/kernels.md")
        ->excludes(command->get_option("--json"))
        ->group("Output");
    command->footer("Kinds of object: " + join(kinds, ", ") +
                    ".\n"
                    "\nExamples:\n"
                    "  mercer kernel list\n"
                    "  mercer kernel list --kind strings");
    command->callback([options] {
        if (options->common.as_json)
            print(as_json(*options));
        else
            print(options->markdown ? as_markdown(*options) : as_text(*options));
    });
}

}  // namespace mercer::cli
