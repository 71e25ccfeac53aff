// Fuzz target: arbitrary bytes as XYZ must give consistent molecules or mercer::error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "mercer/base/error.h"
#include "mercer/data/point_clouds.h"
#include "mercer/io/xyz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    constexpr const char* targets[] = {"", "none", "1", "-1", "energy"};
    try {
        const mercer::table result =
            mercer::parse_xyz({reinterpret_cast<const char*>(data) + 1, size - 1}, "fuzz", {targets[data[0] % 5]});
        if (result.x.size() == 0) std::abort();
        if (!result.y.empty() && result.x.size() != static_cast<mercer::index>(result.y.size())) std::abort();
        const auto& all = *result.x.as<mercer::points>();
        for (mercer::index i = 0; i < all.size(); ++i) all.text(i);
    } catch (const mercer::error&) {
    }
    return 0;
}
