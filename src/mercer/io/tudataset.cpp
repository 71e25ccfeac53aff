#include "mercer/io/tudataset.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <functional>
#include <map>

#include "mercer/base/text.h"
#include "mercer/data/graphs.h"
#include "mercer/io/read.h"
#include "mercer/io/tar.h"
#include "mercer/io/target_column.h"

namespace mercer {
namespace {

constexpr std::string_view nodes_file = "_graph_indicator.txt";

// One file of the data set. Its line i describes object i.
struct numbered_lines {
    std::string name;
    std::string_view text;
    index count = 0;  // the number of lines, without blank lines at the end

    numbered_lines(std::string path, std::string_view bytes)
        : name(std::move(path)), text(detail::without_byte_order_mark(bytes)) {
        const auto last = text.find_last_not_of(" \t\r\n");
        text = text.substr(0, last == std::string_view::npos ? 0 : last + 1);
        count = text.empty() ? 0 : 1 + std::count(text.begin(), text.end(), '\n');
    }
    [[noreturn]] void fail_expecting(const std::string& what, std::string_view got) const {
        detail::fail_at(errc::parse, name, text, static_cast<std::size_t>(got.data() - text.data()),
                        fmt::format("expected {}, got {}", what, detail::quoted(got)));
    }
    // Calls use(trimmed line) for every line.
    template <class Use>
    void each(Use use) const {
        std::string_view rest = text, line;
        while (detail::next_line(rest, line)) {
            const std::string_view field = detail::trimmed(line);
            use(field.empty() ? line.substr(0, 0) : field);
        }
    }
    void require_lines(index wanted, const char* of_what) const {
        if (count != wanted)
            detail::fail_at(errc::parse, name, text, text.size(),
                            fmt::format("expected {} lines, one for each {}, got {}", wanted, of_what, count));
    }
    // Reads a whole number from 1 to `most` up to `separator` (0: the whole line), and removes both from `line`.
    index read_number(std::string_view& line, char separator, index most, const char* what) const {
        const auto end = separator ? line.find(separator) : line.size();
        const std::string_view field = detail::trimmed(line.substr(0, end));
        index value = 0;
        const auto [stop, fault] = std::from_chars(field.data(), field.data() + field.size(), value);
        if (end == std::string_view::npos || fault != std::errc() || stop != field.data() + field.size() || value < 1 ||
            value > most)
            fail_expecting(fmt::format("{} from 1 to {}", what, most), line);
        line.remove_prefix(std::min(line.size(), end + 1));
        return value;
    }
};

// The files by the part of their name between NAME_ and .txt: "A", "graph_labels".
using files = std::map<std::string, numbered_lines, std::less<>>;

class graph_assembler {
public:
    graph_assembler(const files& given, const tsv_options& options) : files_(given), options_(options) {}

    table assemble() {
        count_graphs();
        number_nodes();
        read_edges();
        if (const numbered_lines* labels = find("node_labels")) {
            labels->require_lines(nodes(), "node");
            place_labels(*labels);
        }
        if (const numbered_lines* values = find("node_attributes")) {
            values->require_lines(nodes(), "node");
            place_attributes(*values);
        }
        std::vector<graph> all;
        all.reserve(parts_.size());
        for (graph_parts& each : parts_) all.emplace_back(std::move(each));
        table out;
        if (labels_ && options_.labelled) read_targets(out);
        out.x = graphs(std::move(all));
        return out;
    }

private:
    const numbered_lines* find(std::string_view what) const {
        const auto found = files_.find(what);
        return found == files_.end() ? nullptr : &found->second;
    }
    index nodes() const { return static_cast<index>(graph_of_.size()); }
    graph_parts& graph_at(std::size_t node) { return parts_[static_cast<std::size_t>(graph_of_[node])]; }

