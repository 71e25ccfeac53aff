// Records, whose fields are objects of different kinds, as comma-separated text or as one JSON object per line.
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

// Options of the readers of records.
struct record_options {
    // The kind of object that the kernel compares in a field, by the name of the field: "vectors", "strings", "sets", …
    // The kinds of the other fields are detected from their values.
    std::map<std::string, std::string> kinds{};
};
// Returns the kind that the options give for a field; empty if they give none.
std::string requested_kind(const record_options& options, const std::string& field);

// Parses comma-separated text with a header. A column of numbers is a field of vectors with one coordinate, any other
// column a field of strings. If the kernel compares sets or trees in a field, its values are sets of words separated by
// blanks, or trees in brackets. The column of targets is options.csv.label, as for csv.
table parse_csv_records(const file_contents& file, const read_options& options);
// Parses JSON lines such as {"title": "…", "weight": 3, "tags": ["a", "b"], "label": "good"}; the table at
// read_json_value lists the kinds of objects. The target is the member options.csv.label, or the member "label" if that
// option is empty.
table parse_json_records(const file_contents& file, const read_options& options);

// Parses a file of records in either format: JSON lines if its first character is '{', otherwise comma-separated text.
table parse_records(const file_contents& file, const read_options& options);

// "records": never detected by the contents, because comma-separated records are also valid csv.
const file_format& records_format();
const file_format& json_records_format();  // "jsonl"

namespace detail {

// The values of one field of JSON lines, and the kind of object that each form gives:
//
//     a text                        strings; trees in brackets if the kernel compares trees
//     a number, true, false         vectors of one coordinate
//     a list of numbers             vectors; series if the kernel compares series
//     a list of lists of numbers    series of vectors
//     a list of texts               sets
//     {"nodes": …, "edges": …}      graphs, in the form of io/json_graphs.h
//     {"elements": ["O", "H"], "coordinates": [[0, 0, 0], …]}   points; elements are optional
//     {"item": 3, …}                multisets

enum class json_form { one, list, lists, graph, points, counts };

struct json_value {
    json_form form = json_form::one;
    std::vector<std::string> texts{};  // forms one and list
    std::vector<double> numbers{};     // forms one, list and lists; the lists are stored one after another
    index width = 0;                   // form lists: the length of each list
    std::optional<mercer::graph> graph{};
    point_cloud cloud{};
    std::vector<counted_item> counts{};
    std::size_t offset = 0;
};

// Parses the value at the cursor.
json_value read_json_value(json_cursor& at);

// The values of one field in all lines of a file.
class json_field {
public:
    json_field(const std::string& file, std::string_view text, const std::string& name,
               const std::vector<json_value>& values)
        : file_(file), text_(text), name_(name), values_(values) {}

    // Returns the values as objects of the kind `requested`; if that is empty, of the kind detected from the values.
    // Throws an error at the first value that is not of this kind.
    dataset values(const std::string& requested) const;

private:
    [[noreturn]] void fail_expecting(const json_value& at, const std::string& expected) const;
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
