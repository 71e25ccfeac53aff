// The file formats and their list. A reader describes in one function how its files are recognised and read
// (`const file_format& csv_format()`); the list in all_formats.cpp has the order in which detect_format() tries the
// formats on a file whose name does not decide. A new format is a new reader and its line in this list.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/io/file_contents.h"

namespace mercer {

struct read_options;

// The type of the numbers that a reader produces: float (f32) or double (f64). natural: the type in the file, which is
// f64 for text.
enum class precision { natural, f32, f64 };

// The contents of a file, for the detection of its format.
struct file_beginning {
    std::string_view bytes;                    // the whole file
    std::string_view first_line, second_line;  // the first two lines that are neither blank nor a comment (#), trimmed
};

// The description of a file format: its name, its detection and its functions.
struct file_format {
    const char* name;                                // the name for users: "csv"
    std::vector<std::string_view> endings;           // endings of file names: ".csv"
    bool (*looks_like)(const file_beginning& file);  // null: the contents do not decide, the format must be given
    table (*parse)(const file_contents& file, const read_options& options);
    // Return true if the folder `path` is a data set of this format, and read it; null for formats of single files.
    bool (*is_folder)(const std::string& path) = nullptr;
    table (*read_folder)(const std::string& path, const read_options& options) = nullptr;
    // Cuts `text`, the beginning of a file, to a complete file of its first `rows` rows. Returns false, without a
    // change, if `text` does not contain all these rows. Null: only whole files can be read.
    bool (*cut_to_rows)(std::string& text, index rows, const read_options& options) = nullptr;
};

// Returns all formats, in the order of detection.
std::span<const file_format* const> all_formats();
// Returns the format of this name. Throws errc::invalid_argument, with the list of all names, if there is none.
const file_format& find_file_format(std::string_view name);
std::string format_names();  // "libsvm, csv, …"

}  // namespace mercer
