#include "mercer/plot/evaluation_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer {

std::vector<named_panel> evaluation_panels(const shared_evaluation& all) {
    std::vector<named_panel> out;
    if (all->of == target_kind::values) {
        out.push_back({"predicted", "On the line an answer is right.", predicted_panel(all)});
        out.push_back({"residuals",
                       "The orange line is the mean residual of neighbouring answers: where it leaves 0, the model is "
                       "wrong in a way that could be learnt.",
                       residual_panel(all)});
    } else {
        out.push_back({"confusion",
                       "A row is what examples are, a column what the model said; the depth of the colour is the "
                       "share of the row.",
                       confusion_panel(all)});
    }
    if (std::ranges::any_of(all->curves, [](const auto& c) { return c.order.has_roc(); })) {
        out.push_back({"roc", "Each class against the rest; the broken line is guessing.", roc_panel(all)});
        out.push_back({"precision_recall",
                       "Of those said to be of a class, the share that is; of those that are, the share found.",
                       precision_recall_panel(all)});
    }
    if (std::ranges::any_of(all->curves, [](const auto& c) { return !c.probabilities.bins.empty(); }))
        out.push_back({"reliability", "On the line a probability is what it says. Bars: 95 % for the share (Wilson).",
                       reliability_panel(all)});
    if (!all->importance.empty())
        out.push_back({"importance",
                       "How much worse the model is with one feature shuffled. Whiskers: 95 % over other examples and "
                       "other shuffles. Features that say the same share their importance.",
                       importance_panel(all)});
    return out;
}

namespace {

using namespace plot;

constexpr const char *right_colour = "#4e79a7", *wrong_colour = "#e15759";
constexpr std::size_t max_numbers = 14;  // largest number of classes for which counts are written into the cells

void draw_names(const axes& f, const evaluation& all, double size) {
    const std::size_t k = all.names.size();
    const std::size_t every = std::max<std::size_t>(1, (k + 29) / 30);
    double longest = 0;
    for (const auto& name : all.names) longest = std::max(longest, character_count(name));
    const bool turned = longest * 6.4 > size - 6;
    for (std::size_t c = 0; c < k; c += every) {
        const double middle = (static_cast<double>(c) + 0.5) * size;
        f.page.text(f.left - 8, f.top + middle + 4, shorten(all.names[c], 11),
                    {{"class", "tick"}, {"text-anchor", "end"}});
        const double x = f.left + middle, y = f.top + side + (turned ? 12 : 17);
        if (turned)
            f.page.text(
                x + 4, y, shorten(all.names[c], 9),
                {{"class", "tick"}, {"text-anchor", "end"}, {"transform", fmt::format("rotate(-40 {} {})", x + 4, y)}});
        else
            f.page.text(x, y, all.names[c], {{"class", "tick"}, {"text-anchor", "middle"}});
    }
}

void draw(svg& page, double px, double py, const evaluation& all) {
    const std::size_t k = all.names.size();
    axes f{page, px + plot_left, py + plot_top};
    index right = 0;
    for (const class_metrics& c : all.classes) right += c.correct;
    f.draw_title(px, py, "Confusion matrix",
                 fmt::format("{} of {} right; rows: true class, columns: predicted class", right, all.n));
    const double size = side / static_cast<double>(std::max<std::size_t>(k, 1));
    page.open_group({{"class", "confusion"}});
    for (index i = 0; i < all.table.count.rows(); ++i)
        for (index j = 0; j < all.table.count.cols(); ++j) {
            const index count = all.table.count(i, j), support = all.classes[static_cast<std::size_t>(i)].support;
            const double share = support > 0 ? static_cast<double>(count) / static_cast<double>(support) : 0;
            const double x = f.left + static_cast<double>(j) * size, y = f.top + static_cast<double>(i) * size;
            // A minimum opacity keeps single errors visible.
            const double solid = count > 0 ? 0.12 + 0.88 * share : 0;
            page.rect(x, y, size, size, {{"fill", i == j ? right_colour : wrong_colour}, {"fill-opacity", solid}},
                      fmt::format("{}, said to be {}: {} of {} ({:.1f} %)", all.names[static_cast<std::size_t>(i)],
                                  all.names[static_cast<std::size_t>(j)], count, support, 100 * share));
            if (k > max_numbers) continue;
            const double middle = y + size / 2;
            svg_attributes how{{"text-anchor", "middle"}};
            if (solid > 0.55) how.emplace_back("style", "fill: #ffffff");
            how.emplace_back("font-weight", i == j ? "600" : "400");
            const bool with_share = size > 60 && count > 0;
            page.text(x + size / 2, middle + (with_share ? -2 : 4), fmt::format("{}", count), how);
            if (with_share) {
                how.emplace_back("class", solid > 0.55 ? "" : "tick");
                page.text(x + size / 2, middle + 14, fmt::format("{:.1f} %", 100 * share), how);
            }
        }
    page.close_group();
    if (k <= 40)
        for (std::size_t c = 1; c < k; ++c) {
            const double at = static_cast<double>(c) * size;
            page.line(f.left + at, f.top, f.left + at, f.top + side, {{"class", "grid"}});
            page.line(f.left, f.top + at, f.left + side, f.top + at, {{"class", "grid"}});
        }
    page.rect(f.left, f.top, side, side, {{"class", "frame"}});
    draw_names(f, all, size);
}

}  // namespace

