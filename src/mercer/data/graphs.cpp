#include "mercer/data/graphs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer {
namespace {

template <class... Args>
void demand(bool ok, fmt::format_string<Args...> message, Args&&... args) {
    if (!ok) fail(errc::invalid_argument, fmt::format(message, std::forward<Args>(args)...));
}

void check(const graph_parts& p) {
    demand(p.nodes >= 0 && p.nodes < graph::max_ends, "a graph must have 0 to {} nodes, got {}", graph::max_ends - 1,
           p.nodes);
    const auto n = static_cast<std::size_t>(p.nodes);
    demand(p.labels.empty() || p.labels.size() == n, "a graph of {} nodes needs one label per node, got {} labels", n,
           p.labels.size());
    demand(p.attributes >= 0 && p.values.size() == n * static_cast<std::size_t>(p.attributes),
           "{} nodes of {} attributes each need one number per attribute and node, got {} numbers", n, p.attributes,
           p.values.size());
    for (std::size_t i = 0; i < p.values.size(); ++i)
        demand(std::isfinite(p.values[i]), "attributes must be finite, got {} at node {}", p.values[i],
               i / static_cast<std::size_t>(p.attributes));
    for (const graph_edge& e : p.edges)
        for (const std::int32_t end : {e.from, e.to})
            demand(end >= 0 && end < p.nodes, "an edge leads from node {} to node {}, but the graph has nodes 0 to {}",
                   e.from, e.to, p.nodes - 1);
}

}  // namespace

graph::graph(graph_parts p) {
    check(p);
    auto made = std::make_shared<rows>();
    made->directed = p.directed;
    made->attributes = p.nodes == 0 ? 0 : p.attributes;
    // Edges of an undirected graph are stored in both directions, so that each node has all its edges.
    if (const std::size_t given = p.edges.size(); !p.directed) {
        p.edges.reserve(2 * given);
        for (std::size_t k = 0; k < given; ++k) p.edges.push_back({p.edges[k].to, p.edges[k].from, p.edges[k].label});
    }
    std::ranges::sort(p.edges);
    p.edges.erase(std::unique(p.edges.begin(), p.edges.end()), p.edges.end());
    demand(static_cast<index>(p.edges.size()) <= max_ends, "a graph can have at most {} ends of edges, got {}",
           max_ends, p.edges.size());
    const auto is_set = [](std::int64_t label) { return label != 0; };
    made->start.assign(static_cast<std::size_t>(p.nodes) + 1, 0);
    const bool labelled = std::ranges::any_of(p.edges, is_set, &graph_edge::label);
    made->to.reserve(p.edges.size());
    if (labelled) made->edge_label.reserve(p.edges.size());
    for (const graph_edge& e : p.edges) {
        ++made->start[static_cast<std::size_t>(e.from) + 1];
        made->to.push_back(e.to);
        if (labelled) made->edge_label.push_back(e.label);
    }
    for (std::size_t v = 1; v < made->start.size(); ++v) made->start[v] += made->start[v - 1];
    if (std::ranges::any_of(p.labels, is_set)) made->label = std::move(p.labels);
    for (double& value : p.values) value += 0.0;  // -0 is 0
    made->value = std::move(p.values);
    if (p.nodes > 0 || p.directed) held_ = std::move(made);
}

std::vector<graph_edge> graph::edges() const {
    std::vector<graph_edge> out;
    for (index v = 0; v < nodes(); ++v) {
        const auto to = neighbours(v);
        const auto labels = edge_labels(v);
        for (std::size_t k = 0; k < to.size(); ++k)
            if (directed() || v <= to[k])
                out.push_back({static_cast<std::int32_t>(v), to[k], labels.empty() ? 0 : labels[k]});
    }
    return out;
}

std::partial_ordering graph::operator<=>(const graph& other) const {
    static const rows nothing{false, 0, {0}, {}, {}, {}, {}};
    if (held_ == other.held_) return std::partial_ordering::equivalent;
    return (held_ ? *held_ : nothing) <=> (other.held_ ? *other.held_ : nothing);
}

