#include "mercer/plot/palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

template <std::size_t N>
palette interpolate(const std::array<std::uint32_t, N>& anchors) {
    palette out;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const double at = static_cast<double>(i) / (out.size() - 1) * (N - 1);
        const std::size_t left = std::min<std::size_t>(static_cast<std::size_t>(at), N - 2);
        const auto mixed = [&](int shift) {
            const double a = (anchors[left] >> shift) & 255, b = (anchors[left + 1] >> shift) & 255;
            return static_cast<std::uint8_t>(std::lround(a + (b - a) * (at - static_cast<double>(left))));
        };
        out[i] = {mixed(16), mixed(8), mixed(0)};
    }
    return out;
}

}  // namespace

std::string rgb::hex() const { return fmt::format("#{:02x}{:02x}{:02x}", r, g, b); }

const palette& sequential_palette() {
    static const palette colours = interpolate(std::array<std::uint32_t, 10>{
        0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6ece58, 0xb5de2b, 0xfde725});
    return colours;
}

const palette& diverging_palette() {
    static const palette colours = interpolate(std::array<std::uint32_t, 9>{
        0x2166ac, 0x4393c3, 0x92c5de, 0xd1e5f0, 0xf7f7f7, 0xfddbc7, 0xf4a582, 0xd6604d, 0xb2182b});
    return colours;
}

rgb class_colour(index number) {
    static constexpr std::array<rgb, 12> colours{{{0x4e, 0x79, 0xa7},
                                                  {0xf2, 0x8e, 0x2b},
                                                  {0x59, 0xa1, 0x4f},
                                                  {0xe1, 0x57, 0x59},
                                                  {0xb0, 0x7a, 0xa1},
                                                  {0x76, 0xb7, 0xb2},
                                                  {0xed, 0xc9, 0x48},
                                                  {0x9c, 0x75, 0x5f},
                                                  {0xff, 0x9d, 0xa7},
                                                  {0x86, 0x86, 0x86},
                                                  {0x1b, 0x4f, 0x72},
                                                  {0x7d, 0xce, 0x82}}};
    return colours[static_cast<std::size_t>(number) % colours.size()];
}

}  // namespace mercer
