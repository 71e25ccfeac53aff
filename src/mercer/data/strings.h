// n strings of bytes.
#pragma once

#include "mercer/data/object_kind.h"

namespace mercer {

class strings : public item_list<strings, std::string> {
public:
    static constexpr domain where{"strings"};
    static constexpr const char* default_kernel = "spectrum(k=3)";
    using item_list::item_list;

    std::string text(index i) const { return (*this)[i]; }
    void write(object_sink& to) const;
    static strings read(object_source& from, index count);
};

inline void strings::write(object_sink& to) const {
    std::vector<index> lengths;
    for (index i = 0; i < size(); ++i) lengths.push_back(static_cast<index>((*this)[i].size()));
    to.all(lengths);
    for (index i = 0; i < size(); ++i) to.all(std::span<const char>((*this)[i]));
}

inline strings strings::read(object_source& from, index count) {
    const auto start = from.starts(count);
    std::vector<std::string> items;
    for (std::size_t i = 0; i + 1 < start.size(); ++i) items.emplace_back(from.text(start[i + 1] - start[i]));
    return strings(std::move(items));
}

}  // namespace mercer
