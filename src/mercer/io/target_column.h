// What readers of folders with a sub-folder for each class share.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/readers_text.h"

namespace mercer::detail {

// What is in a folder, in the order of the names, without what starts with '.'.
std::vector<std::filesystem::path> folder_entries(const std::filesystem::path& folder);

// The class a sub-folder stands for: its name. Fails unless it is one of the known ones, where there are any.
std::string class_of_folder(const std::filesystem::path& folder, const std::vector<std::string>& known);

// Labels that no text holds: one for each object.
class label_list {
public:
    void add(std::string_view label);
    void finish(const std::string& name, const std::vector<std::string>& known, table& out) const;

private:
    std::string text_;  // each on a line of its own
    std::vector<std::pair<std::size_t, std::size_t>> places_;
};

}  // namespace mercer::detail
