#include "mercer/methods/nystroem/gram_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <vector>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/per_thread.h"
#include "mercer/base/reproducible_sums.h"
#include "mercer/base/threads.h"
#include "mercer/dense/vector_ops.h"

namespace mercer {
namespace detail {

constexpr index round_up(index n, index unit) { return (n + unit - 1) / unit * unit; }

// Returns the number of rows of a tile: a tile must fit the L2 cache together with the sums, consist of whole
// micro-tiles and divide a chunk.
template <class T>
index rows_of_tile(index cols) {
    constexpr index bytes = index{512} * 1024;
    for (const index band : {192, 96, 48})
        if (band * cols * static_cast<index>(sizeof(T)) <= bytes) return band;
    return 24;
}

template <class T>
struct pass_scratch {
    buffer<T> tile;
    buffer<double> wide, f, edge;
    std::vector<const T*> rows;
    std::vector<double> minus;
    std::vector<index> listed;
};

// One pass: its operands in the layout that the inner loops need, and the sums.
template <class T>
class pass_loops {
public:
    pass_loops(index rows, index cols, matrix_view<const double> v, matrix_view<double> out, std::span<double> totals)
        : cols_(cols),
          width_(v.rows > 0 ? v.cols : out.cols),
          chunk_(chunk_rows(rows)),
          tile_rows_(rows_of_tile<T>(cols)),
          is_narrow_(width_ <= 2),
          stride_(is_narrow_ ? width_ : round_up(width_, ops_.narrow_cols)),
          forward_(v.rows > 0),
          backward_(out.rows > 0),
          constant_(std::max(v.rows, out.rows) == cols + 1),
          // whole micro-tiles, and one more for the constant column
          product_size_(!backward_   ? 0
                        : is_narrow_ ? (cols_ + 1) * width_
                                     : (round_up(cols_, ops_.narrow_rows) + ops_.narrow_rows) * stride_),
          sums_(product_size_ + std::ssize(totals)) {
        if (!forward_) return;
        right_.resize((cols + 1) * stride_);
        for (index j = 0; j < v.rows; ++j)
            for (index c = 0; c < width_; ++c) right_[position(j, c)] = v(j, c);
    }

    void batch(index first, const gram<T>& k, const row_function& step, const row_filter& only) {
        if (first % chunk_ != 0)
            fail(errc::invalid_argument,
                 fmt::format("a batch of K must begin at a multiple of {} rows, got row {}", chunk_, first));
        parallel_for((k.rows() + chunk_ - 1) / chunk_, [&](index leaf) {
            // The scratch memory is moved out of the thread while it is used, because block() may start another product
            // on the same thread.
            auto& memory = per_thread<pass_scratch<T>>([] {});
            pass_scratch<T> s = std::move(memory);
            std::vector<double> sums = sums_.zeros();
            const index end = std::min(k.rows(), (leaf + 1) * chunk_);
            if (only)
                process_filtered(k, first, leaf * chunk_, end, only, sums.data(), step, s);
            else
                for (index row = leaf * chunk_; row < end; row += tile_rows_) {
                    throw_if_cancelled();  // with thousands of columns in v, a tile takes tenths of a second
                    const index count = std::min(tile_rows_, end - row);
                    process_tile(values(k, row, count, s), sums.data(), s,
                                 [&](matrix_view<double> f, double* totals) { step(first + row, f, totals); });
                }
            sums_.add(first / chunk_ + leaf, std::move(sums));
            memory = std::move(s);
        });
    }

    void finish(const communicator* group, matrix_view<double> out, std::span<double> totals) {
        if (!backward_ && totals.empty()) return;
        const std::vector<double> sums = sums_.total(group);
        for (index j = 0; j < out.rows; ++j)
            for (index c = 0; c < width_; ++c) out(j, c) = sums[static_cast<std::size_t>(position(j, c))];
        std::copy_n(sums.data() + product_size_, totals.size(), totals.data());
    }

private:
    // Returns the position of entry (j, c) of v and out. With one or two columns every column is contiguous, with more
    // columns every row.
    index position(index j, index c) const { return is_narrow_ ? c * (cols_ + 1) + j : j * stride_ + c; }

