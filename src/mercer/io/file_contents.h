// The bytes of files: whole in memory (file_contents) or in order as a stream (byte_stream), unpacked from gzip and xz.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace mercer {

// The unpacked bytes of a file in memory, or the path of a folder. Copies share the bytes.
class file_contents {
public:
    // `bytes` are the unpacked bytes of the file `name`. They belong to `owner`; if it is null, the caller must keep
    // them alive and unchanged as long as a copy of this object lives.
    file_contents(std::string name, std::string_view bytes, std::shared_ptr<const void> owner)
        : name_(std::move(name)), bytes_(bytes), owner_(std::move(owner)) {}

    // A folder. Its format reads the files in it.
    static file_contents folder(std::string path) {
        file_contents made(std::move(path), {}, nullptr);
        made.folder_ = true;
        return made;
    }

    bool is_folder() const { return folder_; }
    const std::string& name() const { return name_; }  // for messages: the path, or <stdin>
    std::string_view bytes() const { return bytes_; }  // valid as long as a copy of this object lives
    std::shared_ptr<const void> owner() const { return owner_; }
    // Tells the system that this part of the bytes is not needed in memory for now. Of a large mapped file, the pages
    // that have been parsed then do not take memory besides the result. They remain valid: a later access reads them
    // from the file again.
    void release_pages(std::string_view part) const;
    // Throws errc::io if the file was truncated after it was opened: the bytes after its new end read as zeros.
    void require_untruncated() const;

private:
    std::string name_;
    std::string_view bytes_;
    std::shared_ptr<const void> owner_;
    bool folder_ = false;
};

// Returns body(), which parses the file. If the file was truncated meanwhile, throws errc::io instead of returning the
// result or rethrowing the error of body(), both of which may depend on zeros that the file never contained.
template <class Body>
auto parse_untruncated(const file_contents& file, Body body) {
    try {
        auto made = body();
        file.require_untruncated();
        return made;
    } catch (...) {
        file.require_untruncated();
        throw;
    }
}

// Reads a whole file, or standard input for "-". gzip and xz are recognised by their first bytes and unpacked, also if
// several archives follow each other. Plain files of at least 64 MB are mapped into memory: parse them in
// parse_untruncated(), or call require_untruncated() afterwards, so that a file that is truncated meanwhile is an
// error. max_bytes: the largest unpacked size of a packed file in bytes, a larger one is errc::memory; 0: twice
// default_memory_budget(), which is about half of the memory that this process may use.
file_contents read_file(const std::string& path, std::size_t max_bytes = 0);

// Reads the file like read_file(), or returns the folder of that name.
file_contents read_file_or_folder(const std::string& path, std::size_t max_bytes = 0);

// Unpacks bytes in memory. Plain bytes are not copied: the caller keeps them alive.
file_contents unpack(std::string name, std::string_view bytes, std::size_t max_bytes = 0);

// Returns the limit of the unpacked size, in bytes, that the argument `max_bytes` of read_file() sets.
std::size_t max_unpacked_bytes(std::size_t max_bytes);
// Throws errc::memory for a packed file that exceeds the limit of `max_bytes` (max_unpacked_bytes()).
[[noreturn]] void fail_unpacked_size(const std::string& name, std::size_t max_bytes);

// Reads the bytes of a file in order and unpacks gzip and xz: for files that are larger than memory, and for pipes.
class byte_stream {
public:
    // `path` is a file, or "-" for standard input. gzip and xz are recognised by their first bytes.
    explicit byte_stream(const std::string& path);
    ~byte_stream();
    byte_stream(byte_stream&&) noexcept;

    const std::string& name() const;  // for messages
    // Appends up to `max_bytes` bytes to `to`, fewer only at the end of the file. Returns false if nothing was
    // appended.
    bool read(std::string& to, std::size_t max_bytes);
    bool packed() const;
    // Continues at this byte. Not for packed files and pipes.
    void seek(std::uint64_t byte);

private:
    struct state;
    std::unique_ptr<state> state_;
};

// Returns the whole file, as read_file() reads it, if is_expected(first 4 KB of the unpacked file) is true (fewer
// bytes if the file is shorter). Otherwise returns these first bytes only, which the caller's parser rejects: a packed
// file of another kind is not unpacked, whatever its size. A pipe is always read whole.
file_contents read_file_if(const std::string& path, bool (*is_expected)(std::string_view beginning));

// Returns true if the first byte of the text that is not blank is '{', as in a JSON object, or if all bytes are blank.
bool begins_json_object(std::string_view text);

}  // namespace mercer
