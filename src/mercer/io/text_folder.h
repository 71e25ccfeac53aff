// Reads a folder of texts, with a sub-folder for each class and a file for each text.
#pragma once

#include "mercer/io/all_formats.h"
#include "mercer/io/tsv.h"

namespace mercer {

// Returns the texts as strings, sorted by class and file name. Files whose names begin with '.' are skipped, packed
// files are unpacked. If options.labelled is false, the classes are ignored, and the files in the folder itself are
// read too.
table read_text_folder(const std::string& path, const tsv_options& options = {});

// Detected by its files: all are in sub-folders, and their names end in .txt, in '.' and digits, or have no ending.
const file_format& texts_format();

}  // namespace mercer
