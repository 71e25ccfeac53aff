// Records: tables whose columns are of different kinds, as comma-separated text or as one JSON object a line.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/data/graphs.h"
#include "mercer/data/point_clouds.h"
#include "mercer/data/sets.h"
#include "mercer/io/all_formats.h"
#include "mercer/io/json.h"

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

namespace detail {

// The values of one field of JSON lines, and the objects they are:
//
//     a text                        strings; trees in brackets where the kernel compares trees
//     a number, true, false         vectors of one coordinate
//     a list of numbers             vectors; series where the kernel compares series
//     a list of lists of numbers    series of vectors
//     a list of texts               sets
//     {"nodes": …, "edges": …}      graphs, as io/json_graphs.h has them
//     {"elements": ["O", "H"], "coordinates": [[0, 0, 0], …]}   points; elements may be missing
//     {"item": 3, …}                multisets

enum class json_form { one, list, lists, graph, points, counts };

struct json_value {
    json_form form = json_form::one;
    std::vector<std::string> texts{};  // of one value or a list
    std::vector<double> numbers{};     // of one value, a list, or lists one after the other
    index width = 0;                   // numbers of each of the lists
    std::optional<mercer::graph> graph{};
    point_cloud cloud{};
    std::vector<counted_item> counts{};
    std::size_t offset = 0;
};

json_value read_json_value(json_cursor& at);

// The values of one field in all lines.
class json_field {
public:
    json_field(const std::string& file, std::string_view text, const std::string& name,
               const std::vector<json_value>& values)
        : file_(file), text_(text), name_(name), values_(values) {}

    // As objects of the kind of that name; "": of the kind that the values say. Fails at the first that is none.
    dataset values(const std::string& asked) const;

private:
    [[noreturn]] void wrong(const json_value& at, const std::string& expected) const;
    std::string kind() const;
    dataset as_strings() const;
    dataset as_sets() const;
    dataset as_trees() const;
    dataset as_numbers() const;
    dataset as_series() const;
    template <class Kind, class Item, class Take>
    dataset as_objects(json_form form, const std::string& expected, Take take) const;

    const std::string& file_;
    std::string_view text_;
    const std::string& name_;
    const std::vector<json_value>& values_;
};

}  // namespace detail
}  // namespace mercer