panel confusion_panel(shared_evaluation all) {
    return [all = std::move(all)](svg& page, double x, double y) { draw(page, x, y, *all); };
}

// ROC, precision and recall, reliability: the unit square with a line for each class.

namespace {

using namespace plot;
using dots = std::vector<std::pair<double, double>>;

constexpr std::size_t max_points = 600, max_keys = 12;

axes unit_square(svg& page, double px, double py, const std::string& title, const std::string& note) {
    axes f{page, px + plot_left, py + plot_top, 0, 1, 0, 1};
    f.draw_title(px, py, title, note);
    for (const double v : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0})
        f.tick_y(f.y(v), tick_text(v)), f.tick_x(f.x(v), tick_text(v));
    return f;
}

// Draws a line through points of the square. Adds the dots that a key should not cover to `covered`.
void draw_line(const axes& f, const dots& points, const std::string& colour, dots& covered, double solid = 1) {
    std::string d;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double x = f.x(points[i].first), y = f.y(points[i].second);
        d += fmt::format("{}{:.1f} {:.1f}", d.empty() ? "M" : "L", x, y);
        if (i > 0)
            for (int step = 1; step <= 20; ++step)
                covered.emplace_back(rescale(step, 0, 20, f.x(points[i - 1].first), x),
                                     rescale(step, 0, 20, f.y(points[i - 1].second), y));
    }
    f.page.path(d, {{"stroke", colour},
                    {"stroke-width", 2.0},
                    {"stroke-opacity", solid},
                    {"fill", "none"},
                    {"stroke-linejoin", "round"}});
}

void draw_guess(const axes& f, double from, double to) {
    f.page.line(f.x(0), f.y(from), f.x(1), f.y(to), {{"class", "mark"}, {"stroke-dasharray", "4 4"}});
}

// Marks the upper half as covered, so that the key is placed in the lower half, where good curves do not pass.
void cover_upper_half(const axes& f, dots& covered) {
    for (int i = 0; i < 40; ++i)
        for (int j = 1; j < 20; ++j) covered.emplace_back(f.left + 10.0 * i, f.top + 10.0 * j);
}

std::string colour_of(const evaluation& all, const class_curves& c) {
    return class_colour(all.curves.size() == 1 ? 0 : all.table.position(c.label)).hex();
}

void draw_roc(svg& page, double px, double py, const evaluation& all) {
    const evaluated_metric* area = all.find("auc");
    const axes f = unit_square(
        page, px, py, "ROC",
        area && std::isfinite(area->value)
            ? fmt::format("area {:.4f}, 95 %: {:.4f} to {:.4f}", area->value, area->range.low, area->range.high)
            : std::string());
    draw_guess(f, 0, 1);
    std::vector<key_entry> keys;
    dots covered;
    cover_upper_half(f, covered);
    page.open_group({{"class", "roc"}});
    for (const class_curves& c : all.curves) {
        if (!c.order.has_roc()) continue;
        dots points;
        for (const ranking_point& p : thin_out(corners(c.order), max_points))
            points.emplace_back(c.order.false_positive_rate(p), c.order.recall(p));
        draw_line(f, points, colour_of(all, c), covered);
        if (keys.size() < max_keys)
            keys.push_back(
                {fmt::format("{}: {:.4f}", shorten(all.name_of(c.label), 18), c.order.area), colour_of(all, c)});
    }
    page.close_group();
    f.draw_names("false positive rate", "true positive rate (recall)");
    draw_keys(f, keys, covered);
}

