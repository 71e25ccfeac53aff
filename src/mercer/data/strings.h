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

}  // namespace mercer
