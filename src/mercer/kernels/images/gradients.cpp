#include "mercer/kernels/images/gradients.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "mercer/kernels/images/image_features.h"

namespace mercer {

void add_gradients(const image& of, index cells, index bins, double* out) {
    for (index r = 0; r < of.height; ++r) {
        const index up = std::max<index>(r - 1, 0), down = std::min(r + 1, of.height - 1);
        for (index c = 0; c < of.width; ++c) {
            const index left = std::max<index>(c - 1, 0), right = std::min(c + 1, of.width - 1);
            double x = 0, y = 0, longest = 0;
            for (index k = 0; k < of.channels; ++k) {
                const double dx = static_cast<double>(of.at(r, right)[k]) - of.at(r, left)[k],
                             dy = static_cast<double>(of.at(down, c)[k]) - of.at(up, c)[k];
                if (dx * dx + dy * dy > longest) x = dx, y = dy, longest = dx * dx + dy * dy;
            }
            if (longest == 0) continue;
            const double length = std::sqrt(longest), turn = std::atan2(y, x) / std::numbers::pi;  // in -1 … 1
            const double place = (turn < 0 ? turn + 1 : turn) * static_cast<double>(bins) - 0.5,
                         low = std::floor(place);
            const auto first = (static_cast<index>(low) + bins) % bins;
            double* cell = out + (r * cells / of.height * cells + c * cells / of.width) * bins;
            cell[first] += length * (1 - (place - low));
            cell[(first + 1) % bins] += length * (place - low);
        }
    }
}

void divide_by_sum(double* values, index count) {
    double sum = 0;
    for (index i = 0; i < count; ++i) sum += values[i];
    if (sum > 0)
        for (index i = 0; i < count; ++i) values[i] /= sum;
}

embedding gradients::embedding() const {
    const index count = static_cast<index>(cells) * cells * bins;
    return image_features(fmt::format("gradients {} {}", cells, bins), count,
                          [cells = cells, bins = bins, count](const image& of, double* row) {
                              add_gradients(of, cells, bins, row);
                              divide_by_sum(row, count);
                          });
}

}  // namespace mercer
