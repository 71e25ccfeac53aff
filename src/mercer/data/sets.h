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

}  // namespace mercer
