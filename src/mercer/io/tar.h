// Finds the files in a tape archive (POSIX ustar) without copying them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mercer::detail {

struct tar_member {
    std::string name;
    std::string_view bytes;
};

// Returns true if the bytes begin like an archive.
bool is_tar(std::string_view bytes);
// Returns the regular files; folders, links and entries of extensions of the format are skipped.
std::vector<tar_member> tar_members(const std::string& name, std::string_view bytes);

}  // namespace mercer::detail
