// Strings, sets, multisets and trees, one a line, with tabs between the fields and no quoting.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/data/trees.h"
#include "mercer/io/all_formats.h"

namespace mercer {

struct tsv_options {
    bool labelled = true;
    // Class names in the order of a training set; then every label has to be one of them. Empty: the names in the file,
    // sorted.
    std::vector<std::string> classes{};
    // Sets: the names of items 0, 1, … of a training set; new items get the numbers after them.
    std::vector<std::string> dictionary{};
    // Sets: an item's number is item_number of its name, as Python and records have it; there is no dictionary then.
    bool numbered_by_name = false;
    // Sets: items are separated by tabs only, so that they may hold blanks.
    bool items_by_tab = false;
};

// `label<TAB>…<TAB>text`: the first field is the label, the last one the string; fields between them are skipped. Not
// labelled: the last field is the string, and a blank line is the empty one. Where there are labels, blank lines are
// skipped.
table read_strings(const std::string& path, const tsv_options& options = {});
table parse_strings(std::string_view text, const std::string& name, const tsv_options& options = {});

// `label<TAB>item item item`, items being words separated by blanks or tabs; not labelled: only items, and a blank line
// is the empty set. feature_names of the result is the dictionary: pass it when reading the test set, so that the same
// item gets the same number.
table read_sets(const std::string& path, const tsv_options& options = {});
table parse_sets(std::string_view text, const std::string& name, const tsv_options& options = {});

// `label<TAB>item:count item …` in the same way; an item without a count is there once, repeated ones are added up. An
// item holds no ':'.
table parse_multisets(std::string_view text, const std::string& name, const tsv_options& options = {});

// `label<TAB>(S (NP dogs) (VP bark))` in the same way, trees as io/tsv.h has them.
table parse_trees(std::string_view text, const std::string& name, const tsv_options& options = {});

const file_format& strings_format();
const file_format& sets_format();
const file_format& multisets_format();
const file_format& trees_format();

// Trees in brackets, as treebanks write them: (S (NP (D the) (N dog)) (VP barks)).

// `part` of `text`, which is the whole file `name`: faults name file, line and column. A label is any bytes but blanks
// and brackets; after \ these too. A node without children may stand in brackets or not; one label is a tree, nothing
// but blanks an empty one. Treebanks put every tree into a node without a label: that one is left out.
tree parse_tree(std::string_view part, const std::string& name, std::string_view text);

}  // namespace mercer
