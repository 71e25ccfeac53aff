// Colour histograms (Swain, Ballard 1991): the inner product of
//
//     h(r, g, b) = the fraction of the pixels with red, green and blue in the bins r, g and b,
//
// where the range 0 … 1 of each channel is divided into `bins` equal bins. A grey pixel has three equal channels.
// Rotated, mirrored and enlarged images have the same histogram. Intersections or χ² of histograms:
// pullback(colours(bins=8), intersection()), pullback(colours(bins=8), chi2(gamma=1)). O(pixels) for an image; the
// embedding is sparse.
#pragma once

#include "mercer/data/images.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer {

struct colours {
    int bins = 4;

    static kernel_info info() {
        return {"colours",
                {"colors"},
                "sum over bins of colours of h(x)*h(z), h the fraction of an image's pixels in the bin",
                images::kind,
                {{"bins", "4", "integer, 1 <= bins <= 256", "number of bins per colour channel"}},
                "colours: the inner product of histograms of colours",
                true,
                {}};
    }
    static colours from(const mercer::arguments& given) { return {given.whole("bins", 4)}; }
    void check() const { require(bins >= 1 && bins <= 256, "colours", "1 <= bins <= 256", bins); }
    std::vector<argument> arguments() const { return {static_cast<double>(bins)}; }
    mercer::embedding embedding() const;

    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::value;
    linear map() const { return {}; }
};

}  // namespace mercer
