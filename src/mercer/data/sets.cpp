#include "mercer/data/sets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "mercer/base/error.h"
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

std::string sets::text(index i) const { return fmt::format("{{{}}}", join((*this)[i], " ")); }

void sets::write(byte_writer& to) const {
    std::vector<index> lengths;
    for (index i = 0; i < size(); ++i) lengths.push_back(static_cast<index>((*this)[i].size()));
    to.write_numbers(lengths);
    for (index i = 0; i < size(); ++i) to.write_numbers((*this)[i]);
}

sets sets::read(byte_reader& from, index count) {
    const auto start = from.read_offsets(count);
    std::vector<std::vector<std::int64_t>> items;
    for (std::size_t i = 0; i + 1 < start.size(); ++i)
        items.push_back(from.read_numbers<std::int64_t>(start[i + 1] - start[i]));
    return sets(std::move(items));
}

namespace {

std::vector<counted_item> merged(std::vector<counted_item> from, std::size_t which) {
    constexpr std::int64_t most = std::int64_t{1} << 53;
    std::ranges::stable_sort(from, {}, &counted_item::item);
    std::vector<counted_item> out;
    std::int64_t total = 0;
    for (const counted_item& each : from) {
        if (each.count < 0 || each.count > most - total)
            fail(
                errc::invalid_argument,
                fmt::format("multiset {}: counts must satisfy 0 <= count and add up to at most 2^53, got {} of item {}",
                            which, each.count, each.item));
        total += each.count;
        if (each.count == 0) continue;
        if (!out.empty() && out.back().item == each.item)
            out.back().count += each.count;
        else
            out.push_back(each);
    }
    return out;
}

std::vector<std::vector<counted_item>> all_merged(std::vector<std::vector<counted_item>> items) {
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = merged(std::move(items[i]), i);
    return items;
}

}  // namespace

multisets::multisets(std::vector<std::vector<counted_item>> items) : item_list(all_merged(std::move(items))) {}

std::string multisets::text(index i) const {
    std::string out = "{";
    for (const auto& [item, count] : (*this)[i]) out += fmt::format("{}{}:{}", out.size() > 1 ? " " : "", item, count);
    return out + "}";
}

void multisets::write(byte_writer& to) const {
    std::vector<index> lengths;
    for (index i = 0; i < size(); ++i) lengths.push_back(static_cast<index>((*this)[i].size()));
    to.write_numbers(lengths);
    for (index i = 0; i < size(); ++i) to.write_numbers((*this)[i]);
}

multisets multisets::read(byte_reader& from, index count) {
    const auto start = from.read_offsets(count);
    std::vector<std::vector<counted_item>> items;
    for (std::size_t i = 0; i + 1 < start.size(); ++i)
        items.push_back(from.read_numbers<counted_item>(start[i + 1] - start[i]));
    return multisets(std::move(items));
}

}  // namespace mercer
