#include "mercer/plot/png.h"

#include <algorithm>
#include <cstdint>
#include <new>
#include <string>

#ifdef MERCER_HAVE_ZLIB
#include <zlib.h>
#endif

namespace mercer {
namespace {

std::string big_endian(std::uint32_t value) {
    return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
            static_cast<char>(value)};
}

std::uint32_t crc(std::string_view bytes) {
    std::uint32_t c = 0xffffffff;
    for (const char byte : bytes) {
        c ^= static_cast<std::uint8_t>(byte);
        for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ ((c & 1) ? 0xedb88320 : 0);
    }
    return ~c;
}

void add_chunk(std::string& out, std::string_view type, std::string_view data) {
    std::string body(type);
    body += data;
    out += big_endian(static_cast<std::uint32_t>(data.size())) + body + big_endian(crc(body));
}

#ifdef MERCER_HAVE_ZLIB
std::string zlib_compress(const std::string& raw) {
    uLongf size = compressBound(static_cast<uLong>(raw.size()));
    std::string out(size, '\0');
    if (compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(raw.data()),
                  static_cast<uLong>(raw.size()), 9) != Z_OK)
        // the output buffer is large enough and the level is valid, so memory is the only possible failure
        throw std::bad_alloc();
    out.resize(size);
    return out;
}
#else
// A zlib stream of stored (uncompressed) blocks.
std::string zlib_compress(const std::string& raw) {
    std::string out{'\x78', '\x01'};
    std::size_t at = 0;
    do {
        const auto size = static_cast<std::uint16_t>(std::min<std::size_t>(raw.size() - at, 65535));
        out += static_cast<char>(at + size == raw.size());
        for (const std::uint16_t field : {size, static_cast<std::uint16_t>(~size)})
            out += {static_cast<char>(field & 255), static_cast<char>(field >> 8)};
        out.append(raw, at, size);
        at += size;
    } while (at < raw.size());
    std::uint32_t a = 1, b = 0;  // Adler-32
    for (const char byte : raw) {
        a = (a + static_cast<std::uint8_t>(byte)) % 65521;
        b = (b + a) % 65521;
    }
    return out + big_endian(b << 16 | a);
}
#endif

}  // namespace

std::string palette_png(matrix_view<const std::uint8_t> pixels, const palette& colours, const opacities* solid) {
    std::string out("\x89PNG\r\n\x1a\n", 8);
    // 8 bits for each pixel, colour type 3 (palette), deflate, no filter, no interlace
    add_chunk(out, "IHDR",
              big_endian(static_cast<std::uint32_t>(pixels.cols)) +
                  big_endian(static_cast<std::uint32_t>(pixels.rows)) + std::string("\x08\x03\0\0\0", 5));
    std::string table;
    for (const rgb& colour : colours)
        table += {static_cast<char>(colour.r), static_cast<char>(colour.g), static_cast<char>(colour.b)};
    add_chunk(out, "PLTE", table);
    if (solid) add_chunk(out, "tRNS", std::string(solid->begin(), solid->end()));
    std::string raw;
    for (index i = 0; i < pixels.rows; ++i) {
        raw += '\0';  // filter type 0: none
        raw.append(reinterpret_cast<const char*>(pixels.row(i)), static_cast<std::size_t>(pixels.cols));
    }
    add_chunk(out, "IDAT", zlib_compress(raw));
    add_chunk(out, "IEND", {});
    return out;
}

std::string base64(std::string_view bytes) {
    static constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = 0;
        for (std::size_t j = 0; j < 3; ++j)
            group = group << 8 | (j < left ? static_cast<std::uint8_t>(bytes[i + j]) : 0);
        for (std::size_t j = 0; j < 4; ++j) out += j <= left ? digits[group >> (18 - 6 * j) & 63] : '=';
    }
    return out;
}

}  // namespace mercer
