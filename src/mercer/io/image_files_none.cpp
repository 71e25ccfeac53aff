// The variant of io/image_files_libpng.cpp for systems without libpng and libjpeg.
#include "mercer/io/image_files.h"

namespace mercer::detail {

image decode_png(std::string_view, const std::string& name, index) {
    fail_no_decoder(name, "PNG", "libpng", "libpng-dev");
}
image decode_jpeg(std::string_view, const std::string& name, index) {
    fail_no_decoder(name, "JPEG", "libjpeg", "libjpeg-dev");
}

}  // namespace mercer::detail