void draw_precision_recall(svg& page, double px, double py, const evaluation& all) {
    const axes f = unit_square(page, px, py, "Precision and recall", "steps; the key has the average precision");
    std::vector<key_entry> keys;
    dots covered;
    cover_upper_half(f, covered);
    page.open_group({{"class", "precision-recall"}});
    for (const class_curves& c : all.curves) {
        if (!c.order.has_precision()) continue;
        dots points;
        double recall = 0;
        for (const ranking_point& p : thin_out(c.order.points, max_points)) {
            // A step from the previous recall at this precision, so that the area is the average precision.
            points.emplace_back(recall, ranking::precision(p));
            recall = c.order.recall(p);
            points.emplace_back(recall, ranking::precision(p));
        }
        // the point without positive predictions
        if (points.size() > 2) points.erase(points.begin(), points.begin() + 2);
        draw_line(f, points, colour_of(all, c), covered);
        if (keys.size() < max_keys)
            keys.push_back({fmt::format("{}: {:.4f}", shorten(all.name_of(c.label), 18), c.order.average_precision),
                            colour_of(all, c)});
        if (all.curves.size() == 1) {
            const double share = static_cast<double>(c.order.positives) / static_cast<double>(all.n);
            draw_guess(f, share, share);
        }
    }
    page.close_group();
    f.draw_names("recall", "precision");
    draw_keys(f, keys, covered);
}

// The number of examples in each bin, as bars along the bottom of the plot.
void draw_counts(const axes& f, const reliability& r) {
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
    const axes f = unit_square(
        page, px, py, "Reliability of the probabilities",
        loss ? fmt::format("log loss {:.4g}, 95 %: {:.4g} to {:.4g}", loss->value, loss->range.low, loss->range.high)
             : std::string());
    draw_guess(f, 0, 1);
    std::vector<key_entry> keys;
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
                page.line(f.x(b.mean), f.y(b.share_interval.low), f.x(b.mean), f.y(b.share_interval.high),
                          {{"stroke", colour}, {"stroke-width", 1.5}, {"stroke-opacity", "0.55"}});
        }
        draw_line(f, points, colour, covered, 0.5);
        for (const reliability_bin& b : c.probabilities.bins)
            page.circle(
                f.x(b.mean), f.y(b.share), 3.5, {{"fill", colour}},
                fmt::format("{}: {:.3f} said, {:.3f} are, of {}", all.name_of(c.label), b.mean, b.share, b.count));
        if (keys.size() < max_keys)
            keys.push_back(
                {fmt::format("{}: off by {:.3f}", shorten(all.name_of(c.label), 18), c.probabilities.calibration_error),
                 colour});
    }
    page.close_group();
    f.draw_names("probability said", "share of the class");
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

namespace {

using namespace plot;

constexpr double names_width = 166, bars_width = 372;
constexpr std::size_t max_bars = 20;

void draw_importance(svg& page, double px, double py, const evaluation& all) {
    std::vector<const feature_importance*> order;
    for (const feature_importance& f : all.importance) order.push_back(&f);
    std::ranges::stable_sort(order, std::ranges::greater{}, &feature_importance::mean);
    const std::size_t shown = std::min(order.size(), max_bars);
    double low = 0, high = 0;
    for (std::size_t i = 0; i < shown; ++i) {
        low = std::min({low, order[i]->mean_interval.low, order[i]->mean});
        high = std::max({high, order[i]->mean_interval.high, order[i]->mean});
    }
    if (!(high > low)) high = low + 1;
    high += 0.03 * (high - low);
    const double left = px + names_width, top = py + plot_top;
    const double step = std::min(side / static_cast<double>(std::max<std::size_t>(shown, 1)), 50.0);
    const double height = step * static_cast<double>(shown), thick = std::min(0.66 * step, 26.0);
    const auto x = [&](double v) { return rescale(v, low, high, left, left + bars_width); };
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
        page.rect(
            x(std::min(0.0, f.mean)), middle - thick / 2, std::abs(x(f.mean) - x(0)), thick,
            {{"fill", class_colour(0).hex()}, {"fill-opacity", "0.85"}, {"rx", 1.5}},
            fmt::format("{}: {:.4g}, 95 %: {:.4g} to {:.4g}", name, f.mean, f.mean_interval.low, f.mean_interval.high));
        const double cap = std::min(thick / 4, 4.0);
        page.path(fmt::format("M{0:.1f} {2:.1f}V{3:.1f}M{0:.1f} {4:.1f}H{1:.1f}M{1:.1f} {2:.1f}V{3:.1f}",
                              x(f.mean_interval.low), x(f.mean_interval.high), middle - cap, middle + cap, middle),
                  {{"class", "ring"}, {"stroke-width", 1.2}});
        page.text(left - 8, middle + 4, shorten(name, 22), {{"class", "tick"}, {"text-anchor", "end"}});
    }
    page.close_group();
    page.line(x(0), top, x(0), top + height, {{"class", "mark"}});
    page.text(left + bars_width / 2, top + height + 42, all.importance_metric + " worse by",
              {{"class", "axis"}, {"text-anchor", "middle"}});
}

}  // namespace

