#include "mercer/plot/class_regions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "mercer/inspection/binary_problems.h"
#include "mercer/plot/axes.h"

namespace mercer {
namespace {

using plot::character_count;
using plot::rescale;

// The step between drawn examples, so that at most 3000 of n are drawn.
index drawing_step(index n) {
    constexpr index most = 3000;
    return std::max<index>(1, (n + most - 1) / most);
}

// The smallest |f| of the binary problems that involve the winning class.
double decision_margin(const svm_model& model, const region_grid& grid, index cell) {
    const index winner = grid.winner[static_cast<std::size_t>(cell)];
    double least = 1e300;
    for (index p = 0; p < model.problems(); ++p) {
        const auto [a, b] = classes_of_problem(model, p);
        if (a == winner || b == winner || b < 0) least = std::min(least, std::abs(grid.f(cell, p)));
    }
    return least;
}

void fill_regions(svg& page, double left, double top, double size, const svm_model& model, const region_grid& grid) {
    const auto classes = static_cast<index>(model.classes.size());
    const index levels = std::max<index>(1, std::min<index>(16, 256 / classes)), shades = std::min<index>(classes, 256);
    palette colours{};
    opacities solid{};
    for (index c = 0; c < shades; ++c)
        for (index level = 0; level < levels && c * levels + level < 256; ++level) {
            const auto at = static_cast<std::size_t>(c * levels + level);
            colours[at] = class_colour(c);
            solid[at] = static_cast<std::uint8_t>(40 + 80 * (level + 1) / levels);
        }
    matrix<std::uint8_t> numbers(grid.ny, grid.nx);
    for (index r = 0; r < grid.ny; ++r)
        for (index c = 0; c < grid.nx; ++c) {
            const index cell = r * grid.nx + c;
            const double depth = std::min(decision_margin(model, grid, cell) / 2, 1.0);
            const index level = std::min(levels - 1, static_cast<index>(depth * static_cast<double>(levels)));
            numbers(grid.ny - 1 - r, c) =
                static_cast<std::uint8_t>((grid.winner[static_cast<std::size_t>(cell)] % shades) * levels + level);
        }
    page.open_group({{"class", "regions"},
                     {"data-cells", fmt::format("{}×{}", grid.nx, grid.ny)},
                     {"data-levels", fmt::format("{}", levels)}});
    page.cells(left, top, size, size, numbers.view(), colours, {}, &solid);
    page.close_group();
}

void draw_lines(svg& page, double left, double top, double size, const region_grid& grid, matrix_view<const double> f,
                double level, const char* kind, const std::function<bool(index, index)>& inside) {
    std::string d;
    for (const polyline& line : contour_lines(f, level, inside))
        for (std::size_t i = 0; i < line.size(); ++i) {
            const double x = left + (line[i].first + 0.5) / static_cast<double>(grid.nx) * size;
            const double y = top + size - (line[i].second + 0.5) / static_cast<double>(grid.ny) * size;
            d += fmt::format("{}{:.1f} {:.1f}", i == 0 ? "M" : "L", x, y);
        }
    if (!d.empty()) page.path(d, {{"class", kind}});
}

// Draws f = 0 where it separates the regions of its two classes, and f = ±1 where one of these classes wins.
void draw_boundaries(svg& page, double left, double top, double size, const svm_model& model, const region_grid& grid) {
    const auto count = static_cast<index>(model.classes.size());
    const bool rest = model.pairs().is_one_vs_rest();
    matrix<double> f(grid.ny, grid.nx);
    const auto corners = [&](index c, index r) {
        const auto at = [&](index i, index j) { return grid.winner[static_cast<std::size_t>(i * grid.nx + j)]; };
        return std::array{at(r, c), at(r, c + 1), at(r + 1, c + 1), at(r + 1, c)};
    };
    const auto draw = [&](index a, index b, auto value, bool margins) {
        for (index cell = 0; cell < grid.nx * grid.ny; ++cell) f.data()[cell] = value(cell);
        const auto parts = [&](index c, index r) {
            const auto who = corners(c, r);
            return std::ranges::find(who, a) != who.end() && std::ranges::find(who, b) != who.end();
        };
        const auto rules = [&](index c, index r) {
            const auto who = corners(c, r);
            return std::ranges::all_of(who, [&](index each) { return each == a || each == b; });
        };
        // Margins of two classes that have no common boundary on the plane are not drawn.
        if (margins && (count == 2 || !contour_lines(f.view(), 0, parts).empty()))
            for (const double level : {-1.0, 1.0})
                draw_lines(page, left, top, size, grid, f.view(), level, "margin", rules);
        draw_lines(page, left, top, size, grid, f.view(), 0, "contour", parts);
    };
    page.open_group({{"class", "boundaries"}});
    if (rest) {
        for (index a = 0; a < count; ++a)
            for (index b = a + 1; b < count; ++b)
                draw(
                    a, b, [&](index cell) { return grid.f(cell, a) - grid.f(cell, b); }, false);
    } else {
        for (index p = 0; p < model.problems(); ++p) {
            const auto [a, b] = classes_of_problem(model, p);
            draw(
                a, b, [&, p](index cell) { return grid.f(cell, p); }, true);
        }
    }
    page.close_group();
}

void draw_examples(svg& page, double left, double top, double size, const svm_model& model, const plane& on,
                   const example_marks& marks) {
    const index n = on.points.rows(), step = drawing_step(n);
    const index crowd = n / step;  // many dots are drawn smaller
    const double radius = size < 300 ? (crowd > 250 ? 1.7 : 2.2) : crowd > 1500 ? 2 : crowd > 600 ? 2.6 : 3.4;
    const double pen = radius < 2.1 ? 0.75 : 1;
    // Draws support vectors last, so that other dots do not cover their rings.
    page.open_group({{"class", "examples"}});
    for (const bool ringed : {false, true})
        for (index i = 0; i < n; i += step) {
            const auto row = static_cast<std::size_t>(on.rows[static_cast<std::size_t>(i)]);
            const alpha_case kind = marks.kind[row];
            if ((kind != alpha_case::zero) != ringed) continue;
            const double x = rescale(on.points(i, 0), on.x_low, on.x_high, left, left + size),
                         y = rescale(on.points(i, 1), on.y_low, on.y_high, top + size, top);
            const std::string tip =
                size < 300 ? ""
                           : fmt::format("example {}, class {}, {}", row, class_text(model, marks.of_class[row]),
                                         kind == alpha_case::zero   ? "α = 0"
                                         : kind == alpha_case::free ? "0 < α < C"
                                                                    : "α = C");
            page.circle(x, y, radius, {{"class", "point"}, {"fill", class_colour(marks.of_class[row]).hex()}}, tip);
            if (ringed)
                page.circle(x, y, radius + 1.9 * pen,
                            {{"class", "ring"}, {"stroke-width", pen * (kind == alpha_case::free ? 1.9 : 0.8)}});
        }
    page.close_group();
}

// Draws the legend in lines no wider than `width`; returns its height.
double draw_legend(svg& page, double left, double top, double width, const svm_model& model) {
    double x = left, y = top;
    page.open_group({{"class", "legend"}});
    const auto entry = [&](const std::string& text, auto sign) {
        const double need = 34 + 6.3 * character_count(text);
        if (x > left && x + need > left + width) x = left, y += 20;
        sign(x + 8, y);
        page.text(x + 20, y + 4, text, {{"class", "tick"}});
        x += need;
    };
    const auto classes = static_cast<index>(model.classes.size());
    for (index c = 0; c < std::min<index>(classes, 12); ++c)
        entry("class " + class_text(model, c), [&](double at, double mid) {
            page.rect(at - 8, mid - 7, 16, 14, {{"fill", class_colour(c).hex()}, {"fill-opacity", "0.35"}});
            page.circle(at, mid, 3.4, {{"class", "point"}, {"fill", class_colour(c).hex()}});
        });
    entry("support vector on the margin, 0 < α < C", [&](double at, double mid) {
        page.circle(at, mid, 5, {{"class", "ring"}, {"stroke-width", 1.9}});
    });
    entry("support vector with α = C", [&](double at, double mid) {
        page.circle(at, mid, 5, {{"class", "ring"}, {"stroke-width", 0.8}});
    });
    entry("boundary", [&](double at, double mid) { page.line(at - 9, mid, at + 8, mid, {{"class", "contour"}}); });
    if (classes == 2 || model.scheme == multiclass::one_vs_one)
        entry("margin, f = ±1", [&](double at, double mid) {
            page.line(at - 9, mid, at + 8, mid, {{"class", "margin"}});
        });
    page.close_group();
    return y - top + 20;
}

std::string truncate(const std::string& text, double width, double letter) {
    const auto most = static_cast<std::size_t>(std::max(1.0, width / letter));
    std::size_t seen = 0;
    for (std::size_t i = 0; i < text.size(); ++i)
        if ((text[i] & 0xc0) != 0x80 && ++seen > most) return text.substr(0, i) + "…";
    return text;
}

// Breaks a text into lines at blanks.
std::vector<std::string> wrap_lines(const std::string& text, double width, double letter) {
    std::vector<std::string> out;
    std::string line;
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t to = std::min(text.find(' ', from), text.size());
        const std::string word = text.substr(from, to - from);
        if (!line.empty() && letter * (character_count(line) + 1 + character_count(word)) > width)
            out.push_back(std::exchange(line, ""));
        line += (line.empty() ? "" : " ") + word;
        from = to + 1;
    }
    if (!line.empty()) out.push_back(line);
    return out;
}

}  // namespace