std::string graphs::text(index i) const {
    const graph& g = (*this)[i];
    std::string out = "{\"nodes\": ";
    auto to = std::back_inserter(out);
    if (g.has_labels())
        fmt::format_to(to, "[{}]", join(g.held_->label, ", "));
    else
        fmt::format_to(to, "{}", g.nodes());
    if (g.directed()) out += ", \"directed\": true";
    out += ", \"edges\": [";
    const char* comma = "";
    for (const graph_edge& e : g.edges()) {
        fmt::format_to(to, "{}[{}, {}", comma, e.from, e.to);
        if (g.has_edge_labels()) fmt::format_to(to, ", {}", e.label);
        out += "]";
        comma = ", ";
    }
    out += "]";
    if (g.attributes() > 0) {
        out += ", \"attributes\": [";
        for (index v = 0; v < g.nodes(); ++v) fmt::format_to(to, "{}[{}]", v ? ", " : "", join(g.values(v), ", "));
        out += "]";
    }
    return out + "}";
}

// Writes the sizes and flags of all graphs, then the arrays of each graph.
void graphs::write(byte_writer& to) const {
    std::vector<index> nodes, ends, attributes;
    std::vector<std::uint8_t> flags;
    for (index i = 0; i < size(); ++i) {
        const graph& g = (*this)[i];
        nodes.push_back(g.nodes());
        ends.push_back(g.ends());
        attributes.push_back(g.attributes());
        flags.push_back(static_cast<std::uint8_t>(g.directed() | g.has_labels() << 1 | g.has_edge_labels() << 2));
    }
    to.write_numbers(nodes);
    to.write_numbers(ends);
    to.write_numbers(attributes);
    to.write_numbers(flags);
    for (index i = 0; i < size(); ++i) {
        if (nodes[static_cast<std::size_t>(i)] == 0) continue;
        const graph::rows& rows = *(*this)[i].held_;
        to.write_numbers(std::span(rows.start).subspan(1));
        to.write_numbers(rows.to);
        to.write_numbers(rows.edge_label);
        to.write_numbers(rows.label);
        to.write_numbers(rows.value);
    }
}

graphs graphs::read(byte_reader& from, index count) {
    const auto nodes = from.read_offsets(count), ends = from.read_offsets(count), attributes = from.read_offsets(count);
    const auto flags = from.read_numbers<std::uint8_t>(count);
    std::vector<graph> made;
    made.reserve(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        const auto size_of = [i](const std::vector<index>& starts) { return starts[i + 1] - starts[i]; };
        graph::rows rows{(flags[i] & 1) != 0, size_of(attributes), {0}, {}, {}, {}, {}};
        const index n = size_of(nodes), m = size_of(ends);
        const auto right = [&](bool ok) {
            if (!ok) fail(errc::parse, fmt::format("graph {} of the file is damaged", i));
        };
        right(n < graph::max_ends && m <= graph::max_ends && rows.attributes <= graph::max_ends && flags[i] < 8);
        const auto stops = from.read_numbers<std::int32_t>(n);
        rows.start.insert(rows.start.end(), stops.begin(), stops.end());
        rows.to = from.read_numbers<std::int32_t>(m);
        if (flags[i] & 4) rows.edge_label = from.read_numbers<std::int64_t>(m);
        if (flags[i] & 2) rows.label = from.read_numbers<std::int64_t>(n);
        rows.value = from.read_numbers<double>(n * rows.attributes);
        right(std::ranges::is_sorted(rows.start) && rows.start.back() == m);
        graph_parts parts{n, {}, rows.label, rows.attributes, rows.value, rows.directed};
        for (std::size_t v = 0; v + 1 < rows.start.size(); ++v)
            for (auto k = static_cast<std::size_t>(rows.start[v]); k < static_cast<std::size_t>(rows.start[v + 1]); ++k)
                parts.edges.push_back(
                    {static_cast<std::int32_t>(v), rows.to[k], rows.edge_label.empty() ? 0 : rows.edge_label[k]});
        try {
            made.emplace_back(std::move(parts));
        } catch (const error& wrong) {
            fail(errc::parse, fmt::format("graph {} of the file: {}", i, wrong.what()));
        }
        right(n == 0 || *made.back().held_ <=> rows == 0);  // sorted, no repeats, both directions
    }
    return graphs(std::move(made));
}

std::int64_t label_of(std::string_view word) {
    std::int64_t number = 0;
    const char* const first = word.data() + (word.starts_with('+') && !word.starts_with("+-") ? 1 : 0);
    const char* const last = word.data() + word.size();
    if (const auto [end, fault] = std::from_chars(first, last, number); fault == std::errc() && end == last)
        return number;
    std::uint64_t hash = 14695981039346656037ull;
    for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
    return static_cast<std::int64_t>(hash);
}

}  // namespace mercer
