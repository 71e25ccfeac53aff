#include "mercer/io/text_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/strings.h"
#include "mercer/io/file_contents.h"
#include "mercer/io/read.h"
#include "mercer/io/target_column.h"

namespace mercer {
namespace {

namespace fs = std::filesystem;

using detail::folder_entries;

bool is_text_name(const fs::path& file) {
    std::string end = file.extension().string();
    if (end == ".gz" || end == ".xz") end = file.stem().extension().string();
    return end.empty() || end == ".txt" ||
           (end.size() > 1 && std::all_of(end.begin() + 1, end.end(), [](unsigned char c) { return std::isdigit(c); }));
}

bool is_text_folder(const std::string& path) {
    bool any = false;
    for (const fs::path& each : folder_entries(path)) {
        if (!fs::is_directory(each)) {
            if (each.filename().string().starts_with("README")) continue;
            return false;
        }
        for (const fs::path& file : folder_entries(each)) {
            if (!fs::is_regular_file(file) || !is_text_name(file)) return false;
            any = true;
        }
    }
    return any;
}

}  // namespace

table read_text_folder(const std::string& path, const tsv_options& options) {
    std::vector<std::string> items;
    detail::label_list labels;
    const auto add = [&](const fs::path& file) {
        const file_contents bytes = read_file(file.string());
        items.emplace_back(detail::without_byte_order_mark(bytes.bytes()));
        bytes.require_untruncated();
    };
    for (const fs::path& each : folder_entries(path)) {
        if (fs::is_regular_file(each) && !options.labelled) add(each);
        if (!fs::is_directory(each)) continue;
        const std::string name =
            detail::folder_class(each, options.labelled ? options.classes : std::vector<std::string>{});
        for (const fs::path& file : folder_entries(each)) {
            if (!fs::is_regular_file(file)) continue;
            add(file);
            labels.add(name);
        }
    }
    if (items.empty())
        fail(errc::data,
             fmt::format("{}: expected a sub-folder for each class and a file for each text, got none", path));
    table result;
    if (options.labelled) labels.finish(path, options.classes, result);
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
