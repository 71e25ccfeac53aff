#include "mercer/data/all_kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer {

std::vector<domain> all_domains() {
    std::vector<domain> out{domain::vectors};
    listed_kinds::each([&]<class Kind> { out.push_back(Kind::where); });
    out.push_back(domain::any);
    return out;
}

domain domain_named(std::string_view wanted) {
    std::vector<const char*> names;
    for (const domain each : all_domains()) {
        if (name(each) == wanted) return each;
        names.push_back(name(each));
    }
    fail(errc::invalid_argument,
         fmt::format("the kind of object must be one of {}, got {}", joined(names, ", "), wanted));
}

objects read_objects(std::string_view kind, object_source& from, index count) {
    std::optional<objects> out;
    listed_kinds::each([&]<class Kind> {
        if (name(Kind::where) == kind) out = Kind::read(from, count);
    });
    if (!out) fail(errc::parse, fmt::format("unknown kind of objects: {}", kind));
    return *out;
}

}  // namespace mercer
