// Writing files so that a reader sees the old contents or the new ones, never a part.
#pragma once

#include <string>
#include <string_view>

namespace mercer {

// Replaces the file: a temporary file beside it is written, synced and renamed over it, then the directory is synced. What is
// not a plain file (a pipe, /dev/stdout) is written to directly. Fails with the path and the system's reason.
// unsynced: without waiting for the disk. A killed process still leaves the old or the new contents; a power cut may lose both.
enum class durability { synced, unsynced };
void write_atomically(const std::string& path, std::string_view bytes, durability how = durability::synced);

}  // namespace mercer
