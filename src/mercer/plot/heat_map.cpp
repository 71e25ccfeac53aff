// What a heat map shows: the order of the objects, means of cells, and the range of its colours.

#include "mercer/plot/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "mercer/kernels/kernel_info.h"
#include "mercer/plot/pictures.h"

namespace mercer {

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

namespace {

constexpr double left = 92, top = 62, side = 400, scale_gap = 18, scale_width = 14;

struct shades {
    double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
    bool larger_is_better = true;

    // The worst scores of a large map would leave the rest one colour: the scale ends at the worst quarter.
    explicit shades(const score_map& m) : larger_is_better(m.larger_is_better) {
        std::vector<double> all;
        for (index i = 0; i < m.score.rows(); ++i)
            for (index j = 0; j < m.score.cols(); ++j)
                if (std::isfinite(m.score(i, j))) all.push_back(m.score(i, j));
        if (all.empty()) return;
        std::ranges::sort(all);
        const std::size_t quarter = all.size() / 4;
        low = m.larger_is_better ? all[quarter] : all.front();
        high = m.larger_is_better ? all.back() : all[all.size() - 1 - quarter];
        if (!(low < high)) low = all.front(), high = all.back();
    }
    // The best is the last colour.
    std::uint8_t of(double score) const {
        const double share = high > low ? std::clamp((score - low) / (high - low), 0.0, 1.0) : 1.0;
        return static_cast<std::uint8_t>(std::lround(255 * (larger_is_better ? share : 1 - share)));
    }
};

void draw_scale(svg& page, double x, double y, const shades& by, const std::string& name) {
    matrix<std::uint8_t> ramp(256, 1);
    for (index i = 0; i < 256; ++i) ramp(i, 0) = static_cast<std::uint8_t>(255 - i);
    page.cells(x, y, scale_width, side, ramp.view(), sequential_palette());
    const double best = by.larger_is_better ? by.high : by.low, worst = by.larger_is_better ? by.low : by.high;
    page.text(x + scale_width + 5, y + 10, fmt::format("{:.4g}", best), {{"class", "tick"}});
    page.text(x + scale_width + 5, y + side, fmt::format("{:.4g}", worst), {{"class", "tick"}});
    page.text(x, y - 8, name, {{"class", "tick"}});
}

void draw(svg& page, double x, double y, const score_map& m) {
    const shades by(m);
    const double px = x + left, py = y + top;
    const double wide = side / static_cast<double>(m.across.size()), high = side / static_cast<double>(m.up.size());
    page.text(px, y + 18, m.title, {{"class", "panel"}});
    page.text(px, y + 36, m.note, {{"class", "note"}});
    for (index i = 0; i < m.score.rows(); ++i)
        for (index j = 0; j < m.score.cols(); ++j) {
            if (!std::isfinite(m.score(i, j))) continue;
            const rgb colour = sequential_palette()[by.of(m.score(i, j))];
            page.rect(px + wide * static_cast<double>(j), py + side - high * static_cast<double>(i + 1), wide, high,
                      {{"fill", colour.hex()}},
                      fmt::format("{} = {:.4g}, {} = {:.4g}: {} {:.4g}{}", m.across_name,
                                  m.across[static_cast<std::size_t>(j)], m.up_name, m.up[static_cast<std::size_t>(i)],
                                  m.score_name, m.score(i, j), m.dropped(i, j) ? " after the first folds" : ""));
        }
    page.rect(px, py, side, side, {{"class", "frame"}});
    const double cx = px + wide * (static_cast<double>(m.best_across) + 0.5);
    const double cy = py + side - high * (static_cast<double>(m.best_up) + 0.5);
    const double r = std::clamp(std::min(wide, high) / 3, 4.0, 14.0);
    page.circle(cx, cy, r, {{"fill", "none"}, {"stroke", "#000000"}, {"stroke-width", 3.0}});
    page.circle(cx, cy, r, {{"fill", "none"}, {"stroke", "#ffffff"}, {"stroke-width", 1.5}});
    const auto every = [](std::size_t n) { return std::max<std::size_t>(1, (n + 5) / 6); };
    for (std::size_t j = 0; j < m.across.size(); j += every(m.across.size()))
        page.text(px + wide * (static_cast<double>(j) + 0.5), py + side + 18, fmt::format("{:.3g}", m.across[j]),
                  {{"class", "tick"}, {"text-anchor", "middle"}});
    for (std::size_t i = 0; i < m.up.size(); i += every(m.up.size()))
        page.text(px - 9, py + side - high * (static_cast<double>(i) + 0.5) + 4, fmt::format("{:.3g}", m.up[i]),
                  {{"class", "tick"}, {"text-anchor", "end"}});
    page.text(px + side / 2, py + side + 42, m.across_name, {{"class", "axis"}, {"text-anchor", "middle"}});
    page.text(px - 62, py + side / 2, m.up_name,
              {{"class", "axis"},
               {"text-anchor", "middle"},
               {"transform", fmt::format("rotate(-90 {} {})", px - 62, py + side / 2)}});
    draw_scale(page, px + side + scale_gap, py, by, m.score_name);
}

}  // namespace

panel score_map_panel(score_map of) {
    return [of = std::move(of)](svg& page, double x, double y) { draw(page, x, y, of); };
}

}  // namespace mercer
