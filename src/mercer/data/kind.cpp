#include <fmt/format.h>

#include "mercer/base/error.h"
#include "mercer/data/object_kind.h"

namespace mercer {

std::vector<index> object_source::starts(index count) {
    constexpr index many = index{1} << 48;
    std::vector<index> start{0};
    for (const index length : all<index>(count)) {
        if (length < 0 || length > many - start.back())
            fail(errc::parse, fmt::format("an object of length {}", length));
        start.push_back(start.back() + length);
    }
    return start;
}

}  // namespace mercer
