// How much memory the machine has, for budgets that nobody gave.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace mercer {

std::size_t physical_memory();  // bytes
std::size_t free_memory();      // of them, what programs could have now
// What may be taken without asking: a quarter of what this process can ever have, its container's or its own limit
// regarded, and no more than half of what is free now.
std::size_t spare_memory();

// n·2³⁰ bytes, or as many as there can be where addresses have 32 bits.
constexpr std::size_t gibibytes(std::size_t n) {
    constexpr auto most = static_cast<std::size_t>(-1);
    return n <= most >> 30 ? n << 30 : most;
}

// The heap of a program that is about to work on much data.

// Memory is taken in large pages and kept until the end, for everything that is allocated from here on: asking for
// pages one by one, handing them back and asking again was a sixth of the time of a short training run. For programs,
// not for a library: it changes the allocator of the process. Does nothing where the system or its allocator is another
// one than Linux's and glibc's.
void prepare_heap();

// Memory of a megabyte and more that is freed goes back to the system at once: for programs that work within a budget,
// batch by batch. glibc keeps what comes and goes, and batches that are read would be taken twice.
void return_freed_memory();

// memcpy, which may not be told of null pointers, not even for no bytes: an empty vector has one.

inline void copy_bytes(void* to, const void* from, std::size_t bytes) {
    if (bytes > 0) std::memcpy(to, from, bytes);
}

// A large array whose pages cost nothing until they are written.

class reserved_memory {
public:
    reserved_memory() = default;
    explicit reserved_memory(std::size_t bytes);  // zero-filled; throws std::bad_alloc
    ~reserved_memory();
    reserved_memory(reserved_memory&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    reserved_memory& operator=(reserved_memory&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    void* data() const { return data_; }
    std::size_t bytes() const { return bytes_; }

private:
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace mercer
