#include "mercer/plot/decision_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/data/graphs.h"
#include "mercer/data/strings.h"
#include "mercer/data/trees.h"
#include "mercer/kernels/graphs/graph_features.h"
#include "mercer/kernels/word_counts.h"
#include "mercer/plot/graph_layout.h"
#include "mercer/text/tokeniser.h"

namespace mercer {
namespace {

constexpr double width = 860, margin = 30, inside = width - 2 * margin;
constexpr const char* mono = "DejaVu Sans Mono, Menlo, Consolas, monospace";

// The colour of a share; the largest |share| has the strongest colour.
struct shades {
    double most = 0;
    explicit shades(const std::vector<double>& values) {
        for (const double each : values) most = std::max(most, std::abs(each));
    }
    double strength(double value) const { return most > 0 ? value / most : 0; }
    std::string of(double value) const {
        return diverging_palette()[static_cast<std::size_t>(std::lround(127.5 + 127.5 * strength(value)))].hex();
    }
    const char* ink(double value) const { return std::abs(strength(value)) > 0.75 ? "#ffffff" : "#24292f"; }
};

// A character of a string, with the share of its bytes.
struct letter {
    std::string text;
    double share = 0;
    bool blank = false;
};

std::vector<letter> split_letters(std::string_view s, const std::vector<double>& parts, std::size_t most) {
    std::vector<letter> out;
    std::string_view rest = s;
    while (!rest.empty() && out.size() < most) {
        const std::size_t at = s.size() - rest.size();
        const char32_t c = unicode::take_character(rest);
        letter one{"", 0, unicode::is_blank(c)};
        const std::size_t end = s.size() - rest.size();
        const bool control = end == at + 1 && (static_cast<unsigned char>(s[at]) < 0x20 || s[at] == 0x7f);
        if (control && !one.blank)
            one.text = "·";
        else if (!one.blank)
            unicode::append(one.text, c);
        for (std::size_t b = at; b < end && b < parts.size(); ++b) one.share += parts[b];
        out.push_back(std::move(one));
    }
    return out;
}

// A tree in bracket notation; the share of a node is spread over the characters of its label.
std::vector<letter> split_letters(const tree& of, const std::vector<double>& parts, std::size_t most) {
    std::string text;
    std::vector<double> shares;
    const auto add = [&](std::string_view some, double share) {
        text += some;
        shares.insert(shares.end(), some.size(), some.empty() ? 0 : share / static_cast<double>(some.size()));
    };
    std::vector<index> open;  // ends of the open subtrees
    for (index v = 0; v < of.size(); ++v) {
        add(v > 0 ? " " : "", 0);
        if (!of.is_leaf(v)) add("(", 0), open.push_back(of.subtree_end(v));
        add(of[v].label, parts[static_cast<std::size_t>(v)]);
        for (; !open.empty() && open.back() == v + 1; open.pop_back()) add(")", 0);
    }
    return split_letters(text, shares, most);
}

bool is_text(const std::vector<letter>& all) {
    return std::ranges::any_of(all, [](const letter& l) { return l.blank; });
}

// In a text every character of a word is coloured by the share of the whole word.
void share_within_words(std::vector<letter>& all) {
    for (std::size_t i = 0, end = 0; i < all.size(); i = std::max(end, i + 1)) {
        double sum = 0;
        for (end = i; end < all.size() && !all[end].blank && all[end].share != 0; ++end) sum += all[end].share;
        for (std::size_t l = i; l < end; ++l) all[l].share = sum;
    }
}

// Draws the parts of the picture. Layout comes first, because the height of the page depends on it.
class drawing {
public:
    explicit drawing(const decision_shares& d) : d_(d) {}

