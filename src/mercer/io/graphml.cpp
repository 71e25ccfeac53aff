#include "mercer/io/graphml.h"

#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <map>
#include <unordered_map>

#include "mercer/base/text.h"
#include "mercer/data/graphs.h"
#include "mercer/io/json_graphs.h"
#include "mercer/io/read.h"
#include "mercer/io/target_column.h"
#include "mercer/io/xml.h"

namespace mercer {
namespace {

using detail::xml_tag;

struct graphml_key {
    std::string owner;  // node, edge, graph or all
    bool label = false;
    index attribute = -1;  // number of the node attribute; -1: the key is none
    std::string initial{};
    bool has_initial = false;
};

class graphml_reader {
public:
    graphml_reader(const std::string& name, std::string_view text) : name_(name), text_(text), from_(name, text) {}

    // Appends the graphs of the file to `made` and their targets to `targets`.
    void read(std::vector<graph>& made, detail::graph_targets& targets) {
        const std::size_t before = made.size();
        xml_tag tag = from_.next();
        if (tag.name != "graphml") from_.fail_expecting("<graphml>", tag.offset);
        while ((tag = from_.next()).kind == xml_tag::what::start) {
            if (tag.name == "key")
                read_key(tag);
            else if (tag.name == "graph")
                read_graph(tag, made, targets);
            else
                skip();
        }
        from_.next();  // nothing follows
        if (made.size() == before) fail(errc::data, fmt::format("{}: expected at least one graph, got none", name_));
    }

private:
    void skip() {
        for (int open = 1; open > 0;) open += from_.next().kind == xml_tag::what::start ? 1 : -1;
    }
    std::string required_attribute(const xml_tag& tag, const char* attribute) const {
        const std::string* found = tag.find(attribute);
        if (!found) from_.fail_expecting(fmt::format("<{}> with an attribute {}", tag.name, attribute), tag.offset);
        return *found;
    }
    // Reads the rest of an element whose start tag was read last, and returns its trimmed text.
    std::string text_of(const char* element) {
        const xml_tag end = from_.next();
        if (end.kind != xml_tag::what::end) from_.fail_expecting(fmt::format("text, then </{}>", element), end.offset);
        const auto first = end.text.find_first_not_of(" \t\r\n");
        if (first == std::string::npos) return {};
        return end.text.substr(first, end.text.find_last_not_of(" \t\r\n") - first + 1);
    }
    void read_key(const xml_tag& tag) {
        graphml_key key;
        key.owner = tag.find("for") ? *tag.find("for") : "all";
        const std::string* type = tag.find("attr.type");
        const std::string* title = tag.find("attr.name");
        key.label = title && *title == "label";
        const bool number = type && (*type == "double" || *type == "float" || *type == "int" || *type == "long");
        if (!key.label && number && (key.owner == "node" || key.owner == "all")) key.attribute = attributes_++;
        const std::string id = required_attribute(tag, "id");
        xml_tag inner;
        while ((inner = from_.next()).kind == xml_tag::what::start) {
            if (inner.name != "default") {
                skip();
                continue;
            }
            key.initial = text_of("default");
            key.has_initial = true;
        }
        keys_.insert_or_assign(id, std::move(key));
    }
    double number(const std::string& text, std::size_t offset) const {
        double value = 0;
        if (const auto fault = detail::parse_number(text, value); fault != detail::number_error::none)
            from_.fail_expecting(fmt::format("{} as the value of an attribute, not {}", detail::expected_text(fault),
                                             detail::quoted(text)),
                                 offset);
        return value;
    }
    // The values of the <data> elements inside a node, an edge or a graph.
    struct data_values {
        std::optional<std::string> label;
        std::vector<std::pair<index, double>> values;
    };
    data_values defaults(std::string_view owner) const {
        data_values out;
        for (const auto& [id, key] : keys_) {
            if (!key.has_initial || (key.owner != owner && key.owner != "all")) continue;
            if (key.label) out.label = key.initial;
            if (key.attribute >= 0) out.values.emplace_back(key.attribute, number(key.initial, 0));
        }
        return out;
    }
    void read_data(const xml_tag& tag, std::string_view owner, data_values& to) {
        const std::string id = required_attribute(tag, "key");
        const auto found = keys_.find(id);
        if (found == keys_.end())
            from_.fail_expecting(
                fmt::format("the id of a <key> that precedes the graphs, not key={}", detail::quoted(id)), tag.offset);
        const graphml_key& key = found->second;
        const bool wanted = key.owner == owner || key.owner == "all";
        if (!wanted || (!key.label && key.attribute < 0)) return skip();
        const std::string text = text_of("data");
        if (key.label) to.label = text;
        if (key.attribute >= 0) to.values.emplace_back(key.attribute, number(text, tag.offset));
    }
    data_values read_inside(std::string_view owner) {
        data_values out = defaults(owner);
        xml_tag tag;
        while ((tag = from_.next()).kind == xml_tag::what::start) {
            if (tag.name == "data")
                read_data(tag, owner, out);
            else if (tag.name == "graph")
                from_.fail_expecting("no graph inside a node or an edge", tag.offset);
            else
                skip();
        }
        return out;
    }
    void read_node(const xml_tag& tag) {
        if (!numbers_.emplace(required_attribute(tag, "id"), static_cast<std::int32_t>(parts_.nodes)).second)
            from_.fail_expecting("a different id for every node of a graph", tag.offset);
        ++parts_.nodes;
        const data_values about = read_inside("node");
        parts_.labels.push_back(about.label ? label_of(*about.label) : 0);
        const std::size_t before = parts_.values.size();
        parts_.values.resize(before + static_cast<std::size_t>(attributes_), std::numeric_limits<double>::quiet_NaN());
        for (const auto& [which, value] : about.values) parts_.values[before + static_cast<std::size_t>(which)] = value;
        for (std::size_t k = before; k < parts_.values.size(); ++k)
            if (parts_.values[k] != parts_.values[k])
                from_.fail_expecting(fmt::format("<data> for each of the {} attributes of a node", attributes_),
                                     tag.offset);
    }
    struct edge_place {
        std::string from, to;
        std::int64_t label;
        std::size_t offset;
    };
    void read_edge(const xml_tag& tag, std::vector<edge_place>& to) {
        edge_place edge{required_attribute(tag, "source"), required_attribute(tag, "target"), 0, tag.offset};
        if (const std::string* own = tag.find("directed"); own && (*own == "true") != parts_.directed)
            from_.fail_expecting("an edge that is directed or undirected as edgedefault of its graph says", tag.offset);
        const data_values about = read_inside("edge");
        edge.label = about.label ? label_of(*about.label) : 0;
        to.push_back(std::move(edge));
    }
    void read_graph(const xml_tag& start, std::vector<graph>& made, detail::graph_targets& targets) {
        const std::string way = required_attribute(start, "edgedefault");
        if (way != "directed" && way != "undirected")
            from_.fail_expecting("a graph with edgedefault='directed' or 'undirected'", start.offset);
        parts_ = {};
        parts_.directed = way == "directed";
        numbers_.clear();
        std::vector<edge_place> edges;  // edges may precede their nodes in the file
        data_values about = defaults("graph");
        const index attributes = attributes_;
        xml_tag tag;
        while ((tag = from_.next()).kind == xml_tag::what::start) {
            if (tag.name == "node")
                read_node(tag);
            else if (tag.name == "edge")
                read_edge(tag, edges);
            else if (tag.name == "data")
                read_data(tag, "graph", about);
            else
                skip();
        }
        for (const edge_place& each : edges) {
            const auto a = numbers_.find(each.from), b = numbers_.find(each.to);
            if (a == numbers_.end() || b == numbers_.end())
                from_.fail_expecting("an edge between nodes of the graph", each.offset);
            parts_.edges.push_back({a->second, b->second, each.label});
        }
        parts_.attributes = parts_.nodes > 0 ? attributes : 0;
        made.emplace_back(std::move(parts_));
        targets.add(std::move(about.label), name_, text_, start.offset);
    }

