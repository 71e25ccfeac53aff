// Reads a data file or folder of any format as a table: objects, targets and names (table in data/dataset.h).
//
// Example:
//
//     const table iris = read_table("data/iris.svm");
//     assert(iris.x.size() == 150 && iris.x.dims() == 4);
//     read_options how;
//     how.csv.label = "species";
//     const table named = read_table("data/iris.csv", how);
//     assert(named.class_names[0] == "setosa" && named.feature_names[0] == "sepal_length");
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

// Options of read_table(): options of single formats, and options that all formats share.
struct read_options {
    const file_format* format = nullptr;     // null: detected
    precision numbers = precision::natural;  // for every format; libsvm.numbers and csv.numbers are ignored
    libsvm_options libsvm{};
    csv_options csv{};
    tsv_options tsv{};
    record_options records{};
    bool allow_other_files = true;  // a list of images may name files to read, and an array may have a file of labels
    index max_pixels = max_decoded_pixels;  // largest number of pixels of an image
};

// Detects the format by the ending of the name (.svm .csv .npy .strings …, also followed by .gz or .xz), otherwise by
// the first lines: `number index:value …` is libsvm; a label and texts, separated by tabs, are strings; other fields
// separated by ',', ';' or tabs are csv. Sets look like strings, so their format must be given. Throws
// errc::unsupported if no format matches.
const file_format& detect_format(const std::string& path, std::string_view bytes);

// Reads a file, standard input for "-", or a folder if the format is one of folders; gzip and xz are unpacked. Throws
// errc::io if the file cannot be read, errc::parse, with file, line and column, if it does not follow its format,
// errc::data for a value that cannot be used, and errc::unsupported if its format cannot be detected.
table read_table(const std::string& path, const read_options& options = {});
// Parses a file whose bytes are in memory already.
table parse_table(const file_contents& file, const read_options& options = {});

}  // namespace mercer
