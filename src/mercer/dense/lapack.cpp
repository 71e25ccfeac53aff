#include "mercer/dense/lapack.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <utility>
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
std::mutex& blas_mutex() {
    alignas(std::mutex) static std::byte place[sizeof(std::mutex)];
    static std::mutex* current = [] {
        // A child of fork() gets an unlocked mutex, because a thread of its parent may have held the old one. It lies in
        // the same place, so that no memory is lost.
        pthread_atfork(nullptr, nullptr, [] { current = new (place) std::mutex; });
        return new (place) std::mutex;
    }();
    return *current;
}

bool& blas_access::allowed() {
    thread_local bool in = false;
    return in;
}

// The size of dstedc's workspace, 1 + 4n + n² numbers, must fit into a 32-bit integer.
constexpr index max_n = 32000;

int checked_square(const matrix<double>& a, const char* owner) {
    if (a.rows() != a.cols())
        fail(errc::invalid_argument,
             fmt::format("{}: the matrix must be square, got {} × {}", owner, a.rows(), a.cols()));
    if (a.rows() > max_n)
        fail(errc::memory, fmt::format("{}: must satisfy n <= {}, got n = {}", owner, max_n, a.rows()));
    require_finite(a.view(), owner);
    return static_cast<int>(a.rows());
}

namespace {

constexpr double small_work = 1e8;
// A buffer has 128 MB. The first one belongs to the thread that calls; the others belong to threads, whose stacks have
// 8 MB. The rest is for what else the threads allocate.
constexpr std::size_t first_buffer = std::size_t{136} << 20, buffer_and_stack = std::size_t{160} << 20;

std::atomic<int> allowed_threads{0};

bool has_limited_memory() {
    rlimit addresses{}, data{};
    return (::getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY) ||
           (::getrlimit(RLIMIT_DATA, &data) == 0 && data.rlim_cur != RLIM_INFINITY);
}

// OpenBLAS maps private memory that can be written: ulimit -d and the system's limit of committed memory count it.
bool can_map(std::size_t bytes) {
    void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at != MAP_FAILED && ::munmap(at, bytes) == 0;
}

// The buffers that OpenBLAS is known to have, as it never returns one to the system, and how many of them its own
// threads keep. Guarded by blas_mutex().
struct buffer_pool {
    std::vector<void*> known;
    int kept_by_threads = 0;
    int spare() const { return static_cast<int>(known.size()) - kept_by_threads; }
};
buffer_pool& buffers() {
    static auto* const all = new buffer_pool;
    return *all;
}

// Makes buffers until `wanted` are spare or the system has no memory for more; returns the number of spare ones.
int make_buffers(int wanted) {
    buffer_pool& pool = buffers();
    if (pool.spare() >= wanted || blas_access::allowed()) return pool.spare();
    const std::size_t enough = static_cast<std::size_t>(wanted) + static_cast<std::size_t>(pool.kept_by_threads);
    std::vector<void*> taken;
    taken.reserve(enough);
    pool.known.reserve(enough);
    while (pool.known.size() < enough && can_map(pool.known.empty() ? first_buffer : buffer_and_stack)) {
        // While the known ones that are free are taken, OpenBLAS makes one more.
        void* buffer = blas_memory_alloc(0);
        for (; std::ranges::find(pool.known, buffer) != pool.known.end(); buffer = blas_memory_alloc(0))
            taken.push_back(buffer);
        if (!buffer) break;  // OpenBLAS has no place left in its list of buffers
        taken.push_back(buffer);
        pool.known.push_back(buffer);
    }
    for (void* each : taken) blas_memory_free(each);
    return pool.spare();
}

bool has_own_buffers() { return blas_memory_alloc && blas_memory_free; }

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
        const int with_buffers = has_own_buffers() ? make_buffers(wanted) : wanted;
        if (with_buffers > available) available = std::max(available, 1 + threads_to_start(with_buffers - 1));
    }
    return available;
}

}  // namespace

void allow_threads(int count) { allowed_threads = count; }

int count_possible_callers(int wanted) {
    if (!has_own_buffers()) return wanted;
    static const bool limited = has_limited_memory();
    const int spare = make_buffers(limited ? wanted : 1);
    if (spare < 1)
        fail(errc::memory,
             "out of memory: linear algebra needs a buffer of 128 MB of address space. Raise the limits of memory "
             "(ulimit -v, ulimit -d)");
    return limited ? std::min(spare, wanted) : wanted;
}

void require_buffer() {
    if (blas_access::allowed()) return;
    const std::lock_guard<std::mutex> guard(blas_mutex());
    (void)count_possible_callers(1);
}

void make_first_buffer() {
    if (!has_own_buffers() || has_limited_memory()) return;
    const std::lock_guard<std::mutex> guard(blas_mutex());
    (void)make_buffers(1);
}

blas_threads::blas_threads(double work) : before_(0) {
    (void)count_possible_callers(1);
    if (!openblas_get_num_threads || !openblas_set_num_threads) return;
    const int now = openblas_get_num_threads(), wanted = work < small_work ? 1 : std::max(now, threads_of_big_calls());
    if (wanted == now) return;
    before_ = now;
    openblas_set_num_threads(wanted);
    // Every thread that OpenBLAS starts keeps one buffer. OpenBLAS ends no thread and may start fewer than wanted.
    static int started = now;
    if (const int most = std::max(started, openblas_get_num_threads()); most > started)
        buffers().kept_by_threads += most - std::exchange(started, most);
}

blas_threads::~blas_threads() {
    if (before_ > 0) openblas_set_num_threads(before_);
}

}  // namespace mercer::blas
