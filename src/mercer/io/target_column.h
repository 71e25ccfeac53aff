// Collects the targets of a file, of a folder with a sub-folder for each class, and of graphs.
#pragma once

#include <cstddef>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/io/tsv.h"

namespace mercer::detail {

// The labels of one file. If all are numbers and no class names are given, they become table::y. Otherwise table::y
// contains positions in table::class_names, which are the given names or the sorted names of the file.
class label_column {
public:
    // Adds a label, whose bytes must live until finish() or copy_names(). `offset` is its position in the text.
    void add(std::string_view label, std::size_t offset);
    // Copies labels that are names, so that finish() reads no page of the mapped text again.
    void copy_names();
    // Appends the labels of the next chunk of the file.
    void append(label_column&& next);
    // Sets y and class_names of `out`. `known` are the given class names: if there are any, a label that is none of
    // them is an error at its position in the text of the file `name`.
    void finish(const std::string& name, std::string_view text, const std::vector<std::string>& known, table& out);

private:
    struct entry {
        std::string_view text;
        std::size_t offset;
    };
    std::vector<entry> entries_;
    std::deque<std::string> converted_;            // copies of labels; a deque does not move its elements
    std::vector<std::deque<std::string>> copies_;  // the copies of appended chunks
    std::vector<double> numbers_;                  // the labels as numbers, up to the first that is none
};

// Returns the entries of a folder, sorted by name, without those whose names begin with '.'.
std::vector<std::filesystem::path> folder_entries(const std::filesystem::path& folder);

// Returns the class of a sub-folder, which is its name. Throws if `known` is not empty and does not contain it.
std::string folder_class(const std::filesystem::path& folder, const std::vector<std::string>& known);

// Labels that are not in the text of a file, one for each object.
class label_list {
public:
    void add(std::string_view label);
    void finish(const std::string& name, const std::vector<std::string>& known, table& out) const;

private:
    std::string text_;  // one label per line
    std::vector<std::pair<std::size_t, std::size_t>> places_;
};

// The targets of graphs: all graphs have a target, or none has. add() reports errors, because it knows the file: graphs
// may come from several files.
class graph_targets {
public:
    explicit graph_targets(const tsv_options& options) : options_(options) {}

    // Adds the label of the next graph. `offset` is the position of the label in the file, or of a graph without label.
    void add(std::optional<std::string> label, const std::string& name, std::string_view text, std::size_t offset);
    void finish(table& out);

private:
    const tsv_options& options_;
    std::optional<bool> first_;       // true if the first graph has a label
    std::deque<std::string> copies_;  // a deque does not move its elements
    label_column labels_;
};

}  // namespace mercer::detail
