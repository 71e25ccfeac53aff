#include "mercer/plot/score_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace mercer {

namespace {

constexpr double left = 92, top = 62, side = 400, scale_gap = 18, scale_width = 14;

struct shades {
    double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
    bool larger_is_better = true;

    // The scale ends at the worst quarter of the scores; otherwise a few very bad scores would leave one colour for the
    // others.
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
    // The best score has the last colour.
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