example_marks mark_examples(const svm_model& model, std::span<const double> y) {
    example_marks marks{class_numbers(model, y), std::vector<alpha_case>(y.size(), alpha_case::zero)};
    double C = model.C;
    const bool known = model.task == svm_task::c_svc && !model.reports.empty() && model.reports[0].size > 0;
    if (!known) {
        C = 0;
        for (index i = 0; i < model.coef.rows() * model.coef.cols(); ++i)
            C = std::max(C, std::abs(model.coef.data()[i]));
    }
    for (index p = 0; p < model.problems(); ++p)
        for (const auto& [s, value] : problem_coefficients(model, p)) {
            alpha_case& kind = marks.kind.at(static_cast<std::size_t>(model.support_rows[static_cast<std::size_t>(s)]));
            kind = std::max(kind, std::abs(value) >= C * (1 - 1e-10) ? alpha_case::bound : alpha_case::free);
        }
    return marks;
}

example_marks mark_examples(const svm_model& model, std::span<const double> y, const margin_report& report) {
    example_marks marks{class_numbers(model, y), std::vector<alpha_case>(y.size(), alpha_case::zero)};
    for (const margin_problem& p : report.problems)
        for (const margin_example& e : p.examples) {
            alpha_case& kind = marks.kind.at(static_cast<std::size_t>(e.row));
            kind = std::max(kind, e.kind);
        }
    return marks;
}

