#include <fmt/format.h>

#include <algorithm>

#include "mercer/plot/axes.h"
#include "mercer/plot/evaluation_plots.h"

namespace mercer {
namespace {

using namespace plot;

constexpr const char *right_colour = "#4e79a7", *wrong_colour = "#e15759";
constexpr std::size_t most_numbers = 14;  // classes up to which counts are written into the cells

void draw_names(const frame& f, const evaluation& all, double size) {
    const std::size_t k = all.names.size();
    const std::size_t every = std::max<std::size_t>(1, (k + 29) / 30);
    double longest = 0;
    for (const auto& name : all.names) longest = std::max(longest, letters(name));
    const bool turned = longest * 6.4 > size - 6;
    for (std::size_t c = 0; c < k; c += every) {
        const double middle = (static_cast<double>(c) + 0.5) * size;
        f.page.text(f.left - 8, f.top + middle + 4, shortened(all.names[c], 11),
                    {{"class", "tick"}, {"text-anchor", "end"}});
        const double x = f.left + middle, y = f.top + side + (turned ? 12 : 17);
        if (turned)
            f.page.text(
                x + 4, y, shortened(all.names[c], 9),
                {{"class", "tick"}, {"text-anchor", "end"}, {"transform", fmt::format("rotate(-40 {} {})", x + 4, y)}});
        else
            f.page.text(x, y, all.names[c], {{"class", "tick"}, {"text-anchor", "middle"}});
    }
}

void draw(svg& page, double px, double py, const evaluation& all) {
    const std::size_t k = all.names.size();
    frame f{page, px + plot_left, py + plot_top};
    index right = 0;
    for (const class_figures& c : all.classes) right += c.right;
    f.head(px, py, "Confusion matrix",
           fmt::format("{} of {} right; rows: what it is, columns: what was said", right, all.n));
    const double size = side / static_cast<double>(std::max<std::size_t>(k, 1));
    page.open_group({{"class", "confusion"}});
    for (index i = 0; i < all.table.count.rows(); ++i)
        for (index j = 0; j < all.table.count.cols(); ++j) {
            const index count = all.table.count(i, j), support = all.classes[static_cast<std::size_t>(i)].support;
            const double share = support > 0 ? static_cast<double>(count) / static_cast<double>(support) : 0;
            const double x = f.left + static_cast<double>(j) * size, y = f.top + static_cast<double>(i) * size;
            // A single mistake shows, too.
            const double solid = count > 0 ? 0.12 + 0.88 * share : 0;
            page.rect(x, y, size, size, {{"fill", i == j ? right_colour : wrong_colour}, {"fill-opacity", solid}},
                      fmt::format("{}, said to be {}: {} of {} ({:.1f} %)", all.names[static_cast<std::size_t>(i)],
                                  all.names[static_cast<std::size_t>(j)], count, support, 100 * share));
            if (k > most_numbers) continue;
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

}  // namespace mercer
