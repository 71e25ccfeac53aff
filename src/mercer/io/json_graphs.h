// Graphs as JSON lines, one a line:
//
//     {"nodes": ["C", "C", "O"], "edges": [[0, 1], [1, 2, "double"]], "label": "toxic"}
//
// nodes      the number of nodes, or the list of their labels: whole numbers or words
// edges      [from, to] or [from, to, label]; nodes count from 0
// label      the target of the graph: a number or a class
// attributes one list of numbers a node
// directed   true: edges lead one way
// All but nodes may be missing; other members are skipped.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <string>

#include "mercer/base/text.h"
#include "mercer/data/graphs.h"
#include "mercer/io/all_formats.h"
#include "mercer/io/json.h"
#include "mercer/io/tsv.h"

namespace mercer {

// A label where `options` asks for labels: in every line or in none.
table parse_graph_lines(std::string_view text, const std::string& name, const tsv_options& options = {});

// One graph that stands here; its label is not looked at.
graph read_graph(detail::json_cursor& from);

const file_format& graph_lines_format();

}  // namespace mercer

namespace mercer::detail {

// The targets of graphs: every graph has one, or none has. What is wrong with one is said at its place, for the graphs
// may come from several files.

class graph_targets {
public:
    explicit graph_targets(const tsv_options& options) : options_(options) {}

    // The label of the next graph, which stands at that byte of the file; or the graph does, where it has none.
    void add(std::optional<std::string> label, const std::string& name, std::string_view text, std::size_t offset) {
        if (!options_.labelled) return;
        if (!first_) first_ = label.has_value();
        if (*first_ != label.has_value())
            fail_at(errc::parse, name, text, offset,
                    *first_ ? "expected a label of this graph, for the first one has a label"
                            : "expected no label of this graph, for the first one has none");
        if (!label) return;
        const auto& known = options_.classes;
        *label = as_utf8(*label);
        if (!known.empty() && std::ranges::find(known, *label) == known.end())
            fail_at(errc::data, name, text, offset,
                    fmt::format("expected one of the {} known classes, got {}", known.size(), detail::quoted(*label)));
        labels_.add(kept_.emplace_back(std::move(*label)), 0);
    }
    void finish(table& out) {
        if (!kept_.empty()) labels_.finish({}, {}, options_.classes, out);
    }

private:
    const tsv_options& options_;
    std::optional<bool> first_;     // whether the first graph has one
    std::deque<std::string> kept_;  // never moves what it holds
    label_column labels_;
};

}  // namespace mercer::detail
