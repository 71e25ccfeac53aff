// Cancellation of long work.
//
// The caller of long work creates a `stop_scope` in its thread. Every parallel loop of that thread (base/threads.h),
// and every serial loop that calls stop_point(), calls the predicate of the scope at most 20 times a second. Once the
// predicate has returned true, the loop ends with errc::cancelled. A kernel matrix, a product or a hundred concurrent
// fits can therefore be cancelled although their code does not know the scope. The exception discards unfinished
// results: a method that can return an unfinished result calls its own progress callback at every step instead, and
// returns with fit_status::cancelled.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <thread>

#include "mercer/base/error.h"

namespace mercer {

class stop_scope {
public:
    // `wanted` returns true if the work is to stop. It is called only in the thread that created the scope, and no more
    // once it has returned true.
    explicit stop_scope(std::function<bool()> wanted);
    ~stop_scope();
    stop_scope(const stop_scope&) = delete;
    stop_scope& operator=(const stop_scope&) = delete;

    bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
    static stop_scope* here();  // the innermost scope of this thread; nullptr: none

private:
    friend void stop_point();
    bool ask();  // true: stop; calls wanted_ if the last call was at least 50 ms ago

    std::function<bool()> wanted_;
    stop_scope* outer_;
    std::thread::id owner_ = std::this_thread::get_id();
    std::chrono::steady_clock::time_point asked_{};
    std::atomic<bool> stopped_{false};
};

// Throws errc::cancelled if the scope of this thread, or one around it, has been asked to stop.
void stop_point();

// Calls step(). Returns false if step() ended with errc::cancelled. The values that step() has stored until then are
// kept.
template <class Step>
bool unless_stopped(Step step) {
    try {
        step();
    } catch (const error& problem) {
        if (problem.code() != errc::cancelled) throw;
        return false;
    }
    return true;
}

// While it lives, `other` is the scope of this thread. A worker thread gets the scope of the loop that it works for.
// With nullptr, work that has to be completed after a cancellation cannot be cancelled.
class listening_to {
public:
    explicit listening_to(stop_scope* other);
    ~listening_to();
    listening_to(const listening_to&) = delete;
    listening_to& operator=(const listening_to&) = delete;

private:
    stop_scope* before_;
};

// Cancellation of serial work whose steps are too short for a check at every step.
class stop_watch {
public:
    // Counts steps of a few nanoseconds each, and calls stop_point() once for about every 2¹⁶ steps.
    void after(std::size_t steps) {
        steps_ += steps;
        if (steps_ < std::size_t{1} << 16) return;
        steps_ = 0;
        stop_point();
    }

private:
    std::size_t steps_ = 0;
};

}  // namespace mercer
