#include "mercer/plot/pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/kernels/kernel_info.h"
#include "mercer/plot/axes.h"

namespace mercer {
namespace {

using namespace plot;

// A panel: a square plot with room for its title above, ticks and names on the left and below, a colour scale on the
// right.
constexpr double panel_width = 590, panel_height = 530;
constexpr index most_rects = 40;  // up to so many rows the cells are rectangles with their value as a tooltip
constexpr index most_circles = 400;

void panel_title(svg& page, double x, double y, const std::string& title, const std::string& note) {
    page.text(x + plot_left, y + 18, title, {{"class", "panel"}});
    page.text(x + plot_left, y + 36, note, {{"class", "note"}});
}

void axis_names(svg& page, double left, double top, const std::string& below, const std::string& beside) {
    page.text(left + side / 2, top + side + 42, below, {{"class", "axis"}, {"text-anchor", "middle"}});
    if (beside.empty()) return;
    const double x = left - 58, y = top + side / 2;
    page.text(x, y, beside,
              {{"class", "axis"}, {"text-anchor", "middle"}, {"transform", fmt::format("rotate(-90 {} {})", x, y)}});
}

void draw_bands(svg& page, const object_order& order, const std::string& border, double left, double top) {
    const auto n = static_cast<double>(order.objects.size());
    double done = 0;
    double name_at = top;  // names of narrow bands move down rather than overlap
    page.open_group({{"class", "bands"}});
    for (std::size_t c = 0; c < order.bands.size(); ++c) {
        const auto& [name, count] = order.bands[c];
        const double from = done / n * side, size = static_cast<double>(count) / n * side;
        const std::string colour = class_colour(static_cast<index>(c)).hex();
        const std::string tip = fmt::format("class {}: {} objects", name, count);
        page.rect(left - 13, top + from, 10, size, {{"fill", colour}}, tip);
        page.rect(left + from, top - 13, size, 10, {{"fill", colour}}, tip);
        name_at = std::max(name_at + 6, top + from + size / 2);
        if (name_at < top + side + 4)
            page.text(left - 19, name_at + 4, shortened(name, 11), {{"class", "tick"}, {"text-anchor", "end"}});
        name_at += 6;
        if (c > 0) {
            page.line(left, top + from, left + side, top + from, {{"stroke", border}, {"stroke-width", 1.0}});
            page.line(left + from, top, left + from, top + side, {{"stroke", border}, {"stroke-width", 1.0}});
        }
        done += static_cast<double>(count);
    }
    page.close_group();
}

void draw_colour_scale(svg& page, const colour_range& range, const palette& colours, double left, double top) {
    matrix<std::uint8_t> ramp(256, 1);
    for (index i = 0; i < 256; ++i) ramp(i, 0) = static_cast<std::uint8_t>(255 - i);
    page.open_group({{"class", "scale"}});
    page.cells(left, top, 14, side, ramp.view(), colours);
    page.rect(left, top, 14, side, {{"class", "frame"}});
    for (const double tick : round_ticks(range.low, range.high, 6)) {
        const double y = mapped(tick, range.low, range.high, top + side, top);
        page.line(left + 14, y, left + 18, y, {{"class", "mark"}});
        page.text(left + 22, y + 4, tick_text(tick), {{"class", "tick"}});
    }
    if (range.clipped_above) page.text(left - 1, top - 6, fmt::format("≥ {:.3g}", range.high), {{"class", "tick"}});
    if (range.clipped_below)
        page.text(left - 1, top + side + 15, fmt::format("≤ {:.3g}", range.low), {{"class", "tick"}});
    page.close_group();
}

void draw_cells(svg& page, const heat_cells& cells, const object_order& order, const colour_range& range,
                const palette& colours, double left, double top) {
    const index m = cells.mean.rows();
    const std::string about = fmt::format("cells {}×{} of {}×{}", m, m, cells.n, cells.n);
    page.open_group({{"class", "heatmap"},
                     {"data-low", fmt::format("{}", range.low)},
                     {"data-high", fmt::format("{}", range.high)},
                     {"data-cells", about}});
    if (m <= most_rects) {
        const double size = side / static_cast<double>(m);
        for (index i = 0; i < m; ++i)
            for (index j = 0; j < m; ++j) {
                const double value = cells.mean(i, j);
                const auto place = [&](index cell) {
                    return order.objects[static_cast<std::size_t>(cells.start[static_cast<std::size_t>(cell)])];
                };
                page.rect(left + static_cast<double>(j) * size, top + static_cast<double>(i) * size, size, size,
                          {{"fill", colours[static_cast<std::size_t>(range.level(value))].hex()},
                           {"shape-rendering", "crispEdges"}},
                          fmt::format("K({}, {}) = {}", place(i), place(j), number_text(value)));
            }
    } else {
        matrix<std::uint8_t> numbers(m, m);
        for (index i = 0; i < m; ++i)
            for (index j = 0; j < m; ++j) numbers(i, j) = static_cast<std::uint8_t>(range.level(cells.mean(i, j)));
        page.cells(left, top, side, side, numbers.view(), colours);
    }
    page.close_group();
}

void draw_heat_map(svg& page, double x, double y, const heat_cells& cells, const object_order& order) {
    const colour_range range = choose_range(cells);
    const palette& colours = range.diverging ? diverging_palette() : sequential_palette();
    const double left = x + plot_left, top = y + plot_top;
    std::string note = order.about;
    if (cells.shrunk()) note += fmt::format("; each of {0} × {0} cells is a mean", cells.mean.rows());
    panel_title(page, x, y, "Gram matrix", note);
    draw_cells(page, cells, order, range, colours, left, top);
    if (!order.bands.empty()) draw_bands(page, order, range.diverging ? "#24292f" : "#ffffff", left, top);
    page.rect(left, top, side, side, {{"class", "frame"}});
    const auto n = static_cast<double>(cells.n);
    for (const double tick : round_ticks(0, n, std::min(5.0, n) >= 1 ? static_cast<int>(std::min(5.0, n)) : 1)) {
        const double across = mapped(tick, 0, n, left, left + side), down = mapped(tick, 0, n, top, top + side);
        page.line(across, top + side, across, top + side + 5, {{"class", "mark"}});
        page.text(across, top + side + 19, tick_text(tick), {{"class", "tick"}, {"text-anchor", "middle"}});
        if (!order.bands.empty()) continue;
        page.line(left - 5, down, left, down, {{"class", "mark"}});
        page.text(left - 9, down + 4, tick_text(tick), {{"class", "tick"}, {"text-anchor", "end"}});
    }
    axis_names(page, left, top, "object", order.bands.empty() ? "object" : "class");
    draw_colour_scale(page, range, colours, left + side + 18, top);
}

// What a spectrum panel needs, without the eigenvectors.
struct spectrum_data {
    std::vector<double> values;
    double tolerance = 0;
    index rank = 0;
    index negative = 0;
    double effective = 0;
    index nine_tenths = 0;  // so many eigenvalues hold 90 % of Σ|λ|
};

struct dot_kind {
    const char* name;
    const char* colour;
    index count = 0;
};

void draw_legend(svg& page, double right, double top, const std::vector<dot_kind>& kinds) {
    std::vector<std::string> lines;
    lines.reserve(kinds.size());
    for (const auto& kind : kinds) lines.push_back(fmt::format("{} ({})", kind.name, kind.count));
    double width = 0;
    for (const auto& line : lines) width = std::max(width, 28 + 6.6 * letters(line));
    const double left = right - width - 10;
    page.open_group({{"class", "legend"}});
    page.rect(left, top + 10, width, 10 + 18 * static_cast<double>(lines.size()),
              {{"fill", "#ffffff"}, {"fill-opacity", "0.88"}, {"stroke", "#d8dee4"}, {"rx", 3.0}});
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const double y = top + 24 + 18 * static_cast<double>(i);
        page.circle(left + 11, y, 3.5, {{"fill", kinds[i].colour}});
        page.text(left + 20, y + 4, lines[i], {{"class", "tick"}});
    }
    page.close_group();
}

// Where eigenvalues stand in their panel: their number from left to right, decades of |λ| from the bottom to the top.
class spectrum_scale {
public:
    spectrum_scale(const spectrum_data& data, double left, double top)
        : left_(left), top_(top), n_(static_cast<double>(data.values.size())) {
        double largest = 0, smallest = 0;
        for (const double value : data.values)
            if (const double size = std::abs(value); size > 0) {
                largest = std::max(largest, size);
                smallest = smallest == 0 ? size : std::min(smallest, size);
            }
        if (largest == 0) largest = smallest = 1;
        // What rounding leaves of zeros is not worth more than two decades.
        high = static_cast<int>(std::floor(std::log10(largest))) + 1;
        low = std::min(static_cast<int>(std::floor(std::log10(std::max(smallest, data.tolerance / 100)))), high - 1);
    }

