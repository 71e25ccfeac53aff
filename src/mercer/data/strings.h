// n strings of bytes, of any length and with any bytes. Kernels compare bytes, except `words`, which reads UTF-8.
#pragma once

#include "mercer/data/object_kind.h"

namespace mercer {

class strings : public item_list<strings, std::string> {
public:
    static constexpr object_kind kind{"strings"};
    static constexpr const char* default_kernel = "spectrum(k=3)";
    using item_list::item_list;

    std::string text(index i) const { return (*this)[i]; }
    void write(byte_writer& to) const;
    static strings read(byte_reader& from, index count);
};

inline void strings::write(byte_writer& to) const {
    std::vector<index> lengths;
    for (index i = 0; i < size(); ++i) lengths.push_back(static_cast<index>((*this)[i].size()));
    to.write_numbers(lengths);
    for (index i = 0; i < size(); ++i) to.write_numbers(std::span<const char>((*this)[i]));
}

inline strings strings::read(byte_reader& from, index count) {
    const auto start = from.read_offsets(count);
    std::vector<std::string> items;
    for (std::size_t i = 0; i + 1 < start.size(); ++i) items.emplace_back(from.read_text(start[i + 1] - start[i]));
    return strings(std::move(items));
}

}  // namespace mercer
