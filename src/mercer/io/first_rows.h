// The first rows of a file, read and unpacked no further than they reach.
#pragma once

#include <cstddef>
#include <string>

#include "mercer/io/file_contents.h"
#include "mercer/io/read.h"

namespace mercer {

// A source that holds the first `rows` rows of a file as if it held no others, so that column types, class names and
// the number of columns are those of these rows. The whole file (or the folder), where it has fewer rows or where its
// format has no beginning that is a file of its own. `most`: read_source.
source read_first_rows(const std::string& path, index rows, const read_options& options, std::size_t most = 0);

}  // namespace mercer
