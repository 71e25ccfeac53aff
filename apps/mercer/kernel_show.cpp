// mercer kernel show: formula, traits, feature space and proof of a kernel expression.
#include <fmt/format.h>

#include <set>

#include "kernel.h"
#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/kernels/expression/listed_kernels.h"
#include "mercer/kernels/features/explicit_features.h"
#include "mercer/kernels/features/feature_map.h"

namespace mercer::cli {
namespace {

struct show_options {
    std::string expression;
    index dims = 2;
    common_options common;
};

// Returns the registered kernels that occur in an expression with their formulas, in the order of occurrence.
std::vector<std::pair<std::string, std::string>> formulas(const proof& node) {
    std::vector<std::pair<std::string, std::string>> found;
    std::set<std::string> seen;
    const std::function<void(const proof&)> visit = [&](const proof& at) {
        for (const auto& part : at.parts) visit(part);
        if (!at.parts.empty() || !seen.insert(at.claim).second) return;
        if (const auto* known = find_kernel(at.claim.substr(0, at.claim.find('('))))
            found.emplace_back(at.claim, known->info.formula);
    };
    visit(node);
    return found;
}

json proof_tree_json(const proof& node) {
    json parts = json::array();
    for (const auto& part : node.parts) parts.push_back(proof_tree_json(part));
    return {{"valid", node.valid},           {"claim", node.claim},       {"rule", node.rule},
            {"conditions", node.conditions}, {"at_fault", node.at_fault}, {"parts", parts}};
}

struct feature_space_info {
    std::vector<std::string> names;
    std::string none{};     // the reason why the features are not listed; empty if they are
    bool infinite = false;  // the feature space has infinite dimension
    bool by_data = false;   // the features, and their number, depend on the objects
};

feature_space_info describe_feature_space(const kernel& k, index dims) {
    constexpr index most_features = 1'000'000;
    constexpr double max_steps = 4e6;  // about one second
    if (k.kind() != object_kind::vectors && k.kind() != object_kind::any) {
        if (auto why = missing_features_reason(k)) return {{}, *why, true};
        return {{}, {}, false, true};
    }
    try {
        return {feature_map(k, dims, most_features, max_steps).names()};
    } catch (const error& reason) {
        std::string why = reason.what();
        if (const std::string prefix = "feature_map: "; why.starts_with(prefix)) why.erase(0, prefix.size());
        return {{}, why, reason.code() != errc::memory};
    }
}

void show(const show_options& options) {
    options.common.apply();
    const kernel k = parse_kernel(options.expression);
    const proof why = k.proof();
    const traits t = k.properties();
    const feature_space_info space = describe_feature_space(k, options.dims);
    const auto made_of = formulas(why);
    if (options.common.as_json) {
        json out{{"text", k.text()}, {"kind", name(k.kind())}, {"valid", why.valid}};
        out["formulas"] = json::object();
        for (const auto& [leaf, formula] : made_of) out["formulas"][leaf] = formula;
        out["traits"] = {{"stationary", t.stationary}, {"radial", t.radial}, {"normalised", t.normalised}};
        const bool counted_here = space.none.empty() && !space.by_data;
        out["feature_space"] = {{"dims", options.dims},
                                {"explicit", space.none.empty()},
                                {"size", counted_here ? json(space.names.size()) : json(nullptr)}};
        if (counted_here && space.names.size() <= 1000) out["feature_space"]["names"] = space.names;
        if (!space.none.empty()) out["feature_space"]["why_not"] = space.none;
        out["faults"] = json::array();
        for (const proof* fault : why.faults())
            out["faults"].push_back({{"claim", fault->claim}, {"rule", fault->rule}});
        out["proof"] = proof_tree_json(why);
        return print(out);
    }
    std::string out = fmt::format("k(x, z)    {}\n", k.text());
    for (std::size_t i = 0; i < made_of.size(); ++i)
        out += fmt::format("{:<11}{} = {}\n", i ? "" : "where", made_of[i].first, made_of[i].second);
    out += fmt::format("input      {}\n", k.kind() == object_kind::any ? "objects of any kind" : name(k.kind()));
    std::string words;
    for (const auto& [has, word] : {std::pair{t.stationary, "stationary (a function of x - z)"},
                                    {t.radial, "radial (a function of |x - z|)"},
                                    {t.normalised, "normalised (k(x, x) = 1)"}})
        if (has) words += (words.empty() ? "" : ", ") + std::string(word);
    out += fmt::format("properties {}\n", words.empty() ? "none known" : words);
    if (!space.none.empty()) {
        out += fmt::format("features   {}: {}\n", space.infinite ? "no finite map" : "not listed", space.none);
    } else if (space.by_data) {
        out += fmt::format(
            "features   explicit; their number depends on the {}. `mercer explain MODEL --features` lists them\n",
            name(k.kind()));
    } else {
        constexpr std::size_t most = 12;
        const std::vector<std::string> first(
            space.names.begin(), space.names.begin() + static_cast<std::ptrdiff_t>(std::min(most, space.names.size())));
        out += fmt::format("features   {} for vectors of dimension {}: {}{}\n", space.names.size(), options.dims,
                           join(first, ", "), space.names.size() > most ? ", ..." : "");
    }
    out += fmt::format("\n{}\n{}", why.valid ? "Proven to be a kernel:" : "Not proven to be a kernel:", why.text());
    if (!why.parts.empty())
        for (const proof* fault : why.faults())
            out += fmt::format("\nno proof for: {}\n              {}\n", fault->claim, fault->rule);
    if (!why.valid)
        out += "\nIts matrix of your data may be positive semidefinite all the same: mercer kernel test EXPR DATA\n";
    print(out);
}

}  // namespace

void add_kernel_show(CLI::App& group) {
    CLI::App* command = add_command(
        group, "show", "Show formula, feature space and proof of a kernel",
        "Shows the formula, the properties and the feature space of a kernel expression, and a proof that "
        "the expression is a kernel. If there is no proof, names the part of the expression that lacks one.");
    const auto options = std::make_shared<show_options>();
    command->add_option("EXPR", options->expression, "Kernel expression (see `mercer kernel list`)")->required();
    command->add_option("--dims", options->dims, "Dimension of the vectors whose feature space is shown (default: 2)")
        ->option_text("N")
        ->check(CLI::Range(1, 1000000));
    options->common.add_to(*command);
    command->footer(
        "Each line of a proof is one part of the expression: ✓ if a rule proves that the part is a kernel, ✗ if none "
        "does. The lines indented below it are its premises.\n"
        "\nExamples:\n"
        "  mercer kernel show '0.5*rbf(gamma=0.1) + normalize(poly(degree=3, coef0=1))'\n"
        "  mercer kernel show 'poly(degree=2, coef0=1)' --dims 3\n"
        "  mercer kernel show 'rbf() - 0.1*linear()'");
    command->callback([options] { show(*options); });
}

}  // namespace mercer::cli
