#include "mercer/plot/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

constexpr double width = 560, height = 348, left = 70, right = 530, top = 66, bottom = 272;

double rescale(double value, double low, double high, double from, double to) {
    return high > low ? from + (value - low) / (high - low) * (to - from) : (from + to) / 2;
}

void draw_axes(svg& page, const std::string& title, const std::string& note, const std::string& x_name,
               const std::string& y_name) {
    page.text(20, 24, title, {{"class", "panel"}});
    page.text(20, 43, note, {{"class", "note"}});
    page.rect(left, top, right - left, bottom - top, {{"class", "frame"}});
    page.text((left + right) / 2, bottom + 38, x_name, {{"class", "axis"}, {"text-anchor", "middle"}});
    const double x = 22, y = (top + bottom) / 2;
    page.text(x, y, y_name,
              {{"class", "axis"}, {"text-anchor", "middle"}, {"transform", fmt::format("rotate(-90 {} {})", x, y)}});
}

void ticks_below(svg& page, double low, double high, int count) {
    for (const double tick : round_ticks(low, high, count)) {
        const double x = rescale(tick, low, high, left, right);
        page.line(x, bottom, x, bottom + 5, {{"class", "mark"}});
        page.text(x, bottom + 18, tick_text(tick), {{"class", "tick"}, {"text-anchor", "middle"}});
    }
}

}  // namespace

histogram histogram::of(std::span<const double> values, double low, double high, index bins) {
    histogram made{low, high, std::vector<index>(static_cast<std::size_t>(std::max<index>(1, bins)), 0)};
    const auto last = static_cast<double>(made.counts.size()) - 1;
    for (const double value : values)
        if (value >= low && value <= high)
            ++made.counts[static_cast<std::size_t>(
                high > low ? std::clamp(std::floor((value - low) / (high - low) * (last + 1)), 0.0, last) : 0.0)];
    return made;
}

svg histogram_figure(const std::string& title, const std::string& note, const std::string& x_name,
                     const histogram& first, const histogram& second, const std::string& first_name,
                     const std::string& second_name, const std::vector<chart_line>& marks) {
    svg page(width, height, title);
    index most = 1;
    for (std::size_t i = 0; i < first.counts.size(); ++i) most = std::max(most, first.counts[i] + second.counts[i]);
    const double ceiling = 1.08 * static_cast<double>(most);
    for (const double tick : round_ticks(0, ceiling, static_cast<int>(std::min<index>(5, most)))) {
        const double y = rescale(tick, 0, ceiling, bottom, top);
        page.line(left, y, right, y, {{"class", "grid"}});
        page.text(left - 8, y + 4, tick_text(tick), {{"class", "tick"}, {"text-anchor", "end"}});
    }
    const auto bins = static_cast<double>(first.counts.size());
    page.open_group({{"class", "bars"}});
    for (std::size_t i = 0; i < first.counts.size(); ++i) {
        const double x = left + static_cast<double>(i) * (right - left) / bins;
        double from = 0;
        for (const auto* group : {&first, &second}) {
            const auto count = static_cast<double>(group->counts[i]);
            if (count == 0) continue;
            const double y0 = rescale(from, 0, ceiling, bottom, top),
                         y1 = rescale(from + count, 0, ceiling, bottom, top);
            const double a = first.low + static_cast<double>(i) * (first.high - first.low) / bins,
                         b = a + (first.high - first.low) / bins;
            page.rect(
                x + 1, y1, (right - left) / bins - 2, y0 - y1, {{"fill", class_colour(group == &first ? 0 : 1).hex()}},
                fmt::format("{:.4g} … {:.4g}: {} of {}", a, b, count, group == &first ? first_name : second_name));
            from += count;
        }
    }
    page.close_group();
    for (const chart_line& mark : marks) {
        const double x = rescale(mark.at, first.low, first.high, left, right);
        page.line(x, top, x, bottom, {{"class", "margin"}});
        const bool late = x > (left + right) / 2;
        page.text(late ? x - 5 : x + 5, top + 14, mark.name,
                  {{"class", "tick"}, {"text-anchor", late ? "end" : "start"}});
    }
    ticks_below(page, first.low, first.high, 7);
    draw_axes(page, title, note, x_name, "examples");
    double x = left;
    for (const auto* name : {&first_name, &second_name}) {
        page.rect(x, height - 16, 11, 11, {{"fill", class_colour(name == &first_name ? 0 : 1).hex()}});
        page.text(x + 16, height - 6, *name, {{"class", "tick"}});
        x += 40 + 6.5 * static_cast<double>(name->size());
    }
    return page;
}

std::function<bool(const svm_progress&)> record_progress(std::vector<convergence_point>& into, index problem,
                                                         std::function<bool(const svm_progress&)> then) {
    return [&into, problem, then = std::move(then)](const svm_progress& now) {
        if (now.problem == problem) into.push_back({now.solver.steps, now.solver.seconds, now.solver.gap, 0, false});
        return !then || then(now);
    };
}