    // Processes the rows of a chunk that `only` admits, packed into tiles.
    void process_filtered(const gram<T>& k, index offset, index row, index end, const row_filter& only, double* sums,
                          const row_function& step, pass_scratch<T>& s) {
        while (row < end) {
            s.listed.clear();
            for (; row < end && std::ssize(s.listed) < tile_rows_; ++row)
                if (only(offset + row)) s.listed.push_back(row);
            if (s.listed.empty()) break;
            throw_if_cancelled();
            process_tile(values(k, s.listed, s), sums, s, [&](matrix_view<double> f, double* totals) {
                for (index i = 0; i < f.rows; ++i)
                    step(offset + s.listed[static_cast<std::size_t>(i)], f.block(i, 0, 1, f.cols), totals);
            });
        }
    }

    template <class Step>
    void process_tile(matrix_view<const T> tile, double* sums, pass_scratch<T>& s, const Step& step) {
        const index count = tile.rows;
        const index rows = round_up(count, ops_.narrow_rows);
        double* f = s.f.at_least(round_up(tile_rows_, ops_.narrow_rows) * stride_);
        std::fill_n(f, rows * stride_, 0.0);
        if (forward_) {
            if (is_narrow_)
                for (index i = 0; i < count; ++i) {
                    if (i + rows_ahead < count) prefetch(tile.row(i + rows_ahead));
                    for (index c = 0; c < width_; ++c) f[i * stride_ + c] = dot_row(tile.row(i), c);
                }
            else
                multiply(convert_to_double(tile, s), count, f, s);
            if (constant_)
                for (index i = 0; i < count; ++i)
                    for (index c = 0; c < width_; ++c) f[i * stride_ + c] += right_[position(cols_, c)];
        }
        step(matrix_view<double>(f, count, width_, stride_), sums + product_size_);
        if (!backward_) return;
        if (constant_)
            for (index i = 0; i < count; ++i)
                for (index c = 0; c < width_; ++c) sums[position(cols_, c)] += f[i * stride_ + c];
        if (is_narrow_)
            for (index c = 0; c < width_; ++c) add_rows(tile, f + c, sums + position(0, c), s);
        else
            multiply_transposed(forward_ ? converted_tile(tile, s) : convert_to_double(tile, s), count, f, sums, s);
    }

    // sums += Kᵀu, where u is every stride_-th number
    void add_rows(matrix_view<const T> tile, const double* u, double* sums, pass_scratch<T>& s) const {
        s.rows.resize(static_cast<std::size_t>(tile.rows)), s.minus.resize(s.rows.size());
        for (index i = 0; i < tile.rows; ++i)
            s.rows[static_cast<std::size_t>(i)] = tile.row(i), s.minus[static_cast<std::size_t>(i)] = -u[i * stride_];
        if constexpr (std::is_same_v<T, float>)
            ops_.subtract_rows(sums, s.rows.data(), s.minus.data(), tile.rows, cols_);
        else
            ops_.subtract_double_rows(sums, s.rows.data(), s.minus.data(), tile.rows, cols_);
    }

    // Returns rows of K: a view if they are in memory, otherwise they are computed.
    matrix_view<const T> values(const gram<T>& k, index first, index count, pass_scratch<T>& s) const {
        const matrix_view<const T> kept = k.stored();
        if (first + count <= kept.rows) return kept.block(first, 0, count, cols_);
        const matrix_view<T> tile(s.tile.at_least(tile_rows_ * cols_), count, cols_);
        k.block(row_set(first, count), row_set(0, cols_), tile);
        return tile;
    }
    // Returns the rows of an ascending list.
    matrix_view<const T> values(const gram<T>& k, std::span<const index> listed, pass_scratch<T>& s) const {
        const matrix_view<T> tile(s.tile.at_least(tile_rows_ * cols_), std::ssize(listed), cols_);
        k.block(row_set(listed), row_set(0, cols_), tile);
        return tile;
    }
    matrix_view<const double> convert_to_double(matrix_view<const T> tile, pass_scratch<T>& s) const {
        if constexpr (std::is_same_v<T, double>) {
            return tile;
        } else {
            double* wide = s.wide.at_least(tile_rows_ * cols_);
            for (index i = 0; i < tile.rows; ++i) std::copy_n(tile.row(i), cols_, wide + i * cols_);
            return {wide, tile.rows, cols_};
        }
    }
    matrix_view<const double> converted_tile(matrix_view<const T> tile, pass_scratch<T>& s) const {
        if constexpr (std::is_same_v<T, double>)
            return tile;
        else
            return {s.wide.data(), tile.rows, cols_};
    }

