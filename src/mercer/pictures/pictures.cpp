#include "mercer/pictures/pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "mercer/kernels/leaf.h"

namespace mercer {
namespace {

// A panel: a square plot with room for its title above, ticks and names on the left and below, a colour scale on the right.
constexpr double panel_width = 590, panel_height = 530;
constexpr double plot_left = 92, plot_top = 62, side = 400;
constexpr index most_rects = 40;  // up to so many rows the cells are rectangles with their value as a tooltip
constexpr index most_circles = 400;

double mapped(double value, double low, double high, double from, double to) { return from + (value - low) / (high - low) * (to - from); }

double letters(const std::string& text) {
    return static_cast<double>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));  // bytes that begin a letter
}

std::string shortened(const std::string& text, std::size_t most) {
    std::size_t seen = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if ((text[i] & 0xc0) == 0x80) continue;
        if (++seen > most) return text.substr(0, i) + "…";
    }
    return text;
}

void panel_title(svg& page, double x, double y, const std::string& title, const std::string& note) {
    page.text(x + plot_left, y + 18, title, {{"class", "panel"}});
    page.text(x + plot_left, y + 36, note, {{"class", "note"}});
}

void axis_names(svg& page, double left, double top, const std::string& below, const std::string& beside) {
    page.text(left + side / 2, top + side + 42, below, {{"class", "axis"}, {"text-anchor", "middle"}});
    if (beside.empty()) return;
    const double x = left - 58, y = top + side / 2;
    page.text(x, y, beside, {{"class", "axis"}, {"text-anchor", "middle"}, {"transform", fmt::format("rotate(-90 {} {})", x, y)}});
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
        if (name_at < top + side + 4) page.text(left - 19, name_at + 4, shortened(name, 11), {{"class", "tick"}, {"text-anchor", "end"}});
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
    if (range.clipped_below) page.text(left - 1, top + side + 15, fmt::format("≤ {:.3g}", range.low), {{"class", "tick"}});
    page.close_group();
}

