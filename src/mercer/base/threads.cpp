#include "mercer/base/threads.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/processors.h"
#include "mercer/base/workspace.h"

namespace mercer {
namespace {

int capped(int count) {
    static const int most = std::max(8, 4 * usable_processors());
    return std::min(count, most);
}

int initial_threads() {
    const char* const wish = std::getenv("MERCER_THREADS");
    if (!wish || !*wish) return usable_processors();
    std::string_view text(wish);
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    int count = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (fault != std::errc() || end != text.data() + text.size() || count < 1 || count > max_threads)
        fail(errc::invalid_argument, "MERCER_THREADS must be a whole number from 1 to " + std::to_string(max_threads) +
                                         ", got '" + wish + "': change it, or leave it unset");
    return capped(count);
}

std::atomic<int> wanted_threads{0};  // 0: not set yet
thread_local int limit_here = 0;     // 0: no limit
thread_local bool inside_loop = false;

struct loop {
    index count;
    detail::loop_body body;
    void* context;
    int workers;                // number of pool threads that may join
    cancellation_scope* scope;  // cancellation of the calling thread
    workspace_limit* limit;
    std::atomic<index> next{0};
    std::mutex failure_lock;
    std::exception_ptr failure;

    void work(int worker) {
        inside_loop = true;
        const cancellation_override caller(scope);
        const workspace_limit::scope bounded(limit);
        for (;;) {
            const index item = next.fetch_add(1, std::memory_order_relaxed);
            if (item >= count) break;
            attempt([&] {
                throw_if_cancelled();
                body(context, item, worker);
            });
        }
        inside_loop = false;
    }
    template <class Work>
    void attempt(Work work) {
        try {
            work();
        } catch (...) {
            std::lock_guard guard(failure_lock);
            if (!failure) failure = std::current_exception();
            next.store(count, std::memory_order_relaxed);  // no thread starts another item
        }
    }
};

class pool {
public:
    std::mutex caller;  // one loop at a time

    void run(loop& job) {
        job.workers = grow(job.workers);
        {
            std::lock_guard guard(lock_);
            job_ = &job;
            to_start_ = job.workers;
            running_ = 0;
            generation_.fetch_add(1, std::memory_order_release);
        }
        wake_.notify_all();
        job.work(0);
        std::unique_lock guard(lock_);
        to_start_ = 0;  // threads that have not woken yet do not join
        while (!done_.wait_for(guard, std::chrono::milliseconds(50), [&] { return running_ == 0; })) {
            // Only this thread may call the predicate of its scope; the workers read the answer.
            guard.unlock();
            job.attempt(throw_if_cancelled);
            guard.lock();
        }
        job_ = nullptr;
    }

    // The threads wait for work until the process ends.
    static pool& instance() {
        static pool* one = [] {
            pthread_atfork(nullptr, nullptr, [] { current = new pool; });  // the child has no threads
            return current = new pool;
        }();
        (void)one;
        return *current;
    }

private:
    // Starts threads until the pool has `count`. Returns their number, which is smaller than `count` if the system
    // starts no more (ulimit -u, ulimit -v).
    int grow(int count) {
        try {
            for (; started_ < count; ++started_) std::thread([this, worker = started_ + 1] { serve(worker); }).detach();
        } catch (const std::system_error&) {
        } catch (const std::bad_alloc&) {
        }
        return std::min(started_, count);
    }

    void serve(int worker) {
        std::uint64_t seen = 0;
        for (;;) {
            // A short spin keeps the latency of back-to-back loops (an SMO step has several) at about a microsecond.
            for (int spin = 0; spin < 4000 && generation_.load(std::memory_order_acquire) == seen; ++spin) {
#if defined(__x86_64__)
                __builtin_ia32_pause();
#endif
            }
            loop* job = nullptr;
            {
                std::unique_lock guard(lock_);
                wake_.wait(guard, [&] { return generation_.load(std::memory_order_relaxed) != seen; });
                seen = generation_.load(std::memory_order_relaxed);
                if (job_ && worker <= job_->workers && to_start_ > 0) {
                    --to_start_;
                    ++running_;
                    job = job_;
                }
            }
            if (!job) continue;
            job->work(worker);
            std::lock_guard guard(lock_);
            if (--running_ == 0) done_.notify_one();
        }
    }

    static pool* current;
    std::mutex lock_;
    std::condition_variable wake_;
    std::condition_variable done_;
    std::atomic<std::uint64_t> generation_{0};
    loop* job_ = nullptr;
    int to_start_ = 0;
    int running_ = 0;
    int started_ = 0;
};

pool* pool::current = nullptr;

}  // namespace

int threads() {
    if (wanted_threads.load() == 0) {
        int none = 0;
        wanted_threads.compare_exchange_strong(none, initial_threads());
    }
    const int all = wanted_threads.load();
    return limit_here > 0 && limit_here < all ? limit_here : all;
}

void require_thread_count(std::int64_t count, const char* what) {
    if (count >= 1 && count <= max_threads) return;
    fail(errc::invalid_argument, std::string(what) + " must satisfy 1 <= threads <= " + std::to_string(max_threads) +
                                     ", got " + std::to_string(count));
}

void set_threads(int count) {
    require_thread_count(count);
    wanted_threads.store(capped(count));
}

thread_limit::thread_limit(int count) : before_(limit_here) {
    if (count == 0) return;
    require_thread_count(count);
    limit_here = count;
}
thread_limit::~thread_limit() { limit_here = before_; }

void detail::run_parallel(index count, loop_body body, void* context) {
    if (count <= 0) return;
    const int team = static_cast<int>(std::min<index>(threads(), count));
    if (team > 1 && !inside_loop) {
        pool& workers = pool::instance();
        std::unique_lock<std::mutex> mine(workers.caller, std::try_to_lock);
        if (mine) {
            loop job{count, body, context, team - 1, cancellation_scope::current(), workspace_limit::current(),
                     {},    {},   {}};
            workers.run(job);
            if (job.failure) std::rethrow_exception(job.failure);
            return;
        }
    }
    for (index item = 0; item < count; ++item) {
        throw_if_cancelled();
        body(context, item, 0);
    }
}

}  // namespace mercer
