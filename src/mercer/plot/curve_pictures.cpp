// ROC, precision against recall, reliability: the unit square, a line for each class.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/plot/axes.h"
#include "mercer/plot/evaluation_plots.h"

namespace mercer {
namespace {

using namespace plot;
using dots = std::vector<std::pair<double, double>>;

constexpr std::size_t most_points = 600, most_keys = 12;

frame unit_square(svg& page, double px, double py, const std::string& title, const std::string& note) {
    frame f{page, px + plot_left, py + plot_top, 0, 1, 0, 1};
    f.head(px, py, title, note);
    for (const double v : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0})
        f.tick_y(f.y(v), tick_text(v)), f.tick_x(f.x(v), tick_text(v));
    return f;
}

// A line through points of the square; `covered` gets what a key should not hide.
void draw_line(const frame& f, const dots& points, const std::string& colour, dots& covered, double solid = 1) {
    std::string d;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double x = f.x(points[i].first), y = f.y(points[i].second);
        d += fmt::format("{}{:.1f} {:.1f}", d.empty() ? "M" : "L", x, y);
        if (i > 0)
            for (int step = 1; step <= 20; ++step)
                covered.emplace_back(mapped(step, 0, 20, f.x(points[i - 1].first), x),
                                     mapped(step, 0, 20, f.y(points[i - 1].second), y));
    }
    f.page.path(d, {{"stroke", colour},
                    {"stroke-width", 2.0},
                    {"stroke-opacity", solid},
                    {"fill", "none"},
                    {"stroke-linejoin", "round"}});
}

void draw_guess(const frame& f, double from, double to) {
    f.page.line(f.x(0), f.y(from), f.x(1), f.y(to), {{"class", "mark"}, {"stroke-dasharray", "4 4"}});
}

// A key has its place in the lower half, where good curves are not.
void keep_top_free(const frame& f, dots& covered) {
    for (int i = 0; i < 40; ++i)
        for (int j = 1; j < 20; ++j) covered.emplace_back(f.left + 10.0 * i, f.top + 10.0 * j);
}

std::string colour_of(const evaluation& all, const class_curves& c) {
    return class_colour(all.curves.size() == 1 ? 0 : all.table.place(c.label)).hex();
}

void draw_roc(svg& page, double px, double py, const evaluation& all) {
    const evaluated_metric* area = all.find("auc");
    const frame f = unit_square(
        page, px, py, "ROC",
        area && std::isfinite(area->value)
            ? fmt::format("area {:.4f}, 95 %: {:.4f} to {:.4f}", area->value, area->range.low, area->range.high)
            : std::string());
    draw_guess(f, 0, 1);
    std::vector<key> keys;
    dots covered;
    keep_top_free(f, covered);
    page.open_group({{"class", "roc"}});
    for (const class_curves& c : all.curves) {
        if (!c.order.has_roc()) continue;
        dots points;
        for (const ranking_point& p : thinned(corners(c.order), most_points))
            points.emplace_back(c.order.fallout(p), c.order.recall(p));
        draw_line(f, points, colour_of(all, c), covered);
        if (keys.size() < most_keys)
            keys.push_back(
                {fmt::format("{}: {:.4f}", shortened(all.name_of(c.label), 18), c.order.area), colour_of(all, c)});
    }
    page.close_group();
    f.names("false positive rate", "true positive rate (recall)");
    draw_keys(f, keys, covered);
}

