// Finite sets and finite multisets of items. An item is a 64-bit number.
#pragma once

#include "mercer/data/object_kind.h"

namespace mercer {

// The number of an item that has a name: a hash of the name (FNV-1a, 64 bits). It is the same in every process, so a
// model need not store the names.
std::int64_t item_number(std::string_view name);

// n sets, each sorted and without repeats.
class sets : public item_list<sets, std::vector<std::int64_t>> {
public:
    static constexpr object_kind kind{"sets"};
    static constexpr const char* default_kernel = "jaccard()";

    sets() = default;
    // Sorts each set and removes repeats.
    explicit sets(std::vector<std::vector<std::int64_t>> items);

    std::string text(index i) const;
    void write(byte_writer& to) const;
    static sets read(byte_reader& from, index count);
};

// An item of a multiset and its multiplicity.
struct counted_item {
    std::int64_t item = 0;
    std::int64_t count = 1;  // >= 1
    auto operator<=>(const counted_item&) const = default;
};

// n multisets, each sorted by item, with each item once.
class multisets : public item_list<multisets, std::vector<counted_item>> {
public:
    static constexpr object_kind kind{"multisets"};
    static constexpr const char* default_kernel = "min_max()";

    multisets() = default;
    // Sorts each multiset, adds the counts of repeated items and removes items of count 0. Throws
    // errc::invalid_argument if a count is negative or the counts of a multiset add up to more than 2^53, so that a
    // double may not be exact.
    explicit multisets(std::vector<std::vector<counted_item>> items);

    std::string text(index i) const;
    void write(byte_writer& to) const;
    static multisets read(byte_reader& from, index count);
};

}  // namespace mercer
