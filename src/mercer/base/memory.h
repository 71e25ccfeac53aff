// The memory of the machine, settings of the heap, and large arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace mercer {

std::size_t physical_memory();  // bytes of the machine
std::size_t free_memory();      // bytes that programs can allocate now without swapping
// The default memory limit in bytes: a quarter of the memory that this process can have (the physical memory, or a
// smaller limit of its container or of its address space), and at most half of free_memory().
std::size_t default_memory_budget();

// n·2³⁰ bytes, or the largest std::size_t if that is smaller (32-bit addresses).
constexpr std::size_t gibibytes(std::size_t n) {
    constexpr auto most = static_cast<std::size_t>(-1);
    return n <= most >> 30 ? n << 30 : most;
}

// Prepares the heap of a program that will process much data: memory that is allocated from now on comes in large pages
// and is kept until the process ends. Getting single pages from the system, returning them and getting them again took
// a sixth of the time of a short training run. For programs, not for libraries, because it changes the allocator of the
// process. Does nothing unless the system is Linux with glibc.
void prepare_heap();

// From this call on, blocks of 1 MiB and more go back to the system as soon as they are freed: for programs that
// process batches of rows within a memory limit. By default glibc raises its threshold when such a block is freed and
// then keeps blocks of this size, so that batches would take twice their memory.
void return_freed_memory();

// memcpy() that also accepts null pointers for 0 bytes: the data pointer of an empty vector is null.
inline void copy_bytes(void* to, const void* from, std::size_t bytes) {
    if (bytes > 0) std::memcpy(to, from, bytes);
}

// A large array whose pages take no memory until they are written.
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
