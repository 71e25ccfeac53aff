#include "mercer/data/images.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "mercer/base/error.h"

namespace mercer {
namespace {

void require_size(const image& of, std::size_t i) {
    const auto side = [](index n) { return n >= 0 && n <= image::max_side; };
    if (!side(of.height) || !side(of.width) || of.pixels() > image::max_pixels)
        fail(errc::invalid_argument,
             fmt::format("image {}: an image can have at most {} pixels a side and {} pixels in all, got {} x {}", i,
                         image::max_side, image::max_pixels, of.height, of.width));
    if (of.channels < 1 || of.channels > 4)
        fail(errc::invalid_argument, fmt::format("image {}: an image must have 1 channel (grey) or 3 channels "
                                                 "(colour), and one more for opacity, got {}",
                                                 i, of.channels));
    if (static_cast<index>(of.values.size()) != of.pixels() * of.channels)
        fail(errc::invalid_argument, fmt::format("image {}: {} values are not {} x {} pixels of {} channels", i,
                                                 of.values.size(), of.height, of.width, of.channels));
}

void require_finite(image& of, std::size_t i) {
    for (std::size_t v = 0; v < of.values.size(); ++v) {
        if (!std::isfinite(of.values[v])) {
            const index pixel = static_cast<index>(v) / of.channels;
            fail(errc::data, fmt::format("image {}: values must be finite, got {} at row {}, column {}", i,
                                         of.values[v], pixel / of.width, pixel % of.width));
        }
        of.values[v] += 0.0F;
    }
}

// Composes the image over white: a·value + (1 - a) for opacity a.
void compose(image& of, std::size_t i) {
    const index colours = of.channels - 1;
    for (index p = 0; p < of.pixels(); ++p) {
        const float* from = of.values.data() + p * of.channels;
        const float opacity = from[colours];
        if (!(opacity >= 0 && opacity <= 1))
            fail(errc::data, fmt::format("image {}: opacity must lie in 0 ... 1, got {} at row {}, column {}", i,
                                         opacity, p / of.width, p % of.width));
        for (index c = 0; c < colours; ++c)
            of.values[static_cast<std::size_t>(p * colours + c)] = opacity * from[c] + (1 - opacity);
    }
    of.channels = colours;
    of.values.resize(static_cast<std::size_t>(of.pixels() * colours));
}

std::vector<image> checked(std::vector<image> items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
        image& one = items[i];
        require_size(one, i);
        require_finite(one, i);
        if (one.channels == 2 || one.channels == 4) compose(one, i);
        if (one.pixels() == 0) one = {};
    }
    return items;
}

}  // namespace

images::images(std::vector<image> items) : item_list(checked(std::move(items))) {}

std::string images::text(index i) const {
    const image& of = (*this)[i];
    std::uint64_t sum = 0xcbf29ce484222325;  // FNV-1a
    for (const float value : of.values) sum = (sum ^ std::bit_cast<std::uint32_t>(value)) * 0x100000001b3;
    return fmt::format("{} x {} {} image {:016x}", of.height, of.width, of.channels == 1 ? "grey" : "colour", sum);
}

void images::write(byte_writer& to) const {
    std::vector<index> lengths, sides;
    for (index i = 0; i < size(); ++i) {
        const image& of = (*this)[i];
        lengths.push_back(static_cast<index>(of.values.size()));
        sides.insert(sides.end(), {of.height, of.width, of.channels});
    }
    to.write_numbers(lengths);
    to.write_numbers(sides);
    for (index i = 0; i < size(); ++i) to.write_numbers((*this)[i].values);
}

images images::read(byte_reader& from, index count) {
    const auto start = from.read_offsets(count);
    std::vector<image> items(start.size() - 1);
    for (image& each : items) {
        const auto three = from.read_numbers<index>(3);
        each.height = three[0], each.width = three[1], each.channels = three[2];
    }
    for (std::size_t i = 0; i < items.size(); ++i) items[i].values = from.read_numbers<float>(start[i + 1] - start[i]);
    return images(std::move(items));
}

}  // namespace mercer
