// Answers of a regression: predicted against true values, and what is left.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "mercer/plot/axes.h"
#include "mercer/plot/evaluation_plots.h"

namespace mercer {
namespace {

using namespace plot;

void draw_dots(const frame& f, const std::vector<double>& across, const std::vector<double>& up,
               const evaluation& all) {
    constexpr std::size_t most_circles = 1500;
    const double radius = across.size() <= 400 ? 3.2 : across.size() <= 2000 ? 2.4 : 1.6;
    const std::string colour = class_colour(0).hex();
    std::string d;
    f.page.open_group({{"class", "points"}});
    for (std::size_t i = 0; i < across.size(); ++i) {
        const double x = f.x(across[i]), y = f.y(up[i]);
        if (across.size() <= most_circles)
            f.page.circle(x, y, radius, {{"fill", colour}, {"fill-opacity", "0.55"}},
                          fmt::format("row {}: {:.5g}, predicted {:.5g}", i + 1, all.y[i], all.predicted[i]));
        else  // a round pen that hardly moves leaves a dot
            d += fmt::format("M{:.1f} {:.1f}h.01", x, y);
    }
    if (!d.empty())
        f.page.path(d, {{"stroke", colour},
                        {"stroke-width", 2 * radius},
                        {"stroke-linecap", "round"},
                        {"stroke-opacity", "0.45"},
                        {"fill", "none"}});
    f.page.close_group();
}

std::string metric_text(const evaluation& all, const char* name) {
    const evaluated_metric* m = all.find(name);
    return m ? fmt::format("{} {:.4g}, 95 %: {:.4g} to {:.4g}", name, m->value, m->range.low, m->range.high)
             : std::string();
}

void draw_predicted(svg& page, double px, double py, const evaluation& all) {
    frame f{page, px + plot_left, py + plot_top};
    std::vector<double> both = all.y;
    both.insert(both.end(), all.predicted.begin(), all.predicted.end());
    std::tie(f.x_low, f.x_high) = room(both);
    std::tie(f.y_low, f.y_high) = std::tie(f.x_low, f.x_high);
    f.head(px, py, "Predicted and true values", metric_text(all, "r2"));
    f.ticks_y(6), f.ticks_x(6);
    page.line(f.x(f.x_low), f.y(f.x_low), f.x(f.x_high), f.y(f.x_high),
              {{"class", "mark"}, {"stroke-dasharray", "4 4"}});
    draw_dots(f, all.y, all.predicted, all);
    f.names("true value", "predicted value");
}

// The mean residual of each tenth of the answers, in their order.
void draw_trend(const frame& f, const std::vector<double>& across, const std::vector<double>& up) {
    constexpr std::size_t parts = 12, least = 5;
    const std::size_t n = across.size(), groups = std::min(parts, n / least);
    if (groups < 3) return;
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return across[i]; });
    std::string d;
    for (std::size_t g = 0; g < groups; ++g) {
        const std::size_t from = g * n / groups, to = (g + 1) * n / groups;
        double x = 0, y = 0;
        for (std::size_t i = from; i < to; ++i) x += across[order[i]], y += up[order[i]];
        const double count = static_cast<double>(to - from);
        d += fmt::format("{}{:.1f} {:.1f}", g ? "L" : "M", f.x(x / count), f.y(y / count));
    }
    f.page.path(d, {{"class", "trend"}, {"stroke", class_colour(1).hex()}, {"stroke-width", 2.2}, {"fill", "none"}});
}

void draw_residuals(svg& page, double px, double py, const evaluation& all) {
    frame f{page, px + plot_left, py + plot_top};
    std::vector<double> left;
    for (std::size_t i = 0; i < all.y.size(); ++i) left.push_back(all.y[i] - all.predicted[i]);
    std::vector<double> with_zero = left;
    with_zero.push_back(0);
    std::tie(f.x_low, f.x_high) = room(all.predicted);
    std::tie(f.y_low, f.y_high) = room(with_zero);
    f.head(px, py, "Residuals", metric_text(all, "rmse"));
    f.ticks_y(6), f.ticks_x(6);
    page.line(f.left, f.y(0), f.left + side, f.y(0), {{"class", "mark"}});
    draw_dots(f, all.predicted, left, all);
    draw_trend(f, all.predicted, left);
    f.names("predicted value", "true - predicted");
}

}  // namespace

panel predicted_panel(shared_evaluation all) {
    return [all = std::move(all)](svg& page, double x, double y) { draw_predicted(page, x, y, *all); };
}
panel residual_panel(shared_evaluation all) {
    return [all = std::move(all)](svg& page, double x, double y) { draw_residuals(page, x, y, *all); };
}

}  // namespace mercer
