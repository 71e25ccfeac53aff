// Fuzz target: arbitrary bytes as .npy must give mercer::error, or numbers that are equal after writing and reading.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "mercer/base/error.h"
#include "mercer/io/npy.h"

namespace {

template <class T>
void round_trip(const mercer::dense<T>& rows) {
    const mercer::table again = mercer::parse_npy(mercer::format_npy(rows), "again");
    const auto* back = again.x.as<mercer::dense<T>>();
    if (!back || back->size() != rows.size() || back->dims() != rows.dims()) std::abort();
    for (mercer::index i = 0; i < rows.size(); ++i)
        if (!std::equal(rows.row(i), rows.row(i) + rows.dims(), back->row(i))) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    try {
        const auto numbers = static_cast<mercer::precision>(data[0] % 3);
        const mercer::table result =
            mercer::parse_npy({reinterpret_cast<const char*>(data) + 1, size - 1}, "fuzz", numbers);
        if (const auto* doubles = result.x.as<mercer::dense<double>>()) round_trip(*doubles);
        if (const auto* floats = result.x.as<mercer::dense<float>>()) round_trip(*floats);
    } catch (const mercer::error&) {
    }
    return 0;
}