    double height(double size) const {
        return mapped(std::log10(std::max(size, std::pow(10.0, low))), low, high, top_ + side, top_);
    }
    double across(double number) const {
        const double inset = std::min(12.0, side / (2 * n_ + 2));
        return n_ <= 1 ? left_ + side / 2 : mapped(number, 1, n_, left_ + inset, left_ + side - inset);
    }

    int low = 0, high = 0;  // decades

private:
    double left_, top_, n_;
};

void draw_spectrum_axes(svg& page, const spectrum_data& data, const spectrum_scale& scale, double left, double top) {
    if (data.tolerance > std::pow(10.0, scale.low)) {
        const double edge = scale.height(data.tolerance);
        page.rect(left, edge, side, top + side - edge, {{"fill", "#f0f2f4"}});
        page.text(left + 8, edge + 15, "zero within rounding", {{"class", "tick"}});
    }
    const int step = std::max(1, static_cast<int>(std::ceil((scale.high - scale.low) / 9.0)));
    for (int decade = scale.low; decade <= scale.high; ++decade) {
        if ((scale.high - decade) % step != 0) continue;
        const double at = scale.height(std::pow(10.0, decade));
        page.line(left, at, left + side, at, {{"class", "grid"}});
        page.text(left - 9, at + 4, power_of_ten_text(decade), {{"class", "tick"}, {"text-anchor", "end"}});
    }
    std::vector<double> ticks = round_ticks(1, static_cast<double>(data.values.size()), 5);
    std::erase_if(ticks, [](double tick) { return tick < 1 || tick != std::floor(tick); });
    if (ticks.empty() || ticks.front() > 1) ticks.insert(ticks.begin(), 1);
    for (const double tick : ticks) {
        page.line(scale.across(tick), top + side, scale.across(tick), top + side + 5, {{"class", "mark"}});
        page.text(scale.across(tick), top + side + 19, tick_text(tick), {{"class", "tick"}, {"text-anchor", "middle"}});
    }
    page.rect(left, top, side, side, {{"class", "frame"}});
    axis_names(page, left, top, "index, λ falling", "|eigenvalue|");
}

// A dot for every eigenvalue; returns the kinds of dots there are.
std::vector<dot_kind> draw_eigenvalues(svg& page, const spectrum_data& data, const spectrum_scale& scale, double top) {
    const auto n = static_cast<index>(data.values.size());
    std::vector<dot_kind> kinds{{"λ > 0", "#4e79a7"}, {"λ < 0", "#d62728"}, {"λ = 0 within rounding", "#9aa4ae"}};
    const double radius = n <= 60 ? 3.5 : n <= most_circles ? 2.5 : 2;
    std::vector<std::string> dots(kinds.size());
    page.open_group({{"class", "eigenvalues"}});
    for (std::size_t i = 0; i < data.values.size(); ++i) {
        const double value = data.values[i];
        const std::size_t kind = std::abs(value) <= data.tolerance ? 2 : value < 0 ? 1 : 0;
        ++kinds[kind].count;
        const double cx = scale.across(static_cast<double>(i + 1)),
                     cy = std::min(scale.height(std::abs(value)), top + side - 6);
        if (n <= most_circles)
            page.circle(cx, cy, radius, {{"fill", kinds[kind].colour}}, fmt::format("λ{} = {:.6g}", i + 1, value));
        else  // a round pen that hardly moves leaves a dot
            dots[kind] += fmt::format("M{:.1f} {:.1f}h.01", cx, cy);
    }
    for (std::size_t kind = 0; kind < dots.size(); ++kind)
        if (!dots[kind].empty())
            page.path(dots[kind], {{"stroke", kinds[kind].colour},
                                   {"stroke-width", 2 * radius},
                                   {"stroke-linecap", "round"},
                                   {"fill", "none"}});
    page.close_group();
    std::erase_if(kinds, [](const dot_kind& kind) { return kind.count == 0; });
    return kinds;
}

void draw_spectrum(svg& page, double x, double y, const spectrum_data& data) {
    const double left = x + plot_left, top = y + plot_top;
    panel_title(page, x, y, "Eigenvalues",
                fmt::format("rank {} of {} · effective rank {:.1f} · 90 % of Σ|λ| in {}{}", data.rank,
                            data.values.size(), data.effective, data.nine_tenths,
                            data.negative ? fmt::format(" · {} negative", data.negative) : ""));
    const spectrum_scale scale(data, left, top);
    draw_spectrum_axes(page, data, scale, left, top);
    const std::vector<dot_kind> kinds = draw_eigenvalues(page, data, scale, top);
    if (!kinds.empty()) draw_legend(page, left + side, top, kinds);
}

}  // namespace

