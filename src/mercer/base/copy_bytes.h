// memcpy, which may not be told of null pointers, not even for no bytes: an empty vector has one.
#pragma once

#include <cstddef>
#include <cstring>

namespace mercer {

inline void copy_bytes(void* to, const void* from, std::size_t bytes) {
    if (bytes > 0) std::memcpy(to, from, bytes);
}

}  // namespace mercer