void draw_regions(svg& page, double left, double top, double size, const svm_model& model, const plane& on,
                  const region_grid& grid, const example_marks& marks) {
    fill_regions(page, left, top, size, model, grid);
    draw_examples(page, left, top, size, model, on, marks);
    draw_boundaries(page, left, top, size, model, grid);
    page.rect(left, top, size, size, {{"class", "frame"}});
}

svg region_figure(const std::string& title, const svm_model& model, const plane& on, const example_marks& marks) {
    constexpr double left = 76, side = 440, width = 560;
    std::string note = on.about;
    if (const index n = on.points.rows(), step = drawing_step(n); step > 1)
        note += fmt::format("{}{} of {} examples are drawn", note.empty() ? "" : "; ", (n + step - 1) / step, n);
    const std::vector<std::string> about = wrap_lines(note, width - 40, 6.2);
    const double top = 40 + 17 * static_cast<double>(about.size());
    // The height of the legend is known after drawing it; it is drawn on a temporary page first.
    svg draft(width, 10, "");
    const double legend = draw_legend(draft, 20, 0, width - 40, model);
    svg page(width, top + side + 62 + legend, title);
    page.text(20, 24, truncate(title, width - 40, 8), {{"class", "panel"}});
    for (std::size_t i = 0; i < about.size(); ++i)
        page.text(20, 43 + 17 * static_cast<double>(i), about[i], {{"class", "note"}});
    draw_regions(page, left, top, side, model, on, decide_grid(model, on, 220, 220), marks);
    for (const double tick : round_ticks(on.x_low, on.x_high, 6)) {
        const double x = rescale(tick, on.x_low, on.x_high, left, left + side);
        page.line(x, top + side, x, top + side + 5, {{"class", "mark"}});
        page.text(x, top + side + 18, tick_text(tick), {{"class", "tick"}, {"text-anchor", "middle"}});
    }
    for (const double tick : round_ticks(on.y_low, on.y_high, 6)) {
        const double y = rescale(tick, on.y_low, on.y_high, top + side, top);
        page.line(left - 5, y, left, y, {{"class", "mark"}});
        page.text(left - 9, y + 4, tick_text(tick), {{"class", "tick"}, {"text-anchor", "end"}});
    }
    page.text(left + side / 2, top + side + 38, truncate(on.x_name, side + 60, 6.5),
              {{"class", "axis"}, {"text-anchor", "middle"}});
    const double across = 22, down = top + side / 2;
    page.text(
        across, down, truncate(on.y_name, side, 6.5),
        {{"class", "axis"}, {"text-anchor", "middle"}, {"transform", fmt::format("rotate(-90 {} {})", across, down)}});
    draw_legend(page, 20, top + side + 62, width - 40, model);
    return page;
}

