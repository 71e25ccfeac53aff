#include "mercer/io/json_graphs.h"

#include <fmt/format.h>

#include <cmath>

#include "mercer/base/text.h"
#include "mercer/base/workspace.h"
#include "mercer/data/graphs.h"
#include "mercer/io/json.h"
#include "mercer/io/read.h"
#include "mercer/io/record_ends.h"
#include "mercer/io/target_column.h"

namespace mercer {
namespace {

// The largest number of nodes of a graph whose nodes are not listed: a short line must not allocate any amount of
// memory.
constexpr index max_unlisted_nodes = 1'000'000;

std::int64_t read_label(detail::json_cursor& from) {
    return from.peek() == '"' ? label_of(from.string()) : label_of(from.number_token());
}

index read_whole(detail::json_cursor& from, index most, const std::string& what) {
    detail::json_cursor before = from;
    const double value = from.number();
    if (!(value >= 0 && value <= static_cast<double>(most) && value == std::floor(value))) before.fail_expecting(what);
    return static_cast<index>(value);
}

struct graph_line {
    graph_parts parts;
    bool has_nodes = false;
    std::optional<std::string> label;
    std::size_t label_at = 0;
};

void read_nodes(detail::json_cursor& from, graph_line& to) {
    to.has_nodes = true;
    to.parts.labels.clear();
    if (from.peek() == '[') {
        from.for_each_item([&] { to.parts.labels.push_back(read_label(from)); });
        to.parts.nodes = static_cast<index>(to.parts.labels.size());
    } else {
        to.parts.nodes =
            read_whole(from, max_unlisted_nodes,
                       fmt::format("the list of the labels of the nodes, or the number of nodes (at most {})",
                                   max_unlisted_nodes));
        constexpr std::size_t per_node = 64;  // bytes in the graph and in the features of a kernel
        reserve_workspace(static_cast<std::size_t>(to.parts.nodes) * per_node);
    }
}

void read_edges(detail::json_cursor& from, graph_line& to) {
    from.for_each_item([&] {
        graph_edge edge;
        int place = 0;
        detail::json_cursor whole = from;
        from.for_each_item([&] {
            if (place == 2)
                edge.label = read_label(from);
            else if (place < 2)
                (place == 0 ? edge.from : edge.to) =
                    static_cast<std::int32_t>(read_whole(from, graph::max_ends, "the number of a node, from 0"));
            else
                from.fail_expecting("']': an edge is [from, to] or [from, to, label]");
            ++place;
        });
        if (place < 2) whole.fail_expecting("an edge [from, to] or [from, to, label]");
        to.parts.edges.push_back(edge);
    });
}

void read_attributes(detail::json_cursor& from, graph_line& to) {
    to.parts.values.clear();
    bool first = true;
    from.for_each_item([&] {
        detail::json_cursor whole = from;
        const std::size_t before = to.parts.values.size();
        from.for_each_item([&] { to.parts.values.push_back(from.number()); });
        const auto count = static_cast<index>(to.parts.values.size() - before);
        if (first) to.parts.attributes = count;
        if (count != to.parts.attributes)
            whole.fail_expecting(fmt::format("{} numbers like the first node", to.parts.attributes));
        first = false;
    });
}

graph_line read_line(detail::json_cursor& from) {
    graph_line out;
    from.for_each_member([&](const std::string& key) {
        if (key == "nodes") {
            read_nodes(from, out);
        } else if (key == "edges") {
            read_edges(from, out);
        } else if (key == "attributes") {
            read_attributes(from, out);
        } else if (key == "directed") {
            out.parts.directed = from.boolean();
        } else if (key == "label") {
            const bool text = from.peek() == '"';
            out.label_at = from.offset();
            out.label = text ? from.string() : std::string(from.number_token());
        } else {
            from.skip();
        }
    });
    return out;
}

// Makes the graph of a parsed line. Throws an error at the position `at` if its members contradict each other.
graph make_graph(const detail::json_cursor& at, graph_line& read) {
    if (!read.has_nodes) at.fail_with("expected a member \"nodes\" of the graph, got none");
    try {
        return graph(std::move(read.parts));
    } catch (const error& wrong) {
        at.fail_with(wrong.what());
    }
}

}  // namespace

graph read_graph(detail::json_cursor& from) {
    const detail::json_cursor before = from;
    graph_line read = read_line(from);
    return make_graph(before, read);
}

table parse_graph_lines(std::string_view text, const std::string& name, const tsv_options& options) {
    const std::string_view body = detail::without_byte_order_mark(text);
    std::vector<graph> made;
    detail::graph_targets targets(options);
    std::string_view rest = body, line;
    while (detail::next_line(rest, line)) {
        if (detail::trimmed(line).empty()) continue;
        const auto at = static_cast<std::size_t>(line.data() - body.data());
        detail::json_cursor from(name, body, line);
        const detail::json_cursor before = from;
        graph_line read = read_line(from);
        from.require_end();
        made.push_back(make_graph(before, read));
        targets.add(std::move(read.label), name, body, read.label_at ? read.label_at : at);
    }
    if (made.empty()) fail(errc::data, fmt::format("{}: expected at least one graph, got none", name));
    table out;
    targets.finish(out);
    out.x = graphs(std::move(made));
    return out;
}

namespace {

// Returns true if the line is an object with a member "edges". An object with "edges" inside a member is a record.
bool is_graph_line(std::string_view line) {
    if (!line.starts_with('{') || line.find("\"edges\"") == std::string_view::npos) return false;
    bool found = false;
    try {
        const std::string name;
        detail::json_cursor from(name, line, line);
        from.for_each_member([&](const std::string& key) {
            found = found || key == "edges";
            from.skip();
        });
    } catch (const error&) {
        return true;  // the reader reports the error
    }
    return found;
}

}  // namespace

const file_format& graph_lines_format() {
    static const file_format about{"graphs",
                                   {".graphs", ".graphs.jsonl"},
                                   [](const file_beginning& file) { return is_graph_line(file.first_line); },
                                   [](const file_contents& file, const read_options& options) {
                                       return parse_graph_lines(file.bytes(), file.name(), options.tsv);
                                   },
                                   nullptr,
                                   nullptr,
                                   [](std::string& text, index rows, const read_options&) {
                                       return detail::cut_to_lines(text, rows, detail::is_not_blank);
                                   }};
    return about;
}

}  // namespace mercer
