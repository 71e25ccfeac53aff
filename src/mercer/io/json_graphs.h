// Graphs as JSON lines, one graph per line:
//
//     {"nodes": ["C", "C", "O"], "edges": [[0, 1], [1, 2, "double"]], "label": "toxic"}
//
// nodes      the number of nodes (at most 10⁶), or the list of their labels: whole numbers or words
// edges      a list of [from, to] or [from, to, label]; nodes are numbered from 0
// label      the target of the graph: a number or a class
// attributes a list of numbers for each node
// directed   true: the edges are directed
// All members but nodes are optional; other members are skipped.
#pragma once

#include <string>
#include <string_view>

#include "mercer/data/graphs.h"
#include "mercer/io/all_formats.h"
#include "mercer/io/json.h"
#include "mercer/io/tsv.h"

namespace mercer {

// Parses the lines of a file. If options.labelled, the label must be in every line or in no line.
table parse_graph_lines(std::string_view text, const std::string& name, const tsv_options& options = {});

// Parses the graph at the cursor; its label is ignored.
graph read_graph(detail::json_cursor& from);

const file_format& graph_lines_format();

}  // namespace mercer
