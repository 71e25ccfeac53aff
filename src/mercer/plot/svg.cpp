#include "mercer/plot/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "mercer/base/text.h"
#include "mercer/plot/png.h"

namespace mercer {
namespace {

// Colours by role. A picture on its own has a white page; a picture inside an HTML page uses the colours of that page.
struct theme_colours {
    const char *text, *soft, *grid, *paper;
};
constexpr theme_colours on_white{"#24292f", "#57606a", "#d8dee4", "#ffffff"};
constexpr theme_colours on_page{"var(--ink)", "var(--soft)", "var(--grid)", "var(--paper)"};

std::string style_sheet(const theme_colours& c, const std::string& within) {
    const std::string font = R"(font-family: Inter, "Helvetica Neue", Helvetica, Arial, "DejaVu Sans", sans-serif)";
    const std::pair<const char*, std::string> rules[] = {
        {"text", fmt::format("{}; fill: {}; font-size: 12px", font, c.text)},
        {".title", "font-size: 17px; font-weight: 600"},
        {".subtitle", fmt::format("font-size: 13px; fill: {}", c.soft)},
        {".panel", "font-size: 14px; font-weight: 600"},
        {".note", fmt::format("font-size: 12px; fill: {}", c.soft)},
        {".tick", fmt::format("font-size: 11px; fill: {}", c.soft)},
        {".axis", "font-size: 12px"},
        {".frame", fmt::format("fill: none; stroke: {}; stroke-width: 1", c.soft)},
        {".mark", fmt::format("stroke: {}; stroke-width: 1", c.soft)},
        {".grid", fmt::format("stroke: {}; stroke-width: 1", c.grid)},
        {".paper", fmt::format("fill: {}", c.paper)},
        {".legend-box", fmt::format("fill: {}; fill-opacity: 0.88; stroke: {}", c.paper, c.grid)},
        {".contour", fmt::format("fill: none; stroke: {}; stroke-width: 1.7; stroke-linejoin: round", c.text)},
        {".margin", fmt::format("fill: none; stroke: {}; stroke-width: 1; stroke-dasharray: 5 3", c.text)},
        {".point", fmt::format("stroke: {}; stroke-width: 0.7", c.paper)},
        {".ring", fmt::format("fill: none; stroke: {}", c.text)},
    };
    std::string out = "\n";
    for (const auto& [what, how] : rules) out += fmt::format("    {}{} {{ {} }}\n", within, what, how);
    return out;
}

}  // namespace

svg_attribute::svg_attribute(std::string_view name_, double value_) : name(name_) {
    value = fmt::format("{:.3f}", value_);
    value.erase(value.find_last_not_of('0') + 1);
    if (value.back() == '.') value.pop_back();
    if (value == "-0") value = "0";
}

svg::svg(double width, double height, std::string_view title)
    : size_(fmt::format("width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\"", width, height)),
      title_(xml_escaped(title)) {
    rect(0, 0, width, height, {{"class", "paper"}, {"fill", on_white.paper}});
}

void svg::element(std::string_view name, const svg_attributes& fixed, const svg_attributes& more,
                  std::string_view content, std::string_view tooltip) {
    body_.append(2 * depth_ + 2, ' ');
    body_ += fmt::format("<{}", name);
    for (const auto* list : {&fixed, &more})
        for (const auto& [key, value] : *list) body_ += fmt::format(" {}=\"{}\"", key, xml_escaped(value));
    if (content.empty() && tooltip.empty()) {
        body_ += "/>\n";
        return;
    }
    body_ += '>';
    if (!tooltip.empty()) body_ += fmt::format("<title>{}</title>", xml_escaped(tooltip));
    body_ += fmt::format("{}</{}>\n", xml_escaped(content), name);
}

void svg::rect(double x, double y, double width, double height, const svg_attributes& more, std::string_view tooltip) {
    element("rect", {{"x", x}, {"y", y}, {"width", width}, {"height", height}}, more, {}, tooltip);
}
void svg::line(double x1, double y1, double x2, double y2, const svg_attributes& more) {
    element("line", {{"x1", x1}, {"y1", y1}, {"x2", x2}, {"y2", y2}}, more, {}, {});
}
void svg::circle(double x, double y, double radius, const svg_attributes& more, std::string_view tooltip) {
    element("circle", {{"cx", x}, {"cy", y}, {"r", radius}}, more, {}, tooltip);
}
void svg::path(std::string_view d, const svg_attributes& more) { element("path", {{"d", d}}, more, {}, {}); }
void svg::text(double x, double y, std::string_view what, const svg_attributes& more) {
    element("text", {{"x", x}, {"y", y}}, more, what, {});
}

void svg::cells(double x, double y, double width, double height, matrix_view<const std::uint8_t> numbers,
                const palette& colours, const svg_attributes& more, const opacities* solid) {
    // Several pixels for each cell, because some renderers always smooth images.
    constexpr index pixels = 800;
    const index down = std::max<index>(1, (pixels + numbers.rows - 1) / numbers.rows);
    const index across = numbers.cols == 1 ? 1 : std::max<index>(1, (pixels + numbers.cols - 1) / numbers.cols);
    matrix<std::uint8_t> large(down * numbers.rows, across * numbers.cols);
    for (index i = 0; i < large.rows(); ++i)
        for (index j = 0; j < large.cols(); ++j) large(i, j) = numbers(i / down, j / across);
    element("image",
            {{"x", x},
             {"y", y},
             {"width", width},
             {"height", height},
             {"preserveAspectRatio", "none"},
             {"style", "image-rendering: pixelated"},
             {"href", "data:image/png;base64," + base64(palette_png(large.view(), colours, solid))}},
            more, {}, {});
}

void svg::open_group(const svg_attributes& more) {
    body_.append(2 * depth_ + 2, ' ');
    body_ += "<g";
    for (const auto& [key, value] : more) body_ += fmt::format(" {}=\"{}\"", key, xml_escaped(value));
    body_ += ">\n";
    ++depth_;
}

void svg::close_group() {
    --depth_;
    body_.append(2 * depth_ + 2, ' ');
    body_ += "</g>\n";
}

std::string svg::finish() const {
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" {} role=\"img\">\n"
        "  <title>{}</title>\n  <style>{}  </style>\n{}</svg>\n",
        size_, title_, style_sheet(on_white, ""), body_);
}

std::string svg::fragment() const {
    return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" {} role=\"img\">\n  <title>{}</title>\n{}</svg>\n",
                       size_, title_, body_);
}

std::string svg::inline_style() { return style_sheet(on_page, "svg "); }

std::vector<double> round_ticks(double low, double high, int count) {
    if (!(high > low) || count < 1) return {low};
    const double rough = (high - low) / count;
    const double unit = std::pow(10, std::floor(std::log10(rough)));
    const double ratio = rough / unit;
    const double step = unit * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
    std::vector<double> ticks;
    const double slack = 1e-9 * step;
    for (double i = std::ceil((low - slack) / step); i * step <= high + slack; ++i) ticks.push_back(i * step + 0.0);
    return ticks;
}

std::string tick_text(double value) {
    if (value == 0) return "0";
    const std::string text = fmt::format("{:.6g}", value);
    return text.front() == '-' ? "−" + text.substr(1) : text;
}

std::string power_of_ten_text(int exponent) {
    static constexpr std::array<const char*, 10> raised{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string out = exponent < 0 ? "10⁻" : "10";
    for (const char digit : std::to_string(std::abs(exponent))) out += raised[static_cast<std::size_t>(digit - '0')];
    return out;
}

}  // namespace mercer
