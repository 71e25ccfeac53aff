// Pixels: the inner product of all values of two images of the same size and number of channels. pullback applies any
// kernel on vectors to images: pullback(pixels(), rbf(gamma=0.05)).
#pragma once

#include "mercer/data/images.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer {

struct pixels {
    static kernel_info info() {
        return {"pixels",     {}, "sum over pixels and channels of x*z, images of one size",
                images::kind, {}, "pixels: the inner product of the values of the pixels",
                true,         {}};
    }
    static pixels from(const mercer::arguments&) { return {}; }
    void check() const {}
    std::vector<argument> arguments() const { return {}; }
    mercer::embedding embedding() const;

    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::value;
    linear map() const { return {}; }
};

}  // namespace mercer
