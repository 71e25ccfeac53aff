#include "mercer/gram/gram_product.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/per_thread.h"
#include "mercer/base/threads.h"
#include "mercer/dense/vector_ops.h"

namespace mercer {
namespace {

constexpr index rows_of_tile = 96, columns_of_tile = 1024;

// v in panels of `width` columns, padded with zeros: panel p holds row k at (p·rows + k)·width.
buffer<double> packed(matrix_view<const double> v, index width) {
    const index panels = (v.cols + width - 1) / width;
    buffer<double> out(panels * v.rows * width);
    parallel_for(panels, [&](index p) {
        const index first = p * width, count = std::min(width, v.cols - first);
        for (index k = 0; k < v.rows; ++k)
            for (index c = 0; c < count; ++c) out[(p * v.rows + k) * width + c] = v(k, first + c);
    });
    return out;
}

template <class T>
struct scratch {
    buffer<T> tile;
    buffer<double> widened, last, sums;
};

// Rows first … and columns c … of K, in double: where they lie, or in the scratch.
template <class T>
matrix_view<const double> part_of(const gram<T>& k, matrix_view<const T> kept, index first, index count, index c,
                                  index depth, scratch<T>& s) {
    matrix_view<const T> t;
    if (first + count <= kept.rows) {
        t = kept.block(first, c, count, depth);
    } else {
        const matrix_view<T> tile(s.tile.at_least(rows_of_tile * columns_of_tile), count, depth, columns_of_tile);
        k.block(selection(first, count), selection(c, depth), tile);
        t = tile;
    }
    if constexpr (std::is_same_v<T, double>) {
        return t;
    } else {
        const matrix_view<double> wide(s.widened.at_least(rows_of_tile * columns_of_tile), count, depth,
                                       columns_of_tile);
        for (index i = 0; i < count; ++i) std::copy_n(t.row(i), depth, wide.row(i));
        return wide;
    }
}

}  // namespace

template <class T>
void gram_product(const gram<T>& k, matrix_view<const double> v, matrix_view<double> out) {
    if (v.rows != k.cols() || out.rows != k.rows() || out.cols != v.cols)
        fail(errc::invalid_argument,
             fmt::format("out = K·v with K of {}×{} numbers, v of {}×{} and out of {}×{}: the sizes do not fit",
                         k.rows(), k.cols(), v.rows, v.cols, out.rows, out.cols));
    if (v.cols < 4) return k.multiply(v, out);
    const auto& ops = smo::best_vector_ops();
    const index high = smo::update_rows, wide = ops.update_cols, panels = (v.cols + wide - 1) / wide,
                stride = panels * wide;
    const buffer<double> right = packed(v, wide);
    const matrix_view<const T> kept = k.in_memory();
    parallel_for((k.rows() + rows_of_tile - 1) / rows_of_tile, [&](index b) {
        // Taken away from the thread while in use: block() may multiply by another matrix on the way.
        auto& memory = per_thread<scratch<T>>([] {});
        scratch<T> s = std::move(memory);
        const index first = b * rows_of_tile, count = std::min(rows_of_tile, k.rows() - first),
                    groups = (count + high - 1) / high;
        double* sums = s.sums.at_least(groups * high * stride);
        std::fill_n(sums, groups * high * stride, 0.0);
        for (index c = 0; c < k.cols(); c += columns_of_tile) {
            // With thousands of columns in v, one tile is work for tenths of a second.
            stop_point();
            const index depth = std::min(columns_of_tile, k.cols() - c);
            const matrix_view<const double> t = part_of(k, kept, first, count, c, depth, s);
            for (index g = 0; g < groups; ++g) {
                const double* left = t.row(g * high);
                index left_stride = t.stride;
                if (const index rows = count - g * high; rows < high) {
                    double* last = s.last.at_least(high * columns_of_tile);
                    std::fill_n(last, high * columns_of_tile, 0.0);
                    for (index r = 0; r < rows; ++r)
                        std::copy_n(t.row(g * high + r), depth, last + r * columns_of_tile);
                    left = last, left_stride = columns_of_tile;
                }
                for (index p = 0; p < panels; ++p)
                    ops.row_update(sums + g * high * stride + p * wide, stride, left, left_stride,
                                   right.data() + (p * v.rows + c) * wide, depth);
            }
        }
        for (index i = 0; i < count; ++i) std::copy_n(sums + i * stride, v.cols, out.row(first + i));
        memory = std::move(s);
    });
}

template void gram_product(const gram<float>&, matrix_view<const double>, matrix_view<double>);
template void gram_product(const gram<double>&, matrix_view<const double>, matrix_view<double>);

}  // namespace mercer
