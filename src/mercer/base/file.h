// Writing files so that a reader sees the old contents or the new ones, never a part.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace mercer {

// Replaces the file: a temporary file in its folder is written, synced and renamed over it, then the directory is
// synced. Symbolic links are followed; permissions, owner and group stay. What a rename would lose (other hard links,
// access lists, an owner that cannot be given) or cannot do (a folder without write permission, a mounted file) is
// written in place at the end, once all bytes are there. What is not a plain file (a pipe, /dev/stdout) is written to
// directly. A file without write permission is not written. Fails with the path and the system's reason. unsynced:
// without waiting for the disk. A killed process still leaves the old or the new contents; a power cut may lose both.
enum class durability { synced, unsynced };
void write_atomically(const std::string& path, std::string_view bytes, durability how = durability::synced);

// Fails, as writing would, where the file cannot be written: for work whose result is to go there. Changes nothing.
// What is not a plain file is not opened.
void require_writable(const std::string& path);

// Whether two paths lead to one file, also through links; where neither file exists, whether a new one would.
bool is_same_file(const std::string& a, const std::string& b);

// write_atomically for contents that come piece by piece; what cannot be written is told when it is made. Without
// commit() the old file stays as it was.
class atomic_file {
public:
    explicit atomic_file(const std::string& path);
    ~atomic_file();
    atomic_file(const atomic_file&) = delete;
    atomic_file& operator=(const atomic_file&) = delete;
    void write(std::string_view bytes);
    void commit(durability how = durability::synced);

private:
    struct state;
    std::unique_ptr<state> state_;
};

// For programs: signals that end the process (SIGINT, SIGTERM, SIGHUP) delete the temporary files first. Only file
// systems on which these must have a name (NFS) need it. A signal that was ignored stays ignored.
void remove_temporaries_on_signals();

}  // namespace mercer
