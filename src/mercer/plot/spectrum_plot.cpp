#include "mercer/plot/spectrum_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace mercer {

namespace {

using namespace plot;

// The data of a spectrum panel: the spectrum without eigenvectors.
struct spectrum_data {
    std::vector<double> values;
    double tolerance = 0;
    index rank = 0;
    index negative = 0;
    double effective = 0;
    index nine_tenths = 0;  // number of eigenvalues that contain 90 % of Σ|λ|
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
    for (const auto& line : lines) width = std::max(width, 28 + 6.6 * character_count(line));
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

// The scales of the panel: the index from left to right, log |λ| from bottom to top.
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
        // Values that are zero up to rounding get at most two decades.
        high = static_cast<int>(std::floor(std::log10(largest))) + 1;
        low = std::min(static_cast<int>(std::floor(std::log10(std::max(smallest, data.tolerance / 100)))), high - 1);
    }

    double height(double size) const {
        return rescale(std::log10(std::max(size, std::pow(10.0, low))), low, high, top_ + side, top_);
    }
    double across(double number) const {
        const double inset = std::min(12.0, side / (2 * n_ + 2));
        return n_ <= 1 ? left_ + side / 2 : rescale(number, 1, n_, left_ + inset, left_ + side - inset);
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
    draw_axis_names(page, left, top, "index, λ falling", "|eigenvalue|");
}

// Draws a dot for every eigenvalue; returns the kinds of dots that occur.
std::vector<dot_kind> draw_eigenvalues(svg& page, const spectrum_data& data, const spectrum_scale& scale, double top) {
    constexpr index max_circles = 400;
    const auto n = static_cast<index>(data.values.size());
    std::vector<dot_kind> kinds{{"λ > 0", "#4e79a7"}, {"λ < 0", "#d62728"}, {"λ = 0 within rounding", "#9aa4ae"}};
    const double radius = n <= 60 ? 3.5 : n <= max_circles ? 2.5 : 2;
    std::vector<std::string> dots(kinds.size());
    page.open_group({{"class", "eigenvalues"}});
    for (std::size_t i = 0; i < data.values.size(); ++i) {
        const double value = data.values[i];
        const std::size_t kind = std::abs(value) <= data.tolerance ? 2 : value < 0 ? 1 : 0;
        ++kinds[kind].count;
        const double cx = scale.across(static_cast<double>(i + 1)),
                     cy = std::min(scale.height(std::abs(value)), top + side - 6);
        if (n <= max_circles)
            page.circle(cx, cy, radius, {{"fill", kinds[kind].colour}}, fmt::format("λ{} = {:.6g}", i + 1, value));
        else  // a round pen with a tiny stroke draws a dot
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
    draw_panel_title(page, x, y, "Eigenvalues",
                     fmt::format("rank {} of {} · effective rank {:.1f} · 90 % of Σ|λ| in {}{}", data.rank,
                                 data.values.size(), data.effective, data.nine_tenths,
                                 data.negative ? fmt::format(" · {} negative", data.negative) : ""));
    const spectrum_scale scale(data, left, top);
    draw_spectrum_axes(page, data, scale, left, top);
    const std::vector<dot_kind> kinds = draw_eigenvalues(page, data, scale, top);
    if (!kinds.empty()) draw_legend(page, left + side, top, kinds);
}

}  // namespace

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

}  // namespace mercer
