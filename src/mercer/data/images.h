// n images, whose sizes may differ: grey (one channel) or colour (red, green, blue).
#pragma once

#include "mercer/data/object_kind.h"

namespace mercer {

// One image.
struct image {
    static constexpr index max_side = 65535, max_pixels = index{1} << 28;

    index height = 0, width = 0, channels = 1;
    std::vector<float> values{};  // row by row, the channels of a pixel contiguous; 0: black, 1: full intensity

    index pixels() const { return height * width; }
    const float* at(index row, index column) const { return values.data() + (row * width + column) * channels; }
    friend std::partial_ordering operator<=>(const image&, const image&) = default;
};

// Converts a whole number from 0 to `most`, as in files and arrays, to a number from 0 to 1.
inline float intensity(unsigned value, unsigned most) { return static_cast<float>(value) / static_cast<float>(most); }

class images : public item_list<images, image> {
public:
    static constexpr object_kind kind{"images"};
    static constexpr const char* default_kernel = "spatial_pyramid()";

    images() = default;
    // An image has 1 channel (grey), 2 (grey, opacity), 3 (red, green, blue) or 4 (red, green, blue, opacity). Images
    // with opacity are composed over white. Throws errc::data if a value is not finite or an opacity is outside [0, 1],
    // and errc::invalid_argument if sizes and values are inconsistent. -0 becomes 0. An image without pixels gets
    // height and width 0.
    explicit images(std::vector<image> items);

    // The size of the image and a checksum of its values.
    std::string text(index i) const;
    void write(byte_writer& to) const;
    static images read(byte_reader& from, index count);
};

}  // namespace mercer
