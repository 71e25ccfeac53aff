// Fuzz target: arbitrary bytes as an image file or an array of images must give mercer::error, or images that are equal
// after writing and reading.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "mercer/base/error.h"
#include "mercer/io/image_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    try {
        const mercer::image one = mercer::decode_image(bytes, "fuzz", 1 << 16);
        if (one.pixels() < 1 || one.pixels() > 1 << 16) std::abort();
        const mercer::images kept({one});
        if (kept[0].channels != 1 && kept[0].channels != 3) std::abort();
        for (const float value : kept[0].values)
            if (!(value >= 0 && value <= 1)) std::abort();
    } catch (const mercer::error&) {
    }
    try {
        const mercer::table some = mercer::parse_image_array(bytes, "fuzz");
        const auto& all = *some.x.as<mercer::images>();
        for (mercer::index i = 0; i < all.size(); ++i) all.text(i);
    } catch (const mercer::error&) {
    }
    return 0;
}
