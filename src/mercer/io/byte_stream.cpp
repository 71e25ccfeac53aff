#include "mercer/io/byte_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

#ifdef MERCER_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef MERCER_HAVE_LZMA
#include <lzma.h>
#endif

#include "mercer/base/error.h"
#include "mercer/base/uninterrupted.h"

namespace mercer {
namespace detail {

// A file as the system gives it.
class raw_file {
public:
    explicit raw_file(const std::string& path)
        : name_(path == "-" ? "<stdin>" : path),
          file_(path == "-" ? STDIN_FILENO : uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); })),
          owned_(path != "-") {
        if (file_ < 0) fail(errc::io, fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
        struct stat about {};
        if (owned_ && ::fstat(file_, &about) == 0 && S_ISREG(about.st_mode))
            expected_ = static_cast<std::uint64_t>(about.st_size);
    }
    ~raw_file() {
        if (owned_) ::close(file_);
    }
    raw_file(const raw_file&) = delete;
    raw_file& operator=(const raw_file&) = delete;
    const std::string& name() const { return name_; }
    std::size_t read(char* to, std::size_t most) {
        const ssize_t count = uninterrupted([&] { return ::read(file_, to, most); });
        if (count < 0) fail(errc::io, fmt::format("cannot read '{}': {}", name_, std::strerror(errno)));
        at_ += static_cast<std::uint64_t>(count);
        if (count == 0 && at_ < expected_)
            fail(errc::io, fmt::format("cannot read '{}': the file was cut short while it was read", name_));
        return static_cast<std::size_t>(count);
    }

    void seek(std::uint64_t byte) {
        if (::lseek(file_, static_cast<off_t>(byte), SEEK_SET) < 0)
            fail(errc::io, fmt::format("cannot read '{}' from byte {}: {}", name_, byte, std::strerror(errno)));
        at_ = byte;
    }

private:
    std::string name_;
    int file_;
    bool owned_;
    std::uint64_t at_ = 0, expected_ = 0;  // the next byte; the size of a plain file when it was opened
};

}  // namespace detail

// What is left of the packed bytes stands in packed[at …].
struct byte_stream::state {
    enum class form { plain, gzip, xz };
    static constexpr std::size_t piece = 1 << 18;
    detail::raw_file file;
    form what = form::plain;
    std::vector<char> packed = std::vector<char>(piece);
    std::size_t at = 0, end = 0;
    bool last = false, over = false;  // no more packed bytes; no more unpacked ones
#ifdef MERCER_HAVE_ZLIB
    z_stream gzip{};
    bool between_members = false;
#endif
#ifdef MERCER_HAVE_LZMA
    lzma_stream xz = LZMA_STREAM_INIT;
#endif

    explicit state(const std::string& path) : file(path) {
        while (end < 6 && !last) fill();
        const std::string_view start(packed.data(), end);
        if (start.starts_with(std::string_view("\x1f\x8b", 2))) what = form::gzip;
        if (start.starts_with(std::string_view("\xfd\x37zXZ\x00", 6))) what = form::xz;
        prepare();
    }
    ~state() {
#ifdef MERCER_HAVE_ZLIB
        if (what == form::gzip) inflateEnd(&gzip);
#endif
#ifdef MERCER_HAVE_LZMA
        if (what == form::xz) lzma_end(&xz);
#endif
    }
    state(const state&) = delete;
    state& operator=(const state&) = delete;

    void prepare() {
        if (what == form::gzip) {
#ifdef MERCER_HAVE_ZLIB
            if (inflateInit2(&gzip, 15 + 16) != Z_OK) fail(errc::memory, "out of memory while unpacking gzip");
#else
            fail(errc::unsupported,
                 fmt::format("{}: is a gzip archive, but support for gzip was not built in (zlib)", file.name()));
#endif
        } else if (what == form::xz) {
#ifdef MERCER_HAVE_LZMA
            if (lzma_stream_decoder(&xz, std::numeric_limits<std::uint64_t>::max(), LZMA_CONCATENATED) != LZMA_OK)
                fail(errc::memory, "out of memory while unpacking xz");
#else
            fail(errc::unsupported,
                 fmt::format("{}: is an xz archive, but support for xz was not built in (liblzma)", file.name()));
#endif
        }
    }

