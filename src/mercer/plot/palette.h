// Colour maps for values and colours for classes.
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

// A colour map: 256 colours from low to high values.
using palette = std::array<rgb, 256>;
const palette& sequential_palette();  // dark blue to green to yellow; perceptually uniform, readable in grey
const palette& diverging_palette();   // blue to white to red
rgb class_colour(index number);       // one of twelve distinguishable colours; repeats after twelve
using opacities = std::array<std::uint8_t, 256>;  // for the colours of a palette: 0 transparent, 255 opaque

}  // namespace mercer
