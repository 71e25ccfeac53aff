// What readers of folders with a sub-folder for each class share.
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

// Labels of one file. All numbers: y holds them. Otherwise y holds positions in class_names: the sorted names, or the
// given ones.
class label_column {
public:
    // `label` must live until finish(); `offset` is its place in the text.
    void add(std::string_view label, std::size_t offset);
    // Labels that are names get memory of their own: the text need not be looked at again.
    void own_names();
    // The labels that follow, from another part of the file.
    void append(label_column&& next);
    // A label that is not among `known` (when there are any) fails at its place.
    void finish(const std::string& name, std::string_view text, const std::vector<std::string>& known, table& out);

private:
    struct entry {
        std::string_view text;
        std::size_t offset;
    };
    std::vector<entry> entries_;
    std::deque<std::string> converted_;          // labels that were not UTF-8; never moves what it holds
    std::vector<std::deque<std::string>> kept_;  // those of other parts
    std::vector<double> numbers_;                // of the first entries, while all are numbers
};

// What is in a folder, in the order of the names, without what starts with '.'.
std::vector<std::filesystem::path> folder_entries(const std::filesystem::path& folder);

// The class a sub-folder stands for: its name. Fails unless it is one of the known ones, where there are any.
std::string class_of_folder(const std::filesystem::path& folder, const std::vector<std::string>& known);

// Labels that no text holds: one for each object.
class label_list {
public:
    void add(std::string_view label);
    void finish(const std::string& name, const std::vector<std::string>& known, table& out) const;

private:
    std::string text_;  // each on a line of its own
    std::vector<std::pair<std::size_t, std::size_t>> places_;
};

// The targets of graphs: every graph has one, or none has. What is wrong with one is said at its place, for the graphs
// may come from several files.
class graph_targets {
public:
    explicit graph_targets(const tsv_options& options) : options_(options) {}

    // The label of the next graph, which stands at that byte of the file; or the graph does, where it has none.
    void add(std::optional<std::string> label, const std::string& name, std::string_view text, std::size_t offset);
    void finish(table& out);

private:
    const tsv_options& options_;
    std::optional<bool> first_;     // whether the first graph has one
    std::deque<std::string> kept_;  // never moves what it holds
    label_column labels_;
};

}  // namespace mercer::detail
