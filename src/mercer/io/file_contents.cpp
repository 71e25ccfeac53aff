#include "mercer/io/file_contents.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <string_view>
#include <system_error>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/base/memory.h"

#ifdef MERCER_HAVE_ZLIB
#include <zlib.h>
#endif

#ifdef MERCER_HAVE_LZMA
#include <lzma.h>
#endif

namespace mercer {
namespace {

constexpr std::string_view gzip_magic{"\x1f\x8b", 2};
constexpr std::string_view xz_magic{"\xfd\x37zXZ\x00", 6};
// Smaller files are copied into memory, so that they cannot change while they are parsed. Larger files are mapped:
// their pages are loaded when they are used.
constexpr std::size_t min_mapped_size = 64 << 20;

// A buffer of bytes that grows at its end. Unlike std::vector, it grows by realloc, which moves large blocks by
// remapping their pages, and does not set new bytes to zero.
class growing_buffer {
public:
    explicit growing_buffer(std::size_t capacity) { reserve(std::max<std::size_t>(capacity, 4096)); }
    ~growing_buffer() { std::free(data_); }
    growing_buffer(const growing_buffer&) = delete;
    growing_buffer& operator=(const growing_buffer&) = delete;

    void reserve(std::size_t capacity) {
        void* grown = std::realloc(data_, capacity);
        if (!grown) fail(errc::memory, fmt::format("out of memory: {} bytes are needed for the input", capacity));
        data_ = static_cast<char*>(grown);
        capacity_ = capacity;
    }
    void grow_if_full() {
        if (size_ == capacity_) reserve(2 * capacity_);
    }
    char* free_begin() { return data_ + size_; }
    std::size_t free_size() const { return capacity_ - size_; }
    void filled(std::size_t count) { size_ += count; }
    std::string_view bytes() const { return {data_, size_}; }

private:
    char* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

[[maybe_unused]] file_contents as_file_contents(std::string name, std::shared_ptr<growing_buffer> bytes) {
    const std::string_view view = bytes->bytes();
    return {std::move(name), view, std::move(bytes)};
}

#ifdef MERCER_HAVE_ZLIB
file_contents unpack_gzip(std::string name, std::string_view packed, std::size_t max_bytes) {
    struct inflater {
        z_stream stream{};
        inflater() {
            if (inflateInit2(&stream, 15 + 16) != Z_OK) fail(errc::memory, "out of memory while unpacking gzip");
        }
        ~inflater() { inflateEnd(&stream); }
    } state;
    z_stream& stream = state.stream;
    auto out = std::make_shared<growing_buffer>(std::min(4 * packed.size(), max_bytes));
    std::size_t at = 0;  // offset of the first byte that is not consumed
    for (;;) {
        const auto in = static_cast<uInt>(std::min<std::size_t>(packed.size() - at, UINT_MAX));
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + at));
        stream.avail_in = in;
        out->grow_if_full();
        const auto capacity = static_cast<uInt>(std::min<std::size_t>(out->free_size(), UINT_MAX));
        stream.next_out = reinterpret_cast<Bytef*>(out->free_begin());
        stream.avail_out = capacity;
        const int result = inflate(&stream, Z_NO_FLUSH);
        at += in - stream.avail_in;
        out->filled(capacity - stream.avail_out);
        if (out->bytes().size() > max_bytes) fail_unpacked_size(name, max_bytes);
        if (result == Z_STREAM_END) {
            const std::string_view rest = packed.substr(at);
            if (rest.find_first_not_of('\0') == std::string_view::npos) break;  // tapes pad archives with zeros
            if (!rest.starts_with(gzip_magic))
                fail(errc::parse,
                     fmt::format("{}: byte {}: expected another gzip member or the end of the file", name, at));
            inflateReset(&stream);
        } else if (result == Z_BUF_ERROR || (result == Z_OK && at == packed.size() && stream.avail_out > 0)) {
            fail(errc::parse,
                 fmt::format("{}: truncated gzip archive: it ends at byte {} inside a member", name, packed.size()));
        } else if (result == Z_MEM_ERROR) {
            fail(errc::memory, fmt::format("{}: out of memory while unpacking gzip", name));
        } else if (result != Z_OK) {
            fail(errc::parse,
                 fmt::format("{}: byte {}: bad gzip data: {}", name, at, stream.msg ? stream.msg : "unknown error"));
        }
    }
    return as_file_contents(std::move(name), std::move(out));
}
#endif

#ifdef MERCER_HAVE_LZMA
const char* meaning(lzma_ret code) {
    switch (code) {
        case LZMA_FORMAT_ERROR: return "the data are not in the xz format";
        case LZMA_OPTIONS_ERROR: return "the data use an option that this liblzma does not support";
        case LZMA_DATA_ERROR: return "the data are corrupt";
        default: return "unknown error";
    }
}

file_contents unpack_xz(std::string name, std::string_view packed, std::size_t max_bytes) {
    struct decoder {
        lzma_stream stream = LZMA_STREAM_INIT;
        decoder() {
            if (lzma_stream_decoder(&stream, std::numeric_limits<std::uint64_t>::max(), LZMA_CONCATENATED) != LZMA_OK)
                fail(errc::memory, "out of memory while unpacking xz");
        }
        ~decoder() { lzma_end(&stream); }
    } state;
    lzma_stream& stream = state.stream;
    auto out = std::make_shared<growing_buffer>(std::min(4 * packed.size(), max_bytes));
    stream.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
    stream.avail_in = packed.size();
    for (;;) {
        out->grow_if_full();
        const std::size_t capacity = out->free_size();
        stream.next_out = reinterpret_cast<std::uint8_t*>(out->free_begin());
        stream.avail_out = capacity;
        const lzma_ret result = lzma_code(&stream, LZMA_FINISH);
        out->filled(capacity - stream.avail_out);
        if (out->bytes().size() > max_bytes) fail_unpacked_size(name, max_bytes);
        if (result == LZMA_STREAM_END) break;
        if (result == LZMA_BUF_ERROR)
            fail(errc::parse,
                 fmt::format("{}: truncated xz archive: it ends at byte {} inside a stream", name, packed.size()));
        if (result == LZMA_MEM_ERROR) fail(errc::memory, fmt::format("{}: out of memory while unpacking xz", name));
        if (result != LZMA_OK)
            fail(errc::parse, fmt::format("{}: byte {}: bad xz data: {}", name, stream.total_in, meaning(result)));
    }
    return as_file_contents(std::move(name), std::move(out));
}
#endif

// The address ranges of the mapped files, for the handler of SIGBUS: the system sends this signal when a page is read
// that the truncated file no longer contains.
struct mapped_range {
    std::atomic<bool> taken{false}, truncated{false};
    std::atomic<std::uintptr_t> begin{0}, end{0};
};
std::array<mapped_range, 64> mapped_ranges;
struct sigaction handler_before {};

// Replaces the rest of the mapping by zeros, so that the reader continues to the end of the mapping, where
// file_contents::require_untruncated() throws. For other addresses, calls the handler that was installed before.
void on_missing_page(int signal, siginfo_t* about, void* context) {
    const int kept = errno;
    const auto at = reinterpret_cast<std::uintptr_t>(about->si_addr);
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    for (mapped_range& each : mapped_ranges) {
        const std::uintptr_t end = each.end.load();
        if (at < each.begin.load() || at >= end) continue;
        each.truncated = true;
        const std::uintptr_t first = at / page * page;
        if (::mmap(reinterpret_cast<void*>(first), end - first, PROT_READ, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1,
                   0) == MAP_FAILED)
            break;
        errno = kept;
        return;
    }
    if ((handler_before.sa_flags & SA_SIGINFO) != 0) return handler_before.sa_sigaction(signal, about, context);
    if (handler_before.sa_handler != SIG_DFL && handler_before.sa_handler != SIG_IGN)
        return handler_before.sa_handler(signal);
    ::signal(signal, SIG_DFL);  // the same instruction raises the signal again, which ends the process
}

// Returns an unused range; null if 64 files are mapped already.
mapped_range* free_range() {
    static const bool handled = [] {
        struct sigaction action {};
        action.sa_sigaction = on_missing_page;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        return ::sigaction(SIGBUS, &action, &handler_before) == 0;
    }();
    if (!handled) return nullptr;
    for (mapped_range& each : mapped_ranges)
        if (!each.taken.exchange(true)) return &each;
    return nullptr;
}

class mapping {
public:
    mapping(int file, std::size_t size) : size_(size), range_(free_range()) {
        if (!range_) return;
        file_ = ::fcntl(file, F_DUPFD_CLOEXEC, 3);
        if (file_ < 0) return;
        address_ = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
        if (!worked()) return;
        range_->truncated = false;
        range_->begin = reinterpret_cast<std::uintptr_t>(address_);
        range_->end = reinterpret_cast<std::uintptr_t>(address_) + size;
    }
    ~mapping() {
        if (range_) range_->begin = range_->end = 0;
        if (worked()) ::munmap(address_, size_);
        if (file_ >= 0) ::close(file_);
        if (range_) range_->taken = false;
    }
    mapping(const mapping&) = delete;
    mapping& operator=(const mapping&) = delete;
    bool worked() const { return address_ != MAP_FAILED; }
    std::string_view bytes() const { return {static_cast<const char*>(address_), size_}; }
    // Returns true if bytes are missing: a page that the file no longer contains was read, or the file is shorter now.
    bool is_truncated() const {
        struct stat now {};
        return range_->truncated || ::fstat(file_, &now) != 0 || static_cast<std::size_t>(now.st_size) < size_;
    }

private:
    void* address_ = MAP_FAILED;
    std::size_t size_;
    mapped_range* range_;
    int file_ = -1;
};

struct unmap {
    void operator()(mapping* mapped) const { delete mapped; }
};

[[noreturn]] void fail_truncated(const std::string& name) {
    fail(errc::io, fmt::format("cannot read '{}': the file was truncated while it was read", name));
}

// Unpacks `bytes`, which `owner` owns. If they are plain, the result shares the ownership.
file_contents unpack_owned(std::string name, std::string_view bytes, std::shared_ptr<const void> owner,
                           std::size_t max_bytes) {
    file_contents plain(name, bytes, std::move(owner));
    file_contents result = parse_untruncated(plain, [&] { return unpack(std::move(name), bytes, max_bytes); });
    return result.owner() ? result : plain;
}

file_contents read_open(int file, std::string name, const struct stat& about, std::size_t max_bytes) {
    const std::size_t expected = S_ISREG(about.st_mode) ? static_cast<std::size_t>(about.st_size) : 0;
    if (expected >= min_mapped_size) {
        std::shared_ptr<mapping> mapped(new mapping(file, expected), unmap{});
        if (mapped->worked()) return unpack_owned(std::move(name), mapped->bytes(), mapped, max_bytes);
    }
    // One more byte: the read that finds the end needs free space.
    const auto bytes = std::make_shared<growing_buffer>(expected + 1);
    for (;;) {
        bytes->grow_if_full();
        const ssize_t count = retry_interrupted(
            [&] { return ::read(file, bytes->free_begin(), std::min<std::size_t>(bytes->free_size(), 1 << 30)); });
        if (count < 0) fail(errc::io, fmt::format("cannot read '{}': {}", name, std::strerror(errno)));
        if (count == 0) break;
        bytes->filled(static_cast<std::size_t>(count));
    }
    if (bytes->bytes().size() < expected) fail_truncated(name);
    return unpack_owned(std::move(name), bytes->bytes(), bytes, max_bytes);
}

}  // namespace

