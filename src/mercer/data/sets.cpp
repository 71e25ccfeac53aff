#include "mercer/data/sets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "mercer/base/text.h"

namespace mercer {
namespace {

std::vector<std::vector<std::int64_t>> sorted(std::vector<std::vector<std::int64_t>> items) {
    for (auto& one : items) {
        if (!std::ranges::is_sorted(one)) std::ranges::sort(one);
        one.erase(std::unique(one.begin(), one.end()), one.end());
    }
    return items;
}

}  // namespace

std::int64_t item_number(std::string_view name) {
    std::uint64_t hash = 14695981039346656037ull;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
    return static_cast<std::int64_t>(hash);
}

sets::sets(std::vector<std::vector<std::int64_t>> items) : item_list(sorted(std::move(items))) {}

std::string sets::text(index i) const { return fmt::format("{{{}}}", joined((*this)[i], " ")); }

void sets::write(object_sink& to) const {
    std::vector<index> lengths;
    for (index i = 0; i < size(); ++i) lengths.push_back(static_cast<index>((*this)[i].size()));
    to.all(lengths);
    for (index i = 0; i < size(); ++i) to.all((*this)[i]);
}

sets sets::read(object_source& from, index count) {
    const auto start = from.starts(count);
    std::vector<std::vector<std::int64_t>> items;
    for (std::size_t i = 0; i + 1 < start.size(); ++i) items.push_back(from.all<std::int64_t>(start[i + 1] - start[i]));
    return sets(std::move(items));
}

}  // namespace mercer
