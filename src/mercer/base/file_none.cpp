// base/file.h for systems without files: writing throws errc::unsupported, and reading finds no checkpoint.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/file.h"

namespace mercer {
namespace {

[[noreturn]] void no_files(const std::string& path) {
    fail(errc::unsupported, path + ": this build of mercer has no access to files");
}

}  // namespace

struct atomic_file::state {};

void write_atomically(const std::string& path, std::string_view, durability) { no_files(path); }
atomic_file::atomic_file(const std::string& path) { no_files(path); }
atomic_file::~atomic_file() = default;
void atomic_file::write(std::string_view) {}
void atomic_file::commit(durability) {}
void remove_temporaries_on_signals() {}

void write_state(const std::string& path, std::uint64_t, std::span<const double>) { no_files(path); }
std::optional<std::vector<double>> read_state(const std::string&, std::uint64_t) { return std::nullopt; }
void remove_state(const std::string&) {}

}  // namespace mercer
