// Colours: maps from low to high, and colours of classes.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "mercer/base/matrix_view.h"

namespace mercer {

struct rgb {
    std::uint8_t r = 0, g = 0, b = 0;
    std::string hex() const;  // "#rrggbb"
    bool operator==(const rgb&) const = default;
};

// A colour map: 256 colours from low to high.
using palette = std::array<rgb, 256>;
const palette& sequential_palette();              // dark blue, green, yellow: perceptually even, readable in grey
const palette& diverging_palette();               // blue, white, red
rgb class_colour(index number);                   // twelve colours that most eyes tell apart, then round again
using opacities = std::array<std::uint8_t, 256>;  // of the colours of a palette: 0 clear, 255 solid

}  // namespace mercer
