// Spatial pyramid match (Lazebnik, Schmid, Ponce 2006): the weighted sum of histogram intersections on coarse and fine
// grids. Level l divides both sides of an image into 2^l parts. With the histogram h_l of gradients by cell and
// direction (gradients.h, cells = 2^l), whose sum is 1, and the finest level L,
//
//     k(x, z) = Σ_l w_l Σ min(h_l(x), h_l(z)),    w_0 = 2^(-L),  w_l = 2^(l-L-1) for l >= 1,
//
// so that k(x, x) = 1 unless the image has no gradients. It is the histogram intersection of the vectors of all
// w_l·h_l. O(pixels) for an image, (4^(L+1)-1)/3·bins coordinates.
#pragma once

#include "mercer/data/images.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer {

struct spatial_pyramid {
    int levels = 2;
    int bins = 8;

    static kernel_info info() {
        return {"spatial_pyramid",
                {},
                "sum over levels l of w_l*sum min(h_l(x), h_l(z)), h_l the fractions of gradients in 2^l x 2^l cells",
                images::kind,
                {{"levels", "2", "integer, 0 <= levels <= 6", "finest level L, with 2^L cells per side"},
                 {"bins", "8", "integer, 1 <= bins <= 360", "number of bins of the directions from 0 to 180 degrees"}},
                "spatial pyramid: histogram intersections, summed with weights >= 0",
                true,
                {}};
    }
    static spatial_pyramid from(const mercer::arguments& given) {
        return {given.whole("levels", 2), given.whole("bins", 8)};
    }
    void check() const {
        require(levels >= 0 && levels <= 6, "spatial_pyramid", "0 <= levels <= 6", levels);
        require(bins >= 1 && bins <= 360, "spatial_pyramid", "1 <= bins <= 360", bins);
    }
    std::vector<argument> arguments() const { return {static_cast<double>(levels), static_cast<double>(bins)}; }
    mercer::embedding embedding() const;

    static constexpr pair_statistic statistic = pair_statistic::min_sum;
    static constexpr map_input input = map_input::value;
    linear map() const { return {}; }
};

}  // namespace mercer
