// Histograms of the distances between points, one for each pair of elements, smoothed by a Gaussian: the inner product
// of
//
//     h(E, E', b) = Σ over pairs of points of elements E <= E' of c(d)·exp(-(d-bσ)²/(2σ²)),  b = 0, 1, …, ⌊cutoff/σ⌋,
//
// where d < cutoff is the distance of the pair, and c(d) = cos²(½πd/cutoff) decreases to 0 at the cutoff. Terms with
// |d-bσ| > 6σ are omitted. The kernel is invariant under rotations, translations and permutations of the points. It
// follows Swamidass et al. 2005 (histograms of distances) and Behler, Parrinello 2007 (the cutoff function).
#pragma once

#include <cmath>

#include "mercer/data/point_clouds.h"
#include "mercer/kernels/embedding.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer {

struct pair_distances {
    double sigma = 0.2;
    double cutoff = 8;

    static kernel_info info() {
        return {"pair_distances",
                {},
                "sum over pairs of elements and bins of h(A)*h(B), h smoothed histograms of distances",
                points::kind,
                {{"sigma", "0.2", "sigma > 0", "width of the smoothing and spacing of the bins"},
                 {"cutoff", "8", "sigma <= cutoff <= 1000*sigma", "distance from which pairs are ignored"}},
                "pair distances: the inner product of histograms",
                true,
                {}};
    }
    static pair_distances from(const mercer::arguments& given) {
        return {given.number("sigma", 0.2), given.number("cutoff", 8)};
    }
    void check() const {
        require(sigma > 0 && std::isfinite(sigma), "pair_distances", "sigma > 0", sigma);
        require(cutoff >= sigma && cutoff <= 1000 * sigma, "pair_distances", "sigma <= cutoff <= 1000*sigma", cutoff);
    }
    std::vector<argument> arguments() const { return {sigma, cutoff}; }
    named_embedding embedding() const;

    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::value;
    linear map() const { return {}; }
};

}  // namespace mercer
