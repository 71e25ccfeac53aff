// Histograms of gradients (Dalal, Triggs 2005): the inner product of
//
//     h(cell, b) = Σ over pixels of the cell of m·max(0, 1 - |θ·bins/π - ½ - b|),  divided by Σ m over all pixels,
//
// where m and θ ∈ [0, π) are the length and the direction, up to sign, of the gradient
// (v(r, c+1) - v(r, c-1), v(r+1, c) - v(r-1, c)) of the channel in which it is longest. Pixels beyond the border equal
// those at the border, and the bins are cyclic. Pixel (r, c) is in cell (⌊r·cells/height⌋, ⌊c·cells/width⌋). Images may
// differ in size. Adding a constant to all values and multiplying them by a positive number does not change h. An image
// of one colour has h = 0. Intersections or χ² of histograms: pullback(gradients(cells=4, bins=9), chi2(gamma=1)).
// O(pixels) for an image, cells²·bins coordinates.
#pragma once

#include "mercer/data/images.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer {

// Adds the sum of m·max(0, …) of cell (i, j) and bin b to out[(i·cells + j)·bins + b].
void add_gradients(const image& of, index cells, index bins, double* out);
// Divides the values by their sum, unless it is 0.
void divide_by_sum(double* values, index count);

struct gradients {
    int cells = 4;
    int bins = 9;

    static kernel_info info() {
        return {"gradients",
                {"hog"},
                "sum over cells and directions of h(x)*h(z), h the fraction of an image's gradients",
                images::kind,
                {{"cells", "4", "integer, 1 <= cells <= 64", "number of cells per side of the image"},
                 {"bins", "9", "integer, 1 <= bins <= 360", "number of bins of the directions from 0 to 180 degrees"}},
                "gradients: the inner product of histograms of gradients",
                true,
                {}};
    }
    static gradients from(const mercer::arguments& given) { return {given.whole("cells", 4), given.whole("bins", 9)}; }
    void check() const {
        require(cells >= 1 && cells <= 64, "gradients", "1 <= cells <= 64", cells);
        require(bins >= 1 && bins <= 360, "gradients", "1 <= bins <= 360", bins);
    }
    std::vector<argument> arguments() const { return {static_cast<double>(cells), static_cast<double>(bins)}; }
    mercer::embedding embedding() const;

    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::value;
    linear map() const { return {}; }
};

}  // namespace mercer
