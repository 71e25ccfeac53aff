// JPEG by libjpeg. Its errors come as a jump out of the call, over which no object may need to be destroyed: what is
// allocated lies in a struct outside of the functions that are jumped in.
#include "mercer/io/decode.h"

#ifdef MERCER_HAVE_JPEG

#include <fmt/format.h>
#include <jpeglib.h>  // after <cstdio>, which it needs

#include <csetjmp>
#include <cstddef>
#include <cstdio>

#include "mercer/base/error.h"

namespace mercer::detail {
namespace {

struct jpeg_state {
    jpeg_error_mgr errors{};  // the first member: callbacks find the others by its address
    std::jmp_buf jump;
    char fault[JMSG_LENGTH_MAX] = "";
    jpeg_progress_mgr progress{};
    jpeg_decompress_struct jpeg{};
    std::vector<JSAMPLE> row;
    image out;
    ~jpeg_state() { jpeg_destroy_decompress(&jpeg); }
};

void on_error(j_common_ptr about) {
    auto& state = *reinterpret_cast<jpeg_state*>(about->err);
    about->err->format_message(about, state.fault);
    std::longjmp(state.jump, 1);
}
// A warning (-1) is a fault in the data: libjpeg would go on with grey pixels.
void on_message(j_common_ptr about, int level) {
    if (level < 0) on_error(about);
}
// A file of a few bytes may ask for any number of passes over all pixels.
void on_progress(j_common_ptr about) {
    auto* jpeg = reinterpret_cast<j_decompress_ptr>(about);
    if (jpeg->input_scan_number <= 100) return;
    auto& state = *reinterpret_cast<jpeg_state*>(about->err);
    std::snprintf(state.fault, sizeof(state.fault), "more than 100 scans");
    std::longjmp(state.jump, 1);
}

bool read_head(jpeg_state& state, std::string_view bytes) {
    if (setjmp(state.jump)) return false;
    jpeg_create_decompress(&state.jpeg);
    state.jpeg.progress = &state.progress;
    state.jpeg.mem->max_memory_to_use = 1L << 30;
    jpeg_mem_src(&state.jpeg, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    jpeg_read_header(&state.jpeg, TRUE);
    return true;
}

bool start(jpeg_state& state) {
    if (setjmp(state.jump)) return false;
    state.jpeg.out_color_space = state.jpeg.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    state.jpeg.dct_method = JDCT_ISLOW;
    jpeg_start_decompress(&state.jpeg);
    return true;
}

bool read_row(jpeg_state& state) {
    if (setjmp(state.jump)) return false;
    JSAMPROW row = state.row.data();
    return jpeg_read_scanlines(&state.jpeg, &row, 1) == 1;
}

bool finish(jpeg_state& state) {
    if (setjmp(state.jump)) return false;
    return jpeg_finish_decompress(&state.jpeg);
}

}  // namespace

image decode_jpeg(std::string_view bytes, const std::string& name, index most_pixels) {
    jpeg_state state;
    state.jpeg.err = jpeg_std_error(&state.errors);
    state.errors.error_exit = on_error;
    state.errors.emit_message = on_message;
    state.progress.progress_monitor = on_progress;
    const auto require = [&](bool well) {
        if (!well) fail(errc::parse, fmt::format("{}: bad JPEG image: {}", name, state.fault));
    };
    require(read_head(state, bytes));
    require_decodable(static_cast<index>(state.jpeg.image_height), static_cast<index>(state.jpeg.image_width), name,
                      most_pixels);
    if (state.jpeg.num_components != 1 && state.jpeg.num_components != 3)
        fail(errc::unsupported, fmt::format("{}: a JPEG image of {} components (CMYK?): grey and colour are read", name,
                                            state.jpeg.num_components));
    require(start(state));
    state.out.height = static_cast<index>(state.jpeg.output_height);
    state.out.width = static_cast<index>(state.jpeg.output_width);
    state.out.channels = state.jpeg.output_components;
    state.row.resize(static_cast<std::size_t>(state.out.width * state.out.channels));
    for (index r = 0; r < state.out.height; ++r) {
        require(read_row(state));
        for (const JSAMPLE value : state.row) state.out.values.push_back(intensity(value, 255));
    }
    require(finish(state));
    return std::move(state.out);
}

}  // namespace mercer::detail

#else

namespace mercer::detail {

image decode_jpeg(std::string_view, const std::string& name, index) {
    no_decoder(name, "JPEG", "libjpeg", "libjpeg-dev");
}

}  // namespace mercer::detail

#endif
