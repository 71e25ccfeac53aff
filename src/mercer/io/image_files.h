// Reads images from
//   - a folder with a sub-folder for each class and a file for each image (PNG, JPEG, PGM, PPM); a folder that contains
//     only images gives images without labels. Other files, and files whose names begin with '.', are skipped;
//   - a list with `path<TAB>label` or `path,label` in each line, or only a path in each line. A relative path begins at
//     the folder of the list. A first line that does not name an image ("path,label") is a header;
//   - an .npy array, n × height × width or n × height × width × channels. Values of type u1 and u2 are scaled to 0 … 1,
//     bool and float values are not changed. The labels of images.npy are read from images.labels.npy or
//     images.labels.txt (one label per line) beside it, if one of these files exists;
//   - a single image file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mercer/data/images.h"
#include "mercer/io/all_formats.h"
#include "mercer/io/tsv.h"

namespace mercer {

table read_image_folder(const std::string& path, const tsv_options& options = {});
// `text` is the list and `name` its path: relative paths begin at its folder.
table read_image_list(std::string_view text, const std::string& name, const tsv_options& options = {});
// Returns the images of an .npy array, without labels.
table parse_image_array(std::string_view bytes, const std::string& name);

// Returns the other files that are opened when this file is read as images: the images of a list, or the labels of an
// array. Empty if the file is neither. `name` is the name that the reader gets for the file, `path` or "<stdin>".
std::vector<std::string> files_read_with_images(const std::string& path, const std::string& name);

const file_format& images_format();

// The largest number of pixels of an image: a file of a few bytes can declare more pixels than fit into memory.
inline constexpr index max_decoded_pixels = index{1} << 26;

// Decodes an image file (PNG, JPEG, PGM or PPM, recognised by its first bytes). Values of any bit depth are scaled to
// 0 … 1. A PNG with a palette becomes a colour image; opacity is the last of 2 or 4 channels (data/images.h composes
// it). JPEG in CMYK is not supported, and the orientation tag of cameras (Exif) is ignored.
image decode_image(std::string_view bytes, const std::string& name, index max_pixels = max_decoded_pixels);
// Returns true if the name ends in .png, .jpg, .jpeg, .pgm, .ppm or .pnm, in upper or lower case.
bool is_image_name(std::string_view name);
// Returns true if the bytes begin like one of these formats.
bool is_image(std::string_view bytes);

namespace detail {

inline constexpr std::string_view png_magic{"\x89PNG\r\n\x1a\n", 8}, jpeg_magic{"\xff\xd8\xff", 3};

image decode_png(std::string_view bytes, const std::string& name, index max_pixels);
image decode_jpeg(std::string_view bytes, const std::string& name, index max_pixels);
image decode_netpbm(std::string_view bytes, const std::string& name, index max_pixels);
// Throws unless height and width are from 1 to image::max_side, there are at most max_pixels pixels, and the memory
// to decode them is available.
void require_decodable(index height, index width, const std::string& name, index max_pixels);
// Throws errc::unsupported for an image format whose library the program was built without.
[[noreturn]] void fail_no_decoder(const std::string& name, const char* format, const char* library,
                                  const char* package);

}  // namespace detail
}  // namespace mercer
