#include "mercer/plot/panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "mercer/kernels/kernel_info.h"

namespace mercer {

namespace {

using namespace plot;

constexpr std::size_t max_circles = 2000;

void draw_value_scale(const axes& f, double low, double high, const std::string& name) {
    matrix<std::uint8_t> ramp(256, 1);
    for (index i = 0; i < 256; ++i) ramp(i, 0) = static_cast<std::uint8_t>(255 - i);
    const double left = f.left + side + 16;
    f.page.open_group({{"class", "scale"}});
    f.page.cells(left, f.top, 14, side, ramp.view(), sequential_palette());
    f.page.rect(left, f.top, 14, side, {{"class", "frame"}});
    for (const double tick : round_ticks(low, high, 6)) {
        const double y = rescale(tick, low, high, f.top + side, f.top);
        f.page.line(left + 14, y, left + 18, y, {{"class", "mark"}});
        f.page.text(left + 22, y + 4, tick_text(tick), {{"class", "tick"}});
    }
    f.page.text(left - 1, f.top - 7, name, {{"class", "tick"}});
    f.page.close_group();
}

std::string tooltip_of(const scatter& s, std::size_t i) {
    std::string tip = fmt::format("object {}", i + 1);
    if (!s.value.empty())
        tip += fmt::format(": {:.4g}", s.value[i]);
    else if (!s.group.empty() && s.group[i] < static_cast<index>(s.group_names.size()))
        tip += ": " + s.group_names[static_cast<std::size_t>(s.group[i])];
    return tip;
}

void draw_scatter(svg& page, double px, double py, const scatter& s) {
    const index n = s.at.rows();
    std::vector<double> xs, ys;
    for (index i = 0; i < n; ++i) {
        xs.push_back(s.at.cols() > 0 ? s.at(i, 0) : 0);
        ys.push_back(s.at.cols() > 1 ? s.at(i, 1) : 0);
    }
    axes f{page, px + plot_left, py + plot_top};
    std::tie(f.x_low, f.x_high) = padded_range(xs);
    std::tie(f.y_low, f.y_high) = padded_range(ys);
    f.draw_title(px, py, s.title, s.note);
    f.ticks_y(6);
    f.ticks_x(6);
    f.draw_names(s.across, s.up);

    double low = 0, high = 1;
    if (!s.value.empty()) {
        const auto [a, b] = std::ranges::minmax(s.value);
        low = a;
        high = b > a ? b : a + 1;
    }
    const auto kind = [&](std::size_t i) {
        if (!s.value.empty())
            return static_cast<index>(std::clamp((s.value[i] - low) / (high - low), 0.0, 1.0) * 31.999) * 8 + 4;
        return s.group.empty() ? index(0) : s.group[i];
    };
    const auto colour = [&](index k) {
        return s.value.empty() ? class_colour(k).hex() : sequential_palette()[static_cast<std::size_t>(k)].hex();
    };
    const double radius = n <= 400 ? 3.5 : n <= 2000 ? 2.5 : 1.8;
    std::vector<std::pair<double, double>> dots;
    std::map<index, std::string> paths;
    std::map<index, index> count;
    page.open_group({{"class", "points"}});
    for (std::size_t i = 0; i < xs.size(); ++i) {
        if (!std::isfinite(xs[i]) || !std::isfinite(ys[i])) continue;
        const double cx = f.x(xs[i]), cy = f.y(ys[i]);
        dots.emplace_back(cx, cy);
        ++count[kind(i)];
        if (xs.size() <= max_circles)
            page.circle(cx, cy, radius, {{"fill", colour(kind(i))}, {"fill-opacity", "0.8"}}, tooltip_of(s, i));
        else  // a round pen with a tiny stroke draws a dot
            paths[kind(i)] += fmt::format("M{:.1f} {:.1f}h.01", cx, cy);
    }
    for (const auto& [k, d] : paths)
        page.path(d, {{"stroke", colour(k)},
                      {"stroke-width", 2 * radius},
                      {"stroke-linecap", "round"},
                      {"stroke-opacity", "0.7"},
                      {"fill", "none"}});
    page.close_group();
    if (!s.value.empty()) return draw_value_scale(f, low, high, s.value_name);
    std::vector<key_entry> keys;
    for (const auto& [k, members] : count)
        if (!s.group.empty() && keys.size() < 14 && k < static_cast<index>(s.group_names.size()))
            keys.push_back({fmt::format("{} ({})", s.group_names[static_cast<std::size_t>(k)], members), colour(k)});
    draw_keys(f, keys, dots);
}

void draw_scree(svg& page, double px, double py, const std::vector<double>& ratios) {
    constexpr std::size_t max_bars = 30;
    const std::size_t shown = std::min(ratios.size(), max_bars);
    double sum = 0;
    index nine_tenths = 0;
    for (std::size_t i = 0; i < ratios.size(); ++i) {
        if (sum < 0.9) nine_tenths = static_cast<index>(i) + 1;
        sum += ratios[i];
    }
    axes f{page, px + plot_left, py + plot_top};
    std::string note = sum >= 0.9 ? fmt::format("90 % in {} of {} components", nine_tenths, ratios.size())
                                  : fmt::format("{} components hold {:.0f} %", ratios.size(), 100 * sum);
    if (shown < ratios.size()) note += fmt::format("; the first {} are drawn", shown);
    f.draw_title(px, py, "Shares of the variance", note);
    f.x_low = 0.5;
    f.x_high = static_cast<double>(std::max<std::size_t>(shown, 1)) + 0.5;
    f.y_high = 1.02;
    for (int percent = 0; percent <= 100; percent += 20) f.tick_y(f.y(percent / 100.0), fmt::format("{} %", percent));
    const std::size_t step = shown <= 15 ? 1 : 5;
    for (std::size_t i = 1; i <= shown; ++i)
        if (step == 1 || i == 1 || i % step == 0) f.tick_x(f.x(static_cast<double>(i)), fmt::format("{}", i));
    const double width = 0.7 * side / static_cast<double>(std::max<std::size_t>(shown, 1));
    std::string line;
    double so_far = 0;
    std::vector<std::pair<double, double>> dots;
    page.open_group({{"class", "shares"}});
    for (std::size_t i = 0; i < shown; ++i) {
        so_far += ratios[i];
        const double x = f.x(static_cast<double>(i + 1));
        page.rect(x - width / 2, f.y(ratios[i]), width, f.y(0) - f.y(ratios[i]), {{"fill", "#4e79a7"}},
                  fmt::format("component {}: {:.2f} %, so far {:.2f} %", i + 1, 100 * ratios[i], 100 * so_far));
        line += fmt::format("{}{:.1f} {:.1f}", i ? "L" : "M", x, f.y(so_far));
        dots.emplace_back(x, f.y(so_far));
        dots.emplace_back(x, f.y(ratios[i]));
    }
    page.path(line, {{"stroke", "#f28e2b"}, {"stroke-width", 2.0}, {"fill", "none"}});
    for (std::size_t i = 0; i < shown; ++i)
        page.circle(dots[2 * i].first, dots[2 * i].second, 3, {{"fill", "#f28e2b"}});
    page.close_group();
    f.draw_names("component", "share of the variance");
    draw_keys(f, {{"of this component", "#4e79a7"}, {"so far", "#f28e2b"}}, dots);
}

void draw_ticks(const axes& f, const curves& c, bool log_y) {
    if (log_y)
        f.log_ticks(f.y_low, f.y_high, [&](double at, const std::string& text) { f.tick_y(f.y(at), text); });
    else
        f.ticks_y(6);
    if (c.log_x)
        f.log_ticks(f.x_low, f.x_high, [&](double at, const std::string& text) { f.tick_x(f.x(at), text); });
    else if (c.x.size() <= 20)
        for (const double x : c.x) f.tick_x(f.x(x), tick_text(x));
    else
        f.ticks_x(6);
}

void draw_curves(svg& page, double px, double py, const curves& c) {
    std::vector<double> xs, ys;
    for (const double x : c.x) xs.push_back(c.log_x ? std::log10(x) : x);
    for (const auto& line : c.lines)
        for (const double y : line.y)
            if (std::isfinite(y)) ys.push_back(y);
    // With a ratio of more than 20 a linear scale would only show the largest values.
    const bool log_y = !ys.empty() && std::ranges::min(ys) > 0 && std::ranges::max(ys) > 20 * std::ranges::min(ys);
    if (log_y)
        for (double& y : ys) y = std::log10(y);
    axes f{page, px + plot_left, py + plot_top};
    std::tie(f.x_low, f.x_high) = padded_range(xs);
    std::tie(f.y_low, f.y_high) = padded_range(ys);
    f.draw_title(px, py, c.title, c.note);
    draw_ticks(f, c, log_y);
    f.draw_names(c.across, c.up);
    std::vector<std::pair<double, double>> dots;
    std::vector<key_entry> keys;
    if (c.best >= 0 && c.best < static_cast<index>(xs.size())) {
        const double at = f.x(xs[static_cast<std::size_t>(c.best)]);
        page.line(at, f.top, at, f.top + side, {{"stroke", "#57606a"}, {"stroke-dasharray", "4 4"}});
        for (double y = f.top; y < f.top + side; y += 8) dots.emplace_back(at, y);
    }
    page.open_group({{"class", "curves"}});
    for (std::size_t l = 0; l < c.lines.size(); ++l) {
        const std::string colour = class_colour(static_cast<index>(l)).hex();
        keys.push_back({c.lines[l].name, colour});
        std::string d;
        std::vector<std::size_t> drawn;
        std::vector<std::pair<double, double>> drawn_at;
        for (std::size_t i = 0; i < std::min(xs.size(), c.lines[l].y.size()); ++i) {
            const double value = c.lines[l].y[i];
            if (!std::isfinite(value)) continue;
            const double x = f.x(xs[i]), y = f.y(log_y ? std::log10(value) : value);
            d += fmt::format("{}{:.1f} {:.1f}", d.empty() ? "M" : "L", x, y);
            drawn.push_back(i);
            if (!drawn_at.empty())  // the key must not cover the line either
                for (int step = 1; step < 8; ++step)
                    dots.emplace_back(rescale(step, 0, 8, drawn_at.back().first, x),
                                      rescale(step, 0, 8, drawn_at.back().second, y));
            dots.emplace_back(x, y);
            drawn_at.emplace_back(x, y);
        }
        if (d.empty()) continue;
        page.path(d, {{"stroke", colour}, {"stroke-width", 2.0}, {"fill", "none"}});
        for (const std::size_t i : drawn)
            page.circle(f.x(xs[i]), f.y(log_y ? std::log10(c.lines[l].y[i]) : c.lines[l].y[i]), 3, {{"fill", colour}},
                        fmt::format("{} {:.4g}: {:.6g}", c.lines[l].name, c.x[i], c.lines[l].y[i]));
    }
    page.close_group();
    if (keys.size() > 1) draw_keys(f, keys, dots);  // a single line is named by the axis
}

}  // namespace

panel scatter_panel(scatter points) {
    return [points = std::move(points)](svg& page, double x, double y) { draw_scatter(page, x, y, points); };
}

void colour_by_target(scatter& points, const table& data, index most) {
    std::map<double, index> places;
    for (const double y : data.y) places.emplace(y, 0);
    if (data.y.empty()) return;
    if (static_cast<index>(places.size()) > most && data.class_names.empty()) {
        points.value = data.y;
        return;
    }
    index next = 0;
    for (auto& [y, place] : places) {
        place = next++;
        const bool named = y >= 0 && y < static_cast<double>(data.class_names.size());
        points.group_names.push_back(named ? data.class_names[static_cast<std::size_t>(y)] : number_text(y));
    }
    for (const double y : data.y) points.group.push_back(places[y]);
}

panel scree_panel(std::vector<double> ratios) {
    return [ratios = std::move(ratios)](svg& page, double x, double y) { draw_scree(page, x, y, ratios); };
}

panel curves_panel(curves of) {
    return [of = std::move(of)](svg& page, double x, double y) { draw_curves(page, x, y, of); };
}

}  // namespace mercer
