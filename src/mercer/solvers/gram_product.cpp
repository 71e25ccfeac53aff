#include "mercer/solvers/gram_product.h"

#include <fmt/format.h>

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/solvers/smo/vector_ops.h"

namespace mercer {
namespace {

constexpr index band = 96, strip = 1024;

// -v in panels of `width` columns, padded with zeros: panel p holds row k at (p·rows + k)·width. The micro-kernel subtracts.
buffer<double> packed_negative(matrix_view<const double> v, index width) {
    const index panels = (v.cols + width - 1) / width;
    buffer<double> out(panels * v.rows * width);
    parallel_for(panels, [&](index p) {
        const index first = p * width, count = std::min(width, v.cols - first);
        for (index k = 0; k < v.rows; ++k)
            for (index c = 0; c < count; ++c) out[(p * v.rows + k) * width + c] = -v(k, first + c);
    });
    return out;
}

struct scratch {
    buffer<double> packed, sums;
};

}  // namespace

template <class T>
void gram_product(const gram<T>& k, matrix_view<const double> v, matrix_view<double> out) {
    if (v.rows != k.cols() || out.rows != k.rows() || out.cols != v.cols)
        fail(errc::invalid_argument, fmt::format("out = K·v with K of {}×{} numbers, v of {}×{} and out of {}×{}: the sizes do not fit", k.rows(), k.cols(),
                                                 v.rows, v.cols, out.rows, out.cols));
    if (v.cols < 4) return k.multiply(v, out);
    const auto& ops = smo::best_vector_ops();
    const index high = ops.update_rows, wide = ops.update_cols, panels = (v.cols + wide - 1) / wide, stride = panels * wide;
    const buffer<double> right = packed_negative(v, wide);
    parallel_for((k.rows() + band - 1) / band, [&](index b) {
        // Taken away from the thread while in use: block() may multiply by another matrix on the way.
        thread_local buffer<T> kept_tile;
        thread_local scratch kept_scratch;
        buffer<T> tile = std::move(kept_tile);
        scratch s = std::move(kept_scratch);
        const index first = b * band, count = std::min(band, k.rows() - first), groups = (count + high - 1) / high;
        double* sums = s.sums.at_least(groups * high * stride);
        std::fill_n(sums, groups * high * stride, 0.0);
        for (index c = 0; c < k.cols(); c += strip) {
            const index depth = std::min(strip, k.cols() - c);
            const matrix_view<T> t(tile.at_least(band * strip), count, depth, strip);
            k.block(selection(first, count), selection(c, depth), t);
            double* left = s.packed.at_least(high * strip);
            for (index g = 0; g < groups; ++g) {
                for (index r = 0; r < high; ++r) {
                    if (g * high + r < count) {
                        const T* row = t.row(g * high + r);
                        for (index j = 0; j < depth; ++j) left[j * high + r] = static_cast<double>(row[j]);
                    } else {
                        for (index j = 0; j < depth; ++j) left[j * high + r] = 0;
                    }
                }
                for (index p = 0; p < panels; ++p)
                    ops.rank_update(sums + g * high * stride + p * wide, stride, left, right.data() + (p * v.rows + c) * wide, depth);
            }
        }
        for (index i = 0; i < count; ++i) std::copy_n(sums + i * stride, v.cols, out.row(first + i));
        kept_tile = std::move(tile);
        kept_scratch = std::move(s);
    });
}

template void gram_product(const gram<float>&, matrix_view<const double>, matrix_view<double>);
template void gram_product(const gram<double>&, matrix_view<const double>, matrix_view<double>);

}  // namespace mercer