panel heat_map_panel(heat_cells cells, object_order order) {
    return [cells = std::move(cells), order = std::move(order)](svg& page, double x, double y) {
        draw_heat_map(page, x, y, cells, order);
    };
}

panel spectrum_panel(const gram_spectrum& spectrum) {
    spectrum_data data{spectrum.values,     spectrum.tolerance,        spectrum.rank(),
                       spectrum.negative(), spectrum.effective_rank(), 0};
    const std::vector<double> share = spectrum.cumulative_share();
    while (data.nine_tenths < static_cast<index>(share.size()) &&
           share[static_cast<std::size_t>(data.nine_tenths)] < 0.9)
        ++data.nine_tenths;
    data.nine_tenths = std::min<index>(data.nine_tenths + 1, static_cast<index>(share.size()));
    return [data = std::move(data)](svg& page, double x, double y) { draw_spectrum(page, x, y, data); };
}

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
    const double room = (width - 60) / 10.5;  // letters of a wide font
    page.text(30, 34, shortened(title, static_cast<std::size_t>(room)), {{"class", "title"}});
    page.text(30, 56, shortened(subtitle, static_cast<std::size_t>(room * 17 / 13)), {{"class", "subtitle"}});
    for (std::size_t i = 0; i < panels.size(); ++i) {
        const std::size_t row = i / across, column = i % across;
        panels[i](page, panel_width * static_cast<double>(column), 70 + panel_height * static_cast<double>(row));
    }
    return page.finish();
}

}  // namespace mercer
