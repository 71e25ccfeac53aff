// Trees in brackets, as treebanks write them: (S (NP (D the) (N dog)) (VP barks)).
#pragma once

#include <string>
#include <string_view>

#include "mercer/data/trees.h"

namespace mercer {

// `part` of `text`, which is the whole file `name`: faults name file, line and column. A label is any bytes but blanks
// and brackets; after \ these too. A node without children may stand in brackets or not; one label is a tree, nothing
// but blanks an empty one. Treebanks put every tree into a node without a label: that one is left out.
tree parse_tree(std::string_view part, const std::string& name, std::string_view text);

}  // namespace mercer
