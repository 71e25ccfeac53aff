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

#include <string>
#include <string_view>

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
