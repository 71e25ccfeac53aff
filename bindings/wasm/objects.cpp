// Operations on objects that are not vectors: reads them in any format of the library, returns a drawing of each, and
// explains decisions by their parts.
#include <algorithm>
#include <cmath>
#include <set>

#include "mercer/base/error.h"
#include "mercer/base/json.h"
#include "mercer/data/all_kinds.h"
#include "mercer/inspection/feature_explanation.h"
#include "mercer/io/read.h"
#include "mercer/kernels/graphs/graph_features.h"
#include "mercer/plot/graph_layout.h"
#include "session.h"

namespace mercer::page {
namespace {

// Collects the words of JSON lines by the numbers and labels that the library assigns: graphs and sets in records store
// only hashes of words.
void collect_words(const json& from, std::map<std::string, std::string>& to) {
    if (from.is_string()) {
        const std::string word = from.get<std::string>();
        to[label_text(label_of(word))] = to[std::to_string(item_number(word))] = word;
    } else if (from.is_structured()) {
        for (const json& each : from) collect_words(each, to);
    }
}
std::map<std::string, std::string> words_of_lines(std::string_view text) {
    std::map<std::string, std::string> out;
    for (std::string_view line; detail::next_line(text, line);) try {
            if (const json object = parse_json(line); object.is_object()) collect_words(object, out);
        } catch (const error&) {  // the reader reports invalid lines
        }
    return out;
}
// Replaces hashes such as "#1f2e3d4c" by the original words.
std::string restore_words(std::string text, const std::map<std::string, std::string>& words) {
    for (const auto& [hash, word] : words)
        for (std::size_t at = text.find(hash); hash != word && at != std::string::npos;
             at = text.find(hash, at + word.size()))
            text.replace(at, hash.size(), word);
    return text;
}

// The drawing of a graph: node labels, node positions and edges.
json graph_json(const graph& g, const session& s) {
    json labels = json::array(), at = json::array(), edges = json::array();
    for (index v = 0; v < g.nodes(); ++v)
        labels.push_back(g.has_labels() ? restore_words(label_text(g.label(v)), s.words) : "");
    for (const layout_point& p : graph_layout(g)) at.insert(at.end(), {p.x, p.y});
    for (const graph_edge& e : g.edges()) edges.insert(edges.end(), {e.from, e.to});
    return {{"labels", labels}, {"at", at}, {"edges", edges}};
}
std::string item_name(const session& s, std::int64_t item) {
    const auto at = static_cast<std::size_t>(item);
    return at < s.data.feature_names.size() ? s.data.feature_names[at] : std::to_string(item);
}

// The representation of one object on the page: a text, or a drawing for graphs and series.
json object_json(const session& s, index i) {
    const dataset& x = s.data.x;
    if (const auto* all = x.as<strings>()) return {{"text", (*all)[i]}};
    if (const auto* all = x.as<graphs>()) return {{"graph", graph_json((*all)[i], s)}};
    if (const auto* all = x.as<series>()) return {{"series", (*all)[i].values}, {"dims", (*all)[i].dims}};
    std::string text;
    if (const auto* all = x.as<sets>())
        for (const std::int64_t item : (*all)[i]) text += (text.empty() ? "" : " ") + item_name(s, item);
    else if (const auto* counted = x.as<multisets>())
        for (const auto& [item, count] : (*counted)[i])
            text += (text.empty() ? "" : " ") + item_name(s, item) + ":" + std::to_string(count);
    else
        text = restore_words(std::get<objects>(x.items()).text(i), s.words);
    return {{"text", text}};
}

// Returns the class names of the data or, without names, the targets themselves if they are at most 12 different
// integers. Returns nothing if the targets are values.
std::vector<std::string> classes_of(const table& data) {
    constexpr std::size_t most = 12;
    if (!data.class_names.empty()) return data.class_names;
    const std::set<double> values(data.y.begin(), data.y.end());
    std::vector<std::string> out;
    for (const double each : values) {
        if (values.size() > most || each != std::floor(each) || std::abs(each) > 1e9) return {};
        out.push_back(std::to_string(static_cast<std::int64_t>(each)));
    }
    return out;
}

// {"format": a format of the library | absent: detected, "name": of a file, "text"}, or the text as bytes. Returns for
// each object its representation ("shown") and its target ("y": the number of the class if there are classes).
void set_objects(session& s, const request& r, reply& out) {
    const std::string text = r.bytes.empty() ? r.text("text") : std::string(r.bytes);
    const file_contents file = unpack(r.text("name", "objects"), text);
    read_options how;
    how.format =
        r.text("format").empty() ? &detect_format(file.name(), file.bytes()) : &find_file_format(r.text("format"));
    s = {};
    s.data = parse_table(file, how);
    if (s.data.x.kind() == object_kind::vectors)
        fail(errc::data, "these data are vectors: open them as a file to draw them in the plane");
    if (s.data.x.as<graphs>() || s.data.x.as<records>()) s.words = words_of_lines(file.bytes());
    const std::vector<std::string> classes = classes_of(s.data);
    std::vector<double> y = s.data.y;
    if (!classes.empty() && s.data.class_names.empty()) {
        const std::set<double> values(y.begin(), y.end());
        for (double& each : y) each = static_cast<double>(std::distance(values.begin(), values.find(each)));
    }
    json all = json::array();
    for (index i = 0; i < s.data.x.size(); ++i) all.push_back(object_json(s, i));
    out.body = {{"kind", std::string(s.data.x.kind().name())},
                {"format", how.format->name},
                {"n", s.data.x.size()},
                {"classes", classes},
                {"shown", all},
                {"default_kernel", api::default_kernel(s.data.x).text()}};
    out.array<double>("y", y);
}

// Returns the features of one object that contributed most to its decision: {"row", "top"}, after a fit. Fails with
// "unsupported" if the kernel has no explicit features.
void explain(session& s, const request& r, reply& out) {
    if (!s.model) fail(errc::invalid_argument, "no model has been fitted yet");
    const auto row = static_cast<index>(r.number("row", 0));
    if (row < 0 || row >= s.data.x.size()) fail(errc::invalid_argument, "there is no example " + std::to_string(row));
    const api::feature_explanation found =
        api::explain_object(*s.model, s.data.x, row, static_cast<index>(r.number("top", 12)));
    json functions = json::array();
    for (std::size_t i = 0; i < found.functions.size(); ++i) {
        const api::explained_function& each = found.functions[i];
        json largest = json::array();
        for (const feature_share& share : each.decision.largest)
            largest.push_back({{"name", restore_words(share.name, s.words)},
                               {"value", share.value},
                               {"weight", share.weight},
                               {"share", share.share()}});
        functions.push_back({{"positive", each.positive},
                             {"negative", each.negative},
                             {"f", each.decision.f},
                             {"offset", each.decision.offset},
                             {"rest", each.decision.rest},
                             {"largest", largest}});
        out.array<double>("parts" + std::to_string(i), each.decision.parts);
    }
    out.body["said"] = found.prediction;
    out.body["functions"] = functions;
}

}  // namespace

std::map<std::string, operation> object_operations() { return {{"objects", set_objects}, {"explain", explain}}; }

}  // namespace mercer::page
