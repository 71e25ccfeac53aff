
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

// Packs v into panels of `width` columns, padded with zeros: row k of panel p begins at (p·rows + k)·width.
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

// Returns `count` rows from `first` and `depth` columns from c of K, in double: the stored numbers, or a copy in the
// scratch memory.
template <class T>
matrix_view<const double> read_tile(const gram<T>& k, matrix_view<const T> kept, index first, index count, index c,
                                    index depth, scratch<T>& s) {
    matrix_view<const T> t;
    if (first + count <= kept.rows) {
        t = kept.block(first, c, count, depth);
    } else {
        const matrix_view<T> tile(s.tile.at_least(rows_of_tile * columns_of_tile), count, depth, columns_of_tile);
        k.block(row_set(first, count), row_set(c, depth), tile);
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
             fmt::format("out = K·v with K of {}×{} numbers, v of {}×{} and out of {}×{}: the sizes do not match",
                         k.rows(), k.cols(), v.rows, v.cols, out.rows, out.cols));
    if (v.cols < 4) return k.multiply(v, out);
    const auto& ops = best_vector_ops();
    const index high = update_rows, wide = ops.update_cols, panels = (v.cols + wide - 1) / wide, stride = panels * wide;
    const buffer<double> right = packed(v, wide);
    const matrix_view<const T> kept = k.stored();
    parallel_for((k.rows() + rows_of_tile - 1) / rows_of_tile, [&](index b) {
        // The buffers are moved out of thread storage while they are in use, because block() may multiply by another
        // matrix.
        auto& memory = per_thread<scratch<T>>([] {});
        scratch<T> s = std::move(memory);
        const index first = b * rows_of_tile, count = std::min(rows_of_tile, k.rows() - first),
                    groups = (count + high - 1) / high;
        double* sums = s.sums.at_least(groups * high * stride);
        std::fill_n(sums, groups * high * stride, 0.0);
        for (index c = 0; c < k.cols(); c += columns_of_tile) {
            // With thousands of columns in v, one tile takes tenths of a second, so cancellation is checked for each
            // tile.
            throw_if_cancelled();
            const index depth = std::min(columns_of_tile, k.cols() - c);
            const matrix_view<const double> t = read_tile(k, kept, first, count, c, depth, s);
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

namespace {

// Tile sizes are multiples of the micro-tile of 12. A part stays in L2 while it is used twice, and begins at a panel of
// the evaluator.
constexpr index micro = 12, height_of_tile = 288, width_of_tile = 4 * height_of_tile, part = 96;

constexpr index min_reserved_size = 1000;  // number of rows below which a plain buffer is used

constexpr index whole(index count, index unit) { return (count + unit - 1) / unit * unit; }

}  // namespace

std::vector<half_gram::tile> half_gram::cut_into_tiles(index n) {
    std::vector<tile> tiles;
    std::size_t at = 0;
    for (index r = 0; r < n; r += height_of_tile)
        for (index c = r; c < n; c += width_of_tile) {
            tiles.push_back(
                {r, c, whole(std::min(height_of_tile, n - r), micro), whole(std::min(width_of_tile, n - c), part), at});
            at += static_cast<std::size_t>(tiles.back().rows * tiles.back().cols);
        }
    return tiles;
}

double half_gram::bytes(index n, index columns) {
    const double size = static_cast<double>(n), padded = size + micro,
                 tiles =
                     size * (size + width_of_tile) / (2.0 * height_of_tile * width_of_tile) + size / height_of_tile + 1;
    return 8 * (padded * (size + height_of_tile + 2 * part) / 2 +
                tiles * static_cast<double>((height_of_tile + width_of_tile) * whole(columns, 8)));
}

half_gram::half_gram(const gram<double>& k) : n_(k.rows()) {
    if (k.rows() != k.cols())
        fail(errc::invalid_argument,
             fmt::format("half of a kernel matrix: the matrix must be square, got {} × {}", k.rows(), k.cols()));
    if (n_ == 0) return;
    tiles_ = cut_into_tiles(n_);
    for (std::size_t t = 0; t < tiles_.size(); ++t)
        if (tiles_[t].row == tiles_[t].col) first_.push_back(t);
    const tile& last = tiles_.back();
    const std::size_t size = last.at + static_cast<std::size_t>(last.rows * last.cols);
    if (n_ < min_reserved_size) {
        small_buffer_.resize(static_cast<index>(size));
        numbers_ = small_buffer_.data();
    } else {
        memory_ = reserved_memory(size * sizeof(double));
        numbers_ = static_cast<double*>(memory_.data());
    }
    parallel_for(static_cast<index>(tiles_.size()), [&](index i) {
        const tile& t = tiles_[static_cast<std::size_t>(i)];
        const index rows = std::min(t.rows, n_ - t.row);
        // Entries beyond n stay zero, as the system provides the memory.
        for (index c = 0; t.col + c < n_ && c < t.cols; c += part) {
            const index cols = std::min(part, n_ - t.col - c);
            k.block(row_set(t.row, rows), row_set(t.col + c, cols),
                    matrix_view<double>(place(t) + c * t.rows, rows, cols, part));
        }
    });
}

// own += T·v[columns of T], and turned += Tᵀ·v[rows of T] for the columns outside of the block on the diagonal.
void half_gram::multiply_tile(const tile& t, const double* v, index width, double* own, double* turned) const {
    const auto& ops = best_vector_ops();
    // first column of the tile that is also used transposed
    const index mirrored = t.row == t.col ? height_of_tile : 0;
    for (index c = 0; c < t.cols; c += part) {
        const double* k = place(t) + c * t.rows;
        const double* ahead = k + t.rows * part;
        const auto update = [&](double* to, const double* from, bool from_columns, const double* by, index depth) {
            ops.narrow_update(to, from, part, from_columns, by, width, depth, ahead);
            ahead += depth * ops.narrow_ahead;
        };
        for (index r = 0; r < t.rows; r += micro)
            update(own + r * width, k + r * part, false, v + (t.col + c) * width, part);
        for (index j = std::max<index>(0, mirrored - c); j < part; j += micro)
            update(turned + (c + j) * width, k + j, true, v + t.row * width, t.rows);
    }
}

void half_gram::multiply(matrix_view<const double> v, matrix_view<double> out) {
    if (v.rows != n_ || out.rows != n_ || out.cols != v.cols)
        fail(errc::invalid_argument,
             fmt::format("out = K·v with K of {0}×{0} numbers, v of {1}×{2} and out of {3}×{4}: the sizes do not match",
                         n_, v.rows, v.cols, out.rows, out.cols));
    static_assert(height_of_tile % micro == 0 && part % micro == 0 && width_of_tile % part == 0 &&
                  width_of_tile % height_of_tile == 0);
    if (n_ == 0 || v.cols == 0) return;
    const index width = whole(v.cols, best_vector_ops().narrow_cols);
    // The rows of the right-hand sides are padded with zeros to the end of the last part.
    const index padded = whole(n_, height_of_tile) + part;
    double* right = right_.at_least(padded * width);
    std::fill_n(right + n_ * width, (padded - n_) * width, 0.0);
    for (index i = 0; i < n_; ++i) std::fill_n(std::copy_n(v.row(i), v.cols, right + i * width), width - v.cols, 0.0);
    const index sums_of_tile = (height_of_tile + width_of_tile) * width;
    double* sums = sums_.at_least(static_cast<index>(tiles_.size()) * sums_of_tile);
    const auto own = [&](std::size_t t) { return sums + static_cast<index>(t) * sums_of_tile; };
    parallel_for(static_cast<index>(tiles_.size()), [&](index i) {
        double* to = own(static_cast<std::size_t>(i));
        std::fill_n(to, sums_of_tile, 0.0);
        multiply_tile(tiles_[static_cast<std::size_t>(i)], right, width, to, to + height_of_tile * width);
    });
    parallel_for(static_cast<index>(first_.size()), [&](index b) {
        const index row = b * height_of_tile, rows = std::min(height_of_tile, n_ - row);
        std::vector<double> total(static_cast<std::size_t>(rows * width));
        const auto add = [&](const double* from) {
            for (index i = 0; i < rows * width; ++i) total[static_cast<std::size_t>(i)] += from[i];
        };
        for (index above = 0; above < b; ++above) {
            const index ahead = row - above * height_of_tile;
            add(own(first_[static_cast<std::size_t>(above)] + static_cast<std::size_t>(ahead / width_of_tile)) +
                (height_of_tile + ahead % width_of_tile) * width);
        }
        const std::size_t end =
            static_cast<std::size_t>(b) + 1 < first_.size() ? first_[static_cast<std::size_t>(b) + 1] : tiles_.size();
        for (std::size_t t = first_[static_cast<std::size_t>(b)]; t < end; ++t) add(own(t));
        for (index i = 0; i < rows; ++i) std::copy_n(total.data() + i * width, v.cols, out.row(row + i));
    });
}

}  // namespace mercer
