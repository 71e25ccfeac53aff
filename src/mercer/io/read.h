// Any data file.
#pragma once

#include <string>
#include <string_view>

#include "mercer/io/all_formats.h"
#include "mercer/io/csv.h"
#include "mercer/io/image_files.h"
#include "mercer/io/libsvm.h"
#include "mercer/io/npy.h"
#include "mercer/io/records.h"
#include "mercer/io/tsv.h"

namespace mercer {

struct read_options {
    const file_format* format = nullptr;     // null: found out
    precision numbers = precision::natural;  // of every format; those inside `libsvm` and `csv` are not looked at
    libsvm_options libsvm{};
    csv_options csv{};
    tsv_options tsv{};
    record_options records{};
    bool other_files = true;  // whether a file may name others that are read too, or have labels beside it
    index most_pixels = most_decoded_pixels;  // of an image
};

// The format by the end of the name (.svm .csv .npy .strings …, also with .gz or .xz after it), else by the first
// lines: `number index:value …` is libsvm; fields separated by tabs of which the last is text, with a label before it,
// are strings; other fields separated by ',', ';' or tabs are csv. Sets look like strings, so they have to be named.
const file_format& detect_format(const std::string& path, std::string_view bytes);

// A file, or a folder where the format is one.
table read_table(const std::string& path, const read_options& options = {});
// The same for bytes that were read before: a pipe cannot be read twice.
table parse_table(const source& file, const read_options& options = {});

}  // namespace mercer
