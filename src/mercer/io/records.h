// Records: tables whose columns are of different kinds, as comma-separated text or as one JSON object a line.
#pragma once

#include <map>
#include <string>

#include "mercer/data/dataset.h"
#include "mercer/io/format.h"

namespace mercer {

struct record_options {
    // What a field must hold, as the kernel has it: "vectors", "strings", "sets", … Of others the values say it.
    std::map<std::string, std::string> kinds{};
};
std::string kind_asked(const record_options& options, const std::string& field);  // "": none

// Comma-separated text with a header. A column of numbers is a field of vectors with one coordinate, any other a field
// of strings; of sets, words with blanks between them, or trees in brackets where the kernel compares these. The column
// of targets is options.csv.label, as for csv.
table parse_csv_records(const source& file, const read_options& options);
// {"title": "…", "price": 3, "tags": ["a", "b"], "label": "good"}: numbers and lists of numbers are vectors, texts are
// strings, lists of texts are sets, objects graphs, points or multisets, and so on (json_values.h). The targets are
// under options.csv.label, or under "label" where it is empty.
table parse_json_records(const source& file, const read_options& options);

// The one or the other, by its first letter: no header of a table begins with a brace.
table parse_records(const source& file, const read_options& options);

const file_format&
records_format();  // "records": has to be named where it is comma-separated, for such a file is csv too
const file_format& json_records_format();  // "jsonl"

}  // namespace mercer