    const std::string& name_;
    std::string_view text_;
    detail::xml_cursor from_;
    std::map<std::string, graphml_key> keys_;
    index attributes_ = 0;
    graph_parts parts_;
    std::unordered_map<std::string, std::int32_t> numbers_;  // number of each node of the graph by its id
};

bool is_graphml(const std::filesystem::path& file) { return file.extension() == ".graphml"; }

bool has_graphml_files(const std::string& path) {
    std::error_code unknown;
    for (const auto& entry : std::filesystem::directory_iterator(path, unknown))
        if (is_graphml(entry.path())) return true;
    return false;
}

table finished(std::vector<graph> made, detail::graph_targets& targets) {
    table out;
    targets.finish(out);
    out.x = graphs(std::move(made));
    return out;
}

// Implements file_format::cut_to_rows: a graph ends with its end tag. The end tag of the document is appended.
bool cut_to_graphs(std::string& text, index rows, const read_options&) {
    const std::string_view body = detail::without_byte_order_mark(text);
    const std::string name = "the first graphs";
    detail::xml_cursor from(name, body);
    try {
        int open = 0;
        for (index found = 0; found < rows;) {
            const xml_tag tag = from.next();
            if (tag.kind == xml_tag::what::none) return false;
            open += tag.kind == xml_tag::what::start ? 1 : -1;
            found += tag.kind == xml_tag::what::end && open == 1 && tag.name == "graph";
        }
    } catch (const error&) {  // the text ends inside an element, or has a fault that the reader reports
        return false;
    }
    const std::string end = fmt::format("</{}>", from.root_name());
    text.resize(text.size() - body.size() + from.offset());
    text += end;
    return true;
}

}  // namespace

table parse_graphml(std::string_view text, const std::string& name, const tsv_options& options) {
    std::vector<graph> made;
    detail::graph_targets targets(options);
    graphml_reader(name, detail::without_byte_order_mark(text)).read(made, targets);
    return finished(std::move(made), targets);
}

table read_graphml_folder(const std::string& folder, const tsv_options& options) {
    std::error_code fault;
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::directory_iterator(folder, fault))
        if (is_graphml(entry.path())) paths.push_back(entry.path().string());
    if (fault) fail(errc::io, fmt::format("cannot read '{}': {}", folder, fault.message()));
    if (paths.empty()) fail(errc::data, fmt::format("{}: expected files *.graphml in the folder, got none", folder));
    std::ranges::sort(paths);
    std::vector<graph> made;
    detail::graph_targets targets(options);
    for (const std::string& path : paths) {
        const file_contents file = read_file(path);
        parse_untruncated(file, [&] {
            graphml_reader(file.name(), detail::without_byte_order_mark(file.bytes())).read(made, targets);
            return true;
        });
    }
    return finished(std::move(made), targets);
}

const file_format& graphml_format() {
    static const file_format about{
        "graphml",
        {".graphml"},
        [](const file_beginning& file) {
            return file.bytes.substr(0, 4096).find("<graphml") != std::string_view::npos;
        },
        [](const file_contents& file, const read_options& options) {
            return parse_graphml(file.bytes(), file.name(), options.tsv);
        },
        has_graphml_files,
        [](const std::string& path, const read_options& options) { return read_graphml_folder(path, options.tsv); },
        cut_to_graphs};
    return about;
}

}  // namespace mercer
