#include "mercer/io/json_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/data/all_kinds.h"
#include "mercer/io/brackets.h"
#include "mercer/io/json_graphs.h"

namespace mercer::detail {
namespace {

// One text, number, true or false.
void read_item(json_cursor& at, json_value& out) {
    const char first = at.peek();
    if (first == '"')
        out.texts.push_back(at.string());
    else if (first == 't' || first == 'f')
        out.numbers.push_back(at.boolean());
    else
        out.numbers.push_back(at.number());
}

// Lists of as many numbers each, one after the other; how many.
index read_rows(json_cursor& at, std::vector<double>& out) {
    index width = -1;
    at.each_item([&] {
        const std::size_t before = out.size();
        json_cursor row = at;
        at.each_item([&] { out.push_back(at.number()); });
        const auto count = static_cast<index>(out.size() - before);
        if (width < 0) width = count;
        if (count != width || width == 0)
            row.fail_expecting(fmt::format("a list of {} numbers", std::max<index>(width, 1)));
    });
    return std::max<index>(width, 0);
}

void read_points(json_cursor& at, json_value& out) {
    std::vector<std::int32_t>& elements = out.cloud.elements;
    const json_cursor before = at;
    at.each_member([&](const std::string& key) {
        if (key == "coordinates") {
            if (const index dims = read_rows(at, out.cloud.coordinates); dims > 0) out.cloud.dims = dims;
        } else if (key == "elements") {
            at.each_item([&] {
                json_cursor element = at;
                const bool symbol = at.peek() == '"';
                const double number = symbol ? element_number(at.string()) : at.number();
                if (!(number >= 0 && number <= 118 && number == std::floor(number)))
                    element.fail_expecting("the symbol of an element or its number, 0 to 118");
                elements.push_back(static_cast<std::int32_t>(number));
            });
        } else {
            at.skip();
        }
    });
    const std::size_t count = out.cloud.coordinates.size() / static_cast<std::size_t>(out.cloud.dims);
    if (elements.empty()) elements.assign(count, 0);
    if (elements.size() != count)
        before.fail_saying(fmt::format("expected an element a point, got {} of {}", elements.size(), count));
}

void read_counts(json_cursor& at, json_value& out) {
    at.each_member([&](const std::string& key) {
        json_cursor before = at;
        const double count = at.number();
        if (!(count >= 0 && count <= 0x1p53 && count == std::floor(count)))
            before.fail_expecting("a count, a whole number from 0");
        out.counts.push_back({item_number(key), static_cast<std::int64_t>(count)});
    });
}

// Which kind of object a JSON object is, by its members.
json_form form_of_members(json_cursor look) {
    json_form found = json_form::counts;
    look.each_member([&](const std::string& key) {
        if (key == "nodes" || key == "edges") found = json_form::graph;
        if (key == "coordinates") found = json_form::points;
        look.skip();
    });
    return found;
}

}  // namespace

json_value read_json_value(json_cursor& at) {
    json_value out;
    const char first = at.peek();
    out.offset = at.offset();
    if (first == '{') {
        out.form = form_of_members(at);
        if (out.form == json_form::graph)
            out.graph = read_graph(at);
        else if (out.form == json_form::points)
            read_points(at, out);
        else
            read_counts(at, out);
    } else if (first == '[') {
        json_cursor look = at;
        bool nested = false, begun = false;
        look.each_item([&] {
            if (!begun) nested = look.peek() == '[';
            begun = true;
            look.skip();
        });
        out.form = nested ? json_form::lists : json_form::list;
        if (nested)
            out.width = read_rows(at, out.numbers);
        else
            at.each_item([&] { read_item(at, out); });
    } else {
        read_item(at, out);
    }
    return out;
}

void json_field::wrong(const json_value& at, const std::string& expected) const {
    fail_at(errc::data, file_, text_, at.offset,
            fmt::format("expected {} in field '{}', as in the first line", expected, name_));
}

std::string json_field::kind() const {
    const json_value& first = values_.front();
    switch (first.form) {
        case json_form::graph: return name(graphs::where);
        case json_form::points: return name(points::where);
        case json_form::counts: return name(multisets::where);
        case json_form::lists: return name(series::where);
        case json_form::one: return first.texts.empty() ? name(domain::vectors) : name(strings::where);
        case json_form::list: break;
    }
    const bool texts = std::ranges::any_of(values_, [](const json_value& each) { return !each.texts.empty(); });
    return texts ? name(sets::where) : name(domain::vectors);
}

template <class Kind, class Item, class Take>
dataset json_field::as_objects(json_form form, const std::string& expected, Take take) const {
    std::vector<Item> out;
    for (const json_value& each : values_) {
        if (each.form != form) wrong(each, expected);
        out.push_back(take(each));
    }
    return Kind(std::move(out));
}

dataset json_field::values(const std::string& asked) const {
    const std::string wanted = asked.empty() ? kind() : asked;
    if (wanted == name(strings::where)) return as_strings();
    if (wanted == name(sets::where)) return as_sets();
    if (wanted == name(trees::where)) return as_trees();
    if (wanted == name(series::where)) return as_series();
    if (wanted == name(graphs::where))
        return as_objects<graphs, graph>(json_form::graph, "a graph {\"nodes\": ..., \"edges\": ...}",
                                         [](const json_value& each) { return *each.graph; });
    if (wanted == name(points::where))
        return as_objects<points, point_cloud>(
            json_form::points, "points {\"coordinates\": ...}", [&](const json_value& each) {
                const index dims = values_.front().cloud.dims;
                if (each.cloud.dims != dims && each.cloud.size() > 0)
                    wrong(each, fmt::format("{} coordinates a point", dims));
                if (!std::ranges::all_of(each.cloud.coordinates, [](double v) { return std::isfinite(v); }))
                    wrong(each, "finite coordinates");
                return each.cloud;
            });
    if (wanted == name(multisets::where))
        return as_objects<multisets, std::vector<counted_item>>(json_form::counts, "counts {\"item\": 2, ...}",
                                                                [](const json_value& each) { return each.counts; });
    if (wanted != name(domain::vectors))
        fail(errc::unsupported,
             fmt::format("{}: JSON lines hold no {}, which the kernel compares in field '{}'", file_, wanted, name_));
    return as_numbers();
}

dataset json_field::as_strings() const {
    std::vector<std::string> out;
    for (const json_value& each : values_) {
        if (each.form != json_form::one || each.texts.empty()) wrong(each, "a text");
        out.push_back(each.texts.front());
    }
    return strings(std::move(out));
}

dataset json_field::as_trees() const {
    std::vector<tree> out;
    for (const json_value& each : values_) {
        if (each.form != json_form::one || each.texts.empty()) wrong(each, "a tree in brackets");
        out.push_back(parse_tree(each.texts.front(), place(file_, text_, each.offset), each.texts.front()));
    }
    return trees(std::move(out));
}

dataset json_field::as_sets() const {
    std::vector<std::vector<std::int64_t>> out;
    for (const json_value& each : values_) {
        if (each.form != json_form::list || !each.numbers.empty()) wrong(each, "a list of texts");
        auto& one = out.emplace_back();
        for (const std::string& item : each.texts) one.push_back(item_number(item));
    }
    return sets(std::move(out));
}

dataset json_field::as_numbers() const {
    const json_form form = values_.front().form;
    const auto dims = static_cast<index>(values_.front().numbers.size());
    std::vector<double> out;
    for (const json_value& each : values_) {
        const bool fits = each.form == form && form <= json_form::list && each.texts.empty() &&
                          static_cast<index>(each.numbers.size()) == dims &&
                          std::ranges::all_of(each.numbers, [](double v) { return std::isfinite(v); });
        if (!fits)
            wrong(each, form == json_form::one ? "a finite number" : fmt::format("a list of {} finite numbers", dims));
        out.insert(out.end(), each.numbers.begin(), each.numbers.end());
    }
    matrix<double> rows(static_cast<index>(values_.size()), dims);
    std::copy(out.begin(), out.end(), rows.data());
    return dense<double>(std::move(rows));
}

dataset json_field::as_series() const {
    std::vector<one_series> out;
    for (const json_value& each : values_) {
        const bool fits = (each.form == json_form::list || each.form == json_form::lists) && each.texts.empty() &&
                          std::ranges::all_of(each.numbers, [](double v) { return std::isfinite(v); });
        if (!fits) wrong(each, "a list of finite numbers");
        out.push_back({each.numbers, std::max<index>(each.width, 1)});
    }
    return series(std::move(out));
}

}  // namespace mercer::detail
