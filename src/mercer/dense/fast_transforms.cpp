#include "mercer/dense/fast_transforms.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "mercer/base/error.h"
#include "mercer/base/simd_level.h"

namespace mercer {

const transform_ops& best_transform_ops() {
    static const transform_ops& best = []() -> const transform_ops& {
#if defined(MERCER_SIMD_X86)
        if (best_simd() == simd_level::avx512) return avx512::transforms();
        if (best_simd() == simd_level::avx2) return avx2::transforms();
#endif
        return baseline::transforms();
    }();
    return best;
}

convolution::convolution(index n) : n_(n) {
    if (n < 2 || n != next_power_of_two(n))
        fail(errc::invalid_argument, fmt::format("convolution: the length must be a power of two >= 2, got {}", n));
    const index m = n / 2;
    turn_.resize(2 * n), reversed_.resize(2 * m);
    for (index k = 0; k < n; ++k) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
        turn_[2 * k] = std::cos(angle), turn_[2 * k + 1] = std::sin(angle);
    }
    for (index k = 0, mirrored = 0; k < m; ++k) {
        reversed_[2 * mirrored] = turn_[2 * k], reversed_[2 * mirrored + 1] = turn_[2 * k + 1];
        // Increments `mirrored` with its bits in reverse order.
        index bit = m / 2;
        for (; bit > 0 && (mirrored & bit); bit /= 2) mirrored ^= bit;
        mirrored ^= bit;
    }
}

}  // namespace mercer
