// System calls that a signal has interrupted are repeated.
#pragma once

#include <cerrno>

namespace mercer {

// The result of call(), which is repeated while it is negative and errno is EINTR. Not for close(): Linux has closed
// the descriptor, which another thread may have got since.
template <class Call>
auto uninterrupted(Call call) {
    for (;;) {
        const auto result = call();
        if (result >= 0 || errno != EINTR) return result;
    }
}

}  // namespace mercer
