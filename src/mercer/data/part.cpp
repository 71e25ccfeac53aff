#include "mercer/data/part.h"

#include <fmt/format.h>

#include "mercer/base/error.h"

namespace mercer {
namespace {

template <class T>
dataset part_of(const dense<T>& from, index first, index count) {
    return dense<T>(from.view().block(first, 0, count, from.dims()), std::make_shared<const dense<T>>(from));
}

template <class T>
dataset part_of(const sparse<T>& from, index first, index count) {
    struct kept {
        sparse<T> all;
        std::vector<index> start;
    };
    const auto keep = std::make_shared<kept>(kept{from, {0}});
    for (index i = 0; i < count; ++i) keep->start.push_back(keep->start.back() + std::ssize(from.cols(first + i)));
    const auto entries = static_cast<std::size_t>(keep->start.back());
    return sparse<T>(std::span<const index>(keep->start), {from.cols(first).data(), entries},
                     {from.values(first).data(), entries}, from.dims(), keep);
}

dataset part_of(const objects& from, index first, index count) { return from.gather(selection(first, count)); }

}  // namespace

dataset part(const dataset& from, index first, index count) {
    if (first < 0 || count < 0 || first + count > from.size())
        fail(errc::invalid_argument,
             fmt::format("objects {} to {} asked for, but there are {}", first, first + count - 1, from.size()));
    if (count == 0) return {};
    return std::visit([&](const auto& some) { return part_of(some, first, count); }, from.items());
}

}  // namespace mercer
