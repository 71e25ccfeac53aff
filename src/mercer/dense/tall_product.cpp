#include "mercer/dense/tall_product.h"

#include <algorithm>

#include "mercer/base/per_thread.h"
#include "mercer/base/threads.h"
#include "mercer/dense/vector_ops.h"

namespace mercer {

matrix<double> row_products(matrix_view<const double> a, matrix_view<const double> b) {
    constexpr index stretch = 2048;
    const auto& ops = smo::best_vector_ops();
    const index parts = (a.cols + stretch - 1) / stretch, cells = a.rows * b.rows;
    buffer<double> part(parts * cells);
    parallel_for(parts, [&](index s) {
        const index first = s * stretch, count = std::min(stretch, a.cols - first);
        double* to = part.data() + s * cells;
        const index high = ops.narrow_rows, wide = ops.narrow_cols, even = b.rows / high * high;
        auto& panel_memory = per_thread<buffer<double>>([] {});
        double *panel = panel_memory.at_least((stretch + high) * wide), *tile = panel + stretch * wide;
        for (index i = 0; i < a.rows; i += wide) {
            const index rows = std::min(wide, a.rows - i);
            for (index k = 0; k < count; ++k)
                for (index r = 0; r < wide; ++r) panel[k * wide + r] = r < rows ? a(i + r, first + k) : 0.0;
            for (index j = 0; j < even; j += high) {
                std::fill_n(tile, high * wide, 0.0);
                ops.narrow_update(tile, b.row(j) + first, b.stride, false, panel, wide, count, panel);
                for (index c = 0; c < high; ++c)
                    for (index r = 0; r < rows; ++r) to[(i + r) * b.rows + j + c] = tile[c * wide + r];
            }
        }
        for (index j = even; j < b.rows; ++j)
            for (index i = 0; i < a.rows; ++i) to[i * b.rows + j] = ops.dot(a.row(i) + first, b.row(j) + first, count);
    });
    matrix<double> out(a.rows, b.rows);
    for (index s = 0; s < parts; ++s)
        for (index i = 0; i < cells; ++i) out.data()[i] += part[s * cells + i];
    return out;
}

void subtract_combinations(matrix_view<double> w, matrix_view<const double> c, matrix_view<const double> q) {
    const auto& ops = smo::best_vector_ops();
    const index high = smo::update_rows, wide = ops.update_cols, m = q.rows, groups = (w.rows + high - 1) / high,
                stretch = 16 * wide;
    // c in panels of `high` rows, padded with zeros: what the micro-kernel reads.
    buffer<double> left(groups * m * high);
    for (index i = 0; i < w.rows; ++i)
        for (index k = 0; k < m; ++k) left[(i / high * m + k) * high + i % high] = c(i, k);
    parallel_for((w.cols + stretch - 1) / stretch, [&](index s) {
        auto& right_memory = per_thread<buffer<double>>([] {});
        auto& tile_memory = per_thread<buffer<double>>([] {});
        double *right = right_memory.at_least(m * wide), *tile = tile_memory.at_least(high * wide);
        for (index first = s * stretch; first < std::min(w.cols, (s + 1) * stretch); first += wide) {
            const index count = std::min(wide, w.cols - first);
            for (index k = 0; k < m; ++k) {
                std::copy_n(q.row(k) + first, count, right + k * wide);
                std::fill_n(right + k * wide + count, wide - count, 0.0);
            }
            for (index g = 0; g < groups; ++g) {
                const index rows = std::min(high, w.rows - g * high);
                std::fill_n(tile, high * wide, 0.0);
                for (index r = 0; r < rows; ++r) std::copy_n(w.row(g * high + r) + first, count, tile + r * wide);
                ops.rank_update(tile, wide, left.data() + g * m * high, right, m);
                for (index r = 0; r < rows; ++r) std::copy_n(tile + r * wide, count, w.row(g * high + r) + first);
            }
        }
    });
}

}  // namespace mercer
