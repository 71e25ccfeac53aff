#include "mercer/io/tar.h"

#include <fmt/format.h>

#include <cstdint>

#include "mercer/base/error.h"

namespace mercer::detail {
namespace {

constexpr std::size_t block = 512;

std::string_view text_field(std::string_view header, std::size_t at, std::size_t length) {
    const std::string_view field = header.substr(at, length);
    return field.substr(0, field.find('\0'));
}

// Parses an octal number, which may be surrounded by blanks. Returns false if the field is none.
bool octal_field(std::string_view header, std::size_t at, std::size_t length, std::uint64_t& value) {
    std::string_view field = text_field(header, at, length);
    while (field.starts_with(' ')) field.remove_prefix(1);
    while (field.ends_with(' ')) field.remove_suffix(1);
    value = 0;
    for (const char c : field) {
        if (c < '0' || c > '7') return false;
        value = value << 3 | static_cast<std::uint64_t>(c - '0');
    }
    return !field.empty();
}

// Returns true if the checksum is correct: the sum of all bytes of the header, in which its own bytes count as blanks.
bool has_valid_checksum(std::string_view header) {
    std::uint64_t wanted = 0, sum = std::uint64_t{8} * ' ';
    for (std::size_t k = 0; k < block; ++k)
        if (k < 148 || k >= 156) sum += static_cast<unsigned char>(header[k]);
    return octal_field(header, 148, 8, wanted) && wanted == sum;
}

}  // namespace

bool is_tar(std::string_view bytes) { return bytes.size() >= block && bytes.substr(257, 5) == "ustar"; }

std::vector<tar_member> tar_members(const std::string& name, std::string_view bytes) {
    std::vector<tar_member> out;
    for (std::size_t at = 0; at < bytes.size();) {
        const auto demand = [&](bool ok, const char* what) {
            if (!ok) fail(errc::parse, fmt::format("{}: byte {}: expected {} of a tar archive", name, at, what));
        };
        demand(bytes.size() - at >= block, "a header of 512 bytes");
        const std::string_view header = bytes.substr(at, block);
        // The end of the archive is a block of zeros.
        if (header.find_first_not_of('\0') == std::string_view::npos) break;
        demand(header.substr(257, 5) == "ustar" && has_valid_checksum(header),
               "a header with the mark 'ustar' and a valid checksum");
        std::uint64_t size = 0;
        demand(octal_field(header, 124, 12, size), "the octal size of a file");
        demand(size <= bytes.size() - at - block, "a complete file");
        const char type = header[156];
        if (type == '0' || type == '\0') {
            const auto folder = text_field(header, 345, 155);
            std::string path = folder.empty() ? "" : std::string(folder) + "/";
            path += text_field(header, 0, 100);
            out.push_back({std::move(path), bytes.substr(at + block, size)});
        }
        at += block + (size + block - 1) / block * block;
    }
    return out;
}

}  // namespace mercer::detail