panel importance_panel(shared_evaluation all) {
    return [all = std::move(all)](svg& page, double x, double y) { draw_importance(page, x, y, *all); };
}

// Regression: predicted and true values, and residuals.

namespace {

using namespace plot;

void draw_dots(const axes& f, const std::vector<double>& across, const std::vector<double>& up, const evaluation& all) {
    constexpr std::size_t max_circles = 1500;
    const double radius = across.size() <= 400 ? 3.2 : across.size() <= 2000 ? 2.4 : 1.6;
    const std::string colour = class_colour(0).hex();
    std::string d;
    f.page.open_group({{"class", "points"}});
    for (std::size_t i = 0; i < across.size(); ++i) {
        const double x = f.x(across[i]), y = f.y(up[i]);
        if (across.size() <= max_circles)
            f.page.circle(x, y, radius, {{"fill", colour}, {"fill-opacity", "0.55"}},
                          fmt::format("row {}: {:.5g}, predicted {:.5g}", i + 1, all.y[i], all.predicted[i]));
        else  // a round pen with a tiny stroke draws a dot
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
    axes f{page, px + plot_left, py + plot_top};
    std::vector<double> both = all.y;
    both.insert(both.end(), all.predicted.begin(), all.predicted.end());
    std::tie(f.x_low, f.x_high) = padded_range(both);
    std::tie(f.y_low, f.y_high) = std::tie(f.x_low, f.x_high);
    f.draw_title(px, py, "Predicted and true values", metric_text(all, "r2"));
    f.ticks_y(6), f.ticks_x(6);
    page.line(f.x(f.x_low), f.y(f.x_low), f.x(f.x_high), f.y(f.x_high),
              {{"class", "mark"}, {"stroke-dasharray", "4 4"}});
    draw_dots(f, all.y, all.predicted, all);
    f.draw_names("true value", "predicted value");
}

// The mean residual of up to 12 groups of examples, in the order of the predictions.
void draw_trend(const axes& f, const std::vector<double>& across, const std::vector<double>& up) {
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
    axes f{page, px + plot_left, py + plot_top};
    std::vector<double> left;
    for (std::size_t i = 0; i < all.y.size(); ++i) left.push_back(all.y[i] - all.predicted[i]);
    std::vector<double> with_zero = left;
    with_zero.push_back(0);
    std::tie(f.x_low, f.x_high) = padded_range(all.predicted);
    std::tie(f.y_low, f.y_high) = padded_range(with_zero);
    f.draw_title(px, py, "Residuals", metric_text(all, "rmse"));
    f.ticks_y(6), f.ticks_x(6);
    page.line(f.left, f.y(0), f.left + side, f.y(0), {{"class", "mark"}});
    draw_dots(f, all.predicted, left, all);
    draw_trend(f, all.predicted, left);
    f.draw_names("predicted value", "true - predicted");
}

}  // namespace

panel predicted_panel(shared_evaluation all) {
    return [all = std::move(all)](svg& page, double x, double y) { draw_predicted(page, x, y, *all); };
}
panel residual_panel(shared_evaluation all) {
    return [all = std::move(all)](svg& page, double x, double y) { draw_residuals(page, x, y, *all); };
}

}  // namespace mercer
