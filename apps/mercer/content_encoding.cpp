#include "content_encoding.h"

#include "mercer/base/error.h"

#ifdef MERCER_HAVE_ZLIB

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

namespace mercer::cli {
namespace {

// zlib's window bits for the largest window and these formats
constexpr int any_wrapper = 15 + 32, gzip_wrapper = 15 + 16;

struct inflate_stream {
    z_stream stream{};
    inflate_stream() {
        if (inflateInit2(&stream, any_wrapper) != Z_OK) throw std::bad_alloc();
    }
    ~inflate_stream() { inflateEnd(&stream); }
};

struct deflate_stream {
    z_stream stream{};
    deflate_stream() {
        if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, gzip_wrapper, 8, Z_DEFAULT_STRATEGY) != Z_OK)
            throw std::bad_alloc();
    }
    ~deflate_stream() { deflateEnd(&stream); }
};

// zlib counts the input of one call in 32 bits. Passes the next part of the input to the stream when the previous part
// is used up.
void feed(z_stream& stream, std::size_t& left) {
    if (stream.avail_in > 0) return;
    stream.avail_in = static_cast<uInt>(std::min<std::size_t>(left, std::numeric_limits<uInt>::max()));
    left -= stream.avail_in;
}

Bytef* bytes_of(const char* text) { return reinterpret_cast<Bytef*>(const_cast<char*>(text)); }

}  // namespace

bool can_decompress() { return true; }

std::string decompress(const std::string& packed, const std::function<void(std::size_t)>& allowed) {
    constexpr std::size_t at_once = 65536;
    inflate_stream state;
    z_stream& stream = state.stream;
    stream.next_in = bytes_of(packed.data());
    std::size_t left = packed.size();
    std::string out;
    char buffer[at_once];
    for (;;) {
        feed(stream, left);
        stream.next_out = bytes_of(buffer);
        stream.avail_out = at_once;
        const int state_now = inflate(&stream, Z_NO_FLUSH);
        if (state_now == Z_MEM_ERROR) throw std::bad_alloc();
        const std::size_t made = at_once - stream.avail_out;
        allowed(out.size() + made);
        out.append(buffer, made);
        if (state_now == Z_STREAM_END) {
            if (stream.avail_in == 0 && left == 0) return out;
            if (inflateReset(&stream) != Z_OK) fail(errc::parse, "the compressed request body has bytes after its end");
        } else if (state_now != Z_OK) {
            fail(errc::parse, stream.avail_in == 0 && state_now == Z_BUF_ERROR
                                  ? "the compressed request body is truncated"
                                  : std::string("the compressed request body is damaged: ") +
                                        (stream.msg ? stream.msg : "it is neither gzip nor deflate"));
        }
    }
}

std::string compress_gzip(const std::string& text) {
    deflate_stream state;
    z_stream& stream = state.stream;
    std::string out(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
    std::size_t left = text.size(), room = out.size();
    stream.next_in = bytes_of(text.data());
    stream.next_out = bytes_of(out.data());
    for (int state_now = Z_OK; state_now != Z_STREAM_END;) {
        feed(stream, left);
        if (stream.avail_out == 0) {
            stream.avail_out = static_cast<uInt>(std::min<std::size_t>(room, std::numeric_limits<uInt>::max()));
            room -= stream.avail_out;
        }
        state_now = deflate(&stream, left > 0 ? Z_NO_FLUSH : Z_FINISH);
        if (state_now != Z_OK && state_now != Z_STREAM_END) throw std::bad_alloc();
    }
    out.resize(stream.total_out);
    return out;
}

}  // namespace mercer::cli

#else  // without zlib

namespace mercer::cli {

bool can_decompress() { return false; }
std::string decompress(const std::string&, const std::function<void(std::size_t)>&) {
    fail(errc::unsupported, "a compressed request body cannot be read: this mercer was built without zlib");
}
std::string compress_gzip(const std::string& text) { return text; }

}  // namespace mercer::cli

#endif