void file_contents::release_pages(std::string_view part) const {
    if (!std::get_deleter<unmap>(owner_)) return;
    // Only whole pages: the first and the last page may contain bytes outside of `part`.
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<std::uintptr_t>(part.data()), end = begin + part.size();
    const std::uintptr_t first = (begin + page - 1) / page * page, last = end / page * page;
    if (last > first) (void)::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

void file_contents::require_untruncated() const {
    if (!std::get_deleter<unmap>(owner_) || !static_cast<const mapping*>(owner_.get())->is_truncated()) return;
    fail_truncated(name_);
}

file_contents unpack(std::string name, std::string_view bytes, std::size_t max_bytes) {
    if (bytes.starts_with(gzip_magic)) {
#ifdef MERCER_HAVE_ZLIB
        return unpack_gzip(std::move(name), bytes, max_unpacked_bytes(max_bytes));
#else
        fail(errc::unsupported,
             fmt::format("{}: the file is a gzip archive, but this mercer was built without zlib", name));
#endif
    }
    if (bytes.starts_with(xz_magic)) {
#ifdef MERCER_HAVE_LZMA
        return unpack_xz(std::move(name), bytes, max_unpacked_bytes(max_bytes));
#else
        fail(errc::unsupported,
             fmt::format("{}: the file is an xz archive, but this mercer was built without liblzma", name));
#endif
    }
    return {std::move(name), bytes, nullptr};
}

std::size_t max_unpacked_bytes(std::size_t max_bytes) {
    return max_bytes > 0 ? max_bytes : 2 * default_memory_budget();
}

void fail_unpacked_size(const std::string& name, std::size_t max_bytes) {
    fail(errc::memory, fmt::format("{}: unpacked, the file exceeds the memory limit of {:.1f} MB: read its first rows, "
                                   "read it in batches, or raise the memory limit",
                                   name, static_cast<double>(max_bytes) / (1 << 20)));
}

file_contents read_file(const std::string& path, std::size_t max_bytes) {
    struct stat about {};
    if (path == "-") {
        if (::fstat(STDIN_FILENO, &about) != 0)
            fail(errc::io, fmt::format("cannot read '<stdin>': {}", std::strerror(errno)));
        about.st_mode = S_IFIFO;  // a redirected file may be partly read already: its size says nothing about the rest
        return read_open(STDIN_FILENO, "<stdin>", about, max_bytes);
    }
    struct opened {
        int number;
        ~opened() {
            if (number >= 0) ::close(number);
        }
    } file{retry_interrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); })};
    if (file.number < 0 || ::fstat(file.number, &about) != 0)
        fail(errc::io, fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
    if (S_ISDIR(about.st_mode)) fail(errc::io, fmt::format("cannot read '{}': {}", path, std::strerror(EISDIR)));
    return read_open(file.number, path, about, max_bytes);
}

