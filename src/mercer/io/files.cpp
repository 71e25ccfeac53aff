// base/file, io/file_contents and checkpoints where there are no files: bytes in memory are read, everything else fails
// with errc::unsupported.
#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/io/file_contents.h"

namespace mercer {
namespace {
[[noreturn]] void no_files(const std::string& path) { fail(errc::unsupported, path + ": there are no files here"); }
}  // namespace

struct atomic_file::state {};

void write_atomically(const std::string& path, std::string_view, durability) { no_files(path); }
atomic_file::atomic_file(const std::string& path) { no_files(path); }
atomic_file::~atomic_file() = default;
void atomic_file::write(std::string_view) {}
void atomic_file::commit(durability) {}
void remove_temporaries_on_signals() {}

source read_source(const std::string& path, std::size_t) { no_files(path); }
source read_source_or_folder(const std::string& path, std::size_t) { no_files(path); }
source unpack(std::string name, std::string_view bytes, std::size_t) {
    if (bytes.starts_with("\x1f\x8b") || bytes.starts_with("\xfd\x37zXZ"))
        fail(errc::unsupported, name + ": packed files cannot be read here; unpack it first");
    return {std::move(name), bytes, nullptr};
}
struct byte_stream::state {};
byte_stream::byte_stream(const std::string& path) { no_files(path); }
byte_stream::~byte_stream() = default;
bool byte_stream::read(std::string&, std::size_t) { return false; }

source read_expected(const std::string& path, bool (*)(std::string_view)) { no_files(path); }
bool begins_json_object(std::string_view) { return true; }

void source::done_with(std::string_view) const {}
void source::require_whole() const {}

void write_state(const std::string& path, std::uint64_t, std::span<const double>) { no_files(path); }
std::optional<std::vector<double>> read_state(const std::string&, std::uint64_t) { return std::nullopt; }
void remove_state(const std::string&) {}

}  // namespace mercer
