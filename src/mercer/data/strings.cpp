#include "mercer/data/strings.h"

namespace mercer {

void strings::write(object_sink& to) const {
    std::vector<index> lengths;
    for (index i = 0; i < size(); ++i) lengths.push_back(static_cast<index>((*this)[i].size()));
    to.all(lengths);
    for (index i = 0; i < size(); ++i) to.all(std::span<const char>((*this)[i]));
}

strings strings::read(object_source& from, index count) {
    const auto start = from.starts(count);
    std::vector<std::string> items;
    for (std::size_t i = 0; i + 1 < start.size(); ++i) items.emplace_back(from.text(start[i + 1] - start[i]));
    return strings(std::move(items));
}

}  // namespace mercer
