// Memory that all requests share: a request reserves bytes before it uses them, and is refused where too few are left.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace mercer::cli {

class memory_budget {
public:
    explicit memory_budget(std::size_t bytes) : total_(bytes) {}
    std::size_t total() const { return total_; }

    // What one request has reserved; its destructor gives the bytes back.
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
        // Reserves up to `bytes` in all. False, and nothing changes, where the budget has too few left. A share of no
        // budget has no bound.
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
