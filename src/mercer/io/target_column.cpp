#include "mercer/io/target_column.h"

#include <fmt/format.h>

#include <algorithm>

#include "mercer/base/error.h"

namespace mercer::detail {

namespace fs = std::filesystem;

std::vector<fs::path> folder_entries(const fs::path& folder) {
    std::vector<fs::path> out;
    std::error_code failed;
    for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
        if (!at->path().filename().string().starts_with('.')) out.push_back(at->path());
    if (failed) fail(errc::io, fmt::format("{}: {}", folder.string(), failed.message()));
    std::ranges::sort(out, {}, [](const fs::path& each) { return each.string(); });
    return out;
}

std::string class_of_folder(const fs::path& folder, const std::vector<std::string>& known) {
    std::string name = as_utf8(folder.filename().string());
    if (!known.empty() && std::ranges::find(known, name) == known.end())
        fail(errc::data, fmt::format("{}: expected one of the {} known classes, got {}", folder.string(), known.size(),
                                     detail::quoted(name)));
    return name;
}

void label_list::add(std::string_view label) {
    places_.emplace_back(text_.size(), label.size());
    text_ += label;
    text_ += '\n';
}

void label_list::finish(const std::string& name, const std::vector<std::string>& known, table& out) const {
    label_column column;
    for (const auto& [at, size] : places_) column.add(std::string_view(text_).substr(at, size), at);
    column.finish(name, text_, known, out);
}

}  // namespace mercer::detail
