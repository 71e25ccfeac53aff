#include "mercer/data/readers/objects/text_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "mercer/base/error.h"
#include "mercer/data/kinds/strings.h"
#include "mercer/data/readers/read.h"
#include "mercer/data/readers/source.h"
#include "mercer/data/readers/text.h"

namespace mercer {
namespace {

namespace fs = std::filesystem;

// What is in a folder, in the order of the names, without what starts with '.'.
std::vector<fs::path> entries(const fs::path& folder) {
    std::vector<fs::path> out;
    std::error_code failed;
    for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
        if (!at->path().filename().string().starts_with('.')) out.push_back(at->path());
    if (failed) fail(errc::io, fmt::format("{}: {}", folder.string(), failed.message()));
    std::ranges::sort(out, {}, [](const fs::path& each) { return each.string(); });
    return out;
}

bool is_text_name(const fs::path& file) {
    std::string end = file.extension().string();
    if (end == ".gz" || end == ".xz") end = file.stem().extension().string();
    return end.empty() || end == ".txt" ||
           (end.size() > 1 && std::all_of(end.begin() + 1, end.end(), [](unsigned char c) { return std::isdigit(c); }));
}

bool is_text_folder(const std::string& path) {
    bool any = false;
    for (const fs::path& each : entries(path)) {
        if (!fs::is_directory(each)) {
            if (each.filename().string().starts_with("README")) continue;
            return false;
        }
        for (const fs::path& file : entries(each)) {
            if (!fs::is_regular_file(file) || !is_text_name(file)) return false;
            any = true;
        }
    }
    return any;
}

}  // namespace

table read_text_folder(const std::string& path, const tsv_options& options) {
    std::vector<std::string> items;
    std::string places;  // the class of each text on a line of its own
    std::vector<std::pair<std::size_t, std::size_t>> labels;
    const auto add = [&](const fs::path& file) {
        const source bytes = read_source(file.string());
        items.emplace_back(detail::without_mark(bytes.bytes()));
    };
    for (const fs::path& each : entries(path)) {
        if (fs::is_regular_file(each) && !options.labelled) add(each);
        if (!fs::is_directory(each)) continue;
        const std::string name = detail::as_utf8(each.filename().string());
        if (options.labelled && !options.classes.empty() &&
            std::ranges::find(options.classes, name) == options.classes.end())
            fail(errc::data, fmt::format("{}: expected one of the {} known classes, got {}", each.string(),
                                         options.classes.size(), detail::quoted(name)));
        for (const fs::path& file : entries(each)) {
            if (!fs::is_regular_file(file)) continue;
            add(file);
            labels.emplace_back(places.size(), name.size());
            places += name + "\n";
        }
    }
    if (items.empty())
        fail(errc::data,
             fmt::format("{}: expected a sub-folder for each class and a file for each text, got none", path));
    table result;
    if (options.labelled) {
        detail::label_column column;
        for (const auto& [at, size] : labels) column.add(std::string_view(places).substr(at, size), at);
        column.finish(path, places, options.classes, result);
    }
    result.x = strings(std::move(items));
    return result;
}

const file_format& texts_format() {
    static const file_format about{
        "texts", {}, nullptr, nullptr, is_text_folder, [](const std::string& path, const read_options& options) {
            return read_text_folder(path, options.tsv);
        }};
    return about;
}

}  // namespace mercer
