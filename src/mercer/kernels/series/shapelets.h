// Random shapelets: the inner product of features φ_j, the largest correlation of a random shape s_j with a window of
// the series,
//
//     φ_j(x) = max over t of corr(s_j, (x_t, x_{t+g}, …, x_{t+(length-1)g})),  g = 2^(j mod spread);
//
// φ_j = 1 - d²/2 with d the smallest distance of s_j to a window, both standardised to mean 0 and norm 1; d is the
// feature of the shapelet transform (Ye, Keogh 2009; Hills et al. 2014). The shapes are not learned, because a kernel
// has no data, but random like the kernels of ROCKET (Dempster, Petitjean, Webb 2020): sums of independent steps,
// uniform in -1 … 1, standardised to mean 0 and norm 1; the seed determines them. Adding a constant to a series and
// multiplying it by a positive number does not change the features. The correlation with a window of equal values (to
// 12 digits) is 0, and so is the feature of a series that is too short for a window. If the values are vectors, every
// coordinate has its own features. Other kernels on the same features: pullback(shapelets(count=500), rbf(gamma=0.01)).
// O(count·length·T) for a series.
#pragma once

#include "mercer/data/series.h"
#include "mercer/kernels/embedding.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer {

struct shapelets {
    int count = 100;
    int length = 9;
    int spread = 4;
    int seed = 0;

    static kernel_info info() {
        return {"shapelets",
                {},
                "sum over random shapes s of c_s(x)*c_s(z), c_s(x) the largest correlation of s with a window of x",
                series::kind,
                {{"count", "100", "integer, 1 <= count <= 100000", "number of shapes"},
                 {"length", "9", "integer, 2 <= length <= 10000", "number of values of a shape"},
                 {"spread", "4", "integer, 1 <= spread <= 20",
                  "spacings of the values in a window: 1, 2, 4, ..., 2^(spread-1)"},
                 {"seed", "0", "integer, seed >= 0", "random seed of the shapes"}},
                "shapelets: the inner product of correlations with the shapes",
                true,
                {}};
    }
    static shapelets from(const mercer::arguments& given) {
        return {given.whole("count", 100), given.whole("length", 9), given.whole("spread", 4), given.whole("seed", 0)};
    }
    void check() const {
        require(count >= 1 && count <= 100000, "shapelets", "1 <= count <= 100000", count);
        require(length >= 2 && length <= 10000, "shapelets", "2 <= length <= 10000", length);
        require(spread >= 1 && spread <= 20, "shapelets", "1 <= spread <= 20", spread);
        require(seed >= 0, "shapelets", "seed >= 0", seed);
    }
    std::vector<argument> arguments() const {
        return {static_cast<double>(count), static_cast<double>(length), static_cast<double>(spread),
                static_cast<double>(seed)};
    }
    // The shapes, one per row.
    matrix<double> shapes() const;
    named_embedding embedding() const;

    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::value;
    linear map() const { return {}; }
};

}  // namespace mercer
