// "a, b, c": texts or numbers with something between them. (fmt::join would have fmt's whole formatter compiled into
// every source that uses it.)
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace mercer {

template <class Range>
std::string joined(const Range& items, std::string_view between) {
    std::string out;
    bool first = true;
    for (const auto& each : items) {
        if (!first) out += between;
        first = false;
        if constexpr (requires { out.append(each); })
            out.append(each);
        else
            out += fmt::format("{}", each);
    }
    return out;
}

}  // namespace mercer
