// A memory budget shared by all requests: a request reserves bytes before it uses them and is refused if the remaining
// budget is too small.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace mercer::cli {

class memory_budget {
public:
    explicit memory_budget(std::size_t bytes) : total_(bytes) {}
    std::size_t total() const { return total_; }

    // The bytes reserved by one request; the destructor releases them.
    class share {
    public:
        share() = default;
        explicit share(memory_budget& from) : from_(&from) {}
        ~share() { release(); }
        share(share&& other) noexcept
            : from_(std::exchange(other.from_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
        share& operator=(share&& other) noexcept {
            if (this == &other) return *this;
            release();
            from_ = std::exchange(other.from_, nullptr);
            bytes_ = std::exchange(other.bytes_, 0);
            return *this;
        }
        std::size_t bytes() const { return bytes_; }
        // Grows the reservation to `bytes` in total. Returns false, and changes nothing, if the budget is too small. A
        // share without a budget is unlimited.
        bool grow_to(std::size_t bytes) {
            if (!from_ || bytes <= bytes_) return true;
            if (!from_->take(bytes - bytes_)) return false;
            bytes_ = bytes;
            return true;
        }

    private:
        void release() {
            if (from_) from_->used_ -= bytes_;
            bytes_ = 0;
        }
        memory_budget* from_ = nullptr;
        std::size_t bytes_ = 0;
    };

private:
    bool take(std::size_t bytes) {
        std::size_t used = used_;
        do {
            if (bytes > total_ - used) return false;
        } while (!used_.compare_exchange_weak(used, used + bytes));
        return true;
    }
    std::size_t total_;
    std::atomic<std::size_t> used_{0};
};

}  // namespace mercer::cli
