// Files that are read for one purpose, and are something else if they do not begin as such files do.
#pragma once

#include <string>
#include <string_view>

#include "mercer/io/file_contents.h"

namespace mercer {

// The whole file, as read_source() reads it, where `is_expected` holds of its first 4 KB unpacked (fewer where the file
// ends before); else these bytes alone, for the caller's parser to refuse. So a packed file that is something else is
// not unpacked first, whatever size it has. A pipe is read whole.
source read_expected(const std::string& path, bool (*is_expected)(std::string_view beginning));

// Whether a text begins with the '{' of a JSON object, blanks left out.
bool begins_json_object(std::string_view text);

}  // namespace mercer