    // Prefetches a row that is used soon. Hardware prefetching stops at the end of a page, which can be as short as a
    // row.
    static constexpr index rows_ahead = 2;
    void prefetch(const T* row) const {
        for (index j = 0; j < cols_; j += static_cast<index>(cache_line / sizeof(T))) __builtin_prefetch(row + j, 0, 2);
    }

    // Returns a row of K times column c of v, for at most two columns.
    double dot_row(const T* row, index c) const {
        const double* v = right_.data() + position(0, c);
        if constexpr (std::is_same_v<T, double>) {
            return ops_.dot(row, v, cols_);
        } else {
            double out = 0;
            ops_.dots(row, v, cols_, 1, cols_, &out);
            return out;
        }
    }

    // f += K v
    void multiply(matrix_view<const double> k, index count, double* f, pass_scratch<T>& s) const {
        const index high = ops_.narrow_rows;
        for (index g = 0; g < count; g += high) {
            const double* left = k.row(g);
            index left_stride = k.stride;
            if (count - g < high) {
                double* edge = s.edge.at_least(high * std::max(cols_, tile_rows_));
                std::fill_n(edge, high * cols_, 0.0);
                for (index r = 0; r < count - g; ++r) std::copy_n(k.row(g + r), cols_, edge + r * cols_);
                left = edge, left_stride = cols_;
            }
            ops_.narrow_update(f + g * stride_, left, left_stride, false, right_.data(), stride_, cols_, nullptr);
        }
    }

    // sums += Kᵀu
    void multiply_transposed(matrix_view<const double> k, index count, const double* u, double* sums,
                             pass_scratch<T>& s) const {
        const index high = ops_.narrow_rows;
        for (index j = 0; j < cols_; j += high) {
            const double* left = k.data + j;
            index left_stride = k.stride;
            if (cols_ - j < high) {
                double* edge = s.edge.at_least(high * std::max(cols_, tile_rows_));
                for (index i = 0; i < count; ++i)
                    for (index r = 0; r < high; ++r) edge[i * high + r] = j + r < cols_ ? k(i, j + r) : 0.0;
                left = edge, left_stride = high;  // the rows after the last column get zeros added
            }
            ops_.narrow_update(sums + j * stride_, left, left_stride, true, u, stride_, count, nullptr);
        }
    }

    const vector_ops& ops_ = best_vector_ops();
    index cols_, width_, chunk_, tile_rows_;
    bool is_narrow_;
    index stride_;
    bool forward_, backward_, constant_;
    index product_size_;
    buffer<double> right_;
    pairwise_sums sums_;
};

}  // namespace detail

template <class T>
void gram_pass(const gram_batches<T>& k, matrix_view<const double> v, const row_function& step, matrix_view<double> out,
               std::span<double> totals, const row_filter& only) {
    const index m = k.cols();
    const auto fits = [&](index rows) { return rows == 0 || rows == m || rows == m + 1; };
    if (!fits(v.rows) || !fits(out.rows) || (v.rows > 0 && out.rows > 0 && (v.rows != out.rows || v.cols != out.cols)))
        fail(errc::invalid_argument,
             fmt::format("out = Kᵀ step(K·v) with {} columns of K, v of {}×{} and out of {}×{}: the sizes do not match",
                         m, v.rows, v.cols, out.rows, out.cols));
    detail::pass_loops<T> all(k.rows(), m, v, out, totals);
    k.each([&](index first, const gram<T>& rows) { all.batch(first, rows, step, only); });
    all.finish(k.processes(), out, totals);
}

template void gram_pass(const gram_batches<float>&, matrix_view<const double>, const row_function&, matrix_view<double>,
                        std::span<double>, const row_filter&);
template void gram_pass(const gram_batches<double>&, matrix_view<const double>, const row_function&,
                        matrix_view<double>, std::span<double>, const row_filter&);

}  // namespace mercer
