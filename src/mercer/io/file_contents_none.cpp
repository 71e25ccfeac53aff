// io/file_contents.h for systems without files: plain bytes in memory are read, everything else throws
// errc::unsupported.
#include "mercer/base/error.h"
#include "mercer/io/file_contents.h"

namespace mercer {
namespace {

[[noreturn]] void no_files(const std::string& path) {
    fail(errc::unsupported, path + ": this build of mercer has no access to files");
}

}  // namespace

void file_contents::release_pages(std::string_view) const {}
void file_contents::require_untruncated() const {}

file_contents read_file(const std::string& path, std::size_t) { no_files(path); }
file_contents read_file_or_folder(const std::string& path, std::size_t) { no_files(path); }
file_contents unpack(std::string name, std::string_view bytes, std::size_t) {
    if (bytes.starts_with("\x1f\x8b") || bytes.starts_with("\xfd\x37zXZ"))
        fail(errc::unsupported, name + ": this build of mercer cannot read packed files: unpack the file first");
    return {std::move(name), bytes, nullptr};
}

struct byte_stream::state {};
byte_stream::byte_stream(const std::string& path) { no_files(path); }
byte_stream::~byte_stream() = default;
bool byte_stream::read(std::string&, std::size_t) { return false; }

file_contents read_file_if(const std::string& path, bool (*)(std::string_view)) { no_files(path); }
bool begins_json_object(std::string_view) { return true; }

}  // namespace mercer