file_contents read_file_or_folder(const std::string& path, std::size_t max_bytes) {
    std::error_code unknown;
    return path != "-" && std::filesystem::is_directory(path, unknown) ? file_contents::folder(path)
                                                                       : read_file(path, max_bytes);
}

namespace detail {

// A file descriptor and the position in its bytes, without unpacking.
class raw_file {
public:
    explicit raw_file(const std::string& path)
        : name_(path == "-" ? "<stdin>" : path),
          file_(path == "-" ? STDIN_FILENO
                            : retry_interrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); })),
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
    std::size_t read(char* to, std::size_t max_bytes) {
        const ssize_t count = retry_interrupted([&] { return ::read(file_, to, max_bytes); });
        if (count < 0) fail(errc::io, fmt::format("cannot read '{}': {}", name_, std::strerror(errno)));
        at_ += static_cast<std::uint64_t>(count);
        if (count == 0 && at_ < expected_)
            fail(errc::io, fmt::format("cannot read '{}': the file was truncated while it was read", name_));
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
    std::uint64_t at_ = 0, expected_ = 0;  // the position; the size of a regular file when it was opened
};

}  // namespace detail

// The bytes of the file that were read but are not unpacked yet are packed[at], …, packed[end - 1].
struct byte_stream::state {
    enum class form { plain, gzip, xz };
    static constexpr std::size_t piece = 1 << 18;
    detail::raw_file file;
    form what = form::plain;
    std::vector<char> packed = std::vector<char>(piece);
    std::size_t at = 0, end = 0;
    bool last = false, at_end = false;  // the file has no more bytes; there are no more unpacked bytes
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
                 fmt::format("{}: the file is a gzip archive, but this mercer was built without zlib", file.name()));
