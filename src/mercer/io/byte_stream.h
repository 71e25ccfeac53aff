// The bytes of a file piece by piece, unpacked on the way: for files that are larger than memory, and for pipes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace mercer {

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

}  // namespace mercer
