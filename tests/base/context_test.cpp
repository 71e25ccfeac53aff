#include "mercer/base/context.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "base/with_threads.h"
#include "mercer/base/threads.h"

namespace mercer {
namespace {

using testing_support::with_threads;

void rest() { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }

// A loop with far more items than the test can wait for: it must end early with errc::cancelled.
template <class Loop>
void expect_cancelled(Loop loop) {
    try {
        loop();
        ADD_FAILURE() << "it ran to its end";
    } catch (const error& problem) {
        EXPECT_EQ(problem.code(), errc::cancelled);
    }
}

constexpr index endless = 1 << 30;

TEST(stop, a_loop_asks_and_ends) {
    for (const int team : {1, 4}) {
        const with_threads some(team);
        std::atomic<int> items{0};
        const cancellation_scope scope([&] { return items >= 10; });
        expect_cancelled([&] {
            parallel_for(endless, [&](index) {
                ++items;
                rest();
            });
        });
        EXPECT_TRUE(scope.is_cancelled());
    }
}

TEST(stop, without_a_scope_nobody_asks) {
    std::atomic<int> items{0};
    {
        const cancellation_scope scope([] { return true; });
        const cancellation_override nobody(nullptr);
        parallel_for(100, [&](index) { ++items; });
        throw_if_cancelled();
    }
    throw_if_cancelled();
    parallel_for(100, [&](index) { ++items; });
    EXPECT_EQ(items, 200);
}

// Only the thread of the scope calls the function; other threads are cancelled within their own long items.
TEST(stop, loops_inside_of_loops_end_in_every_thread) {
    const with_threads four(4);
    std::atomic<int> asked_elsewhere{0}, items{0};
    const std::thread::id me = std::this_thread::get_id();
    const cancellation_scope scope([&] {
        asked_elsewhere += std::this_thread::get_id() != me;
        return items >= 50;
    });
    expect_cancelled([&] {
        parallel_for(4, [&](index) {
            parallel_for(endless, [&](index) {
                ++items;
                rest();
            });
        });
    });
    EXPECT_EQ(asked_elsewhere, 0);
}

// The thread of the scope has no items left and waits for a long item of another thread.
TEST(stop, it_listens_while_it_waits) {
    const with_threads two(2);
    const std::thread::id me = std::this_thread::get_id();
    std::atomic<bool> other_started{false};
    const cancellation_scope scope([&] { return other_started.load(); });
    expect_cancelled([&] {
        parallel_for(2, [&](index) {
            if (std::this_thread::get_id() == me) {
                while (!other_started) rest();
                return;
            }
            other_started = true;
            parallel_for(endless, [](index) { rest(); });
        });
    });
}

TEST(stop, scopes_around_a_scope_count_too) {
    int items = 0;
    const cancellation_scope outer([&] { return items >= 10; });
    const cancellation_scope inner([] { return false; });
    expect_cancelled([&] {
        for (;; ++items) {
            throw_if_cancelled();
            rest();
        }
    });
    EXPECT_TRUE(outer.is_cancelled());
    EXPECT_FALSE(inner.is_cancelled());
}

TEST(stop, what_was_done_is_kept_and_other_errors_pass) {
    int items = 0;
    const cancellation_scope scope([&] { return items >= 10; });
    EXPECT_FALSE(completes_unless_cancelled([&] {
        for (;; ++items) {
            throw_if_cancelled();
            rest();
        }
    }));
    EXPECT_GE(items, 10);
    EXPECT_THROW(completes_unless_cancelled([] { fail(errc::data, "bad"); }), error);
    const cancellation_override nobody(nullptr);
    EXPECT_TRUE(completes_unless_cancelled([] { throw_if_cancelled(); }));
}

}  // namespace
}  // namespace mercer