    double strings_height(const std::vector<letter>& all) {
        const bool text = is_text(all);
        cell_ = text ? 8.8 : 12.4;
        const auto per_row = static_cast<std::size_t>((inside - (text ? 0 : 44)) / cell_);
        std::size_t row = 0, column = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (text && !all[i].blank && (i == 0 || all[i - 1].blank)) {  // words are not broken
                std::size_t end = i;
                while (end < all.size() && !all[end].blank) ++end;
                if (column > 0 && column + (end - i) > per_row && end - i <= per_row) ++row, column = 0;
            }
            const std::size_t most = text ? per_row : per_row / 10 * 10;
            if (column == most) ++row, column = 0;
            spots_.emplace_back(row, column++);
        }
        numbered_ = !text;
        return static_cast<double>(row + 1) * row_height;
    }
    void draw_strings(svg& page, double top, const std::vector<letter>& all) const {
        std::vector<double> shares;
        for (const letter& l : all) shares.push_back(l.share);
        const shades shade(shares);
        const double left = margin + (numbered_ ? 44 : 0);
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto [row, column] = spots_[i];
            const double x = left + cell_ * static_cast<double>(column),
                         y = top + row_height * static_cast<double>(row);
            if (numbered_ && column == 0)
                page.text(left - 8, y + 16, fmt::format("{}", i + 1), {{"class", "tick"}, {"text-anchor", "end"}});
            if (all[i].blank && all[i].share == 0) continue;
            page.rect(x, y + 2, cell_ + 0.3, row_height - 6, {{"fill", shade.of(all[i].share)}},
                      fmt::format("{} {:+.4g}", all[i].text, all[i].share));
            page.text(x + cell_ / 2, y + 16, all[i].text,
                      {{"text-anchor", "middle"},
                       {"style",
                        fmt::format("font-family: {}; font-size: 13.5px; fill: {}", mono, shade.ink(all[i].share))}});
        }
    }

    void draw_graph(svg& page, double top, double height, const graph& g) const {
        std::vector<layout_point> at = graph_layout(g);
        double low_x = 0, high_x = 0, low_y = 0, high_y = 0;
        for (std::size_t v = 0; v < at.size(); ++v) {
            low_x = v ? std::min(low_x, at[v].x) : at[v].x, high_x = v ? std::max(high_x, at[v].x) : at[v].x;
            low_y = v ? std::min(low_y, at[v].y) : at[v].y, high_y = v ? std::max(high_y, at[v].y) : at[v].y;
        }
        if (high_y - low_y > high_x - low_x) {  // the page is wider than high: transpose
            for (auto& p : at) std::swap(p.x, p.y);
            std::swap(low_x, low_y), std::swap(high_x, high_y);
        }
        constexpr double most = 70;  // pixels for each edge
        const double edge = 24, scale = std::min({most, (inside - 2 * edge) / std::max(1e-9, high_x - low_x),
                                                  (height - 2 * edge) / std::max(1e-9, high_y - low_y)});
        const auto x = [&](index v) {
            return width / 2 + scale * (at[static_cast<std::size_t>(v)].x - (low_x + high_x) / 2);
        };
        const auto y = [&](index v) {
            return top + height / 2 + scale * (at[static_cast<std::size_t>(v)].y - (low_y + high_y) / 2);
        };
        for (const graph_edge& e : g.edges())
            page.line(x(e.from), y(e.from), x(e.to), y(e.to), {{"stroke", "#8c959f"}, {"stroke-width", 1.6}});
        const shades shade(d_.parts);
        const double radius = std::clamp(scale * 0.3, 2.5, 14.0);
        for (index v = 0; v < g.nodes(); ++v) {
            const double share = d_.parts.empty() ? 0 : d_.parts[static_cast<std::size_t>(v)];
            page.circle(x(v), y(v), radius, {{"fill", shade.of(share)}, {"stroke", "#57606a"}, {"stroke-width", 1.0}},
                        fmt::format("node {}, label {}: {:+.4g}", v, label_text(g.label(v)), share));
            if (radius >= 8 && g.has_labels())
                page.text(
                    x(v), y(v) + 4, label_text(g.label(v)),
                    {{"text-anchor", "middle"}, {"style", fmt::format("font-size: 11px; fill: {}", shade.ink(share))}});
        }
    }

    double bars_height() const { return 34 + bar_height * static_cast<double>(d_.largest.size() + 1); }
    void draw_bars(svg& page, double top, const feature_picture_labels& words) const {
        double most = std::max(std::abs(d_.rest), std::abs(d_.offset));
        for (const feature_share& each : d_.largest) most = std::max(most, std::abs(each.share()));
        const double names = 330, zero = margin + names + (inside - names) / 2, room = (inside - names) / 2 - 64;
        page.text(margin, top + 14, "features with the largest shares", {{"class", "panel"}});
        if (!words.positive.empty()) {
            page.text(zero - 8, top + 14, "← " + words.negative, {{"class", "note"}, {"text-anchor", "end"}});
            page.text(zero + 8, top + 14, words.positive + " →", {{"class", "note"}});
        }
        double y = top + 28;
        page.line(zero, y - 4, zero, y + bar_height * static_cast<double>(d_.largest.size() + 1), {{"class", "mark"}});
        const auto bar = [&](const std::string& name, double share, const char* look) {
            page.text(zero - room - 72, y + 14, shorten(name), {{"class", look}, {"text-anchor", "end"}});
            const double length = most > 0 ? room * std::abs(share) / most : 0;
            page.rect(share < 0 ? zero - length : zero, y + 3, length, bar_height - 6,
                      {{"fill", share < 0 ? "#4393c3" : "#d6604d"}}, fmt::format("{} {:+.6g}", name, share));
            page.text(share < 0 ? zero - length - 6 : zero + length + 6, y + 14, fmt::format("{:+.3g}", share),
                      {{"class", "tick"}, {"text-anchor", share < 0 ? "end" : "start"}});
            y += bar_height;
        };
        for (const feature_share& each : d_.largest) bar(each.name, each.share(), "axis");
        bar(fmt::format("{} others", d_.features - static_cast<index>(d_.largest.size())), d_.rest, "note");
    }

