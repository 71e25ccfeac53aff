// Panels and their axes: square plots with title, ticks and legend, and the SVG page that arranges them.
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "mercer/plot/svg.h"

namespace mercer {

// A panel draws itself with its upper left corner at (x, y). All panels have the same size.
using panel = std::function<void(svg& page, double x, double y)>;

// Returns a single panel as an SVG picture, for an HTML page.
svg panel_figure(const panel& one, const std::string& title);
// Returns the text of an SVG file with a title and the panels in rows of at most three.
std::string picture_page(const std::string& title, const std::string& subtitle, const std::vector<panel>& panels);

}  // namespace mercer

namespace mercer::plot {

// Position and size of the plot within a panel, in pixels.
inline constexpr double plot_left = 92, plot_top = 62, side = 400;

inline double rescale(double value, double low, double high, double from, double to) {
    return from + (value - low) / (high - low) * (to - from);
}
// The number of characters of a UTF-8 text.
double character_count(const std::string& text);
// The first `most` characters and an ellipsis if the text is longer.
std::string shorten(const std::string& text, std::size_t most);
// The range of the finite values with a margin of 5 % on either side; never empty.
std::pair<double, double> padded_range(const std::vector<double>& values);

// Draws the title and the note of the panel with its upper left corner at (x, y).
void draw_panel_title(svg& page, double x, double y, const std::string& title, const std::string& note);
// Draws the names of the axes of the plot with its upper left corner at (left, top); no name beside the plot if
// `beside` is empty.
void draw_axis_names(svg& page, double left, double top, const std::string& below, const std::string& beside);

struct axes {
    svg& page;
    double left, top;
    double x_low = 0, x_high = 1, y_low = 0, y_high = 1;
    double x(double v) const { return rescale(v, x_low, x_high, left, left + side); }
    double y(double v) const { return rescale(v, y_low, y_high, top + side, top); }

    void draw_title(double px, double py, const std::string& title, const std::string& note) const;
    void draw_names(const std::string& across, const std::string& up) const;
    void tick_x(double at, const std::string& text) const;
    void tick_y(double at, const std::string& text) const;
    void ticks_x(int count) const;
    void ticks_y(int count) const;
    // Draws ticks at powers of ten; if fewer than three lie in the range, also at 2 and 5 times these. The range is
    // given in decimal logarithms.
    void log_ticks(double low, double high, auto&& draw) const {
        const int from = static_cast<int>(std::ceil(low)), to = static_cast<int>(std::floor(high));
        const int step = std::max(1, static_cast<int>(std::ceil((to - from) / 7.0)));
        for (int d = from; d <= to; d += step) draw(static_cast<double>(d), power_of_ten_text(d));
        if (to - from >= 2) return;
        for (int d = from - 1; d <= to; ++d)
            for (const double factor : {2.0, 5.0})
                if (const double at = d + std::log10(factor); at >= low && at <= high)
                    draw(at, tick_text(factor * std::pow(10.0, d)));
    }
};

struct key_entry {
    std::string name;
    std::string colour;
};
// Draws the legend where it covers the fewest dots: in a corner, along a side or in the centre.
void draw_keys(const axes& f, const std::vector<key_entry>& keys, const std::vector<std::pair<double, double>>& dots);

}  // namespace mercer::plot
