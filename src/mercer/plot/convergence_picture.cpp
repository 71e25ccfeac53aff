#include "mercer/plot/convergence_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/plot/axes.h"

namespace mercer {
namespace {

constexpr double left = 92, top = 90, width = 620, height = 400, right_margin = 210;
constexpr double min_distance = 1e-8, shortest = 1e-6;

using plot::rescale;

// The scales: seconds from left to right and the relative distance to the best J from bottom to top, both logarithmic.
class scale {
public:
    scale(const std::vector<convergence_line>& lines, double best) : best_(best) {
        double first = 1e300, last = shortest, largest = 10 * min_distance;
        for (const auto& line : lines)
            for (const auto& point : line.points) {
                if (!std::isfinite(point.primal)) continue;
                largest = std::max(largest, distance(point.primal));
                last = std::max(last, point.seconds);
                if (point.seconds > 0) first = std::min(first, std::max(point.seconds, shortest));
            }
        first = std::min(first, last);
        x0_ = std::floor(std::log10(first)), x1_ = std::max(std::ceil(std::log10(last)), x0_ + 1);
        y0_ = std::log10(min_distance), y1_ = std::min(std::ceil(std::log10(largest)), 6.0);
    }

    double across(double seconds) const {
        return rescale(std::log10(std::max(seconds, std::pow(10.0, x0_))), x0_, x1_, left, left + width);
    }
    double down(double primal) const {
        return rescale(std::min(std::log10(distance(primal)), y1_), y0_, y1_, top + height, top);
    }

    void draw_axes(svg& page) const {
        for (int decade = static_cast<int>(y0_); decade <= static_cast<int>(y1_); ++decade) {
            const double at = rescale(decade, y0_, y1_, top + height, top);
            page.line(left, at, left + width, at, {{"class", "grid"}});
            page.text(left - 9, at + 4, power_of_ten_text(decade), {{"class", "tick"}, {"text-anchor", "end"}});
        }
        for (int decade = static_cast<int>(x0_); decade <= static_cast<int>(x1_); ++decade) {
            const double at = rescale(decade, x0_, x1_, left, left + width);
            page.line(at, top + height, at, top + height + 5, {{"class", "mark"}});
            page.text(at, top + height + 19, power_of_ten_text(decade), {{"class", "tick"}, {"text-anchor", "middle"}});
        }
        page.rect(left, top, width, height, {{"class", "frame"}});
        page.text(left + width / 2, top + height + 42, "seconds", {{"class", "axis"}, {"text-anchor", "middle"}});
        const double beside = left - 58, middle = top + height / 2;
        page.text(beside, middle, "(J - J*) / J*",
                  {{"class", "axis"},
                   {"text-anchor", "middle"},
                   {"transform", fmt::format("rotate(-90 {} {})", beside, middle)}});
    }

private:
    double distance(double primal) const {
        return best_ > 0 ? std::max((primal - best_) / best_, min_distance) : min_distance;
    }

    double best_;
    double x0_ = 0, x1_ = 0, y0_ = 0, y1_ = 0;  // decades
};

void draw_line(svg& page, const convergence_line& line, const scale& on, const std::string& colour) {
    std::string path;
    double x = 0, y = 0;
    for (const auto& point : line.points) {
        if (!std::isfinite(point.primal)) continue;
        x = on.across(point.seconds), y = on.down(point.primal);
        path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x, y);
    }
    if (path.empty()) return;
    page.path(path, {{"stroke", colour}, {"stroke-width", 2}, {"fill", "none"}, {"stroke-linejoin", "round"}});
    const auto& end = line.points.back();
    page.circle(x, y, 4, {{"fill", colour}},
                fmt::format("{}: J = {:.8g} after {:.3g} s", line.name, end.primal, end.seconds));
}

}  // namespace

std::string convergence_picture(const std::string& title, const std::string& subtitle,
                                const std::vector<convergence_line>& lines, double best) {
    svg page(left + width + right_margin, top + height + 70, title + " — " + subtitle);
    page.text(30, 34, title, {{"class", "title"}});
    page.text(30, 56, subtitle, {{"class", "subtitle"}});
    const scale on(lines, best);
    on.draw_axes(page);
    double name_at = top + 12;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::string colour = class_colour(static_cast<index>(i)).hex();
        page.open_group({{"class", "solver"}});
        draw_line(page, lines[i], on, colour);
        page.rect(left + width + 18, name_at - 9, 12, 12, {{"fill", colour}});
        page.text(left + width + 36, name_at + 1, lines[i].name, {{"class", "tick"}});
        page.close_group();
        name_at += 22;
    }
    return page.finish();
}

}  // namespace mercer
