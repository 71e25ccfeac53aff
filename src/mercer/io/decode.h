// Image files: PNG, JPEG, PGM and PPM.
#pragma once

#include <string>
#include <string_view>

#include "mercer/data/images.h"

namespace mercer {

// What a file may claim to hold: a few bytes of a hostile one stand for more pixels than there is memory.
inline constexpr index most_decoded_pixels = index{1} << 26;

// The picture in a file, known by its first bytes; values from 0 to 1, however many bits they had. PNG with a palette
// is colour; opacity is the last of 2 or 4 channels (data/images.h composes it). JPEG in CMYK is not supported,
// and the orientation some cameras note in it is not looked at.
image decode_image(std::string_view bytes, const std::string& name, index most_pixels = most_decoded_pixels);
// Does a file of this name hold a picture: does it end in .png, .jpg, .jpeg, .pgm, .ppm or .pnm?
bool is_image_name(std::string_view name);
// Do the bytes begin as one of these formats does?
bool is_image(std::string_view bytes);

namespace detail {

inline constexpr std::string_view png_magic{"\x89PNG\r\n\x1a\n", 8}, jpeg_magic{"\xff\xd8\xff", 3};

image decode_png(std::string_view bytes, const std::string& name, index most_pixels);
image decode_jpeg(std::string_view bytes, const std::string& name, index most_pixels);
image decode_netpbm(std::string_view bytes, const std::string& name, index most_pixels);
// Fails unless a picture of this size may be read.
void require_decodable(index height, index width, const std::string& name, index most_pixels);
// Of a format whose library the program was built without.
[[noreturn]] void no_decoder(const std::string& name, const char* format, const char* library, const char* package);

}  // namespace detail
}  // namespace mercer
