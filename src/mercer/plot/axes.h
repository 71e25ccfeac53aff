// The plot of a panel of pictures.h: a square with axes, ticks and a key.
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "mercer/plot/svg.h"

namespace mercer {

// Draws itself with its upper left corner at (x, y); all panels have the same size.
using panel = std::function<void(svg& page, double x, double y)>;

// A panel as a picture of its own, for an HTML page.
svg panel_figure(const panel& one, const std::string& title);
// The panels side by side under a title, at most three in a row.
std::string picture_page(const std::string& title, const std::string& subtitle, const std::vector<panel>& panels);

}  // namespace mercer

namespace mercer::plot {

// It stands where those of pictures.cpp do.
inline constexpr double plot_left = 92, plot_top = 62, side = 400;

inline double mapped(double value, double low, double high, double from, double to) {
    return from + (value - low) / (high - low) * (to - from);
}
// How many letters a text shows.
double letters(const std::string& text);
// Its first letters and an ellipsis where there are more than `most`.
std::string shortened(const std::string& text, std::size_t most);
// Low and high of the finite values with some room; never the same number.
std::pair<double, double> room(const std::vector<double>& values);

// The title and the note of the panel whose upper left corner is (x, y).
void panel_title(svg& page, double x, double y, const std::string& title, const std::string& note);
// The names below and beside the plot whose upper left corner is (left, top); none beside it where that is empty.
void axis_names(svg& page, double left, double top, const std::string& below, const std::string& beside);

struct frame {
    svg& page;
    double left, top;
    double x_low = 0, x_high = 1, y_low = 0, y_high = 1;
    double x(double v) const { return mapped(v, x_low, x_high, left, left + side); }
    double y(double v) const { return mapped(v, y_low, y_high, top + side, top); }

    void head(double px, double py, const std::string& title, const std::string& note) const;
    void names(const std::string& across, const std::string& up) const;
    void tick_x(double at, const std::string& text) const;
    void tick_y(double at, const std::string& text) const;
    void ticks_x(int count) const;
    void ticks_y(int count) const;
    // Powers of ten; where fewer than three lie inside, 2 and 5 times them as well. The range is in logarithms.
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

struct key {
    std::string name;
    std::string colour;
};
// Where the fewest dots lie below it: in a corner, along a side, or in the middle.
void draw_keys(const frame& f, const std::vector<key>& keys, const std::vector<std::pair<double, double>>& dots);

}  // namespace mercer::plot