    void fill() {
        if (at == end) at = end = 0;
        if (end == packed.size()) return;
        const std::size_t count = file.read(packed.data() + end, packed.size() - end);
        end += count;
        last = count == 0;
    }

    // Some unpacked bytes, at most `room`; 0 only at the end.
    std::size_t some(char* to, std::size_t room) {
        while (!over) {
            if (at == end && !last) fill();
            std::size_t made = 0;
            switch (what) {
                case form::plain: made = plain(to, room); break;
                case form::gzip: made = from_gzip(to, room); break;
                case form::xz: made = from_xz(to, room); break;
            }
            if (made > 0) return made;
        }
        return 0;
    }

    std::size_t plain(char* to, std::size_t room) {
        const std::size_t count = std::min(room, end - at);
        std::memcpy(to, packed.data() + at, count);
        at += count;
        over = count == 0 && last;
        return count;
    }

    std::size_t from_gzip([[maybe_unused]] char* to, [[maybe_unused]] std::size_t room) {
#ifdef MERCER_HAVE_ZLIB
        if (between_members) {
            while (at < end && packed[at] == '\0') ++at;  // tapes pad with zeros
            if (at == end) {
                over = last;
                return 0;
            }
            inflateReset(&gzip);
            between_members = false;
        }
        gzip.next_in = reinterpret_cast<Bytef*>(packed.data() + at);
        gzip.avail_in = static_cast<uInt>(end - at);
        gzip.next_out = reinterpret_cast<Bytef*>(to);
        gzip.avail_out = static_cast<uInt>(std::min<std::size_t>(room, 1u << 30));
        const uInt asked = gzip.avail_out;
        const int result = inflate(&gzip, Z_NO_FLUSH);
        at = end - gzip.avail_in;
        const std::size_t made = asked - gzip.avail_out;
        if (result == Z_STREAM_END) {
            between_members = true;
        } else if (result != Z_OK && result != Z_BUF_ERROR) {
            fail(errc::parse, fmt::format("{}: bad gzip data: {}", file.name(), gzip.msg ? gzip.msg : "unknown fault"));
        } else if (made == 0 && at == end && last) {
            fail(errc::parse, fmt::format("{}: truncated gzip archive", file.name()));
        }
        return made;
#else
        return 0;
#endif
    }

    std::size_t from_xz([[maybe_unused]] char* to, [[maybe_unused]] std::size_t room) {
#ifdef MERCER_HAVE_LZMA
        xz.next_in = reinterpret_cast<const std::uint8_t*>(packed.data() + at);
        xz.avail_in = end - at;
        xz.next_out = reinterpret_cast<std::uint8_t*>(to);
        xz.avail_out = room;
        const lzma_ret result = lzma_code(&xz, last ? LZMA_FINISH : LZMA_RUN);
        at = end - xz.avail_in;
        const std::size_t made = room - xz.avail_out;
        if (result == LZMA_STREAM_END)
            over = made == 0;
        else if (result == LZMA_BUF_ERROR && last && made == 0)
            fail(errc::parse, fmt::format("{}: truncated xz archive", file.name()));
        else if (result != LZMA_OK && result != LZMA_BUF_ERROR)
            fail(errc::parse, fmt::format("{}: bad xz data", file.name()));
        return made;
#else
        return 0;
#endif
    }
};

byte_stream::byte_stream(const std::string& path) : state_(std::make_unique<state>(path)) {}
byte_stream::~byte_stream() = default;
byte_stream::byte_stream(byte_stream&&) noexcept = default;
const std::string& byte_stream::name() const { return state_->file.name(); }

bool byte_stream::packed() const { return state_->what != state::form::plain; }
void byte_stream::seek(std::uint64_t byte) {
    state_->file.seek(byte);
    state_->at = state_->end = 0;
    state_->last = state_->over = false;
}

bool byte_stream::read(std::string& to, std::size_t most) {
    const std::size_t before = to.size();
    to.resize(before + most);
    std::size_t made = 0;
    while (made < most) {
        const std::size_t count = state_->some(to.data() + before + made, most - made);
        if (count == 0) break;
        made += count;
    }
    to.resize(before + made);
    return made > 0;
}

}  // namespace mercer
