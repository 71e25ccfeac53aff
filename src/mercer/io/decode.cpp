#include "mercer/io/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "mercer/base/error.h"
#include "mercer/base/readers_text.h"
#include "mercer/base/workspace.h"

namespace mercer {

image decode_image(std::string_view bytes, const std::string& name, index most_pixels) {
    if (bytes.starts_with(detail::png_magic)) return detail::decode_png(bytes, name, most_pixels);
    if (bytes.starts_with(detail::jpeg_magic)) return detail::decode_jpeg(bytes, name, most_pixels);
    if (is_image(bytes)) return detail::decode_netpbm(bytes, name, most_pixels);
    fail(errc::parse, fmt::format("{}: byte 0: expected a PNG, JPEG, PGM or PPM image, got {}", name,
                                  bytes.empty() ? "an empty file" : detail::quoted(bytes.substr(0, 8))));
}

bool is_image_name(std::string_view name) {
    std::string lower(name.substr(std::min(name.rfind('.'), name.size())));
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    constexpr std::string_view ends[] = {".png", ".jpg", ".jpeg", ".pgm", ".ppm", ".pnm"};
    return std::ranges::find(ends, lower) != std::end(ends);
}

bool is_image(std::string_view bytes) {
    if (bytes.starts_with(detail::png_magic) || bytes.starts_with(detail::jpeg_magic)) return true;
    return bytes.size() > 2 && bytes[0] == 'P' && std::string_view("2356").find(bytes[1]) != std::string_view::npos &&
           (bytes[2] == '#' || std::isspace(static_cast<unsigned char>(bytes[2])));
}

namespace detail {

void require_decodable(index height, index width, const std::string& name, index most_pixels) {
    if (height < 1 || width < 1) fail(errc::parse, fmt::format("{}: an image of {} x {} pixels", name, height, width));
    if (height > image::most_side || width > image::most_side || height * width > most_pixels)
        fail(errc::unsupported, fmt::format("{}: images of sides up to {} and up to {} pixels are read, got {} x {}",
                                            name, image::most_side, most_pixels, height, width));
    // The decoder's own values, those of the image, and their copy in the numbers that kernels compare.
    constexpr std::size_t per_pixel = 40;
    reserve_workspace(static_cast<std::size_t>(height * width) * per_pixel);
}

void no_decoder(const std::string& name, const char* format, const char* library, const char* package) {
    fail(errc::unsupported, fmt::format("{}: is a {} image, but support for {} was not built in: {} was missing "
                                        "(Debian's package {})",
                                        name, format, format, library, package));
}

}  // namespace detail
}  // namespace mercer
