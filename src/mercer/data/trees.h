// n rooted ordered trees whose nodes have texts as labels: parse trees of sentences, formulas, documents.
#pragma once

#include "mercer/data/object_kind.h"

namespace mercer {

// A node of a tree and the size of its subtree.
struct tree_node {
    std::string label{};
    std::int32_t size = 1;  // number of nodes of the subtree, this node included
    auto operator<=>(const tree_node&) const = default;
};

// Nodes in preorder, so that a subtree is a range of nodes.
struct tree {
    std::vector<tree_node> nodes{};

    index size() const { return static_cast<index>(nodes.size()); }
    const tree_node& operator[](index v) const { return nodes[static_cast<std::size_t>(v)]; }
    bool is_leaf(index v) const { return (*this)[v].size == 1; }
    // The children of v: for (c = v + 1; c < subtree_end(v); c = subtree_end(c))
    index subtree_end(index v) const { return v + (*this)[v].size; }
    std::string text(index v = 0) const;  // the subtree of v: (S (NP dogs) (VP bark)); "" if there are no nodes
    auto operator<=>(const tree&) const = default;
};

class trees : public item_list<trees, tree> {
public:
    static constexpr object_kind kind{"trees"};
    static constexpr const char* default_kernel = "subset_trees()";

    trees() = default;
    // Throws errc::invalid_argument if the sizes of the subtrees are inconsistent or a leaf has no label.
    explicit trees(std::vector<tree> items);

    std::string text(index i) const { return (*this)[i].text(); }  // in the format that is read from files
    void write(byte_writer& to) const;
    static trees read(byte_reader& from, index count);
};

}  // namespace mercer
