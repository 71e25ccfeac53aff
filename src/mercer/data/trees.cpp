#include "mercer/data/trees.h"

#include <fmt/format.h>

#include "mercer/base/error.h"

namespace mercer {
namespace {

// Appends a label in the format of the reader: a character that would end the label is preceded by a backslash.
void append_label(std::string& to, const std::string& label) {
    for (const char c : label) {
        if (std::string_view("() \t\r\n\\").find(c) != std::string_view::npos) to += '\\';
        to += c;
    }
}

std::vector<tree> checked(std::vector<tree> items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
        const tree& one = items[i];
        const auto demand = [&](bool ok, index v) {
            if (!ok)
                fail(errc::invalid_argument,
                     fmt::format("tree {}: the subtree of node {} goes beyond the end of the tree", i, v));
        };
        if (one.size() > 0) demand(one[0].size == one.size(), 0);
        for (index v = 0; v < one.size(); ++v) {
            demand(one[v].size >= 1 && one[v].size <= one.size() - v, v);
            if (one.is_leaf(v) && one[v].label.empty())
                fail(errc::invalid_argument, fmt::format("tree {}: a leaf must have a label, node {} has none", i, v));
            index child = v + 1;
            while (child < one.subtree_end(v)) {
                demand(one[child].size >= 1 && one[child].size <= one.subtree_end(v) - child, child);
                child = one.subtree_end(child);
            }
        }
    }
    return items;
}

}  // namespace

std::string tree::text(index v) const {
    if (size() == 0) return "";
    std::string out;
    std::vector<index> open;  // ends of the subtrees whose bracket is still open
    for (index u = v; u < subtree_end(v); ++u) {
        if (u > v) out += ' ';
        if (!is_leaf(u) || u == v) {
            out += '(';
            open.push_back(subtree_end(u));
        }
        append_label(out, (*this)[u].label);
        for (; !open.empty() && open.back() == u + 1; open.pop_back()) out += ')';
    }
    return out;
}

trees::trees(std::vector<tree> items) : item_list(checked(std::move(items))) {}

void trees::write(byte_writer& to) const {
    std::vector<index> counts;
    for (index i = 0; i < size(); ++i) counts.push_back((*this)[i].size());
    to.write_numbers(counts);
    for (index i = 0; i < size(); ++i) {
        std::vector<std::int32_t> sizes;
        std::vector<index> lengths;
        for (const tree_node& each : (*this)[i].nodes) {
            sizes.push_back(each.size);
            lengths.push_back(static_cast<index>(each.label.size()));
        }
        to.write_numbers(sizes);
        to.write_numbers(lengths);
        for (const tree_node& each : (*this)[i].nodes) to.write_numbers(std::span<const char>(each.label));
    }
}

trees trees::read(byte_reader& from, index count) {
    const auto start = from.read_offsets(count);
    std::vector<tree> items;
    for (std::size_t i = 0; i + 1 < start.size(); ++i) {
        const index nodes = start[i + 1] - start[i];
        const auto sizes = from.read_numbers<std::int32_t>(nodes);
        const auto labels = from.read_offsets(nodes);
        tree one;
        for (std::size_t v = 0; v < sizes.size(); ++v)
            one.nodes.push_back({std::string(from.read_text(labels[v + 1] - labels[v])), sizes[v]});
        items.push_back(std::move(one));
    }
    return trees(std::move(items));
}

}  // namespace mercer
