// Decodes PNG by libpng and JPEG by libjpeg. These libraries report errors by longjmp, which must not skip destructors:
// all allocated data belongs to a struct of the caller of the functions that call setjmp.
#include <fmt/format.h>

#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "mercer/io/image_files.h"

#ifdef MERCER_HAVE_PNG
#include <png.h>
#endif
#ifdef MERCER_HAVE_JPEG
#include <jpeglib.h>  // after <cstdio>, which it needs
#endif

#include "mercer/base/error.h"

namespace mercer::detail {

#ifdef MERCER_HAVE_PNG

namespace {

struct png_state {
    std::string_view rest;  // bytes not yet read
    char fault[200] = "";
    png_structp png = nullptr;
    png_infop info = nullptr;
    index height = 0, width = 0, channels = 0;
    int depth = 0;  // bits of a value, 8 or 16
    std::unique_ptr<png_byte[]> pixels;
    std::unique_ptr<png_bytep[]> rows;
    ~png_state() { png_destroy_read_struct(&png, &info, nullptr); }
};

void on_error(png_structp png, png_const_charp message) {
    auto& state = *static_cast<png_state*>(png_get_error_ptr(png));
    std::strncpy(state.fault, message, sizeof(state.fault) - 1);
    png_longjmp(png, 1);
}
void on_warning(png_structp, png_const_charp) {}

void read_bytes(png_structp png, png_bytep to, png_size_t count) {
    auto& state = *static_cast<png_state*>(png_get_io_ptr(png));
    if (count > state.rest.size()) png_error(png, "the file ends too early");
    std::memcpy(to, state.rest.data(), count);
    state.rest.remove_prefix(count);
}

// Reads the header and converts to grey or colour, with opacity if the file has it, and 8 or 16 bits per value. Returns
// false if libpng reports an error.
bool read_head(png_state& state) {
    if (setjmp(png_jmpbuf(state.png))) return false;
    png_set_read_fn(state.png, &state, read_bytes);
    png_set_user_limits(state.png, image::max_side, image::max_side);
    png_set_chunk_cache_max(state.png, 100);
    png_set_chunk_malloc_max(state.png, 8 << 20);
    png_read_info(state.png, state.info);
    png_set_expand(state.png);
    if (png_get_bit_depth(state.png, state.info) == 16) png_set_swap(state.png);
    png_set_interlace_handling(state.png);
    png_read_update_info(state.png, state.info);
    state.height = static_cast<index>(png_get_image_height(state.png, state.info));
    state.width = static_cast<index>(png_get_image_width(state.png, state.info));
    state.channels = png_get_channels(state.png, state.info);
    state.depth = png_get_bit_depth(state.png, state.info);
    return true;
}

bool read_pixels(png_state& state) {
    if (setjmp(png_jmpbuf(state.png))) return false;
    png_read_image(state.png, state.rows.get());
    png_read_end(state.png, nullptr);
    return true;
}

[[noreturn]] void fail_as(const png_state& state, std::string_view bytes, const std::string& name) {
    fail(errc::parse, fmt::format("{}: bad PNG image, at or before byte {}: {}", name, bytes.size() - state.rest.size(),
                                  state.fault));
}

}  // namespace

image decode_png(std::string_view bytes, const std::string& name, index max_pixels) {
    png_state state;
    state.rest = bytes;
    state.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &state, on_error, on_warning);
    state.info = state.png ? png_create_info_struct(state.png) : nullptr;
    if (!state.info) fail(errc::memory, fmt::format("{}: out of memory while reading a PNG image", name));
    if (!read_head(state)) fail_as(state, bytes, name);
    require_decodable(state.height, state.width, name, max_pixels);
    // A byte of deflate data expands to at most 1032 bytes, and a pixel has at least one bit: a file with fewer bytes
    // than that for its size is truncated.
    const auto row = static_cast<std::size_t>(state.width * state.channels * (state.depth / 8)),
               least = static_cast<std::size_t>(state.height * state.width) / 8 / 1040;
    if (bytes.size() < least)
        fail(errc::parse, fmt::format("{}: truncated: {} bytes cannot hold {} x {} pixels", name, bytes.size(),
                                      state.height, state.width));
    // The pixels are not set to zero, so that a file that ends early touches only the pages of the rows that it
    // contains.
    state.pixels.reset(new png_byte[row * static_cast<std::size_t>(state.height)]);
    state.rows.reset(new png_bytep[static_cast<std::size_t>(state.height)]);
    for (index r = 0; r < state.height; ++r)
        state.rows[static_cast<std::size_t>(r)] = state.pixels.get() + static_cast<std::size_t>(r) * row;
    if (!read_pixels(state)) fail_as(state, bytes, name);

    image out{state.height, state.width, state.channels, {}};
    const auto count = static_cast<std::size_t>(out.pixels() * out.channels);
    out.values.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        std::uint16_t wide = 0;
        if (state.depth == 16) std::memcpy(&wide, state.pixels.get() + 2 * i, 2);
        out.values[i] = state.depth == 16 ? intensity(wide, 65535) : intensity(state.pixels[i], 255);
    }
    return out;
}

#else

image decode_png(std::string_view, const std::string& name, index) {
    fail_no_decoder(name, "PNG", "libpng", "libpng-dev");
}

#endif

#ifdef MERCER_HAVE_JPEG

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
// Level -1 is a warning about corrupt data, after which libjpeg would continue with grey pixels: it is an error here.
void on_message(j_common_ptr about, int level) {
    if (level < 0) on_error(about);
}
// A small file can contain any number of scans, each of which is a pass over all pixels: at most 100 are accepted.
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

image decode_jpeg(std::string_view bytes, const std::string& name, index max_pixels) {
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
                      max_pixels);
    if (state.jpeg.num_components != 1 && state.jpeg.num_components != 3)
        fail(errc::unsupported,
             fmt::format("{}: JPEG images must be grey or colour, got an image of {} components (CMYK?)", name,
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

#else

image decode_jpeg(std::string_view, const std::string& name, index) {
    fail_no_decoder(name, "JPEG", "libjpeg", "libjpeg-dev");
}

#endif

}  // namespace mercer::detail
