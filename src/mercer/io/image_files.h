// Images from
//   - a folder with a sub-folder for each class and a file for each image (PNG, JPEG, PGM, PPM); a folder that has only
//     images in it gives images without labels. Other files, and those whose names start with '.', are left out;
//   - a list, `path<TAB>label` or `path,label` a line, a relative path being one from the folder of the list. Without
//     labels: a path a line. A first line that names no image ("path,label") is a header;
//   - an .npy array, n × height × width or n × height × width × channels: bytes and 16-bit numbers are scaled to 0 … 1,
//     floats are taken as they are. The labels of images.npy are images.labels.npy or images.labels.txt (one a line)
//     beside it, where there is one;
//   - a single image.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mercer/data/images.h"
#include "mercer/io/all_formats.h"
#include "mercer/io/tsv.h"

namespace mercer {

table read_image_folder(const std::string& path, const tsv_options& options = {});
// `name` is the path of the list: where relative paths start.
table read_image_list(std::string_view text, const std::string& name, const tsv_options& options = {});
// Without labels.
table parse_image_array(std::string_view bytes, const std::string& name);

// The other files that are opened when this file is read as images: those of a list, or the labels of an array. None
// where the file is neither. `name`: of the file for its reader, `path` or "<stdin>".
std::vector<std::string> files_read_with_images(const std::string& path, const std::string& name);

const file_format& images_format();

// Image files: PNG, JPEG, PGM and PPM.

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