#endif
        } else if (what == form::xz) {
#ifdef MERCER_HAVE_LZMA
            if (lzma_stream_decoder(&xz, std::numeric_limits<std::uint64_t>::max(), LZMA_CONCATENATED) != LZMA_OK)
                fail(errc::memory, "out of memory while unpacking xz");
#else
            fail(errc::unsupported,
                 fmt::format("{}: the file is an xz archive, but this mercer was built without liblzma", file.name()));
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

    // Writes at most `capacity` unpacked bytes to `to` and returns their number, which is 0 only at the end.
    std::size_t read_some(char* to, std::size_t capacity) {
        while (!at_end) {
            if (at == end && !last) fill();
            std::size_t made = 0;
            switch (what) {
                case form::plain: made = plain(to, capacity); break;
                case form::gzip: made = from_gzip(to, capacity); break;
                case form::xz: made = from_xz(to, capacity); break;
            }
            if (made > 0) return made;
        }
        return 0;
    }

    std::size_t plain(char* to, std::size_t capacity) {
        const std::size_t count = std::min(capacity, end - at);
        std::memcpy(to, packed.data() + at, count);
        at += count;
        at_end = count == 0 && last;
        return count;
    }

    std::size_t from_gzip([[maybe_unused]] char* to, [[maybe_unused]] std::size_t capacity) {
#ifdef MERCER_HAVE_ZLIB
        if (between_members) {
            while (at < end && packed[at] == '\0') ++at;  // tapes pad archives with zeros
            if (at == end) {
                at_end = last;
                return 0;
            }
            inflateReset(&gzip);
            between_members = false;
        }
        gzip.next_in = reinterpret_cast<Bytef*>(packed.data() + at);
        gzip.avail_in = static_cast<uInt>(end - at);
        gzip.next_out = reinterpret_cast<Bytef*>(to);
        gzip.avail_out = static_cast<uInt>(std::min<std::size_t>(capacity, 1u << 30));
        const uInt asked = gzip.avail_out;
        const int result = inflate(&gzip, Z_NO_FLUSH);
        at = end - gzip.avail_in;
        const std::size_t made = asked - gzip.avail_out;
        if (result == Z_STREAM_END) {
            between_members = true;
        } else if (result != Z_OK && result != Z_BUF_ERROR) {
            fail(errc::parse, fmt::format("{}: bad gzip data: {}", file.name(), gzip.msg ? gzip.msg : "unknown error"));
        } else if (made == 0 && at == end && last) {
            fail(errc::parse, fmt::format("{}: truncated gzip archive", file.name()));
        }
        return made;
#else
        return 0;
#endif
    }

    std::size_t from_xz([[maybe_unused]] char* to, [[maybe_unused]] std::size_t capacity) {
#ifdef MERCER_HAVE_LZMA
        xz.next_in = reinterpret_cast<const std::uint8_t*>(packed.data() + at);
        xz.avail_in = end - at;
        xz.next_out = reinterpret_cast<std::uint8_t*>(to);
        xz.avail_out = capacity;
        const lzma_ret result = lzma_code(&xz, last ? LZMA_FINISH : LZMA_RUN);
        at = end - xz.avail_in;
        const std::size_t made = capacity - xz.avail_out;
        if (result == LZMA_STREAM_END)
            at_end = made == 0;
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
    state_->last = state_->at_end = false;
}

bool byte_stream::read(std::string& to, std::size_t max_bytes) {
    const std::size_t before = to.size();
    to.resize(before + max_bytes);
    std::size_t made = 0;
    while (made < max_bytes) {
        const std::size_t count = state_->read_some(to.data() + before + made, max_bytes - made);
        if (count == 0) break;
        made += count;
    }
    to.resize(before + made);
    return made > 0;
}

file_contents read_file_if(const std::string& path, bool (*is_expected)(std::string_view beginning)) {
    constexpr std::size_t beginning = 4096;
    std::error_code unknown;
    if (!std::filesystem::is_regular_file(path, unknown)) return read_file(path);
    std::string first;
    byte_stream(path).read(first, beginning);
    if (is_expected(first)) return read_file(path);
    const auto kept = std::make_shared<const std::string>(std::move(first));
    return {path, *kept, kept};
}

bool begins_json_object(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first == std::string_view::npos || text[first] == '{';
}

}  // namespace mercer
