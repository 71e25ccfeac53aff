#include "mercer/pictures/convergence_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/pictures/svg.h"

namespace mercer {
namespace {

constexpr double left = 92, top = 90, width = 620, height = 400, right_room = 210;
constexpr double floor_distance = 1e-8, shortest = 1e-6;

double mapped(double value, double low, double high, double from, double to) { return from + (value - low) / (high - low) * (to - from); }

}  // namespace

std::string convergence_picture(const std::string& title, const std::string& subtitle, const std::vector<convergence_line>& lines, double best) {
    svg page(left + width + right_room, top + height + 70, title + " — " + subtitle);
    page.text(30, 34, title, {{"class", "title"}});
    page.text(30, 56, subtitle, {{"class", "subtitle"}});
    const auto distance = [&](double primal) { return best > 0 ? std::max((primal - best) / best, floor_distance) : floor_distance; };
    double first = 1e300, last = shortest, largest = 10 * floor_distance;
    for (const auto& line : lines)
        for (const auto& point : line.points) {
            if (!std::isfinite(point.primal)) continue;
            largest = std::max(largest, distance(point.primal));
            last = std::max(last, point.seconds);
            if (point.seconds > 0) first = std::min(first, std::max(point.seconds, shortest));
        }
    first = std::min(first, last);
    const double x0 = std::floor(std::log10(first)), x1 = std::max(std::ceil(std::log10(last)), x0 + 1);
    const double y0 = std::log10(floor_distance), y1 = std::min(std::ceil(std::log10(largest)), 6.0);
    const auto across = [&](double seconds) { return mapped(std::log10(std::max(seconds, std::pow(10.0, x0))), x0, x1, left, left + width); };
    const auto down = [&](double primal) { return mapped(std::min(std::log10(distance(primal)), y1), y0, y1, top + height, top); };

    for (int decade = static_cast<int>(y0); decade <= static_cast<int>(y1); ++decade) {
        const double at = mapped(decade, y0, y1, top + height, top);
        page.line(left, at, left + width, at, {{"class", "grid"}});
        page.text(left - 9, at + 4, power_of_ten_text(decade), {{"class", "tick"}, {"text-anchor", "end"}});
    }
    for (int decade = static_cast<int>(x0); decade <= static_cast<int>(x1); ++decade) {
        const double at = mapped(decade, x0, x1, left, left + width);
        page.line(at, top + height, at, top + height + 5, {{"class", "mark"}});
        page.text(at, top + height + 19, power_of_ten_text(decade), {{"class", "tick"}, {"text-anchor", "middle"}});
    }
    page.rect(left, top, width, height, {{"class", "frame"}});
    page.text(left + width / 2, top + height + 42, "seconds", {{"class", "axis"}, {"text-anchor", "middle"}});
    const double beside = left - 58, middle = top + height / 2;
    page.text(beside, middle, "(J - J*) / J*", {{"class", "axis"}, {"text-anchor", "middle"}, {"transform", fmt::format("rotate(-90 {} {})", beside, middle)}});

    double name_at = top + 12;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::string colour = class_colour(static_cast<index>(i)).hex();
        std::string path;
        double x = 0, y = 0;
        for (const auto& point : lines[i].points) {
            if (!std::isfinite(point.primal)) continue;
            x = across(point.seconds), y = down(point.primal);
            path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x, y);
        }
        page.open_group({{"class", "solver"}});
        if (!path.empty()) {
            page.path(path, {{"stroke", colour}, {"stroke-width", 2}, {"fill", "none"}, {"stroke-linejoin", "round"}});
            const auto& end = lines[i].points.back();
            page.circle(x, y, 4, {{"fill", colour}}, fmt::format("{}: J = {:.8g} after {:.3g} s", lines[i].name, end.primal, end.seconds));
        }
        page.rect(left + width + 18, name_at - 9, 12, 12, {{"fill", colour}});
        page.text(left + width + 36, name_at + 1, lines[i].name, {{"class", "tick"}});
        page.close_group();
        name_at += 22;
    }
    return page.finish();
}

}  // namespace mercer
