// Reads strings, sets, multisets and trees, one per line, with tabs between the fields and without quotes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/data/trees.h"
#include "mercer/io/all_formats.h"

namespace mercer {

// How lines are read: with or without labels, and how items are numbered.
struct tsv_options {
    bool labelled = true;  // lines begin with a label
    // The class names of the training set, in its order: y[i] is a position in this list, and a label that is not in
    // the list throws errc::data. Empty: the class names are the different labels of the file, sorted.
    std::vector<std::string> classes{};
    // Sets: the names of items 0, 1, … of the training set; new items get the next numbers.
    std::vector<std::string> dictionary{};
    // Sets: the number of an item is item_number() of its name, as in Python and in records; the dictionary is not
    // used.
    bool number_items_by_name = false;
    // Sets: items are separated by tabs only, so that they may contain blanks.
    bool items_separated_by_tab = false;
};

// `label<TAB>…<TAB>text`: the first field is the label, the last field the string; the fields between them are skipped.
// Blank lines are skipped. If options.labelled is false, the last field is the string, and a blank line is the empty
// string.
table read_strings(const std::string& path, const tsv_options& options = {});
table parse_strings(std::string_view text, const std::string& name, const tsv_options& options = {});

// `label<TAB>item item item`: items are words separated by blanks or tabs. If options.labelled is false, a line has
// only items, and a blank line is the empty set. feature_names of the result is the dictionary: pass it when reading
// the test set, so that the same item gets the same number.
table read_sets(const std::string& path, const tsv_options& options = {});
table parse_sets(std::string_view text, const std::string& name, const tsv_options& options = {});

// `label<TAB>item:count item …`, like sets. An item without a count occurs once; the counts of repeated items are
// added. An item must not contain ':'.
table parse_multisets(std::string_view text, const std::string& name, const tsv_options& options = {});

// `label<TAB>(S (NP dogs) (VP bark))`, with trees in the form of parse_tree().
table parse_trees(std::string_view text, const std::string& name, const tsv_options& options = {});

const file_format& strings_format();
const file_format& sets_format();
const file_format& multisets_format();
const file_format& trees_format();

// Parses a tree in the brackets of treebanks: (S (NP (D the) (N dog)) (VP barks)). `part` is a part of `text`, the
// contents of the file `name`, for the line and column of errors. A label consists of any bytes except blanks and
// brackets, which need a \ before them. A node without children may have brackets or not; a single label is a tree, and
// only blanks are the empty tree. Treebanks put every tree into a root without a label, which is removed.
tree parse_tree(std::string_view part, const std::string& name, std::string_view text);

}  // namespace mercer
