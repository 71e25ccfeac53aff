// n images, of different sizes if they like: grey (one channel) or colour (red, green, blue).
#pragma once

#include "mercer/data/object_kind.h"

namespace mercer {

struct image {
    static constexpr index most_side = 65535, most_pixels = index{1} << 28;

    index height = 0, width = 0, channels = 1;
    std::vector<float> values{};  // row after row, the channels of a pixel side by side; 0 is black, 1 full

    index pixels() const { return height * width; }
    const float* at(index row, index column) const { return values.data() + (row * width + column) * channels; }
    friend std::partial_ordering operator<=>(const image&, const image&) = default;
};

// Whole numbers from 0 to `most`, as files and arrays hold them, as numbers from 0 to 1.
inline float intensity(unsigned value, unsigned most) { return static_cast<float>(value) / static_cast<float>(most); }

class images : public item_list<images, image> {
public:
    static constexpr domain where{"images"};
    static constexpr const char* default_kernel = "spatial_pyramid()";

    images() = default;
    // Two or four channels: the last one says how much covers what is behind, and that is white. Fails where a number
    // is not finite, or sizes and values do not agree. -0 becomes 0; an image without pixels has no sides.
    explicit images(std::vector<image> items);

    // Its size, and a checksum of its values.
    std::string text(index i) const;
    void write(object_sink& to) const;
    static images read(object_source& from, index count);
};

}  // namespace mercer
