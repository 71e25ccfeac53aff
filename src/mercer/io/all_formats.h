// Every file format, in the order in which a file without a telling name is tried. A new one is a reader of its own and
// its name in the list of all_formats.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/io/file_contents.h"

namespace mercer {

// File formats. A reader says once how its files are recognised and read (`const file_format& csv_format()`), and has
// its place in the list of all_formats.h.

struct read_options;

// The numbers a reader produces. natural: what the file holds (text is f64).
enum class precision { natural, f32, f64 };

// How a file begins.
struct file_beginning {
    std::string_view bytes;               // all of them
    std::string_view first_line, second;  // without blank lines and comments; the first of a table may be a header
};

struct file_format {
    const char* name;                                // as people say which it is
    std::vector<std::string_view> ends;              // of file names: ".csv"
    bool (*looks_like)(const file_beginning& file);  // null: such a file has to be named
    table (*parse)(const source& file, const read_options& options);
    // For formats that are a folder of files; null for all others.
    bool (*is_folder)(const std::string& path) = nullptr;
    table (*read_folder)(const std::string& path, const read_options& options) = nullptr;
    // Cuts the beginning of a file to a file of its first rows; false, and nothing is changed, where the beginning does
    // not hold all of them. Null: such a file is read whole.
    bool (*cut_to_rows)(std::string& text, index rows, const read_options& options) = nullptr;
};

std::span<const file_format* const> all_formats();
const file_format& file_format_named(std::string_view name);  // fails with the list of names
std::string names_of_formats();                               // "libsvm, csv, …"

}  // namespace mercer
