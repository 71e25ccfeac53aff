// Data sets of the TUDataset collection (Morris et al. 2020): a folder, or a tar archive of a folder, with the files
//
//     NAME_A.txt                 "i, j" per line: an edge between nodes i and j, numbered from 1 through all graphs
//     NAME_graph_indicator.txt   line i: the graph of node i, from 1
//     NAME_graph_labels.txt      line g: the class of graph g
//     NAME_node_labels.txt       line i: the label of node i, a whole number or a word
//     NAME_edge_labels.txt       line e: the label of the edge in line e of NAME_A.txt
//     NAME_node_attributes.txt   line i: numbers of node i, separated by commas
//     NAME_graph_attributes.txt  line g: the target of graph g, if there is no file of classes
//
// Only the first two files are required. Graphs are undirected.
#pragma once

#include "mercer/io/all_formats.h"
#include "mercer/io/tsv.h"

namespace mercer {

table read_tudataset(const std::string& folder, const tsv_options& options = {});
// Parses the bytes of a tar archive that is not packed.
table parse_tudataset(std::string_view bytes, const std::string& name, const tsv_options& options = {});

const file_format& tudataset_format();

}  // namespace mercer
