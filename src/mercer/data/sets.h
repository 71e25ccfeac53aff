// n finite sets of 64-bit item numbers, each sorted and without repeats.
#pragma once

#include "mercer/data/object_kind.h"

namespace mercer {

// A number for an item that has a name: a hash of it (FNV-1a, 64 bits), the same in every process, so that nothing has
// to be remembered between fit and predict.
std::int64_t item_number(std::string_view name);

class sets : public item_list<sets, std::vector<std::int64_t>> {
public:
    static constexpr domain where{"sets"};
    static constexpr const char* default_kernel = "jaccard()";

    sets() = default;
    // Sorts each set and drops repeats.
    explicit sets(std::vector<std::vector<std::int64_t>> items);

    std::string text(index i) const;
    void write(object_sink& to) const;
    static sets read(object_source& from, index count);
};

// n finite multisets of 64-bit item numbers: each item once, with how often it is there, items ascending.

struct counted_item {
    std::int64_t item = 0;
    std::int64_t count = 1;  // >= 1
    auto operator<=>(const counted_item&) const = default;
};

class multisets : public item_list<multisets, std::vector<counted_item>> {
public:
    static constexpr domain where{"multisets"};
    static constexpr const char* default_kernel = "min_max()";

    multisets() = default;
    // Sorts each and adds up the counts of repeated items; those of count 0 are left out. Fails where a count is
    // negative or a sum of counts is more than 2^53, beyond which a double is not exact.
    explicit multisets(std::vector<std::vector<counted_item>> items);

    std::string text(index i) const;
    void write(object_sink& to) const;
    static multisets read(object_source& from, index count);
};

}  // namespace mercer
