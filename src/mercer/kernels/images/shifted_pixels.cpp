#include "mercer/kernels/images/shifted_pixels.h"

#include <fmt/format.h>

#include <algorithm>

#include "mercer/kernels/images/image_features.h"
#include "mercer/kernels/object_pairs.h"

namespace mercer {
namespace {

// An image with a black border: 2s columns after each row, which also precede the next row, and at least 2s rows above
// and below. A shift of the image is then an offset in one array.
struct padded_image {
    index height = 0, width = 0, channels = 1;
    // The numbers of values in a row with its border, before the first pixel, and from the first pixel to the last.
    index stride = 0, before = 0, count = 0;
    std::vector<double> values{};
    double norm = 0;  // Σ v²
};

// The inner product with eight partial sums, so that the compiler can use SIMD instructions.
double dot(const double* a, const double* b, index n) {
    double sum[8] = {};
    index i = 0;
    for (; i + 8 <= n; i += 8)
        for (index l = 0; l < 8; ++l) sum[l] += a[i + l] * b[i + l];
    for (index l = 0; i < n; ++i, ++l) sum[l] += a[i] * b[i];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

padded_image pad_image(const image& of, index s) {
    padded_image out{of.height, of.width, of.channels};
    out.stride = (of.width + 2 * s) * of.channels;
    out.before = 2 * s * (out.stride + of.channels);
    out.count = of.pixels() > 0 ? out.stride * of.height - 2 * s * of.channels : 0;
    out.values.resize(static_cast<std::size_t>(out.count + 2 * out.before));
    for (index r = 0; r < of.height; ++r)
        std::copy_n(of.at(r, 0), of.width * of.channels, out.values.data() + out.before + r * out.stride);
    out.norm = dot(out.values.data() + out.before, out.values.data() + out.before, out.count);
    return out;
}

double mean_over_shifts(const padded_image& x, const padded_image& z, index s, double gamma) {
    const double *from = x.values.data() + x.before, *to = z.values.data() + z.before;
    double sum = 0;
    for (index down = -2 * s; down <= 2 * s; ++down)
        for (index right = -2 * s; right <= 2 * s; ++right) {
            const double product = dot(from, to + down * x.stride + right * x.channels, x.count),
                         apart = std::max(0.0, x.norm + z.norm - 2 * product);
            const auto times = static_cast<double>((2 * s + 1 - std::abs(down)) * (2 * s + 1 - std::abs(right)));
            sum += times * std::exp(-gamma * apart);
        }
    const auto side = static_cast<double>(2 * s + 1);
    return sum / (side * side * side * side);
}

}  // namespace

int shifted_pixels::emit(plan_builder& code) const {
    return emit_ordered_pairs<images>(
        code, "shifted_pixels", [s = index{shift}](const image& of) { return pad_image(of, s); },
        [s = index{shift}, gamma = gamma](const padded_image& x, std::span<const padded_image* const> seconds,
                                          double* out) {
            for (std::size_t j = 0; j < seconds.size(); ++j) {
                const padded_image& z = *seconds[j];
                if (x.height != z.height || x.width != z.width || x.channels != z.channels)
                    fail(errc::data,
                         fmt::format("shifted_pixels: all images must have the same size, got {} x {} pixels of {} "
                                     "channels and {} x {} of {}",
                                     x.height, x.width, x.channels, z.height, z.width, z.channels));
                out[j] = mean_over_shifts(x, z, s, gamma);
            }
        });
}

}  // namespace mercer