    void count_graphs() {
        labels_ = find("graph_labels") ? find("graph_labels") : find("graph_attributes");
        const numbered_lines& indicator = *find("graph_indicator");
        // Without a list of graphs, the numbers of graphs must not exceed the number of nodes.
        const index most = labels_ ? labels_->count : indicator.count;
        index last = labels_ ? most : 0;
        indicator.each([&](std::string_view line) {
            graph_of_.push_back(
                static_cast<std::int32_t>(indicator.read_number(line, 0, most, "the number of a graph") - 1));
            last = std::max<index>(last, graph_of_.back() + 1);
        });
        if (last == 0) fail(errc::data, fmt::format("{}: expected at least one graph, got none", indicator.name));
        parts_.resize(static_cast<std::size_t>(last));
    }
    void number_nodes() {
        number_.reserve(graph_of_.size());
        for (std::size_t v = 0; v < graph_of_.size(); ++v)
            number_.push_back(static_cast<std::int32_t>(graph_at(v).nodes++));
    }
    void read_edges() {
        const numbered_lines& from = *find("A");
        const numbered_lines* labels = find("edge_labels");
        std::vector<std::int64_t> label;
        if (labels) {
            labels->require_lines(from.count, "edge");
            labels->each([&](std::string_view line) {
                if (line.empty()) labels->fail_expecting("the label of an edge", line);
                label.push_back(label_of(line));
            });
        }
        std::size_t at = 0;
        from.each([&](std::string_view line) {
            std::string_view rest = line;
            const auto a = static_cast<std::size_t>(from.read_number(rest, ',', nodes(), "the number of a node") - 1);
            const auto b = static_cast<std::size_t>(from.read_number(rest, 0, nodes(), "the number of a node") - 1);
            if (graph_of_[a] != graph_of_[b])
                from.fail_expecting(fmt::format("two nodes of one graph (these are of graphs {} and {})",
                                                graph_of_[a] + 1, graph_of_[b] + 1),
                                    line);
            graph_at(a).edges.push_back({number_[a], number_[b], labels ? label[at] : 0});
            ++at;
        });
    }
    void place_labels(const numbered_lines& from) {
        std::size_t v = 0;
        from.each([&](std::string_view line) {
            if (line.empty()) from.fail_expecting("the label of a node", line);
            graph_at(v++).labels.push_back(label_of(line));
        });
    }
    void place_attributes(const numbered_lines& from) {
        std::size_t v = 0;
        index width = -1;
        from.each([&](std::string_view line) {
            const auto fields = detail::split(line, ",");
            if (width < 0) width = static_cast<index>(fields.size());
            if (static_cast<index>(fields.size()) != width)
                from.fail_expecting(fmt::format("{} numbers, as in the first line", width), line);
            graph_parts& to = graph_at(v++);
            to.attributes = width;
            for (const std::string_view field : fields) {
                double value = 0;
                const auto fault = detail::parse_number(field, value);
                if (fault != detail::number_error::none)
                    from.fail_expecting(detail::expected_text(fault), field.empty() ? line : field);
                to.values.push_back(value);
            }
        });
    }
    void read_targets(table& out) const {
        detail::label_column targets;
        labels_->each([&](std::string_view line) {
            if (line.empty()) labels_->fail_expecting("the label of a graph", line);
            targets.add(line, static_cast<std::size_t>(line.data() - labels_->text.data()));
        });
        targets.finish(labels_->name, labels_->text, options_.classes, out);
    }

    const files& files_;
    const tsv_options& options_;
    const numbered_lines* labels_ = nullptr;
    std::vector<std::int32_t> graph_of_, number_;  // for each node its graph, and its number in that graph
    std::vector<graph_parts> parts_;
};

// Returns the files of the data set, whose NAME is that of the file NAME_graph_indicator.txt.
files select_files(const std::string& whole, const std::vector<detail::tar_member>& all) {
    std::string stem;
    for (const auto& each : all)
        if (std::string_view(each.name).ends_with(nodes_file))
            stem = each.name.substr(0, each.name.size() - nodes_file.size());
    files out;
    for (const auto& each : all) {
        const std::string_view path = each.name;
        if (!path.starts_with(stem + "_") || !path.ends_with(".txt")) continue;
        std::string what(path.substr(stem.size() + 1, path.size() - stem.size() - 5));
        out.emplace(std::move(what), numbered_lines(whole + "/" + each.name, each.bytes));
    }
    for (const char* needed : {"graph_indicator", "A"})
        if (!out.contains(needed))
            fail(errc::parse,
                 fmt::format("{}: expected a file NAME_{}.txt of a graph data set, got none", whole, needed));
    return out;
}

bool has_graph_files(const std::string& path) {
    std::error_code unknown;
    for (const auto& entry : std::filesystem::directory_iterator(path, unknown))
        if (entry.path().filename().string().ends_with(nodes_file)) return true;
    return false;
}

}  // namespace

table read_tudataset(const std::string& folder, const tsv_options& options) {
    std::vector<file_contents> sources;
    std::vector<detail::tar_member> members;
    std::vector<std::string> names;
    std::error_code fault;
    for (const auto& entry : std::filesystem::directory_iterator(folder, fault))
        if (entry.path().extension() == ".txt") names.push_back(entry.path().filename().string());
    if (fault) fail(errc::io, fmt::format("cannot read '{}': {}", folder, fault.message()));
    std::ranges::sort(names);
    for (const std::string& name : names) {
        sources.push_back(read_file((std::filesystem::path(folder) / name).string()));
        members.push_back({name, sources.back().bytes()});
    }
    const auto require_all_whole = [&] {
        for (const file_contents& each : sources) each.require_untruncated();
    };
    try {
        const files all = select_files(folder, members);
        table made = graph_assembler(all, options).assemble();
        require_all_whole();
        return made;
    } catch (const error&) {
        require_all_whole();
        throw;
    }
}

table parse_tudataset(std::string_view bytes, const std::string& name, const tsv_options& options) {
    if (!detail::is_tar(bytes)) fail(errc::parse, fmt::format("{}: byte 0: expected a tar archive", name));
    const files all = select_files(name, detail::tar_members(name, bytes));
    return graph_assembler(all, options).assemble();
}

const file_format& tudataset_format() {
    static const file_format about{
        "tudataset",
        {".tar"},
        [](const file_beginning& file) { return detail::is_tar(file.bytes); },
        [](const file_contents& file, const read_options& options) {
            return parse_tudataset(file.bytes(), file.name(), options.tsv);
        },
        has_graph_files,
        [](const std::string& path, const read_options& options) { return read_tudataset(path, options.tsv); }};
    return about;
}

}  // namespace mercer