svg sequences_figure(const std::string& title, const std::string& subtitle, const std::vector<region_sequence>& rows) {
    constexpr double side = 190, gap = 18, left = 24, row_height = side + 84;
    std::size_t most = 1;
    const svm_model* any = nullptr;
    const plane* on = nullptr;
    for (const region_sequence& row : rows) {
        most = std::max(most, row.tiles.size());
        for (const region_tile& tile : row.tiles)
            if (tile.has_model && !any) any = &tile.model, on = &tile.on;
    }
    const double width = std::max(560.0, 2 * left + static_cast<double>(most) * (side + gap) - gap);
    svg draft(width, 10, "");
    const double legend = any ? draw_legend(draft, left, 0, width - 2 * left, *any) : 0;
    const std::vector<std::string> about = wrap_lines(subtitle, width - 2 * left, 6.7);
    const double head = 46 + 18 * static_cast<double>(about.size());
    const double height = head + row_height * static_cast<double>(rows.size()) + legend + 34;
    svg page(width, height, title);
    page.text(left, 32, truncate(title, width - 2 * left, 10), {{"class", "title"}});
    for (std::size_t i = 0; i < about.size(); ++i)
        page.text(left, 53 + 18 * static_cast<double>(i), about[i], {{"class", "subtitle"}});
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const double top = head + row_height * static_cast<double>(r);
        page.text(left, top + 14, truncate(rows[r].title, width - 2 * left, 8), {{"class", "panel"}});
        for (std::size_t t = 0; t < rows[r].tiles.size(); ++t) {
            const region_tile& tile = rows[r].tiles[t];
            const double x = left + static_cast<double>(t) * (side + gap), y = top + 24;
            page.open_group({{"class", "tile"}, {"data-caption", tile.caption}});
            if (tile.has_model)
                draw_regions(page, x, y, side, tile.model, tile.on, decide_grid(tile.model, tile.on, 130, 130),
                             tile.marks);
            else
                page.rect(x, y, side, side, {{"class", "frame"}});
            page.text(x + side / 2, y + side + 16, tile.caption, {{"class", "axis"}, {"text-anchor", "middle"}});
            const std::string score =
                tile.has_model ? fmt::format("{:.1f} % right · {} support vectors", 100 * tile.accuracy, tile.support)
                               : "no solution";
            page.text(x + side / 2, y + side + 32, score, {{"class", "tick"}, {"text-anchor", "middle"}});
            if (!tile.warning.empty())
                page.text(x + side / 2, y + side + 47, truncate(tile.warning, side, 5.8),
                          {{"class", "tick"}, {"text-anchor", "middle"}});
            page.close_group();
        }
    }
    const double foot = head + row_height * static_cast<double>(rows.size()) + 8;
    if (any) draw_legend(page, left, foot, width - 2 * left, *any);
    if (on)
        page.text(left, foot + legend + 6,
                  truncate(fmt::format("across: {}, upward: {}", on->x_name, on->y_name), width - 2 * left, 6.2),
                  {{"class", "note"}});
    return page;
}

}  // namespace mercer