void draw_precision_recall(svg& page, double px, double py, const evaluation& all) {
    const frame f = unit_square(page, px, py, "Precision and recall", "steps; the key has the average precision");
    std::vector<key> keys;
    dots covered;
    keep_top_free(f, covered);
    page.open_group({{"class", "precision-recall"}});
    for (const class_curves& c : all.curves) {
        if (!c.order.has_precision()) continue;
        dots points;
        double recall = 0;
        for (const ranking_point& p : thinned(c.order.points, most_points)) {
            // From the recall before, at this precision: the area is the average precision.
            points.emplace_back(recall, ranking::precision(p));
            recall = c.order.recall(p);
            points.emplace_back(recall, ranking::precision(p));
        }
        if (points.size() > 2) points.erase(points.begin(), points.begin() + 2);  // nothing said
        draw_line(f, points, colour_of(all, c), covered);
        if (keys.size() < most_keys)
            keys.push_back({fmt::format("{}: {:.4f}", shortened(all.name_of(c.label), 18), c.order.average_precision),
                            colour_of(all, c)});
        if (all.curves.size() == 1) {
            const double share = static_cast<double>(c.order.positives) / static_cast<double>(all.n);
            draw_guess(f, share, share);
        }
    }
    page.close_group();
    f.names("recall", "precision");
    draw_keys(f, keys, covered);
}

// How many examples have such a probability, along the foot of the plot.
void draw_counts(const frame& f, const reliability& r) {
    index most = 1;
    for (const reliability_bin& b : r.bins) most = std::max(most, b.count);
    for (const reliability_bin& b : r.bins) {
        const double high = 60 * static_cast<double>(b.count) / static_cast<double>(most);
        f.page.rect(f.x(b.low) + 1, f.top + side - high, f.x(b.high) - f.x(b.low) - 2, high,
                    {{"fill", "#868686"}, {"fill-opacity", "0.25"}},
                    fmt::format("{} examples with probabilities of {:.2g} to {:.2g}", b.count, b.low, b.high));
    }
}

void draw_reliability(svg& page, double px, double py, const evaluation& all) {
    const evaluated_metric* loss = all.find("log_loss");
    const frame f = unit_square(
        page, px, py, "Reliability of the probabilities",
        loss ? fmt::format("log loss {:.4g}, 95 %: {:.4g} to {:.4g}", loss->value, loss->range.low, loss->range.high)
             : std::string());
    draw_guess(f, 0, 1);
    std::vector<key> keys;
    dots covered;
    const bool few = all.curves.size() <= 3;
    if (all.curves.size() == 1) draw_counts(f, all.curves[0].probabilities);
    page.open_group({{"class", "reliability"}});
    for (const class_curves& c : all.curves) {
        if (c.probabilities.bins.empty()) continue;
        const std::string colour = colour_of(all, c);
        dots points;
        for (const reliability_bin& b : c.probabilities.bins) {
            points.emplace_back(b.mean, b.share);
            if (few)
                page.line(f.x(b.mean), f.y(b.of_share.low), f.x(b.mean), f.y(b.of_share.high),
                          {{"stroke", colour}, {"stroke-width", 1.5}, {"stroke-opacity", "0.55"}});
        }
        draw_line(f, points, colour, covered, 0.5);
        for (const reliability_bin& b : c.probabilities.bins)
            page.circle(
                f.x(b.mean), f.y(b.share), 3.5, {{"fill", colour}},
                fmt::format("{}: {:.3f} said, {:.3f} are, of {}", all.name_of(c.label), b.mean, b.share, b.count));
        if (keys.size() < most_keys)
            keys.push_back({fmt::format("{}: off by {:.3f}", shortened(all.name_of(c.label), 18),
                                        c.probabilities.calibration_error),
                            colour});
    }
    page.close_group();
    f.names("probability said", "share of the class");
    draw_keys(f, keys, covered);
}

}  // namespace

panel roc_panel(shared_evaluation all) {
    return [all = std::move(all)](svg& page, double x, double y) { draw_roc(page, x, y, *all); };
}
panel precision_recall_panel(shared_evaluation all) {
    return [all = std::move(all)](svg& page, double x, double y) { draw_precision_recall(page, x, y, *all); };
}
panel reliability_panel(shared_evaluation all) {
    return [all = std::move(all)](svg& page, double x, double y) { draw_reliability(page, x, y, *all); };
}

}  // namespace mercer
