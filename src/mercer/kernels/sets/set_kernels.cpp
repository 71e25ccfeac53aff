#include "mercer/kernels/sets/set_kernels.h"

#include "mercer/kernels/word_counts.h"

namespace mercer {

named_embedding indicator() {
    return word_counts<std::int64_t, sets>(
        "items",
        [](const sets& from, index i, auto add) {
            for (const std::int64_t item : from[i]) add(item);
        },
        item_text);
}

}  // namespace mercer
