#include "mercer/base/parallel.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/stop.h"

namespace mercer {
namespace {

int initial_threads() {
    if (const char* wish = std::getenv("MERCER_THREADS")) {
        const int count = std::atoi(wish);
        if (count >= 1) return count;
    }
    const unsigned cores = std::thread::hardware_concurrency();
    return cores ? static_cast<int>(cores) : 1;
}

std::atomic<int> wanted_threads{0};  // 0: not asked yet
thread_local int limit_here = 0;     // 0: no limit
thread_local bool inside_loop = false;

struct loop {
    index count;
    detail::loop_body body;
    void* context;
    int workers;        // how many pool threads may join
    stop_scope* scope;  // what the caller listens to
    std::atomic<index> next{0};
    std::mutex failure_lock;
    std::exception_ptr failure;

    void work(int worker) {
        inside_loop = true;
        const listening_to caller(scope);
        for (;;) {
            const index item = next.fetch_add(1, std::memory_order_relaxed);
            if (item >= count) break;
            attempt([&] {
                stop_point();
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
            next.store(count, std::memory_order_relaxed);  // nobody starts another item
        }
    }
};

class pool {
public:
    std::mutex caller;  // one loop at a time

    void run(loop& job) {
        grow(job.workers);
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
        to_start_ = 0;  // a thread that has not woken yet need not
        while (!done_.wait_for(guard, std::chrono::milliseconds(50), [&] { return running_ == 0; })) {
            // Only this thread may ask its scope; what the others do listens to the answer.
            guard.unlock();
            job.attempt(stop_point);
            guard.lock();
        }
        job_ = nullptr;
    }

    // Threads wait forever for work: like the workers of any runtime they end with the process.
    static pool& instance() {
        static pool* one = [] {
            pthread_atfork(nullptr, nullptr, [] { current = new pool; });  // the child has no threads: start anew there
            return current = new pool;
        }();
        (void)one;
        return *current;
    }

private:
    void grow(int count) {
        while (started_ < count) {
            ++started_;
            std::thread([this, worker = started_] { serve(worker); }).detach();
        }
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

void set_threads(int count) {
    if (count < 1)
        fail(errc::invalid_argument, "the number of threads must satisfy 1 <= threads, got " + std::to_string(count));
    wanted_threads.store(count);
}

thread_limit::thread_limit(int count) : before_(limit_here) { limit_here = count; }
thread_limit::~thread_limit() { limit_here = before_; }

void detail::run_parallel(index count, loop_body body, void* context) {
    if (count <= 0) return;
    const int team = static_cast<int>(std::min<index>(threads(), count));
    if (team > 1 && !inside_loop) {
        pool& workers = pool::instance();
        std::unique_lock<std::mutex> mine(workers.caller, std::try_to_lock);
        if (mine) {
            loop job{count, body, context, team - 1, stop_scope::here(), {}, {}, {}};
            workers.run(job);
            if (job.failure) std::rethrow_exception(job.failure);
            return;
        }
    }
    for (index item = 0; item < count; ++item) {
        stop_point();
        body(context, item, 0);
    }
}

}  // namespace mercer
