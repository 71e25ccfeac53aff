// The bytes of a file, in memory, whatever it was packed with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace mercer {

class source {
public:
    source(std::string name, std::string_view bytes, std::shared_ptr<const void> keep)
        : name_(std::move(name)), bytes_(bytes), keep_(std::move(keep)) {}

    // A folder: the files in it are read by whoever knows what they are.
    static source folder(std::string path) {
        source made(std::move(path), {}, nullptr);
        made.folder_ = true;
        return made;
    }

    bool is_folder() const { return folder_; }
    const std::string& name() const { return name_; }  // for messages: the path, or <stdin>
    std::string_view bytes() const { return bytes_; }  // valid while a copy of this source lives
    std::shared_ptr<const void> keep() const { return keep_; }
    // Says that this part of the bytes has been read. A large mapped file then leaves the memory of the process piece
    // by piece, while what was made of it grows; bytes that are looked at once more come back from the file.
    void done_with(std::string_view part) const;
    // Fails where the file was cut short after it was opened: bytes behind its new end read as zeros.
    void require_whole() const;

private:
    std::string name_;
    std::string_view bytes_;
    std::shared_ptr<const void> keep_;
    bool folder_ = false;
};

// What body() makes of the file. The error of a file that was cut meanwhile says so, whatever body() took its bytes
// for.
template <class Body>
auto made_of(const source& file, Body body) {
    try {
        auto made = body();
        file.require_whole();
        return made;
    } catch (...) {
        file.require_whole();
        throw;
    }
}

// Reads a whole file, or standard input for "-". gzip and xz are known by their first bytes and unpacked, also when
// several archives follow each other. Large plain files are mapped: whoever reads them does so in made_of(), or calls
// require_whole() afterwards, so that a file that is cut meanwhile is an error.
// most: the bytes that a packed file may take unpacked, more are errc::memory; 0: half of what this process can have.
source read_source(const std::string& path, std::size_t most = 0);

// The same, or the folder of that name.
source read_source_or_folder(const std::string& path, std::size_t most = 0);

// The same for bytes already in memory; plain bytes are borrowed.
source unpack(std::string name, std::string_view bytes, std::size_t most = 0);

// The limit that `most` stands for, and the refusal of a packed file that exceeds it.
std::size_t most_unpacked(std::size_t most);
[[noreturn]] void refuse_unpacked(const std::string& name, std::size_t most);

// The bytes of a file piece by piece, unpacked on the way: for files that are larger than memory, and for pipes.

class byte_stream {
public:
    // A path, or "-" for standard input. gzip and xz are known by their first bytes.
    explicit byte_stream(const std::string& path);
    ~byte_stream();
    byte_stream(byte_stream&&) noexcept;

    const std::string& name() const;  // for messages
    // Appends up to `most` bytes; false where the end was reached before and nothing was added.
    bool read(std::string& to, std::size_t most);
    bool packed() const;
    // The next byte to be read is this one; not for packed files and pipes.
    void seek(std::uint64_t byte);

private:
    struct state;
    std::unique_ptr<state> state_;
};

// Files that are read for one purpose, and are something else if they do not begin as such files do.

// The whole file, as read_source() reads it, where `is_expected` holds of its first 4 KB unpacked (fewer where the file
// ends before); else these bytes alone, for the caller's parser to refuse. So a packed file that is something else is
// not unpacked first, whatever size it has. A pipe is read whole.
source read_expected(const std::string& path, bool (*is_expected)(std::string_view beginning));

// Whether a text begins with the '{' of a JSON object, blanks left out.
bool begins_json_object(std::string_view text);

}  // namespace mercer
