// A large array whose pages cost nothing until they are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace mercer {

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
