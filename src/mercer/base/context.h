// Cancellation of long work.
//
// The caller of long work creates a `cancellation_scope` in its thread. Every parallel loop of that thread
// (base/threads.h), and every serial loop that calls throw_if_cancelled(), calls the predicate of the scope at most 20
// times a second. Once the predicate has returned true, the loop ends with errc::cancelled. A kernel matrix, a product
// or a hundred concurrent fits can therefore be cancelled although their code does not refer to the scope. The
// exception discards unfinished results. A method that can return an unfinished result instead calls its own progress
// callback at every step, and returns with fit_status::cancelled.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <thread>

#include "mercer/base/error.h"

namespace mercer {

class cancellation_scope {
public:
    // `should_stop` returns true if the work is to stop. It is called only in the thread that created the scope, and no
    // more once it has returned true.
    explicit cancellation_scope(std::function<bool()> should_stop);
    ~cancellation_scope();
    cancellation_scope(const cancellation_scope&) = delete;
    cancellation_scope& operator=(const cancellation_scope&) = delete;

    bool is_cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
    static cancellation_scope* current();  // the innermost scope of this thread; nullptr: none

private:
    friend void throw_if_cancelled();
    bool poll();  // true: stop; calls should_stop_ if the last call was at least 50 ms ago

    std::function<bool()> should_stop_;
    cancellation_scope* outer_;
    std::thread::id owner_ = std::this_thread::get_id();
    std::chrono::steady_clock::time_point last_poll_{};
    std::atomic<bool> cancelled_{false};
};

// Checks for cancellation: throws errc::cancelled if the scope of this thread, or an outer one, has been asked to stop.
void throw_if_cancelled();

// Calls step(). Returns false if step() threw errc::cancelled, and true if it completed. Values that step() had stored
// before remain stored.
template <class Step>
bool completes_unless_cancelled(Step step) {
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
class cancellation_override {
public:
    explicit cancellation_override(cancellation_scope* other);
    ~cancellation_override();
    cancellation_override(const cancellation_override&) = delete;
    cancellation_override& operator=(const cancellation_override&) = delete;

private:
    cancellation_scope* before_;
};

// Cancellation of serial work whose steps are too short for a check at every step.
class cancellation_check {
public:
    // Counts steps of a few nanoseconds each, and calls throw_if_cancelled() once for about every 2¹⁶ steps.
    void count(std::size_t steps) {
        steps_ += steps;
        if (steps_ < std::size_t{1} << 16) return;
        steps_ = 0;
        throw_if_cancelled();
    }

private:
    std::size_t steps_ = 0;
};

}  // namespace mercer
