// Pixels under small shifts (in the manner of Haasdonk, Vossen, Burkhardt 2005): the mean of a Gaussian kernel over all
// shifts of both images by up to s pixels in each direction,
//
//     k(x, z) = 1/(2s+1)⁴ Σ over shifts a, b of exp(-γ‖T_a x - T_b z‖²),
//
// where T_a translates an image by a on an infinite black plane. It is a kernel for any set of shifts: the mean of the
// Gaussian's features φ(T_a x) is a feature vector of x. Translations of the plane preserve distances, so
// ‖T_a x - T_b z‖ = ‖x - T_(b-a) z‖, and the (2s+1)⁴ terms reduce to (4s+1)², one for each shift d with the weight
// (2s+1-|d₁|)(2s+1-|d₂|)/(2s+1)⁴. Translating both images by the same shift does not change k, as long as neither loses
// a pixel that is not black, and a small shift of one image changes k little. All images have the same size.
// O((4s+1)²·pixels) for a pair.
#pragma once

#include <cmath>

#include "mercer/data/images.h"
#include "mercer/kernels/kernel_info.h"

namespace mercer {

struct shifted_pixels {
    int shift = 1;
    double gamma = 0.05;

    static kernel_info info() {
        return {"shifted_pixels",
                {},
                "mean over shifts a, b of up to `shift` pixels of exp(-gamma*|x moved by a - z moved by b|^2)",
                images::kind,
                {{"shift", "1", "integer, 0 <= shift <= 16", "largest shift in each direction, in pixels"},
                 {"gamma", "0.05", "gamma > 0", "inverse width"}},
                "shifted pixels: the inner product of features of the Gaussian, averaged over the shifts of each image",
                true,
                {}};
    }
    static shifted_pixels from(const mercer::arguments& given) {
        return {given.whole("shift", 1), given.number("gamma", 0.05)};
    }
    void check() const {
        require(shift >= 0 && shift <= 16, "shifted_pixels", "0 <= shift <= 16", shift);
        require(gamma > 0 && std::isfinite(gamma), "shifted_pixels", "gamma > 0", gamma);
    }
    std::vector<argument> arguments() const { return {static_cast<double>(shift), gamma}; }
    int emit(plan_builder& code) const;
};

}  // namespace mercer
