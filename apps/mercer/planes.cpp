#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "regions.h"

namespace mercer::cli {
namespace {

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> out;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t to = std::min(text.find(',', from), text.size());
        out.push_back(text.substr(from, to - from));
        from = to + 1;
    }
    return out;
}

std::optional<double> as_number(const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    return text.empty() || *end ? std::nullopt : std::optional(value);
}

index feature(const std::string& text, const table& data) {
    if (const auto at = std::ranges::find(data.feature_names, text); at != data.feature_names.end())
        return at - data.feature_names.begin();
    const auto position = as_number(text);
    const index dims = data.x.dims();
    if (position && *position == static_cast<double>(static_cast<index>(*position)) && *position >= 0 &&
        *position < static_cast<double>(dims))
        return static_cast<index>(*position);
    const std::string names =
        data.feature_names.empty() ? "" : fmt::format(", or one of {}", joined(data.feature_names, ", "));
    fail(errc::invalid_argument,
         fmt::format("--pair: '{}' is no feature: a position from 0 to {} is{}", text, dims - 1, names));
}

}  // namespace

void require_classes(const objects& from, const std::string& path) {
    if (from.data.y.empty()) fail(errc::data, fmt::format("{} has no labels: name their column with --label", path));
    constexpr std::size_t most = 100;
    const std::set<double> labels(from.data.y.begin(), from.data.y.end());
    if (labels.size() > most)
        fail(errc::data, fmt::format("{} has {} different labels: these look like values to predict, not like classes",
                                     path, labels.size()));
}

std::optional<std::pair<index, index>> feature_pair(const std::string& text, const table& data) {
    if (text.empty()) return {};
    if (data.x.kind() != domain::vectors)
        fail(errc::unsupported,
             fmt::format("--pair is for vectors, the data are {}: leave it out", name(data.x.kind())));
    const std::vector<std::string> names = split(text);
    if (names.size() != 2)
        throw usage_error(fmt::format("--pair takes two features with a comma between them, got '{}'", text));
    const index a = feature(names[0], data), b = feature(names[1], data);
    if (a == b) throw usage_error(fmt::format("--pair takes two different features, got '{}'", text));
    return std::pair(a, b);
}

std::pair<std::string, std::vector<double>> named_numbers(const std::string& text, const std::string& option) {
    const std::size_t equal = text.find('=');
    std::pair<std::string, std::vector<double>> out;
    if (equal != std::string::npos && equal > 0) {
        out.first = text.substr(0, equal);
        for (const std::string& each : split(text.substr(equal + 1))) {
            const auto value = as_number(each);
            if (!value) throw usage_error(fmt::format("{}: '{}' is not a number in '{}'", option, each, text));
            out.second.push_back(*value);
        }
    }
    if (out.second.empty()) throw usage_error(fmt::format("{} takes NAME=VALUE,VALUE,..., got '{}'", option, text));
    return out;
}

}  // namespace mercer::cli
