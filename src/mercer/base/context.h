// Long work that can be told to stop.
//
// Whoever starts it puts a `stop_scope` into its thread: a question that every parallel loop of that thread
// (base/threads.h), and every serial one that calls stop_point(), asks about twenty times a second. When the answer is
// yes, the loop ends with errc::cancelled. So filling a matrix, a product, a hundred fits side by side all listen,
// without one of them knowing that there is somebody to listen to. It is the last resort: a method with something to
// keep asks its own progress callback at every step and ends with that.
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
    // `wanted` is asked in the thread that made the scope, until it says yes.
    explicit stop_scope(std::function<bool()> wanted);
    ~stop_scope();
    stop_scope(const stop_scope&) = delete;
    stop_scope& operator=(const stop_scope&) = delete;

    bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
    static stop_scope* here();  // what this thread listens to; nullptr: nobody

private:
    friend void stop_point();
    bool ask();

    std::function<bool()> wanted_;
    stop_scope* outer_;
    std::thread::id owner_ = std::this_thread::get_id();
    std::chrono::steady_clock::time_point asked_{};
    std::atomic<bool> stopped_{false};
};

// Fails with errc::cancelled where the scope of this thread, or one around it, says so.
void stop_point();

// Runs step(), which may be stopped on its way: then false, and what it has done so far is all there is.
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

// This thread listens to another scope while it lives: a worker to that of the loop it works for; nobody (nullptr)
// where things are put in order after a stop.
class listening_to {
public:
    explicit listening_to(stop_scope* other);
    ~listening_to();
    listening_to(const listening_to&) = delete;
    listening_to& operator=(const listening_to&) = delete;

private:
    stop_scope* before_;
};

// Work in one thread whose steps are too short to ask at each of them whether to stop.

class stop_watch {
public:
    // Counts steps of a few nanoseconds each, and calls stop_point() once for about every 2¹⁶ of them.
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
