#include "mercer/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "mercer/base/error.h"

namespace mercer {
namespace {

[[noreturn]] void cannot(const char* what, const std::string& path, int reason) {
    fail(errc::io, fmt::format("cannot {} '{}': {}", what, path, std::strerror(reason)));
}

class descriptor {
public:
    explicit descriptor(int number) : number_(number) {}
    ~descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    descriptor& operator=(descriptor&&) = delete;
    int number() const { return number_; }
    // Closing can report a write that failed late (a full disk over NFS), so it is done by hand before success is claimed.
    int close() {
        const int result = ::close(number_);
        number_ = -1;
        return result;
    }

private:
    int number_;
};

void write_all(int file, std::string_view bytes, const std::string& path) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(file, bytes.data(), bytes.size());
        if (written < 0) {
            if (errno == EINTR) continue;
            cannot("write", path, errno);
        }
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

// Opens a new file beside the path, under a name nobody has.
int open_beside(const std::string& path, mode_t mode, std::string& name) {
    for (int attempt = 0;; ++attempt) {
        name = fmt::format("{}.{}.{}.tmp", path, ::getpid(), attempt);
        const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (file >= 0) return file;
        if (errno != EEXIST || attempt == 1000) cannot("write", path, errno);
    }
}

// Deletes the temporary file unless it became the real one.
struct removal {
    std::string name{};
    removal() = default;
    explicit removal(std::string file) : name(std::move(file)) {}
    removal(removal&& other) noexcept : name(std::exchange(other.name, {})) {}
    removal& operator=(removal&&) = delete;
    ~removal() {
        if (!name.empty()) ::unlink(name.c_str());
    }
};

}  // namespace

struct atomic_file::state {
    state(std::string path_, removal temporary_, descriptor file_) : path(std::move(path_)), temporary(std::move(temporary_)), file(std::move(file_)) {}
    std::string path;
    removal temporary;
    descriptor file;
};

atomic_file::atomic_file(const std::string& path) {
    if (path.empty()) fail(errc::io, "cannot write '': the path is empty");
    struct stat old {};
    const mode_t mode = 0666;  // less the umask, as for any new file
    const bool exists = ::stat(path.c_str(), &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) cannot("write", path, EISDIR);
    if (exists && !S_ISREG(old.st_mode)) {
        const int direct = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
        if (direct < 0) cannot("write", path, errno);
        state_ = std::make_unique<state>(path, removal(), descriptor(direct));
        return;
    }
    std::string name;
    const int beside = open_beside(path, mode, name);
    state_ = std::make_unique<state>(path, removal(name), descriptor(beside));
    if (exists) (void)::fchmod(beside, old.st_mode & 07777);  // a replaced file keeps its permissions where it can
}

atomic_file::~atomic_file() = default;

void atomic_file::write(std::string_view bytes) { write_all(state_->file.number(), bytes, state_->path); }

void atomic_file::commit(durability how) {
    auto& [path, temporary, file] = *state_;
    const bool direct = temporary.name.empty();
    if (!direct && how == durability::synced && ::fsync(file.number()) != 0) cannot("write", path, errno);
    if (file.close() != 0) cannot("write", path, errno);
    if (direct) return;
    if (::rename(temporary.name.c_str(), path.c_str()) != 0) cannot("replace", path, errno);
    temporary.name.clear();
    if (how == durability::unsynced) return;

    // The rename itself lasts only once the directory is on disk. Some file systems cannot sync one: the data are there all the same.
    const auto slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
    const descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory.number() >= 0 && ::fsync(directory.number()) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS)
        cannot("sync the directory of", path, errno);
}

void write_atomically(const std::string& path, std::string_view bytes, durability how) {
    atomic_file file(path);
    file.write(bytes);
    file.commit(how);
}

}  // namespace mercer
