// A self-contained SVG document: shapes in the order of drawing and one style sheet. Lengths are in pixels from the
// upper left corner, y points downwards; texts are escaped.
//
// Example:
//
//     svg page(200, 100, "title for screen readers");
//     page.rect(10, 10, 50, 20, {{"fill", "#4e79a7"}});
//     page.text(10, 60, "λ < 0", {{"class", "label"}});
//     write_atomically("page.svg", page.finish());
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/plot/palette.h"

namespace mercer {

// An attribute of an element; numbers are written with at most three decimals.
struct svg_attribute {
    std::string name;
    std::string value;
    svg_attribute(std::string_view name_, std::string_view value_) : name(name_), value(value_) {}
    svg_attribute(std::string_view name_, double value_);
};
using svg_attributes = std::vector<svg_attribute>;

class svg {
public:
    svg(double width, double height, std::string_view title);

    void rect(double x, double y, double width, double height, const svg_attributes& more = {},
              std::string_view tooltip = {});
    void line(double x1, double y1, double x2, double y2, const svg_attributes& more = {});
    void circle(double x, double y, double radius, const svg_attributes& more = {}, std::string_view tooltip = {});
    void path(std::string_view d, const svg_attributes& more = {});
    void text(double x, double y, std::string_view what, const svg_attributes& more = {});
    // A raster image with one colour number for each cell, scaled to the rectangle with sharp edges.
    void cells(double x, double y, double width, double height, matrix_view<const std::uint8_t> numbers,
               const palette& colours, const svg_attributes& more = {}, const opacities* solid = nullptr);
    void open_group(const svg_attributes& more = {});
    void close_group();

    // The complete SVG file.
    std::string finish() const;
    // The element for an HTML page whose style sheet contains inline_style(): it uses the colours of that page.
    std::string fragment() const;
    static std::string inline_style();

private:
    void element(std::string_view name, const svg_attributes& fixed, const svg_attributes& more,
                 std::string_view content, std::string_view tooltip);
    std::string size_, title_;
    std::string body_;
    std::size_t depth_ = 0;
};

// Returns about `count` evenly spaced round numbers within [low, high]; the spacing is 1, 2 or 5 times a power of ten.
std::vector<double> round_ticks(double low, double high, int count);
// The text of a tick: 0.25, 1e-5; without rounding noise.
std::string tick_text(double value);
// "10⁻³"
std::string power_of_ten_text(int exponent);

}  // namespace mercer
