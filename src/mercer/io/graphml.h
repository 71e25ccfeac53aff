// GraphML (Brandes et al. 2002): one or more <graph> in a file, or a folder of such files in the order of their names.
//
// The key named "label" of a node or an edge is its label: a whole number or a word. The key "label" of a graph is its
// target. The other keys of nodes with a numeric type are attributes, in the order of their declarations. Keys of other
// types, hyperedges and ports are ignored; graphs inside nodes are errors. The attribute `directed` of an edge must
// agree with `edgedefault` of its graph.
#pragma once

#include "mercer/io/all_formats.h"
#include "mercer/io/tsv.h"

namespace mercer {

table parse_graphml(std::string_view text, const std::string& name, const tsv_options& options = {});
table read_graphml_folder(const std::string& folder, const tsv_options& options = {});

const file_format& graphml_format();

}  // namespace mercer
