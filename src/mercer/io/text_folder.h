// A folder of texts: a sub-folder for each class, a file for each text.
#pragma once

#include "mercer/io/all_formats.h"
#include "mercer/io/tsv.h"

namespace mercer {

// Classes and files in the order of their names; files that start with '.' are left out, packed ones are unpacked. Not
// labelled: the classes do not matter, and files that lie in the folder itself are read too.
table read_text_folder(const std::string& path, const tsv_options& options = {});

// Known by its files: all in sub-folders, with names that end in .txt or have no end but digits.
const file_format& texts_format();

}  // namespace mercer