void draw_cells(svg& page, const heat_cells& cells, const object_order& order, const colour_range& range, const palette& colours, double left, double top) {
    const index m = cells.mean.rows();
    const std::string about = fmt::format("cells {}×{} of {}×{}", m, m, cells.n, cells.n);
    page.open_group({{"class", "heatmap"}, {"data-low", fmt::format("{}", range.low)}, {"data-high", fmt::format("{}", range.high)}, {"data-cells", about}});
    if (m <= most_rects) {
        const double size = side / static_cast<double>(m);
        for (index i = 0; i < m; ++i)
            for (index j = 0; j < m; ++j) {
                const double value = cells.mean(i, j);
                const auto place = [&](index cell) { return order.objects[static_cast<std::size_t>(cells.start[static_cast<std::size_t>(cell)])]; };
                page.rect(left + static_cast<double>(j) * size, top + static_cast<double>(i) * size, size, size,
                          {{"fill", colours[static_cast<std::size_t>(range.level(value))].hex()}, {"shape-rendering", "crispEdges"}},
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

void draw_spectrum(svg& page, double x, double y, const spectrum_data& data) {
    const double left = x + plot_left, top = y + plot_top;
    const auto n = static_cast<double>(data.values.size());
    panel_title(page, x, y, "Eigenvalues",
                fmt::format("rank {} of {} · effective rank {:.1f} · 90 % of Σ|λ| in {}{}", data.rank, data.values.size(), data.effective, data.nine_tenths,
                            data.negative ? fmt::format(" · {} negative", data.negative) : ""));
    double largest = 0, smallest = 0;
    for (const double value : data.values)
        if (const double size = std::abs(value); size > 0) {
            largest = std::max(largest, size);
            smallest = smallest == 0 ? size : std::min(smallest, size);
        }
    if (largest == 0) largest = smallest = 1;
    // What rounding leaves of zeros is not worth more than two decades.
    const int high = static_cast<int>(std::floor(std::log10(largest))) + 1;
    const int low = std::min(static_cast<int>(std::floor(std::log10(std::max(smallest, data.tolerance / 100)))), high - 1);
    const auto height = [&](double size) { return mapped(std::log10(std::max(size, std::pow(10.0, low))), low, high, top + side, top); };

    if (data.tolerance > std::pow(10.0, low)) {
        const double edge = height(data.tolerance);
        page.rect(left, edge, side, top + side - edge, {{"fill", "#f0f2f4"}});
        page.text(left + 8, edge + 15, "zero within rounding", {{"class", "tick"}});
    }
    const int step = std::max(1, static_cast<int>(std::ceil((high - low) / 9.0)));
    for (int decade = low; decade <= high; ++decade) {
        if ((high - decade) % step != 0) continue;
        const double at = height(std::pow(10.0, decade));
        page.line(left, at, left + side, at, {{"class", "grid"}});
        page.text(left - 9, at + 4, power_of_ten_text(decade), {{"class", "tick"}, {"text-anchor", "end"}});
    }
    const double inset = std::min(12.0, side / (2 * n + 2));
    const auto across = [&](double number) { return n <= 1 ? left + side / 2 : mapped(number, 1, n, left + inset, left + side - inset); };
    std::vector<double> ticks = round_ticks(1, n, 5);
    std::erase_if(ticks, [](double tick) { return tick < 1 || tick != std::floor(tick); });
    if (ticks.empty() || ticks.front() > 1) ticks.insert(ticks.begin(), 1);
    for (const double tick : ticks) {
        page.line(across(tick), top + side, across(tick), top + side + 5, {{"class", "mark"}});
        page.text(across(tick), top + side + 19, tick_text(tick), {{"class", "tick"}, {"text-anchor", "middle"}});
    }
    page.rect(left, top, side, side, {{"class", "frame"}});
    axis_names(page, left, top, "index, λ falling", "|eigenvalue|");

    std::vector<dot_kind> kinds{{"λ > 0", "#4e79a7"}, {"λ < 0", "#d62728"}, {"λ = 0 within rounding", "#9aa4ae"}};
    const double radius = n <= 60 ? 3.5 : n <= most_circles ? 2.5 : 2;
    std::vector<std::string> dots(kinds.size());
    page.open_group({{"class", "eigenvalues"}});
    for (std::size_t i = 0; i < data.values.size(); ++i) {
        const double value = data.values[i];
        const std::size_t kind = std::abs(value) <= data.tolerance ? 2 : value < 0 ? 1 : 0;
        ++kinds[kind].count;
        const double cx = across(static_cast<double>(i + 1)), cy = std::min(height(std::abs(value)), top + side - 6);
        if (static_cast<index>(data.values.size()) <= most_circles)
            page.circle(cx, cy, radius, {{"fill", kinds[kind].colour}}, fmt::format("λ{} = {:.6g}", i + 1, value));
        else  // a round pen that hardly moves leaves a dot
            dots[kind] += fmt::format("M{:.1f} {:.1f}h.01", cx, cy);
    }
    for (std::size_t kind = 0; kind < dots.size(); ++kind)
        if (!dots[kind].empty())
            page.path(dots[kind], {{"stroke", kinds[kind].colour}, {"stroke-width", 2 * radius}, {"stroke-linecap", "round"}, {"fill", "none"}});
    page.close_group();
    std::erase_if(kinds, [](const dot_kind& kind) { return kind.count == 0; });
    if (!kinds.empty()) draw_legend(page, left + side, top, kinds);
}

}  // namespace

object_order object_order::plain(index n) {
    object_order order;
    order.objects.resize(static_cast<std::size_t>(n));
    std::iota(order.objects.begin(), order.objects.end(), index(0));
    order.about = "objects in the order of the file";
    return order;
}

object_order order_by_target(const table& data, index most_classes) {
    object_order order = object_order::plain(data.x.size());
    if (data.y.empty()) return order;
    std::map<double, index> count;
    for (const double y : data.y) ++count[y];
    std::ranges::stable_sort(order.objects, {}, [&](index i) { return data.y[static_cast<std::size_t>(i)]; });
    if (static_cast<index>(count.size()) > most_classes) {
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

heat_cells average_cells(const gram<double>& k, const std::vector<index>& order, index most, const std::function<void(double)>& progress) {
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
    const auto size = [&](index r) { return static_cast<double>(cells.start[static_cast<std::size_t>(r) + 1] - cells.start[static_cast<std::size_t>(r)]); };
    for (index i = 0; i < m; ++i)
        for (index j = 0; j < m; ++j) cells.mean(i, j) /= size(i) * size(j);
    return cells;
}

int colour_range::level(double value) const { return static_cast<int>(std::lround(std::clamp((value - low) / (high - low), 0.0, 1.0) * 255)); }

colour_range choose_range(const heat_cells& cells) {
    std::vector<double> sorted(cells.mean.data(), cells.mean.data() + cells.mean.rows() * cells.mean.cols());
    std::ranges::sort(sorted);
    colour_range range;
    if (sorted.empty()) return range;
    const double lowest = sorted.front(), highest = sorted.back();
    // A diagonal far above the rest would leave the rest one colour: the scale then ends where all but a few cells do.
    const double m = static_cast<double>(cells.mean.rows());
    const auto few = static_cast<std::size_t>(std::min(1.5 * m, 0.05 * m * m));
    const double upper = sorted[sorted.size() - 1 - few], lower = sorted[few];
    const double spread = upper - lower;
    range.clipped_above = highest - upper > 0.5 * spread && spread > 0;
    range.clipped_below = lower - lowest > 0.5 * spread && spread > 0;
    range.low = range.clipped_below ? lower : lowest;
    range.high = range.clipped_above ? upper : highest;
    range.diverging = range.low < -1e-3 * std::abs(range.high);  // less than that is hardly seen
    if (range.diverging) {
        const double most = std::max(-range.low, range.high);
        range.low = -most;
        range.high = most;
        range.clipped_above = highest > most;
        range.clipped_below = lowest < -most;
    } else if (range.low < 0.5 * range.high) {  // a scale from 0 where that costs at most half of the colours
        range.low = 0;
    }
    if (!(range.high > range.low)) {  // all the same
        const double room = range.high == 0 ? 1 : 0.5 * std::abs(range.high);
        range.low -= range.diverging || range.low > 0 ? room : 0;
        range.high += room;
    }
    return range;
}

panel heat_map_panel(heat_cells cells, object_order order) {
    return [cells = std::move(cells), order = std::move(order)](svg& page, double x, double y) { draw_heat_map(page, x, y, cells, order); };
}

panel spectrum_panel(const gram_spectrum& spectrum) {
    spectrum_data data{spectrum.values, spectrum.tolerance, spectrum.rank(), spectrum.negative(), spectrum.effective_rank(), 0};
    const std::vector<double> share = spectrum.cumulative_share();
    while (data.nine_tenths < static_cast<index>(share.size()) && share[static_cast<std::size_t>(data.nine_tenths)] < 0.9) ++data.nine_tenths;
    data.nine_tenths = std::min<index>(data.nine_tenths + 1, static_cast<index>(share.size()));
    return [data = std::move(data)](svg& page, double x, double y) { draw_spectrum(page, x, y, data); };
}

std::string picture_page(const std::string& title, const std::string& subtitle, const std::vector<panel>& panels) {
    const double width = panel_width * static_cast<double>(std::max<std::size_t>(panels.size(), 1));
    svg page(width, 70 + panel_height, title + " — " + subtitle);
    const double room = (width - 60) / 10.5;  // letters of a wide font
    page.text(30, 34, shortened(title, static_cast<std::size_t>(room)), {{"class", "title"}});
    page.text(30, 56, shortened(subtitle, static_cast<std::size_t>(room * 17 / 13)), {{"class", "subtitle"}});
    for (std::size_t i = 0; i < panels.size(); ++i) panels[i](page, panel_width * static_cast<double>(i), 70);
    return page.finish();
}

}  // namespace mercer
