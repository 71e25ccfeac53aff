// Colour histograms (Swain, Ballard 1991): the inner product of
//
//     h(r, g, b) = the share of the pixels whose red, green and blue lie in the parts r, g and b of 0 … 1,
//
// each channel cut into `bins` equal parts. A grey pixel has three equal channels. Where pixels are does not matter:
// turned, mirrored and enlarged images have the same histogram. Intersections or χ² of histograms:
// pullback(colours(bins=8), intersection()), pullback(colours(bins=8), chi2(gamma=1)). O(pixels) an image, then a
// sparse vector.
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
                "sum over cubes of colours of h(x)*h(z), h the share of an image's pixels",
                images::where,
                {{"bins", "4", "1 <= bins <= 256, whole", "parts of each channel"}},
                "colours: the inner product of explicit histograms",
                true,
                {}};
    }
    static colours from(const mercer::arguments& given) { return {given.whole("bins", 4)}; }
    void check() const { require(bins >= 1 && bins <= 256, "colours", "1 <= bins <= 256", bins); }
    std::vector<argument> arguments() const { return {static_cast<double>(bins)}; }
    feature source() const;

    static constexpr statistic what = statistic::dot;
    static constexpr map_input input = map_input::value;
    linear map() const { return {}; }
};

}  // namespace mercer
