// Parallel loops over independent work items (tiles).
//
// The process has one pool of threads. It does not use OpenMP, because libgomp hangs in a child after fork() (joblib,
// multiprocessing) and cannot be checked by ThreadSanitizer. Only the thread that runs an item varies from call to
// call. So results do not depend on the number of threads as long as each item writes only its own output.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "mercer/base/matrix_view.h"

namespace mercer {

// A number of threads must satisfy 1 <= count <= max_threads.
inline constexpr int max_threads = 4096;
// Checks a number of threads: throws errc::invalid_argument unless 1 <= count <= max_threads; the message begins with
// `what`.
void require_thread_count(std::int64_t count, const char* what = "the number of threads");

// The number of threads that parallel loops of this thread may use, the calling thread included. The default is the
// environment variable MERCER_THREADS, or the number of usable processors (base/processors.h). Throws
// errc::invalid_argument if MERCER_THREADS is not a number of threads.
int threads();
// Sets the number of threads for the process, but at most max(8, 4 · usable processors): more threads only wait for
// each other.
void set_threads(int count);

// While it lives, loops of this thread use at most `count` threads, 1 <= count <= max_threads; 0 changes nothing.
class thread_limit {
public:
    explicit thread_limit(int count);
    ~thread_limit();
    thread_limit(const thread_limit&) = delete;
    thread_limit& operator=(const thread_limit&) = delete;

private:
    int before_;
};

namespace detail {
using loop_body = void (*)(void* context, index item, int worker);
void run_parallel(index count, loop_body body, void* context);
}  // namespace detail

// Calls body(item) or body(item, worker) for item = 0 … count-1, in no fixed order; 0 <= worker < threads().
// Inside another loop, or while the pool works for another caller, all items run in the calling thread (worker 0).
// The first exception that an item throws is rethrown once the running items have ended; no further item is started.
template <class Body>
void parallel_for(index count, Body&& body) {
    using plain = std::remove_reference_t<Body>;
    detail::run_parallel(
        count,
        [](void* context, index item, int worker) {
            auto& call = *static_cast<plain*>(context);
            if constexpr (std::is_invocable_v<plain&, index, int>)
                call(item, worker);
            else
                call(item);
        },
        const_cast<void*>(static_cast<const void*>(std::addressof(body))));
}

// Divides the items 0 … count-1 into chunks of `chunk` consecutive items, the last of which may have fewer, and calls
// body(first, end) in parallel for each half-open range [first, end): for items that are too small to be scheduled one
// by one.
template <class Body>
void parallel_chunks(index count, index chunk, Body&& body) {
    parallel_for((count + chunk - 1) / chunk, [&](index r) { body(r * chunk, std::min(count, (r + 1) * chunk)); });
}

}  // namespace mercer
