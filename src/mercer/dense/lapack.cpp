#include "mercer/dense/lapack.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/dense/matrix_checks.h"

extern "C" {
// Only OpenBLAS has these functions; in other BLAS libraries the pointers are null.
__attribute__((weak)) int openblas_get_num_threads(void);
__attribute__((weak)) void openblas_set_num_threads(int count);
// OpenBLAS's buffers. It keeps buffers that have been freed for later calls.
__attribute__((weak)) void* blas_memory_alloc(int);
__attribute__((weak)) void blas_memory_free(void*);
}

namespace mercer::blas {

// OpenBLAS's threads are fast for one caller. Several callers make them wait for each other: 8 concurrent callers took
// 60 times as long as sequential calls.
std::mutex& gate() {
    static std::mutex* current = nullptr;
    static const bool made = [] {
        // A child of fork() gets an unlocked mutex, because a thread of its parent may have held the old one.
        pthread_atfork(nullptr, nullptr, [] { current = new std::mutex; });
        current = new std::mutex;
        return true;
    }();
    (void)made;
    return *current;
}

bool& let_in::here() {
    thread_local bool in = false;
    return in;
}

// The size of dstedc's workspace, 1 + 4n + n² numbers, must fit into a 32-bit integer.
constexpr index largest_n = 32000;

int checked_square(const matrix<double>& a, const char* owner) {
    if (a.rows() != a.cols())
        fail(errc::invalid_argument,
             fmt::format("{}: the matrix must be square, got {} × {}", owner, a.rows(), a.cols()));
    if (a.rows() > largest_n)
        fail(errc::memory, fmt::format("{}: must satisfy n <= {}, got n = {}", owner, largest_n, a.rows()));
    require_finite(a.view(), owner);
    return static_cast<int>(a.rows());
}

namespace {

constexpr double small_work = 1e8;
constexpr std::size_t buffer_and_stack = std::size_t{160} << 20;  // 128 MB and 8 MB, and a reserve

std::atomic<int> allowed_threads{0};

bool has_limited_addresses() {
    rlimit limit{};
    return ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

bool has_addresses_for(std::size_t bytes) {
    void* const at = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at != MAP_FAILED && ::munmap(at, bytes) == 0;
}

// The number of threads, at most `wanted`, that the system can run in addition to this one. OpenBLAS would wait for
// threads that it cannot start.
int threads_to_start(int wanted) {
    std::mutex hold;
    std::vector<std::thread> started;
    {
        const std::lock_guard<std::mutex> all_at_once(hold);
        try {
            while (std::ssize(started) < wanted)
                started.emplace_back([&hold] { const std::lock_guard<std::mutex> until_all_are_there(hold); });
        } catch (const std::system_error&) {
        }
    }
    for (std::thread& each : started) each.join();
    return static_cast<int>(started.size());
}

// The largest number of threads for a large call: the allowed number, or the number that the system can start.
int threads_of_big_calls() {
    static int available = openblas_get_num_threads();
    static int tried = available;
    const int wanted = allowed_threads;
    if (wanted > tried) {
        tried = wanted;
        const int with_buffers = callers_with_buffers(wanted);
        if (with_buffers > available) available = std::max(available, 1 + threads_to_start(with_buffers - 1));
    }
    return available;
}

}  // namespace

void allow_threads(int count) { allowed_threads = count; }

int callers_with_buffers(int wanted) {
    static const bool limited = has_limited_addresses();
    if (!limited || !blas_memory_alloc || !blas_memory_free) return wanted;
    static int ready = 0;
    std::vector<void*> taken;
    while (ready < wanted && has_addresses_for(buffer_and_stack)) {
        // Existing buffers are taken too, so that OpenBLAS has to make one more.
        while (std::ssize(taken) <= ready) taken.push_back(blas_memory_alloc(0));
        ++ready;
    }
    for (void* each : taken) blas_memory_free(each);
    if (ready == 0)
        fail(errc::memory, "linear algebra needs 160 MB of address space for a buffer: raise the limit (ulimit -v)");
    return std::min(ready, wanted);
}

threads_for::threads_for(double work) : before_(0) {
    (void)callers_with_buffers(1);
    if (!openblas_get_num_threads || !openblas_set_num_threads) return;
    const int now = openblas_get_num_threads(), wanted = work < small_work ? 1 : std::max(now, threads_of_big_calls());
    if (wanted == now) return;
    before_ = now;
    openblas_set_num_threads(wanted);
}

threads_for::~threads_for() {
    if (before_ > 0) openblas_set_num_threads(before_);
}

}  // namespace mercer::blas