    static constexpr double row_height = 24, bar_height = 22;

private:
    // Counts characters, not bytes.
    static std::string shorten(std::string_view text) {
        constexpr int most = 46;
        std::string out;
        for (int i = 0; !text.empty(); ++i) {
            if (i == most) return out + "…";
            unicode::append(out, unicode::take_character(text));
        }
        return out;
    }
    const decision_shares& d_;
    std::vector<std::pair<std::size_t, std::size_t>> spots_;
    double cell_ = 12;
    bool numbered_ = false;
};

// The colour scale from blue to red, with the names of the classes at its ends.
void draw_legend(svg& page, double top, const feature_picture_labels& words) {
    constexpr double length = 180;
    const double left = width - margin - length;
    for (int i = 0; i < 60; ++i)
        page.rect(left + length * i / 60, top, length / 60 + 0.3, 10,
                  {{"fill", diverging_palette()[static_cast<std::size_t>(i * 255 / 59)].hex()}});
    page.text(left, top + 24, words.positive.empty() ? "lower" : words.negative, {{"class", "tick"}});
    page.text(left + length, top + 24, words.positive.empty() ? "higher" : words.positive,
              {{"class", "tick"}, {"text-anchor", "end"}});
}

}  // namespace

svg feature_picture(const dataset& objects, index row, const decision_shares& decision,
                    const feature_picture_labels& words) {
    constexpr std::size_t max_letters = 4000;
    constexpr double head = 74, gap = 18;
    drawing draw(decision);
    const auto* as_strings = objects.as<strings>();
    const auto* as_graphs = objects.as<graphs>();
    const auto* as_trees = objects.as<trees>();
    std::vector<letter> letters;
    double height = 0;
    if ((as_strings || as_trees) && !decision.parts.empty()) {
        letters = as_strings ? split_letters((*as_strings)[row], decision.parts, max_letters)
                             : split_letters((*as_trees)[row], decision.parts, max_letters);
        if (is_text(letters)) share_within_words(letters);
        height = draw.strings_height(letters);
    } else if (as_graphs && !decision.parts.empty()) {
        const auto n = static_cast<double>((*as_graphs)[row].nodes());
        height = std::clamp(60 * std::sqrt(n), 120.0, 460.0);
    }
    svg page(width, head + height + gap + draw.bars_height() + 20, words.title);
    page.rect(0, 0, width, head + height + gap + draw.bars_height() + 20, {{"class", "paper"}});
    page.text(margin, 34, words.title, {{"class", "title"}});
    page.text(margin, 56, words.subtitle, {{"class", "subtitle"}});
    if (height > 0) draw_legend(page, 20, words);
    if (!letters.empty())
        draw.draw_strings(page, head, letters);
    else if (height > 0)
        draw.draw_graph(page, head, height, (*as_graphs)[row]);
    draw.draw_bars(page, head + height + gap, words);
    return page;
}

}  // namespace mercer

namespace mercer::api {

std::string draw_explanation(const feature_explanation& e, const dataset& x) {
    if (!e.row || e.functions.empty()) fail(errc::invalid_argument, "a picture shows one object: name its row");
    const explained_function& f = e.functions.front();
    feature_picture_labels words;
    words.title = f.positive.empty() ? fmt::format("Row {}: f = {:.4g}", *e.row, f.decision.f)
                                     : fmt::format("Row {}: {}, f = {:+.4g}", *e.row, e.prediction, f.decision.f);
    words.subtitle = fmt::format("{} with {}, offset {:+.3g}", e.method, e.kernel, f.decision.offset);
    words.positive = f.positive, words.negative = f.negative;
    return feature_picture(x, *e.row, f.decision, words).finish();
}

}  // namespace mercer::api