std::vector<convergence_point> trace_convergence(const gram<float>& fast, const gram<double>& exact,
                                                 std::span<const double> y, svm_options options, index problem) {
    std::vector<convergence_point> out;
    options.progress = nullptr;
    options.checkpoint_file.clear();
    const std::int64_t all = options.max_steps;
    for (std::int64_t steps = 1;; steps *= 2) {
        options.max_steps = std::min(steps, all);
        const svm_model model = fit_svm(fast, exact, y, options);
        if (!model.report_of(problem)) return out;  // with many problems there is no report of each
        const svm_report reached = *model.report_of(problem);
        const bool ended = reached.status != fit_status::step_limit || options.max_steps == all;
        if (out.empty() || reached.steps > out.back().steps || ended)
            out.push_back({reached.steps, reached.seconds, reached.gap, -reached.objective, true});
        if (ended) return out;
    }
}

svg convergence_figure(const std::string& title, std::span<const convergence_point> points) {
    svg page(width, height, title);
    std::vector<convergence_point> seen(points.begin(), points.end());
    std::erase_if(seen, [](const convergence_point& p) { return !(p.gap > 0) || !std::isfinite(p.gap); });
    if (seen.size() < 2) {
        draw_axes(page, title, "the fit ended before there was anything to record", "steps", "gap");
        return page;
    }
    double low = 1e300, high = 0, reach = 1;
    for (const auto& p : seen)
        low = std::min(low, p.gap), high = std::max(high, p.gap), reach = std::max(reach, static_cast<double>(p.steps));
    const int decade_low = static_cast<int>(std::floor(std::log10(low))),
              decade_high = std::max(decade_low + 1, static_cast<int>(std::ceil(std::log10(high))));
    const double x_high = std::max(1.0, std::ceil(std::log10(reach)));
    const auto across = [&](std::int64_t steps) {
        return rescale(std::log10(std::max<double>(1, static_cast<double>(steps))), 0, x_high, left, right);
    };
    const int every = std::max(1, (decade_high - decade_low + 5) / 6);
    for (int d = decade_low; d <= decade_high; d += every) {
        const double y = rescale(d, decade_low, decade_high, bottom, top);
        page.line(left, y, right, y, {{"class", "grid"}});
        page.text(left - 8, y + 4, power_of_ten_text(d), {{"class", "tick"}, {"text-anchor", "end"}});
    }
    for (int d = 0; d <= static_cast<int>(x_high); ++d) {
        const double x = rescale(d, 0, x_high, left, right);
        page.line(x, bottom, x, bottom + 5, {{"class", "mark"}});
        page.text(x, bottom + 18, power_of_ten_text(d), {{"class", "tick"}, {"text-anchor", "middle"}});
    }
    const auto curve = [&](auto value, double from, double to, const std::string& colour) {
        std::string d;
        for (std::size_t i = 0; i < seen.size(); ++i)
            d += fmt::format("{}{:.1f} {:.1f}", i ? "L" : "M", across(seen[i].steps),
                             rescale(value(seen[i]), from, to, bottom, top));
        page.path(d, {{"fill", "none"}, {"stroke", colour}, {"stroke-width", 2.0}, {"stroke-linejoin", "round"}});
        for (const auto& p : seen)
            page.circle(across(p.steps), rescale(value(p), from, to, bottom, top), 2.6, {{"fill", colour}},
                        fmt::format("{} steps: gap {:.3g}{}", p.steps, p.gap,
                                    p.has_objective ? fmt::format(", dual {:.8g}", p.objective) : ""));
    };
    std::string note = fmt::format("gap {:.2g} after {} steps", seen.back().gap, seen.back().steps);
    curve([](const convergence_point& p) { return std::log10(p.gap); }, decade_low, decade_high, class_colour(0).hex());
    page.rect(left, height - 16, 11, 11, {{"fill", class_colour(0).hex()}});
    page.text(left + 16, height - 6, "gap (left scale)", {{"class", "tick"}});
    if (std::ranges::all_of(seen, &convergence_point::has_objective)) {
        double least = seen[0].objective, most = seen[0].objective;
        for (const auto& p : seen) least = std::min(least, p.objective), most = std::max(most, p.objective);
        curve([](const convergence_point& p) { return p.objective; }, least, most, class_colour(1).hex());
        page.rect(left + 130, height - 16, 11, 11, {{"fill", class_colour(1).hex()}});
        page.text(left + 146, height - 6, fmt::format("dual objective, {:.4g} (bottom) to {:.4g} (top)", least, most),
                  {{"class", "tick"}});
        note += fmt::format(", dual objective {:.8g}", seen.back().objective);
    }
    draw_axes(page, title, note, "steps of the solver", "gap");
    return page;
}

}  // namespace mercer
