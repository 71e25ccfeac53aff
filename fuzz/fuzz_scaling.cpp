// Fuzz target: arbitrary bytes as one of the JSON files beside models: a scaling, terms of texts, columns of a table, a
// spec, or figures. The value read must be equal after writing and reading.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "mercer/base/error.h"
#include "mercer/model/spec.h"
#include "mercer/preprocess/column_encoder.h"
#include "mercer/preprocess/scaling.h"

namespace {

template <class Parse>
void check(std::string_view text, Parse parse) {
    const std::string once = parse(text);
    if (parse(once) != once) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    using namespace mercer;
    try {
        switch (data[0] % 5) {
            case 0: check(text, [](std::string_view t) { return scaling::from_json(t, "fuzz").to_json(); }); break;
            case 1:
                check(text, [](std::string_view t) { return text_features::from_json(t, "fuzz").to_json(); });
                break;
            case 2:
                check(text, [](std::string_view t) { return column_encoder::from_json(t, "fuzz").to_json(); });
                break;
            case 3: check(text, [](std::string_view t) { return api::to_json(api::parse_spec(t)); }); break;
            default: check(text, [](std::string_view t) { return api::summary::from_json(t).json(); });
        }
    } catch (const error&) {
    }
    return 0;
}
