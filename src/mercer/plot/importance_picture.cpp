#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "mercer/plot/axes.h"
#include "mercer/plot/evaluation_plots.h"

namespace mercer {
namespace {

using namespace plot;

constexpr double names_width = 166, width = 372;
constexpr std::size_t most_bars = 20;

void draw_importance(svg& page, double px, double py, const evaluation& all) {
    std::vector<const feature_importance*> order;
    for (const feature_importance& f : all.importance) order.push_back(&f);
    std::ranges::stable_sort(order, std::ranges::greater{}, &feature_importance::mean);
    const std::size_t shown = std::min(order.size(), most_bars);
    double low = 0, high = 0;
    for (std::size_t i = 0; i < shown; ++i) {
        low = std::min({low, order[i]->of_mean.low, order[i]->mean});
        high = std::max({high, order[i]->of_mean.high, order[i]->mean});
    }
    if (!(high > low)) high = low + 1;
    high += 0.03 * (high - low);
    const double left = px + names_width, top = py + plot_top;
    const double step = std::min(side / static_cast<double>(std::max<std::size_t>(shown, 1)), 50.0);
    const double height = step * static_cast<double>(shown), thick = std::min(0.66 * step, 26.0);
    const auto x = [&](double v) { return mapped(v, low, high, left, left + width); };
    page.text(left, py + 18, "Importance of the features", {{"class", "panel"}});
    page.text(left, py + 36,
              fmt::format("{} with one feature shuffled{}", all.importance_metric,
                          shown < order.size() ? fmt::format("; the first {} of {}", shown, order.size()) : ""),
              {{"class", "note"}});
    for (const double v : round_ticks(low, high, 5)) {
        page.line(x(v), top, x(v), top + height, {{"class", "grid"}});
        page.text(x(v), top + height + 19, tick_text(v), {{"class", "tick"}, {"text-anchor", "middle"}});
    }
    page.open_group({{"class", "importance"}});
    for (std::size_t i = 0; i < shown; ++i) {
        const feature_importance& f = *order[i];
        const double middle = top + (static_cast<double>(i) + 0.5) * step;
        const std::string name = all.feature(f.column);
        page.rect(x(std::min(0.0, f.mean)), middle - thick / 2, std::abs(x(f.mean) - x(0)), thick,
                  {{"fill", class_colour(0).hex()}, {"fill-opacity", "0.85"}, {"rx", 1.5}},
                  fmt::format("{}: {:.4g}, 95 %: {:.4g} to {:.4g}", name, f.mean, f.of_mean.low, f.of_mean.high));
        const double cap = std::min(thick / 4, 4.0);
        page.path(fmt::format("M{0:.1f} {2:.1f}V{3:.1f}M{0:.1f} {4:.1f}H{1:.1f}M{1:.1f} {2:.1f}V{3:.1f}",
                              x(f.of_mean.low), x(f.of_mean.high), middle - cap, middle + cap, middle),
                  {{"class", "ring"}, {"stroke-width", 1.2}});
        page.text(left - 8, middle + 4, shortened(name, 22), {{"class", "tick"}, {"text-anchor", "end"}});
    }
    page.close_group();
    page.line(x(0), top, x(0), top + height, {{"class", "mark"}});
    page.text(left + width / 2, top + height + 42, all.importance_metric + " worse by",
              {{"class", "axis"}, {"text-anchor", "middle"}});
}

}  // namespace

panel importance_panel(shared_evaluation all) {
    return [all = std::move(all)](svg& page, double x, double y) { draw_importance(page, x, y, *all); };
}

}  // namespace mercer
