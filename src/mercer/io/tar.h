// The files in a tape archive (POSIX ustar), where they lie.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mercer::detail {

struct tar_member {
    std::string name;
    std::string_view bytes;
};

bool is_tar(std::string_view bytes);
// Plain files only; folders, links and what extensions of the format add are skipped.
std::vector<tar_member> tar_members(const std::string& name, std::string_view bytes);

}  // namespace mercer::detail
