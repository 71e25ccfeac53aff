#include "mercer/base/threads.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/with_threads.h"
#include "mercer/base/error.h"
#include "mercer/base/processors.h"

namespace mercer {
namespace {

using testing_support::with_threads;

TEST(parallel, every_item_runs_exactly_once) {
    const with_threads four(4);
    for (const index count : {0, 1, 2, 3, 4, 5, 7, 64, 1000, 20011}) {
        std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
        parallel_for(count, [&](index i) { ++seen[static_cast<std::size_t>(i)]; });
        for (index i = 0; i < count; ++i)
            ASSERT_EQ(seen[static_cast<std::size_t>(i)], 1) << "item " << i << " of " << count;
    }
}

TEST(parallel, negative_count_runs_nothing) {
    int calls = 0;
    parallel_for(-3, [&](index) { ++calls; });
    EXPECT_EQ(calls, 0);
}

// Back-to-back loops of changing size: a worker that wakes late must not touch a loop that has ended.
TEST(parallel, many_short_loops) {
    for (int round = 0; round < 3000; ++round) {
        const with_threads team(1 + round % 5);
        const index count = round % 9;
        std::atomic<index> sum{0};
        parallel_for(count, [&](index i) { sum += i + 1; });
        ASSERT_EQ(sum, count * (count + 1) / 2) << "round " << round;
    }
}

TEST(parallel, what_the_items_wrote_is_visible_afterwards) {
    const with_threads four(4);
    std::vector<double> plain(5000, 0);  // not atomic: the end of the loop orders the writes before the reads
    parallel_for(5000, [&](index i) { plain[static_cast<std::size_t>(i)] = static_cast<double>(i) * 0.5; });
    for (index i = 0; i < 5000; ++i) ASSERT_EQ(plain[static_cast<std::size_t>(i)], static_cast<double>(i) * 0.5);
}

TEST(parallel, worker_numbers_are_in_range_and_not_shared) {
    const with_threads three(3);
    std::vector<std::atomic<int>> busy(3);
    std::atomic<int> bad_number{0};
    std::atomic<int> shared{0};
    parallel_for(2000, [&](index, int worker) {
        if (worker < 0 || worker >= 3) {
            ++bad_number;
            return;
        }
        if (busy[static_cast<std::size_t>(worker)].fetch_add(1) != 0) ++shared;
        std::this_thread::yield();
        busy[static_cast<std::size_t>(worker)].fetch_sub(1);
    });
    EXPECT_EQ(bad_number, 0);
    EXPECT_EQ(shared, 0) << "two threads had the same worker number at once";
}

// Three items that each wait until all three have begun: they can only end when three threads run them.
TEST(parallel, threads_run_at_the_same_time) {
    const with_threads three(3);
    std::mutex lock;
    std::condition_variable all_here;
    int arrived = 0;
    std::atomic<int> gave_up{0};
    parallel_for(3, [&](index) {
        std::unique_lock guard(lock);
        ++arrived;
        all_here.notify_all();
        if (!all_here.wait_for(guard, std::chrono::seconds(60), [&] { return arrived == 3; })) ++gave_up;
    });
    EXPECT_EQ(gave_up, 0);
}

TEST(parallel, first_exception_reaches_the_caller) {
    const with_threads four(4);
    for (int round = 0; round < 50; ++round) {
        std::atomic<int> ran{0};
        try {
            parallel_for(1000, [&](index i) {
                ++ran;
                if (i == 17) fail(errc::data, "item 17");
            });
            FAIL() << "nothing was thrown";
        } catch (const error& thrown) {
            EXPECT_EQ(thrown.code(), errc::data);
            EXPECT_STREQ(thrown.what(), "item 17");
        }
        EXPECT_GE(ran, 1);
    }
}

TEST(parallel, items_after_a_failure_are_not_started_by_one_thread) {
    const with_threads one(1);
    std::vector<index> ran;
    EXPECT_THROW(parallel_for(10,
                              [&](index i) {
                                  ran.push_back(i);
                                  if (i == 3) throw std::runtime_error("stop");
                              }),
                 std::runtime_error);
    EXPECT_EQ(ran, (std::vector<index>{0, 1, 2, 3}));
}

TEST(parallel, when_every_item_throws_one_exception_arrives_and_the_pool_lives_on) {
    const with_threads four(4);
    EXPECT_THROW(parallel_for(100, [](index) { throw std::runtime_error("each"); }), std::runtime_error);
    std::atomic<int> ran{0};
    parallel_for(100, [&](index) { ++ran; });
    EXPECT_EQ(ran, 100);
}

TEST(parallel, nested_loops_run_in_the_thread_of_their_item) {
    const with_threads four(4);
    std::vector<std::atomic<int>> seen(40 * 30);
    std::atomic<int> elsewhere{0};
    parallel_for(40, [&](index i) {
        const auto outer = std::this_thread::get_id();
        parallel_for(30, [&](index j, int worker) {
            ++seen[static_cast<std::size_t>(i * 30 + j)];
            if (worker != 0 || std::this_thread::get_id() != outer) ++elsewhere;
        });
    });
    for (const auto& one : seen) ASSERT_EQ(one, 1);
    EXPECT_EQ(elsewhere, 0);
}

TEST(parallel, exception_of_a_nested_loop_reaches_the_outer_caller) {
    const with_threads four(4);
    EXPECT_THROW(parallel_for(8,
                              [](index i) {
                                  parallel_for(8, [i](index j) {
                                      if (i == 5 && j == 6) fail(errc::io, "inner");
                                  });
                              }),
                 error);
}

TEST(parallel, thread_limit_holds_for_its_scope_and_its_thread) {
    const with_threads eight(8);
    {
        const thread_limit two(2);
        EXPECT_EQ(threads(), 2);
        {
            const thread_limit one(1);
            EXPECT_EQ(threads(), 1);
            std::set<std::thread::id> used;
            parallel_for(100,
                         [&](index) { used.insert(std::this_thread::get_id()); });  // unlocked: there is one thread
            EXPECT_EQ(used, std::set<std::thread::id>{std::this_thread::get_id()});
        }
        EXPECT_EQ(threads(), 2);
        int other_thread = 0;
        std::thread([&] { other_thread = threads(); }).join();
        EXPECT_EQ(other_thread, 8);
    }
    EXPECT_EQ(threads(), 8);
}

TEST(parallel, thread_limit_above_the_number_of_threads_changes_nothing) {
    const with_threads two(2);
    const thread_limit many(100);
    EXPECT_EQ(threads(), 2);
}

TEST(parallel, set_threads_refuses_what_is_no_number_of_threads) {
    const int before = threads();
    for (const int count : {0, -4, max_threads + 1, 1000000000}) {
        try {
            set_threads(count);
            ADD_FAILURE() << count << " was accepted";
        } catch (const error& thrown) {
            EXPECT_EQ(thrown.code(), errc::invalid_argument);
            EXPECT_NE(std::string(thrown.what()).find("1 <= threads <= 4096, got " + std::to_string(count)),
                      std::string::npos)
                << thrown.what();
        }
        if (count != 0) {
            EXPECT_THROW(thread_limit{count}, error) << count;
        }
    }
    EXPECT_EQ(threads(), before);
}

TEST(parallel, far_more_threads_than_processors_are_not_used) {
    const with_threads many(max_threads);
    EXPECT_GE(threads(), 8);
    EXPECT_LE(threads(), std::max(8, 4 * usable_processors()));
}

TEST(parallel, a_limit_of_zero_leaves_the_limit_as_it_was) {
    const with_threads four(4);
    const thread_limit two(2);
    const thread_limit none(0);
    EXPECT_EQ(threads(), 2);
}

TEST(parallel, concurrent_callers_each_get_their_whole_loop) {
    const with_threads three(3);
    constexpr int callers = 6;
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads_of_the_program;
    threads_of_the_program.reserve(callers);
    for (int caller = 0; caller < callers; ++caller)
        threads_of_the_program.emplace_back([&] {
            for (int round = 0; round < 100; ++round) {
                std::vector<int> mine(257, 0);
                parallel_for(257, [&](index i) { ++mine[static_cast<std::size_t>(i)]; });
                for (const int times : mine) wrong += times != 1;
            }
        });
    for (auto& one : threads_of_the_program) one.join();
    EXPECT_EQ(wrong, 0);
}

// The child of fork() has none of the parent's threads: a pool that waits for them would hang, and the alarm would end
// it.
int exit_code_of_child(int (*body)()) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(body());
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(parallel, loops_work_in_a_forked_child_and_go_on_in_the_parent) {
    const with_threads four(4);
    std::atomic<int> before{0};
    parallel_for(100, [&](index) { ++before; });  // the pool's threads exist when fork() is called
    ASSERT_EQ(before, 100);
    for (int round = 0; round < 3; ++round) {
        const int code = exit_code_of_child([] {
            std::atomic<int> ran{0};
            for (int loops = 0; loops < 20; ++loops) parallel_for(100, [&](index) { ++ran; });
            return ran == 2000 ? 0 : 1;
        });
        EXPECT_EQ(code, 0) << "negative: the child was killed by that signal";
    }
    std::atomic<int> after{0};
    parallel_for(100, [&](index) { ++after; });
    EXPECT_EQ(after, 100);
}

TEST(parallel, child_that_forks_again_works_too) {
    const with_threads two(2);
    const int code = exit_code_of_child([] {
        std::atomic<int> ran{0};
        parallel_for(50, [&](index) { ++ran; });
        const int inner = exit_code_of_child([] {
            std::atomic<int> deep{0};
            parallel_for(50, [&](index) { ++deep; });
            return deep == 50 ? 0 : 1;
        });
        return ran == 50 && inner == 0 ? 0 : 1;
    });
    EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace mercer
