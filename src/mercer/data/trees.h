// n rooted trees whose children have an order and whose nodes have texts as labels: sentences as a parser sees them,
// formulas, documents.
#pragma once

#include "mercer/data/object_kind.h"

namespace mercer {

struct tree_node {
    std::string label{};
    std::int32_t size = 1;  // nodes of its subtree, with itself
    auto operator<=>(const tree_node&) const = default;
};

// Every node before its children, and these in their order, so that a subtree is a run of nodes.
struct tree {
    std::vector<tree_node> nodes{};

    index size() const { return static_cast<index>(nodes.size()); }
    const tree_node& operator[](index v) const { return nodes[static_cast<std::size_t>(v)]; }
    bool is_leaf(index v) const { return (*this)[v].size == 1; }
    // The children of v: for (c = v + 1; c < after(v); c = after(c))
    index after(index v) const { return v + (*this)[v].size; }
    std::string text(index v = 0) const;  // the subtree of v in brackets, (S (NP dogs) (VP bark)); "" for no node
    auto operator<=>(const tree&) const = default;
};

class trees : public item_list<trees, tree> {
public:
    static constexpr domain where{"trees"};
    static constexpr const char* default_kernel = "subset_trees()";

    trees() = default;
    // Fails where the sizes of subtrees are not those of one tree, or a leaf has no label.
    explicit trees(std::vector<tree> items);

    std::string text(index i) const { return (*this)[i].text(); }  // as the reader takes it
    void write(object_sink& to) const;
    static trees read(object_source& from, index count);
};

}  // namespace mercer
