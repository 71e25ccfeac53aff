// The target and the task.
#include "mercer/model_selection/choose_automatically.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

namespace mercer::api {

target_choice choose_target(const text_table& from) {
    for (const char* usual : {"target", "label", "class", "y", "outcome", "response", "species", "category"})
        for (std::size_t c = 0; c < from.columns() && from.named(); ++c) {
            std::string name = from.names()[c];
            std::ranges::transform(name, name.begin(), [](unsigned char ch) { return std::tolower(ch); });
            if (name == usual) return {c, "by its name"};
        }
    return {from.columns() - 1, "the last column"};
}

// Whole numbers are classes where there are few of them and each comes again and again: grades of a wine, letters. Ages
// and counts have rare values.
task_choice choose_task(const table& data) {
    constexpr std::size_t most_classes = 30;
    if (data.y.empty()) return {"one_class", "there are no targets"};
    if (!data.class_names.empty()) return {"classification", fmt::format("{} class names", data.class_names.size())};
    std::map<double, index> counts;
    for (const double y : data.y)
        if (++counts[y]; counts.size() > most_classes) break;
    const bool whole = std::ranges::all_of(data.y, [](double y) { return y == std::floor(y); });
    const bool again = std::ranges::all_of(counts, [](const auto& each) { return each.second >= 2; }) &&
                       data.y.size() >= 4 * counts.size();
    if (whole && counts.size() <= most_classes && (again || counts.size() <= 2))
        return {"classification", fmt::format("{} different whole numbers", counts.size())};
    counts.clear();
    for (const double y : data.y) ++counts[y];
    return {"regression", fmt::format("{} different numbers", counts.size())};
}

}  // namespace mercer::api
