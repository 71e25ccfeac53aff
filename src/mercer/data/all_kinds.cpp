#include "mercer/data/all_kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer {

std::vector<object_kind> all_object_kinds() {
    std::vector<object_kind> out{object_kind::vectors};
    listed_kinds::for_each([&]<class Kind> { out.push_back(Kind::kind); });
    out.push_back(object_kind::any);
    return out;
}

object_kind parse_object_kind(std::string_view wanted) {
    std::vector<const char*> names;
    for (const object_kind each : all_object_kinds()) {
        if (name(each) == wanted) return each;
        names.push_back(name(each));
    }
    fail(errc::invalid_argument,
         fmt::format("the kind of object must be one of {}, got {}", join(names, ", "), wanted));
}

objects read_objects(std::string_view kind, byte_reader& from, index count) {
    std::optional<objects> out;
    listed_kinds::for_each([&]<class Kind> {
        if (name(Kind::kind) == kind) out = Kind::read(from, count);
    });
    if (!out) fail(errc::parse, fmt::format("unknown kind of object '{}'", kind));
    return *out;
}

}  // namespace mercer
