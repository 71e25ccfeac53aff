#include "mercer/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <utility>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/terminal_text.h"

namespace mercer {
namespace {

[[noreturn]] void cannot(const char* what, const std::string& path, int reason) {
    fail(errc::io, fmt::format("cannot {} '{}': {}", what, path, std::strerror(reason)));
}

class descriptor {
public:
    explicit descriptor(int number = -1) : number_(number) {}
    ~descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    descriptor& operator=(descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    int number() const { return number_; }
    bool is_open() const { return number_ >= 0; }
    // Closing can report a write that failed late (a full disk over NFS), so it is called explicitly before success is
    // reported.
    int close() {
        const int result = ::close(std::exchange(number_, -1));
        return result != 0 && errno == EINTR ? 0 : result;  // Linux has closed the descriptor
    }

private:
    int number_;
};

int open_file(const char* path, int flags) {
    return retry_interrupted([&] { return ::open(path, flags | O_CLOEXEC, 0666); });
}

int sync_file(int file) {
    return retry_interrupted([&] { return ::fsync(file); });
}

void write_all(int file, std::string_view bytes, const std::string& path) {
    while (!bytes.empty()) {
        const ssize_t written = retry_interrupted([&] { return ::write(file, bytes.data(), bytes.size()); });
        if (written < 0) cannot("write", path, errno);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

std::string folder_of(const std::string& path) {
    const auto slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

// The end of the chain of symbolic links that begins at a path. The file at the end need not exist.
std::string resolve_links(const std::string& path) {
    std::string at = path;
    for (int links = 0; links < 40; ++links) {
        struct stat about {};
        if (::lstat(at.c_str(), &about) != 0 || !S_ISLNK(about.st_mode)) return at;
        std::vector<char> text(4096);
        const ssize_t size = ::readlink(at.c_str(), text.data(), text.size());
        if (size < 0 || static_cast<std::size_t>(size) == text.size())
            cannot("write", path, size < 0 ? errno : ENAMETOOLONG);
        const std::string next(text.data(), static_cast<std::size_t>(size));
        at = next.starts_with('/') ? next : folder_of(at).append("/").append(next);
    }
    cannot("write", path, ELOOP);
}

// The descriptor that a path such as /dev/stdout or /dev/fd/3 names; -1 for other paths.
int named_descriptor(const std::string& path) {
    if (path == "/dev/stdout") return STDOUT_FILENO;
    if (path == "/dev/stderr") return STDERR_FILENO;
    for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"})
        if (path.starts_with(folder) && path.size() > folder.size() && path.size() < folder.size() + 6 &&
            path.find_first_not_of("0123456789", folder.size()) == std::string::npos)
            return std::atoi(path.c_str() + folder.size());
    return -1;
}

// Returns true if a file has extended attributes, such as access lists, that a new file in its place would lack. The
// system sets labels (security.*) itself.
bool has_attributes(int file) {
    std::array<char, 4096> names{};
    const ssize_t size = ::flistxattr(file, names.data(), names.size());
    if (size < 0) return errno == ERANGE;
    for (std::string_view rest(names.data(), static_cast<std::size_t>(size)); !rest.empty();) {
        const std::string_view name = rest.substr(0, rest.find('\0'));
        if (!name.starts_with("security.")) return true;
        rest.remove_prefix(name.size() + 1);
    }
    return false;
}

// The names of the temporary files that exist. The signal handler deletes these files.
std::array<std::atomic<char*>, 64> temporary_names;

// The name of a temporary file. While the object lives, the signal handler knows the name. The destructor deletes the
// file.
class temporary_name {
public:
    temporary_name() = default;
    temporary_name(temporary_name&& other) noexcept
        : text_(std::exchange(other.text_, {})), slot_(std::exchange(other.slot_, nullptr)) {}
    temporary_name& operator=(temporary_name&& other) noexcept {
        std::swap(text_, other.text_);
        std::swap(slot_, other.slot_);
        return *this;
    }
    ~temporary_name() {
        if (empty()) return;
        ::unlink(text_.c_str());
        forget();
    }
    bool empty() const { return text_.empty(); }
    const std::string& text() const { return text_; }
    // Gives up the name without deleting a file: there is none, or it has been renamed.
    void forget() {
        text_.clear();
        if (slot_) std::free(slot_->exchange(nullptr));
        slot_ = nullptr;
    }
    // Calls make(name) with unused names in the folder until it succeeds or fails with another reason than EEXIST.
    // Returns false if it fails; errno is the reason.
    template <class Make>
    bool create(const std::string& folder, Make make) {
        for (int attempt = 0; attempt < 1000; ++attempt) {
            std::string name = fmt::format("{}/.mercer.{}.{}.tmp", folder, ::getpid(), attempt);
            if (::access(name.c_str(), F_OK) == 0) continue;
            // The handler must know the name before the file exists: a signal may come right after its creation.
            remember(std::move(name));
            if (make(text_.c_str())) return true;
            const int why = errno;
            forget();
            errno = why;
            if (why != EEXIST) return false;
        }
        return false;
    }

private:
    void remember(std::string name) {
        char* const copy = ::strdup(name.c_str());
        if (!copy) throw std::bad_alloc();
        text_ = std::move(name);
        for (auto& slot : temporary_names)
            if (char* none = nullptr; slot.compare_exchange_strong(none, copy)) {
                slot_ = &slot;
                return;
            }
        std::free(copy);
    }
    std::string text_;
    std::atomic<char*>* slot_ = nullptr;
};

}  // namespace

struct atomic_file::state {
    explicit state(const std::string& given) : path(given) {
        if (path.empty()) fail(errc::io, "cannot write '': the path is empty");
        if (const int number = named_descriptor(path); number >= 0) {
            std::fflush(stdout);  // text that was printed before comes first
            write_directly(::fcntl(number, F_DUPFD_CLOEXEC, 3));
            return;
        }
        target = resolve_links(path);
        struct stat about {};
        exists = ::stat(target.c_str(), &about) == 0;
        if (!exists && errno != ENOENT) cannot("write", path, errno);
        if (exists && S_ISDIR(about.st_mode)) cannot("write", path, EISDIR);
        if (exists && !S_ISREG(about.st_mode)) {
            write_directly(open_file(target.c_str(), O_WRONLY));
            return;
        }
        if (exists) {
            old = descriptor(open_file(target.c_str(), O_WRONLY));
            if (!old.is_open()) cannot("write", path, errno);
        }
        const std::string folder = folder_of(target);
        const int why = open_temporary(folder);
        replace = file.is_open();
        if (!replace) {
            if (!exists || open_temporary(::getenv("TMPDIR") ? ::getenv("TMPDIR") : "/tmp") != 0)
                cannot("write", path, why);
        }
        if (exists) replace = replace && about.st_nlink == 1 && !has_attributes(old.number()) && copy_ownership(about);
    }

    void write_directly(int number) {
        file = descriptor(number);
        direct = true;
        if (!file.is_open()) cannot("write", path, errno);
        terminal = ::isatty(file.number()) != 0;
    }

    // Opens a temporary file in a folder, without a name if the file system supports that: then no file is left however
    // the process ends. Returns 0, or the errno of the failure.
    int open_temporary(const std::string& folder) {
#ifdef O_TMPFILE
        file = descriptor(open_file(folder.c_str(), O_TMPFILE | O_RDWR));
        if (file.is_open()) return 0;
#endif
        const bool made = name.create(folder, [&](const char* text) {
            file = descriptor(open_file(text, O_RDWR | O_CREAT | O_EXCL));
            return file.is_open();
        });
        return made ? 0 : errno;
    }

    // Gives the temporary file the owner, group and permissions of the file that it will replace. Returns false if they
    // cannot be set.
    bool copy_ownership(const struct stat& wanted) const {
        struct stat now {};
        if (::fstat(file.number(), &now) != 0) return false;
        if ((now.st_uid != wanted.st_uid || now.st_gid != wanted.st_gid) &&
            ::fchown(file.number(), wanted.st_uid, wanted.st_gid) != 0)
            return false;
        return ::fchmod(file.number(), wanted.st_mode & 07777) == 0;
    }

    // Links or renames the temporary file to the target path. Returns false if that is impossible, so that its bytes
    // have to be copied.
    bool move_to_target() {
        if (descriptor(::dup(file.number())).close() != 0) cannot("write", path, errno);
        if (name.empty()) {
            const std::string open_file = fmt::format("/proc/self/fd/{}", file.number());
            const auto link = [&](const char* to) {
                return ::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, to, AT_SYMLINK_FOLLOW) == 0;
            };
            if (!exists && link(target.c_str())) return true;
            if (!name.create(folder_of(target), link)) return false;
        }
        if (::rename(name.text().c_str(), target.c_str()) != 0) return false;
        name.forget();
        return true;
    }

    // Copies the temporary file into the existing file. Disk space for the new bytes is allocated before the old bytes
    // are overwritten.
    void copy_over(durability how) {
        if (!old.is_open()) old = descriptor(open_file(target.c_str(), O_WRONLY | O_CREAT));
        if (!old.is_open()) cannot("write", path, errno);
        const off_t size = ::lseek(file.number(), 0, SEEK_END);
#ifdef FALLOC_FL_KEEP_SIZE
        if (size > 0 && ::fallocate(old.number(), FALLOC_FL_KEEP_SIZE, 0, size) != 0 && errno == ENOSPC)
            cannot("write", path, ENOSPC);
#endif
        std::vector<char> piece(1 << 20);
        for (off_t at = 0; at < size;) {
            const ssize_t count =
                retry_interrupted([&] { return ::pread(file.number(), piece.data(), piece.size(), at); });
            if (count <= 0) cannot("write", path, count < 0 ? errno : EIO);
            write_all(old.number(), {piece.data(), static_cast<std::size_t>(count)}, path);
            at += count;
        }
        if (retry_interrupted([&] { return ::ftruncate(old.number(), size); }) != 0) cannot("write", path, errno);
        if (how == durability::synced && sync_file(old.number()) != 0) cannot("write", path, errno);
        if (old.close() != 0) cannot("write", path, errno);
    }

    void commit(durability how) {
        if (direct) {
            if (file.close() != 0) cannot("write", path, errno);
            return;
        }
        if (replace && how == durability::synced && sync_file(file.number()) != 0) cannot("write", path, errno);
        if (!replace || !move_to_target()) return copy_over(how);
        if (how == durability::unsynced) return;
        // The rename survives a power failure only once the folder is on disk. Some file systems cannot sync a folder;
        // the data are on disk even then.
        const descriptor directory(open_file(folder_of(target).c_str(), O_RDONLY | O_DIRECTORY));
        if (directory.is_open() && sync_file(directory.number()) != 0 && errno != EINVAL && errno != ENOTSUP &&
            errno != EROFS)
            cannot("sync the directory of", path, errno);
    }

    std::string path;    // as the caller wrote it
    std::string target;  // `path` with symbolic links resolved
    bool exists = false;
    bool direct = false;    // `file` is the pipe or device that the path names
    bool terminal = false;  // `file` is a terminal: control characters in names and labels are escaped
    bool replace = false;   // `file` will be renamed to `target`; otherwise its bytes are copied there
    descriptor old;         // the existing file, open for writing
    descriptor file;
    temporary_name name;
};

atomic_file::atomic_file(const std::string& path) : state_(std::make_unique<state>(path)) {}
atomic_file::~atomic_file() = default;
void atomic_file::write(std::string_view bytes) {
    if (state_->terminal)
        write_all(state_->file.number(), escape_controls(bytes), state_->path);
    else
        write_all(state_->file.number(), bytes, state_->path);
}
void atomic_file::commit(durability how) { state_->commit(how); }

void write_atomically(const std::string& path, std::string_view bytes, durability how) {
    atomic_file file(path);
    file.write(bytes);
    file.commit(how);
}

void require_writable(const std::string& path) {
    struct stat about {};
    const bool exists = ::stat(path.c_str(), &about) == 0;
    if (named_descriptor(path) >= 0 || (exists && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))) return;
    const atomic_file dropped(path);
}

bool is_same_file(const std::string& a, const std::string& b) {
    const auto same = [](const std::string& one, const std::string& other, bool& exists) {
        struct stat first {
        }, second{};
        const bool there = ::stat(one.c_str(), &first) == 0, also = ::stat(other.c_str(), &second) == 0;
        exists = there || also;
        return there && also && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
    };
    bool exists = false;
    const bool one_file = same(a, b, exists);
    if (exists) return one_file;
    const std::string from = resolve_links(a), to = resolve_links(b);
    const auto name_of = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
    return name_of(from) == name_of(to) && same(folder_of(from), folder_of(to), exists);
}

void remove_temporaries_on_signals() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction before {};
        if (sigaction(signal, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
        struct sigaction action {};
        action.sa_handler = [](int which) {
            for (auto& slot : temporary_names)
                if (const char* name = slot.exchange(nullptr)) ::unlink(name);
            ::raise(which);  // SA_RESETHAND has restored the default action, which ends the process
        };
        action.sa_flags = static_cast<int>(SA_RESETHAND);
        sigaction(signal, &action, nullptr);
    }
}

namespace {

constexpr char magic[8] = {'m', 'e', 'r', 'c', 'e', 'r', 'c', '1'};

struct state_header {
    char magic[8];
    std::uint64_t size, problem, content;
};

std::uint64_t check_sum(std::uint64_t problem, std::span<const double> state) {
    return problem_hash()
        .add(std::string_view(reinterpret_cast<const char*>(&problem), sizeof problem))
        .add(state)
        .value();
}

}  // namespace

void write_state(const std::string& path, std::uint64_t problem, std::span<const double> state) {
    state_header head{};
    std::memcpy(head.magic, magic, sizeof magic);
    head.size = state.size(), head.problem = problem, head.content = check_sum(problem, state);
    std::string bytes(sizeof head + state.size_bytes(), '\0');
    std::memcpy(bytes.data(), &head, sizeof head);
    if (!state.empty()) std::memcpy(bytes.data() + sizeof head, state.data(), state.size_bytes());
    write_atomically(path, bytes);
}

std::optional<std::vector<double>> read_state(const std::string& path, std::uint64_t problem) {
    std::error_code reason;
    const auto kind = std::filesystem::status(path, reason).type();
    if (kind == std::filesystem::file_type::not_found) return std::nullopt;
    if (kind != std::filesystem::file_type::regular)
        fail(errc::io, path + ": not a checkpoint: " + (reason ? reason.message() : "it is not a plain file"));
    std::ifstream in(path, std::ios::binary);
    if (!in) fail(errc::io, path + ": cannot read the checkpoint: " + std::strerror(errno));
    const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    state_header head{};
    if (bytes.size() < sizeof head)
        fail(errc::io, path + ": not a checkpoint: the file has " + std::to_string(bytes.size()) +
                           " bytes, and the header alone would have " + std::to_string(sizeof head));
    std::memcpy(&head, bytes.data(), sizeof head);
    if (std::memcmp(head.magic, magic, sizeof magic) != 0)
        fail(errc::io, path + ": not a checkpoint written by mercer");
    if (head.problem != problem)
        fail(errc::io, path +
                           ": the checkpoint belongs to another problem (other data or options). Remove the file, or "
                           "name another one");
    const std::size_t room = bytes.size() - sizeof head;
    if (room % sizeof(double) != 0 || room / sizeof(double) != head.size)
        fail(errc::io, path + ": the checkpoint is damaged: expected " + std::to_string(head.size) +
                           " numbers after the header, got " + std::to_string(room) +
                           " bytes. Remove the file and fit again");
    std::vector<double> state(head.size);
    if (!state.empty()) std::memcpy(state.data(), bytes.data() + sizeof head, room);
    if (check_sum(problem, state) != head.content)
        fail(errc::io,
             path + ": the checkpoint is damaged: its checksum does not match. Remove the file and fit again");
    return state;
}

void remove_state(const std::string& path) {
    std::error_code none;
    std::filesystem::remove(path, none);
}

}  // namespace mercer
