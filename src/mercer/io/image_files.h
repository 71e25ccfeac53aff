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

#include "mercer/io/format.h"
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

}  // namespace mercer
