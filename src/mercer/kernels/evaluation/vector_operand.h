// The vectors a statistic is taken of, as the tile loops want them: rows of T, dense or sparse, converted on the fly
// from whatever storage the data have, so that no copy of the data is kept.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/base/per_thread.h"
#include "mercer/base/threads.h"
#include "mercer/data/dataset.h"
#include "mercer/kernels/tile/tile_ops.h"
#include "mercer/kernels/vector_rows.h"

namespace mercer {

// Scratch of one thread; grows and is kept.
template <class T>
struct pack_scratch {
    buffer<T> rows;  // converted dense rows
    std::vector<const T*> pointers;
    std::vector<std::int32_t> row_cols;
    std::vector<T> row_values;
};

// The coordinates of a vector that are not zero, or that its storage lists.
template <class T>
struct sparse_entries {
    const std::int32_t* cols = nullptr;
    const T* values = nullptr;
    index count = 0;
};

template <class T>
class operand {
public:
    operand() = default;
    // Streamed as sparse vectors or not; density: the part of the coordinates that are not zero, where the storage does
    // not tell.
    operand(dataset vectors, bool as_sparse, double density = 1)
        : vectors_(std::move(vectors)), sparse_(as_sparse), density_(density) {}

    index size() const { return vectors_.size(); }
    index dims() const { return vectors_.dims(); }
    bool streamed_sparse() const { return sparse_; }
    const dataset& vectors() const { return vectors_; }
    double density() const { return density_; }
    double mean_entries() const;  // coordinates of a vector that are worked on, on average

    // packed[k·width + r] ← coordinate part.first + k of vector which[r], minus the shift's, rounded to T; zero beyond
    // which.size() and dims().
    void pack(const selection& which, slice part, const T* shift, T* packed, index width,
              pack_scratch<T>& scratch) const;
    // The same of what that rounding took away, and whether it took anything from any vector.
    void pack_low(const selection& which, slice part, const T* shift, T* packed, index width,
                  pack_scratch<T>& scratch) const;
    bool rounds(const T* shift) const;
    // How many coordinates of vector i are not zero: terms of a sum over it.
    index terms(index i) const;
    // Whether all coordinates of vector i, minus the shift's, are whole numbers.
    bool whole(index i, const T* shift) const;
    // Replaces the vectors by copies in T, minus the shift, dense where most coordinates are stored; low: also what
    // rounding takes from them. The bytes that takes, 0 where it would be more than `budget` or nothing is gained.
    std::size_t copy(const T* shift, bool low, std::size_t budget);
    // The entries of vector i: where they are stored, or written to `cols` and `values`, which have room for
    // room_for_entries(i).
    sparse_entries<T> entries(index i, std::int32_t* cols, T* values) const;
    index room_for_entries(index i) const;
    // The same in scratch, valid until its next use.
    sparse_entries<T> entries(index i, pack_scratch<T>& scratch) const;
    // ‖xᵢ - shift‖² for as many vectors as `out` holds, from vector `from` on, by the same chain of operations as a dot
    // product in a tile.
    void norms(const T* shift, std::span<T> out, index from = 0) const;

private:
    slice all_coordinates() const { return {0, dims()}; }
    // Part of row i as it lies in memory, or written to scratch: then minus the shift.
    const T* dense_row(index i, slice part, const T* shift, T* scratch) const;
    void low_row(index i, slice part, const T* shift, T* out) const;
    void pack_rows(const selection& which, slice part, const T* shift, T* packed, index width,
                   pack_scratch<T>& scratch) const;

    dataset vectors_, low_;
    bool sparse_ = false;
    double density_ = 1;
};

// Sparse vectors in a space of more coordinates: a copy, with zeros for the new ones.
dataset widened(const dataset& vectors, index dims);

// ‖xᵢ-zⱼ‖² from the differences of the coordinates as they are stored, in double.
template <class T>
double squared_difference(const operand<T>& x, index i, const operand<T>& z, index j);

extern template class operand<float>;
extern template class operand<double>;

// Vectors of -1, 0 and 1 as bits (tile/bits.h).

// Which coordinates there are.
enum class bit_kind { no_bits, zero_one, signs };

class bit_rows {
public:
    // Whether the vectors can be held as bits, and need signs for that. Ends at the first coordinate that is none of
    // -1, 0, 1.
    static bit_kind kind_of(const dataset& vectors);
    static index words_for(index dims) { return (dims + 31) / 32; }

    bit_rows() = default;
    bit_rows(const dataset& vectors, index words, bool signs);

    const std::uint32_t* row(index i) const { return bits_.data() + i * stride_; }
    std::int32_t norm(index i) const { return norm_[i]; }  // ‖x‖², the number of coordinates that are not 0
    // panel[w·width + r] ← word w of vector which[r]; zero beyond which.size().
    void pack(const selection& which, std::uint32_t* panel, index width) const;

private:
    index stride_ = 0;
    std::vector<std::uint32_t> bits_;
    std::vector<std::int32_t> norm_;
};

}  // namespace mercer

namespace mercer::evaluation {

// The rows of a block in the form the tile loops read, made once for a call and read by every stripe of columns: dense
// vectors interleaved in blocks, sparse ones, and dense ones that are mostly zeros, as columns and values of T.
// Internal to this folder.

template <class T>
class left_rows {
public:
    // Some coordinates of the rows. low: also what rounding takes from them.
    void as_blocks(const operand<T>& x, const selection& which, slice part, const T* shift, bool low) {
        const index width = best_tile_ops<T>().block_rows, count = (which.size() + width - 1) / width,
                    depth = part.count;
        depth_ = depth;
        T* to = blocks_.at_least(count * width * depth);
        T* to_low = low ? low_.at_least(count * width * depth) : nullptr;
        parallel_for(count, [&](index b) {
            auto& scratch = per_thread<pack_scratch<T>>([] {});
            const selection some = which.slice(b * width, std::min(width, which.size() - b * width));
            x.pack(some, part, shift, to + b * width * depth, width, scratch);
            if (low) x.pack_low(some, part, shift, to_low + b * width * depth, width, scratch);
        });
    }

    void as_sparse(const operand<T>& x, const selection& which) {
        rows_.resize(static_cast<std::size_t>(which.size()));
        start_.resize(static_cast<std::size_t>(which.size()) + 1);
        const auto for_rows = [&](auto&& body) {
            parallel_runs(which.size(), 64, [&](index first, index end) {
                for (index r = first; r < end; ++r) body(r);
            });
        };
        for_rows([&](index r) { start_[r + 1] = x.room_for_entries(which[r]); });
        start_[0] = 0;
        for (index r = 0; r < which.size(); ++r) start_[r + 1] += start_[r];
        T* values = values_.at_least(start_.back());
        std::int32_t* cols = cols_.at_least(start_.back());
        for_rows([&](index r) { rows_[r] = x.entries(which[r], cols + start_[r], values + start_[r]); });
    }

    // The block that starts at row `first`, a multiple of block_rows.
    const T* block(index first) const { return blocks_.data() + first * depth_; }
    const T* low_block(index first) const { return low_.data() + first * depth_; }
    const sparse_entries<T>& row(index r) const { return rows_[static_cast<std::size_t>(r)]; }

private:
    index depth_ = 0;
    buffer<T> blocks_, low_, values_;
    buffer<std::int32_t> cols_;
    std::vector<index> start_;
    std::vector<sparse_entries<T>> rows_;
};

}  // namespace mercer::evaluation
