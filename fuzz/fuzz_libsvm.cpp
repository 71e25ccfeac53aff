// Fuzz target: arbitrary bytes as LIBSVM text must give a consistent table or mercer::error, in every mode of the
// parser.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "mercer/base/error.h"
#include "mercer/io/libsvm.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    mercer::libsvm_options options;
    options.base = static_cast<mercer::index_base>(data[0] % 3);
    options.precomputed = data[0] & 4;
    options.numbers = data[0] & 8 ? mercer::precision::f32 : mercer::precision::f64;
    try {
        const mercer::table result =
            mercer::parse_libsvm({reinterpret_cast<const char*>(data) + 1, size - 1}, "fuzz", options);
        if (result.x.size() != static_cast<mercer::index>(result.y.size()) || result.x.size() == 0) std::abort();
        mercer::require_finite(result.x);
    } catch (const mercer::error&) {
    }
    return 0;
}
