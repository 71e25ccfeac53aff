// A library for LD_PRELOAD that makes chosen system calls and allocations of a program fail (faults.py is its driver).
//
// Without MERCER_FAULTS_PIPES the library does nothing. Otherwise the program stops once, before main() or before it
// first opens the file named by MERCER_FAULTS_FROM, and becomes a server: it reads requests from one pipe and forks a
// process for each, which continues the program with the fault that the request describes; the reply tells how that
// process ended. A forked process is neither linked again nor parses its command line again: a run takes milliseconds.
//
// In the forked processes the clock stands still, so that equal runs print equal bytes, and the first wait for events
// (`mercer serve` is ready) ends the process with success.
//
// With MERCER_FAULTS_TRACE, standard error gets the stack of the first call that fails and that of a crash.
//
// FAULTS_IN_NEW: operator new fails in place of malloc, which belongs to AddressSanitizer.
#include <dirent.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <initializer_list>
#include <new>

namespace {

// Operations that can fail, numbered as in faults.py.
enum operation : int {
    no_operation,
    allocate,
    open_file,
    read_file,
    write_file,
    sync_file,
    rename_file,
    map_file,
    close_file,
    operations
};

// The k-th call (from 1) of an operation, or each from the k-th on, fails with `reason`. Reason 0 makes a read or a
// write short. The files receive standard output and standard error.
struct request {
    std::int32_t operation;
    std::int32_t each_from_there;
    std::int32_t reason;
    std::int32_t seconds;  // until the process is ended by SIGALRM
    std::int64_t k;
    char standard_output[256];
    char standard_error[256];
};

struct reply {
    std::int32_t status;   // of waitpid
    std::int32_t threads;  // of the server: only a process of one thread can be forked faithfully
    std::int64_t calls[operations];
};

std::atomic<std::int64_t>* calls = nullptr;  // of each operation, in memory that the server shares with its children
bool active = false;                         // true in the forked processes
request plan{};
bool traced = false;  // MERCER_FAULTS_TRACE
int requests = -1, replies = -1;
const char* start_file = nullptr;

template <class Function>
Function* next(Function*, const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}
// The function that the program would have called without this library.
#define NEXT(function)                                          \
    ([] {                                                       \
        static const auto found = next(&(function), #function); \
        return found;                                           \
    }())

// The stack of the first call that fails, and the one where a signal ends the process.
void write_stack(int signal) {
    static std::atomic<bool> once{false};
    if (signal == 0 && once.exchange(true)) return;
    traced = false;
    void* frames[64];
    backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
    if (signal) _exit(128 + signal);
    traced = true;
}

void trace_crashes() {
    static char own_stack[1 << 16];  // the other one may have overflown
    stack_t stack{};
    stack.ss_sp = own_stack, stack.ss_size = sizeof own_stack;
    sigaltstack(&stack, nullptr);
    struct sigaction action {};
    action.sa_handler = write_stack;
    action.sa_flags = SA_ONSTACK;
    for (const int each : {SIGSEGV, SIGABRT}) sigaction(each, &action, nullptr);
}

// Counts a call of the operation; returns true if it has to fail.
bool fails(operation which) {
    if (!active) return false;
    const std::int64_t number = calls[which].fetch_add(1) + 1;
    if (plan.operation != which || (plan.each_from_there ? number < plan.k : number != plan.k)) return false;
    if (traced) write_stack(0);
    errno = plan.reason;
    return true;
}

// Returns the size of a read or write that transfers only a part.
size_t part_of(size_t size) { return size > 1 ? size / 2 : size; }
bool is_short() { return plan.reason == 0; }

int count_threads() {
    int count = 0;
    if (DIR* const tasks = opendir("/proc/self/task")) {
        while (const dirent* each = readdir(tasks)) count += each->d_name[0] != '.';
        closedir(tasks);
    }
    return count;
}

bool transfer(bool in, int pipe, void* bytes, size_t size) {
    for (char* at = static_cast<char*>(bytes); size > 0;) {
        const ssize_t done = in ? NEXT(read)(pipe, at, size) : NEXT(write)(pipe, at, size);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        at += done;
        size -= static_cast<size_t>(done);
    }
    return true;
}

void redirect(int number, const char* path) {
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || dup2(file, number) < 0) _exit(126);
    close(file);
}

// Answers requests; returns in the forked processes only.
void serve() {
    start_file = nullptr;
    const int threads = count_threads();
    calls = static_cast<std::atomic<std::int64_t>*>(
        mmap(nullptr, sizeof(reply), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    if (calls == MAP_FAILED) _exit(126);
    while (transfer(true, requests, &plan, sizeof plan)) {
        for (int i = 0; i < operations; ++i) calls[i] = 0;
        const pid_t child = fork();
        if (child < 0) _exit(126);
        if (child == 0) {
            redirect(STDOUT_FILENO, plan.standard_output);
            redirect(STDERR_FILENO, plan.standard_error);
            const rlimit no_core{0, 0};
            setrlimit(RLIMIT_CORE, &no_core);
            alarm(static_cast<unsigned>(plan.seconds));
            traced = getenv("MERCER_FAULTS_TRACE");
            if (traced) trace_crashes();
            active = true;
            return;
        }
        reply answer{};
        while (waitpid(child, &answer.status, 0) < 0 && errno == EINTR) {
        }
        answer.threads = threads;
        for (int i = 0; i < operations; ++i) answer.calls[i] = calls[i];
        if (!transfer(false, replies, &answer, sizeof answer)) break;
    }
    _exit(0);
}

void serve_if_named(const char* path) {
    if (start_file && strcmp(path, start_file) == 0) serve();
}

__attribute__((constructor)) void begin() {
    const char* const pipes = getenv("MERCER_FAULTS_PIPES");
    if (!pipes || sscanf(pipes, "%d,%d", &requests, &replies) != 2) return;
    start_file = getenv("MERCER_FAULTS_FROM");
}

using main_function = int(int, char**, char**);
main_function* program = nullptr;

int main_after_serving(int count, char** words, char** environment) {
    if (requests >= 0 && (!start_file || !*start_file)) serve();
    return program(count, words, environment);
}

}  // namespace

extern "C" {

int __libc_start_main(main_function* main, int count, char** words, void (*init)(), void (*fini)(),
                      void (*loader_fini)(), void* stack_end) {
    program = main;
    return NEXT(__libc_start_main)(main_after_serving, count, words, init, fini, loader_fini, stack_end);
}

int open(const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    serve_if_named(path);
    return fails(open_file) ? -1 : NEXT(open)(path, flags, mode);
}
int open64(const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    return open(path, flags | O_LARGEFILE, mode);
}
FILE* fopen(const char* path, const char* mode) {
    serve_if_named(path);
    return fails(open_file) ? nullptr : NEXT(fopen)(path, mode);
}
FILE* fopen64(const char* path, const char* mode) { return fopen(path, mode); }

ssize_t read(int file, void* bytes, size_t size) {
    if (!fails(read_file)) return NEXT(read)(file, bytes, size);
    return is_short() ? NEXT(read)(file, bytes, part_of(size)) : -1;
}
ssize_t pread(int file, void* bytes, size_t size, off_t at) {
    if (!fails(read_file)) return NEXT(pread)(file, bytes, size, at);
    return is_short() ? NEXT(pread)(file, bytes, part_of(size), at) : -1;
}
ssize_t pread64(int file, void* bytes, size_t size, off_t at) { return pread(file, bytes, size, at); }

ssize_t write(int file, const void* bytes, size_t size) {
    if (file == STDERR_FILENO || !fails(write_file)) return NEXT(write)(file, bytes, size);
    return is_short() ? NEXT(write)(file, bytes, part_of(size)) : -1;
}
ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
    if (!fails(write_file)) return NEXT(pwrite)(file, bytes, size, at);
    return is_short() ? NEXT(pwrite)(file, bytes, part_of(size), at) : -1;
}
ssize_t pwrite64(int file, const void* bytes, size_t size, off_t at) { return pwrite(file, bytes, size, at); }
// The C library writes its streams by calls of its own; it also completes short ones itself.
int fflush(FILE* stream) {
    if (stream != stdout || !active || is_short() || plan.reason == EINTR || !fails(write_file))
        return NEXT(fflush)(stream);
    return EOF;
}

int fsync(int file) { return fails(sync_file) ? -1 : NEXT(fsync)(file); }
int fdatasync(int file) { return fails(sync_file) ? -1 : NEXT(fdatasync)(file); }
int rename(const char* from, const char* to) { return fails(rename_file) ? -1 : NEXT(rename)(from, to); }
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
    return fails(rename_file) ? -1 : NEXT(linkat)(from_folder, from, to_folder, to, flags);
}
// The descriptor is closed in any case, as Linux does.
int close(int file) {
    if (!fails(close_file)) return NEXT(close)(file);
    const int reason = errno;
    NEXT(close)(file);
    errno = reason;
    return -1;
}
void* mmap(void* at, size_t size, int access, int flags, int file, off_t offset) {
    if (fails(file >= 0 ? map_file : allocate)) {
        if (file < 0) errno = ENOMEM;
        return MAP_FAILED;
    }
    return NEXT(mmap)(at, size, access, flags, file, offset);
}
void* mmap64(void* at, size_t size, int access, int flags, int file, off_t offset) {
    return mmap(at, size, access, flags, file, offset);
}

int clock_gettime(clockid_t clock, timespec* time) {
    if (!active) return NEXT(clock_gettime)(clock, time);
    *time = {1'000'000, 0};
    return 0;
}

int epoll_wait(int queue, epoll_event* events, int most, int milliseconds) {
    if (active) _exit(0);
    return NEXT(epoll_wait)(queue, events, most, milliseconds);
}

#ifndef FAULTS_IN_NEW
// The C library's own functions: looking them up by dlsym would allocate.
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

void* malloc(size_t size) { return fails(allocate) ? nullptr : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return fails(allocate) ? nullptr : __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { return fails(allocate) ? nullptr : __libc_realloc(old, size); }
void* memalign(size_t alignment, size_t size) { return fails(allocate) ? nullptr : __libc_memalign(alignment, size); }
void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void** out, size_t alignment, size_t size) {
    void* const got = memalign(alignment, size);
    if (!got) return ENOMEM;
    *out = got;
    return 0;
}
#endif

}  // extern "C"

