// GraphML (Brandes et al. 2002): one or more <graph> in a file, or a folder of such files in the order of their names.
//
// The key named "label" of a node or an edge is its label: a whole number or a word; the one of a graph is its target.
// Other keys of nodes whose type is a number are attributes, in the order in which they are declared. Keys of other
// types, hyperedges and ports are not looked at; graphs within nodes are refused. An edge may say that it is directed;
// in an undirected graph no edge may.
#pragma once

#include "mercer/io/all_formats.h"
#include "mercer/io/tsv.h"

namespace mercer {

table parse_graphml(std::string_view text, const std::string& name, const tsv_options& options = {});
table read_graphml_folder(const std::string& folder, const tsv_options& options = {});

const file_format& graphml_format();

}  // namespace mercer
