// Reads the first rows of a file; the rest of the file is neither read nor unpacked.
#pragma once

#include <cstddef>
#include <string>

#include "mercer/io/file_contents.h"
#include "mercer/io/read.h"

namespace mercer {

// Returns a file_contents with the first `rows` rows of the file, as a complete file, so that column types, class names
// and the number of columns are determined by these rows. Returns the whole file (or the folder) if it has fewer rows
// or if its format has no file_format::cut_to_rows. `max_bytes` is as for read_file(). Throws errc::parse if a row, or
// blank lines between rows, take more than 256 MB.
file_contents read_first_rows(const std::string& path, index rows, const read_options& options,
                              std::size_t max_bytes = 0);

}  // namespace mercer
