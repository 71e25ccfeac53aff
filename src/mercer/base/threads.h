// Parallel loops over independent work items (tiles).
//
// One pool serves the process. It is written here rather than taken from OpenMP because libgomp hangs in a child after
// fork() (joblib, multiprocessing) and cannot be checked by ThreadSanitizer. A result never depends on the number of
// threads as long as each item writes only its own part: which thread runs an item is the only thing that varies.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "mercer/base/matrix_view.h"

namespace mercer {

// What a number of threads may be: 1 <= count <= most_threads.
inline constexpr int most_threads = 4096;
// Fails for other numbers; `what` names the setting.
void require_threads(std::int64_t count, const char* what = "the number of threads");

// The number of threads parallel loops may use, the caller's included. Starts at the number of usable processors
// (base/processors.h), or MERCER_THREADS; fails where that is no number of threads.
int threads();
// More threads than four for each usable processor (and more than eight) only wait for each other: no more are used.
void set_threads(int count);

// Runs loops of this thread with at most `count` threads while it lives, 1 <= count <= most_threads; 0: as before.
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
// Inside another loop, or while the pool is busy for another caller, it runs in the calling thread (worker 0).
// The first exception thrown by an item is rethrown here once the running items have ended.
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

// Calls body(first, end) for runs of `run` items that together make up 0 … count-1: for items too small to be handed
// out one by one.
template <class Body>
void parallel_runs(index count, index run, Body&& body) {
    parallel_for((count + run - 1) / run, [&](index r) { body(r * run, std::min(count, (r + 1) * run)); });
}

}  // namespace mercer
