// PNG files (RFC 2083) with a palette, and base64: sufficient to embed a raster image in an SVG file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "mercer/base/matrix_view.h"
#include "mercer/plot/palette.h"

namespace mercer {

// Returns the bytes of a PNG file with one palette index for each pixel, from the upper row to the lower one. `solid`:
// opacities of the palette; null: all opaque.
std::string palette_png(matrix_view<const std::uint8_t> pixels, const palette& colours,
                        const opacities* solid = nullptr);
std::string base64(std::string_view bytes);

}  // namespace mercer
