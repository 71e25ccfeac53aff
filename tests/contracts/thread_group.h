// A communicator whose processes are threads, so that shared fits can be tested without MPI.
#pragma once

#include <algorithm>
#include <barrier>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "mercer/base/communicator.h"

namespace mercer::testing {

struct shared_memory {
    explicit shared_memory(int size) : places(static_cast<std::size_t>(size)), all_here(size) {}
    std::vector<std::string> places;
    std::barrier<> all_here;
    std::mutex lock;
    std::condition_variable arrived;
    std::map<std::pair<int, int>, std::deque<std::string>> sent;  // messages by (sender, receiver)
};

class thread_group final : public communicator {
public:
    thread_group(shared_memory& memory, int rank) : m_(memory), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return static_cast<int>(m_.places.size()); }
    void broadcast(void* data, std::size_t bytes) const override {
        const std::vector<std::string> got = all_gather(rank_ == 0 ? std::string(static_cast<char*>(data), bytes) : "");
        std::memcpy(data, got[0].data(), bytes);
    }
    void send(int to, const void* data, std::size_t bytes) const override {
        std::lock_guard guard(m_.lock);
        m_.sent[{rank_, to}].emplace_back(static_cast<const char*>(data), bytes);
        m_.arrived.notify_all();
    }
    void receive(int from, void* data, std::size_t bytes) const override {
        std::unique_lock guard(m_.lock);
        auto& waiting = m_.sent[{from, rank_}];
        m_.arrived.wait(guard, [&] { return !waiting.empty(); });
        if (waiting.front().size() != bytes) throw std::logic_error("another number of bytes was sent");
        if (bytes > 0) std::memcpy(data, waiting.front().data(), bytes);
        waiting.pop_front();
    }
    std::vector<std::string> all_gather(const std::string& mine) const override {
        m_.places[static_cast<std::size_t>(rank_)] = mine;
        m_.all_here.arrive_and_wait();
        std::vector<std::string> out = m_.places;
        m_.all_here.arrive_and_wait();
        return out;
    }
    void all_sum(double* data, std::size_t count) const override {
        const auto got = all_gather(std::string(reinterpret_cast<const char*>(data), count * sizeof(double)));
        for (int each = 1; each < size(); ++each)  // each rank in a different order
            for (std::size_t i = 0; i < count; ++i) {
                double more = 0;
                std::memcpy(&more, got[static_cast<std::size_t>((rank_ + each) % size())].data() + i * sizeof more,
                            sizeof more);
                data[i] += more;
            }
    }
    // Every rank computes the factor itself, from the definition.
    bool can_factor(std::size_t) const override { return true; }
    bool factor(double* upper, std::size_t n) const override {
        std::vector<double> a(upper, upper + n * n);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = i; j < n; ++j) {
                double sum = a[i * n + j];
                for (std::size_t k = i; k-- > 0;) sum -= a[k * n + i] * a[k * n + j];
                if (i == j && !(sum > 0)) return false;
                a[i * n + j] = i == j ? std::sqrt(sum) : sum / a[i * n + i];
            }
        std::copy(a.begin(), a.end(), upper);
        return true;
    }
    bool all_failed(double) const override { return true; }
    [[noreturn]] void abort(int) const override { throw std::runtime_error("the group was ended"); }

private:
    shared_memory& m_;
    int rank_;
};

// Runs work(group) in `count` ranks and throws the exception of rank 0 if it failed. Work must not fail in one rank
// alone.
inline void run_as_ranks(int count, const std::function<void(const communicator&)>& work) {
    shared_memory memory(count);
    std::vector<std::exception_ptr> failed(static_cast<std::size_t>(count));
    std::vector<std::thread> threads;
    for (int rank = 0; rank < count; ++rank)
        threads.emplace_back([&, rank] {
            try {
                work(thread_group(memory, rank));
            } catch (...) {
                failed[static_cast<std::size_t>(rank)] = std::current_exception();
            }
        });
    for (std::thread& each : threads) each.join();
    if (failed[0]) std::rethrow_exception(failed[0]);
}

}  // namespace mercer::testing
