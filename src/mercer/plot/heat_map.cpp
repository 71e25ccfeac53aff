#include "mercer/plot/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>

#include "mercer/kernels/kernel_info.h"

namespace mercer {

object_order object_order::plain(index n) {
    object_order order;
    order.objects.resize(static_cast<std::size_t>(n));
    std::iota(order.objects.begin(), order.objects.end(), index(0));
    order.about = "objects in the order of the file";
    return order;
}

object_order order_by_target(const table& data, index max_classes) {
    object_order order = object_order::plain(data.x.size());
    if (data.y.empty()) return order;
    std::map<double, index> count;
    for (const double y : data.y) ++count[y];
    std::ranges::stable_sort(order.objects, {}, [&](index i) { return data.y[static_cast<std::size_t>(i)]; });
    if (static_cast<index>(count.size()) > max_classes) {
        order.about = "objects sorted by target";
        return order;
    }
    order.about = "objects sorted by class";
    for (const auto& [y, members] : count) {
        const bool named = y >= 0 && y < static_cast<double>(data.class_names.size());
        order.bands.push_back({named ? data.class_names[static_cast<std::size_t>(y)] : number_text(y), members});
    }
    return order;
}

heat_cells average_cells(const gram<double>& k, const std::vector<index>& order, index most,
                         const std::function<void(double)>& progress) {
    const auto n = static_cast<index>(order.size());
    const index m = std::min(n, std::max<index>(most, 1));
    heat_cells cells{matrix<double>(m, m), {}, n};
    for (index r = 0; r <= m; ++r) cells.start.push_back(m == 0 ? 0 : r * n / m);
    std::vector<index> cell_of(order.size());
    for (index r = 0; r < m; ++r)
        for (index i = cells.start[static_cast<std::size_t>(r)]; i < cells.start[static_cast<std::size_t>(r) + 1]; ++i)
            cell_of[static_cast<std::size_t>(i)] = r;

    const std::span<const index> all(order);
    const index chunk = std::clamp<index>((index(1) << 22) / std::max<index>(n, 1), 1, std::max<index>(n, 1));
    matrix<double> values(chunk, n);
    for (index first = 0; first < n; first += chunk) {
        const index rows = std::min(chunk, n - first);
        k.block(all.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(rows)), all, values.view());
        for (index i = 0; i < rows; ++i) {
            double* sums = cells.mean.row(cell_of[static_cast<std::size_t>(first + i)]);
            for (index j = 0; j < n; ++j) sums[cell_of[static_cast<std::size_t>(j)]] += values(i, j);
        }
        if (progress) progress(static_cast<double>(first + rows) / static_cast<double>(n));
    }
    const auto size = [&](index r) {
        return static_cast<double>(cells.start[static_cast<std::size_t>(r) + 1] -
                                   cells.start[static_cast<std::size_t>(r)]);
    };
    for (index i = 0; i < m; ++i)
        for (index j = 0; j < m; ++j) cells.mean(i, j) /= size(i) * size(j);
    return cells;
}

int colour_range::level(double value) const {
    return static_cast<int>(std::lround(std::clamp((value - low) / (high - low), 0.0, 1.0) * 255));
}

colour_range choose_range(const heat_cells& cells) {
    std::vector<double> sorted(cells.mean.data(), cells.mean.data() + cells.mean.rows() * cells.mean.cols());
    std::ranges::sort(sorted);
    colour_range range;
    if (sorted.empty()) return range;
    const double lowest = sorted.front(), highest = sorted.back();
    // If a few cells (a large diagonal) lie far beyond the others, the scale ends at the others; otherwise these would
    // all have the same colour.
    const double m = static_cast<double>(cells.mean.rows());
    const auto few = static_cast<std::size_t>(std::min(1.5 * m, 0.05 * m * m));
    const double upper = sorted[sorted.size() - 1 - few], lower = sorted[few];
    const double spread = upper - lower;
    range.clipped_above = highest - upper > 0.5 * spread && spread > 0;
    range.clipped_below = lower - lowest > 0.5 * spread && spread > 0;
    range.low = range.clipped_below ? lower : lowest;
    range.high = range.clipped_above ? upper : highest;
    range.diverging = range.low < -1e-3 * std::abs(range.high);  // smaller negative values would not be visible
    if (range.diverging) {
        const double most = std::max(-range.low, range.high);
        range.low = -most;
        range.high = most;
        range.clipped_above = highest > most;
        range.clipped_below = lowest < -most;
    } else if (range.low < 0.5 * range.high) {  // start at 0 if that costs at most half of the colours
        range.low = 0;
    }
    if (!(range.high > range.low)) {  // all values are equal
        const double room = range.high == 0 ? 1 : 0.5 * std::abs(range.high);
        range.low -= range.diverging || range.low > 0 ? room : 0;
        range.high += room;
    }
    return range;
}

namespace {

using namespace plot;

constexpr index max_rects = 40;  // up to this number of rows the cells are rectangles with their value as a tooltip

void draw_bands(svg& page, const object_order& order, const std::string& border, double left, double top) {
    const auto n = static_cast<double>(order.objects.size());
    double done = 0;
    double name_at = top;  // names of narrow bands move down to avoid overlaps
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
            page.text(left - 19, name_at + 4, shorten(name, 11), {{"class", "tick"}, {"text-anchor", "end"}});
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
        const double y = rescale(tick, range.low, range.high, top + side, top);
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
    if (m <= max_rects) {
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
    draw_panel_title(page, x, y, "Gram matrix", note);
    draw_cells(page, cells, order, range, colours, left, top);
    if (!order.bands.empty()) draw_bands(page, order, range.diverging ? "#24292f" : "#ffffff", left, top);
    page.rect(left, top, side, side, {{"class", "frame"}});
    const auto n = static_cast<double>(cells.n);
    for (const double tick : round_ticks(0, n, std::min(5.0, n) >= 1 ? static_cast<int>(std::min(5.0, n)) : 1)) {
        const double across = rescale(tick, 0, n, left, left + side), down = rescale(tick, 0, n, top, top + side);
        page.line(across, top + side, across, top + side + 5, {{"class", "mark"}});
        page.text(across, top + side + 19, tick_text(tick), {{"class", "tick"}, {"text-anchor", "middle"}});
        if (!order.bands.empty()) continue;
        page.line(left - 5, down, left, down, {{"class", "mark"}});
        page.text(left - 9, down + 4, tick_text(tick), {{"class", "tick"}, {"text-anchor", "end"}});
    }
    draw_axis_names(page, left, top, "object", order.bands.empty() ? "object" : "class");
    draw_colour_scale(page, range, colours, left + side + 18, top);
}

}  // namespace

panel heat_map_panel(heat_cells cells, object_order order) {
    return [cells = std::move(cells), order = std::move(order)](svg& page, double x, double y) {
        draw_heat_map(page, x, y, cells, order);
    };
}

}  // namespace mercer
