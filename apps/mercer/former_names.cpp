#include "former_names.h"

#include <algorithm>
#include <string_view>

namespace mercer::cli {
namespace {

struct former_option {
    const char* command;  // "kernel list"; empty: every command that has the present option and not the former one
    const char* former;
    const char* present;
};

// clang-format off
constexpr former_option former_options[] = {
    {"", "--label", "--target"},
    {"", "--memory", "--max-memory"},
    {"", "--out", "--output"},
    {"compare-solvers", "--constant", "--bias"},
    {"compare-solvers", "--epochs", "--max-epochs"},
    {"compare-solvers", "--seconds", "--max-seconds"},
    {"explain", "--picture", "--svg"},
    {"explain", "--save", "--output"},
    {"fit", "--accuracy", "--trace-tol"},
    {"fit", "--factors", "--factorisation"},
    {"kernel list", "--domain", "--kind"},
    {"learn", "--seconds", "--max-seconds"},
    {"regions", "--seconds", "--max-seconds"},
    {"scale", "--like", "--scaling"},
    {"serve", "--clients", "--max-connections"},
    {"test independence", "--random", "--seed"},
    {"test two-sample", "--random", "--seed"},
};

struct former_value {
    const char* option;  // its present name
    const char* former;
    const char* present;
};
constexpr former_value former_values[] = {
    {"--factorisation", "alone", "local"},
    {"--factorisation", "together", "distributed"},
    {"--missing", "fill", "impute"},
    {"--search", "model", "bayes"},
};

// A key that an object of an answer has, and its other name, which is added. Only objects that have the key `beside`
// too are meant, if it is given, because other objects use the name for something else.
struct renamed_key {
    const char* present;
    const char* former;
    const char* beside;
};
constexpr renamed_key renamed_keys[] = {
    {"duality_gap", "gap", "gap"},        // the end of a fit; not where has_kkt_gap()
    {"kind", "domain", "formula"},        // kernel list
    {"kind", "domain", "formulas"},       // kernel show
    {"silhouette_examples", "judged", ""},  // cluster
    {"n_features", "coordinates", ""},    // describe, fit
    {"fits", "machines", "machines"},     // learn
    {"unexplained_trace", "out_of_reach", ""},  // Nyström methods
};
// clang-format on

bool has_option(const CLI::App& command, const std::string& name) {
    return command.get_option_no_throw(name) != nullptr;
}

std::string present_option(const CLI::App& command, const std::string& path, const std::string& name) {
    for (const former_option& each : former_options)
        if (name == each.former && (path == each.command || (!*each.command && !has_option(command, name))) &&
            has_option(command, each.present))
            return each.present;
    return name;
}

std::string present_value(const std::string& option, const std::string& value) {
    for (const former_value& each : former_values)
        if (option == each.option && value == each.former) return each.present;
    return value;
}

// The fit of a support vector machine with an unpenalised offset reports the largest violation of the KKT conditions as
// its gap, which is no duality gap. Only these methods have support vectors and no option fit_intercept.
bool has_kkt_gap(const nlohmann::ordered_json& object) {
    return object.contains("support_vectors") && !object.contains("fit_intercept");
}

bool applies(const renamed_key& key, const nlohmann::ordered_json& object) {
    if (key.former == std::string_view("gap") && has_kkt_gap(object)) return false;
    const auto at = object.find(key.present), former = object.find(key.former);
    if ((at == object.end()) == (former == object.end())) return false;
    if (*key.beside && !object.contains(key.beside)) return false;
    const auto& value = at == object.end() ? *former : *at;
    return !value.is_structured();  // lists of these names are something else
}

}  // namespace

std::vector<std::string> replace_former_names(const CLI::App& program, int argc, const char* const* argv) {
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    const CLI::App* command = &program;
    std::string path;
    for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
        if (!words[i].starts_with('-')) {
            for (const CLI::App* each : command->get_subcommands([](const CLI::App*) { return true; }))
                if (each->get_name() == words[i]) {
                    command = each;
                    path += (path.empty() ? "" : " ") + words[i];
                    break;
                }
            continue;
        }
        const std::size_t equal = std::min(words[i].find('='), words[i].size());
        const std::string name = present_option(*command, path, words[i].substr(0, equal));
        if (equal < words[i].size()) {
            words[i] = name + "=" + present_value(name, words[i].substr(equal + 1));
            continue;
        }
        words[i] = name;
        const CLI::Option* option = command->get_option_no_throw(name);
        const int values = option ? option->get_items_expected_min() : 0;
        for (int taken = 0; taken < values && i + 1 < words.size(); ++taken, ++i)
            if (taken == 0) words[i + 1] = present_value(name, words[i + 1]);
    }
    return words;
}

bool has_renamed_key(const nlohmann::ordered_json& value) {
    if (value.is_object() &&
        std::ranges::any_of(renamed_keys, [&](const renamed_key& key) { return applies(key, value); }))
        return true;
    return value.is_structured() && std::ranges::any_of(value, has_renamed_key);
}

void add_renamed_keys(nlohmann::ordered_json& value) {
    if (!value.is_structured()) return;
    for (auto& each : value) add_renamed_keys(each);
    if (!value.is_object()) return;
    for (const renamed_key& key : renamed_keys) {
        if (!applies(key, value)) continue;
        nlohmann::ordered_json both = nlohmann::ordered_json::object();
        for (const auto& [name, each] : value.items())
            if (name == key.present || name == key.former)
                both[key.present] = each, both[key.former] = each;
            else
                both[name] = each;
        value = std::move(both);
    }
}

}  // namespace mercer::cli
