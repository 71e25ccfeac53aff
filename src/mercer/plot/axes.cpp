#include "mercer/plot/axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace mercer {

namespace {

// A panel is a square plot with space for its title above, ticks and names on the left and below, and a colour scale on
// the right.
constexpr double panel_width = 590, panel_height = 530;

}  // namespace

svg panel_figure(const panel& one, const std::string& title) {
    svg page(panel_width, panel_height, title);
    one(page, 0, 0);
    return page;
}

std::string picture_page(const std::string& title, const std::string& subtitle, const std::vector<panel>& panels) {
    const std::size_t across = panels.size() == 4 ? 2 : std::clamp<std::size_t>(panels.size(), 1, 3);
    const std::size_t down = std::max<std::size_t>(1, (panels.size() + across - 1) / across);
    const double width = panel_width * static_cast<double>(across);
    svg page(width, 70 + panel_height * static_cast<double>(down), title + " — " + subtitle);
    const double room = (width - 60) / 10.5;  // number of characters of a wide font
    page.text(30, 34, plot::shorten(title, static_cast<std::size_t>(room)), {{"class", "title"}});
    page.text(30, 56, plot::shorten(subtitle, static_cast<std::size_t>(room * 17 / 13)), {{"class", "subtitle"}});
    for (std::size_t i = 0; i < panels.size(); ++i) {
        const std::size_t row = i / across, column = i % across;
        panels[i](page, panel_width * static_cast<double>(column), 70 + panel_height * static_cast<double>(row));
    }
    return page.finish();
}

}  // namespace mercer

namespace mercer::plot {

double character_count(const std::string& text) {
    return static_cast<double>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string shorten(const std::string& text, std::size_t most) {
    std::size_t seen = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if ((text[i] & 0xc0) == 0x80) continue;
        if (++seen > most) return text.substr(0, i) + "…";
    }
    return text;
}

std::pair<double, double> padded_range(const std::vector<double>& values) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const double v : values)
        if (std::isfinite(v)) {
            low = std::min(low, v);
            high = std::max(high, v);
        }
    if (!(low <= high)) return {0, 1};
    const double spread = high - low;
    const double more = spread > 0 && spread > 1e-12 * std::max(std::abs(low), std::abs(high))
                            ? 0.05 * spread
                            : std::max(0.5 * std::abs(high), 0.5);
    return {low - more, high + more};
}

void draw_panel_title(svg& page, double x, double y, const std::string& title, const std::string& note) {
    page.text(x + plot_left, y + 18, title, {{"class", "panel"}});
    page.text(x + plot_left, y + 36, note, {{"class", "note"}});
}

void draw_axis_names(svg& page, double left, double top, const std::string& below, const std::string& beside) {
    page.text(left + side / 2, top + side + 42, below, {{"class", "axis"}, {"text-anchor", "middle"}});
    if (beside.empty()) return;
    const double x = left - 58, y = top + side / 2;
    page.text(x, y, beside,
              {{"class", "axis"}, {"text-anchor", "middle"}, {"transform", fmt::format("rotate(-90 {} {})", x, y)}});
}

void axes::draw_title(double px, double py, const std::string& title, const std::string& note) const {
    draw_panel_title(page, px, py, title, note);
}

void axes::draw_names(const std::string& across, const std::string& up) const {
    page.rect(left, top, side, side, {{"class", "frame"}});
    draw_axis_names(page, left, top, across, up);
}

void axes::tick_x(double at, const std::string& text) const {
    page.line(at, top + side, at, top + side + 5, {{"class", "mark"}});
    page.text(at, top + side + 19, text, {{"class", "tick"}, {"text-anchor", "middle"}});
}

void axes::tick_y(double at, const std::string& text) const {
    page.line(left, at, left + side, at, {{"class", "grid"}});
    page.text(left - 9, at + 4, text, {{"class", "tick"}, {"text-anchor", "end"}});
}

void axes::ticks_x(int count) const {
    for (const double v : round_ticks(x_low, x_high, count)) tick_x(x(v), tick_text(v));
}

void axes::ticks_y(int count) const {
    for (const double v : round_ticks(y_low, y_high, count)) tick_y(y(v), tick_text(v));
}

void draw_keys(const axes& f, const std::vector<key_entry>& keys, const std::vector<std::pair<double, double>>& dots) {
    if (keys.empty()) return;
    double width = 0;
    for (const auto& k : keys) width = std::max(width, 30 + 6.6 * character_count(k.name));
    const double height = 10 + 18 * static_cast<double>(keys.size());
    double best_x = f.left, best_y = f.top;
    std::size_t fewest = dots.size() + 1;
    const double right = f.left + side - width - 10, bottom = f.top + side - height - 10;
    for (const double cy : {f.top + 10, bottom, (f.top + 10 + bottom) / 2})
        for (const double cx : {right, f.left + 10, (f.left + 10 + right) / 2}) {
            const auto below = static_cast<std::size_t>(std::ranges::count_if(dots, [&](const auto& p) {
                return p.first > cx - 4 && p.first < cx + width + 4 && p.second > cy - 4 && p.second < cy + height + 4;
            }));
            if (below < fewest) {
                fewest = below;
                best_x = cx;
                best_y = cy;
            }
        }
    if (fewest > 0 && width <= 90) {  // short names fit beside the plot
        best_x = f.left + side + 6;
        best_y = f.top;
    }
    f.page.open_group({{"class", "legend"}});
    f.page.rect(best_x, best_y, width, height, {{"class", "legend-box"}, {"rx", 3.0}});
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const double y = best_y + 14 + 18 * static_cast<double>(i);
        f.page.circle(best_x + 11, y, 3.5, {{"fill", keys[i].colour}});
        f.page.text(best_x + 20, y + 4, keys[i].name, {{"class", "tick"}});
    }
    f.page.close_group();
}

}  // namespace mercer::plot
