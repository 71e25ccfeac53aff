#include "mercer/kernels/images/spatial_pyramid.h"

#include <fmt/format.h>

#include "mercer/kernels/images/gradients.h"
#include "mercer/kernels/images/image_features.h"

namespace mercer {
namespace {

// Computes the finest level from the image; a cell of each coarser level is the sum of four cells of the level before.
void fill_pyramid(const image& of, int levels, index bins, double* row) {
    index cells = index{1} << levels;
    add_gradients(of, cells, bins, row);
    divide_by_sum(row, cells * cells * bins);
    for (; cells > 1; cells /= 2) {
        double* coarser = row + cells * cells * bins;
        for (index i = 0; i < cells; ++i)
            for (index j = 0; j < cells; ++j)
                for (index b = 0; b < bins; ++b)
                    coarser[(i / 2 * (cells / 2) + j / 2) * bins + b] += row[(i * cells + j) * bins + b];
        row = coarser;
    }
}

void weigh(int levels, index bins, double* row) {
    for (int level = levels; level >= 0; --level) {
        const index count = (index{1} << (2 * level)) * bins;
        const double weight = std::ldexp(1.0, level == 0 ? -levels : level - levels - 1);
        for (index i = 0; i < count; ++i) row[i] *= weight;
        row += count;
    }
}

}  // namespace

embedding spatial_pyramid::embedding() const {
    const index cells = ((index{1} << (2 * (levels + 1))) - 1) / 3;
    return image_features(fmt::format("spatial pyramid {} {}", levels, bins), cells * bins,
                          [levels = levels, bins = bins](const image& of, double* row) {
                              fill_pyramid(of, levels, bins, row);
                              weigh(levels, bins, row);
                          });
}

}  // namespace mercer