#ifdef FAULTS_IN_NEW
namespace {
void* allocated(std::size_t size, std::size_t alignment) {
    if (fails(allocate)) return nullptr;
    if (alignment == 0) return malloc(size ? size : 1);
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}
void* allocated_or_thrown(std::size_t size, std::size_t alignment = 0) {
    void* const got = allocated(size, alignment);
    if (!got) throw std::bad_alloc();
    return got;
}
}  // namespace

void* operator new(std::size_t size) { return allocated_or_thrown(size); }
void* operator new[](std::size_t size) { return allocated_or_thrown(size); }
void* operator new(std::size_t size, std::align_val_t to) { return allocated_or_thrown(size, std::size_t(to)); }
void* operator new[](std::size_t size, std::align_val_t to) { return allocated_or_thrown(size, std::size_t(to)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocated(size, 0); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocated(size, 0); }
void* operator new(std::size_t size, std::align_val_t to, const std::nothrow_t&) noexcept {
    return allocated(size, std::size_t(to));
}
void* operator new[](std::size_t size, std::align_val_t to, const std::nothrow_t&) noexcept {
    return allocated(size, std::size_t(to));
}
void operator delete(void* old) noexcept { free(old); }
void operator delete[](void* old) noexcept { free(old); }
void operator delete(void* old, std::size_t) noexcept { free(old); }
void operator delete[](void* old, std::size_t) noexcept { free(old); }
void operator delete(void* old, std::align_val_t) noexcept { free(old); }
void operator delete[](void* old, std::align_val_t) noexcept { free(old); }
void operator delete(void* old, std::size_t, std::align_val_t) noexcept { free(old); }
void operator delete[](void* old, std::size_t, std::align_val_t) noexcept { free(old); }
#endif
