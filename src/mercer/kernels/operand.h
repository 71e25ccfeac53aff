// The vectors a statistic is taken of, as the tile loops want them: rows of T, dense or sparse, converted on the fly from
// whatever storage the data have, so that no copy of the data is kept.
#pragma once

#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/kernels/tile/ops.h"

namespace mercer {

// Scratch of one thread; grows and is kept.
template <class T>
struct pack_scratch {
    buffer<T> rows;  // converted dense rows
    std::vector<const T*> pointers;
    std::vector<std::int32_t> row_cols;
    std::vector<T> row_values;
};

template <class T>
class operand {
public:
    operand() = default;
    operand(dataset vectors, bool sparse_dot) : vectors_(std::move(vectors)), sparse_(sparse_dot) {}

    index size() const { return vectors_.size(); }
    index dims() const { return vectors_.dims(); }
    bool streamed_sparse() const { return sparse_; }
    const dataset& vectors() const { return vectors_; }
    double mean_entries() const;  // stored coordinates of a vector, on average

    // packed[k·width + r] ← coordinate k of vector which[r], minus shift[k]; zero beyond which.size().
    void pack(const selection& which, const T* shift, T* packed, index width, pack_scratch<T>& scratch) const;
    // One sparse row as columns and values of T; valid until the next call with the same scratch.
    void sparse_row(index i, pack_scratch<T>& scratch, const std::int32_t*& cols, const T*& values, index& count) const;
    // ‖xᵢ - shift‖², by the same chain of operations as a dot product in a tile.
    void norms(const T* shift, std::span<T> out) const;

private:
    const T* dense_row(index i, T* scratch) const;

    dataset vectors_;
    bool sparse_ = false;
};

// Sparse vectors in a space of more coordinates: a copy, with zeros for the new ones.
dataset widened(const dataset& vectors, index dims);

// The mean of the vectors of both sides, when subtracting it would make squared distances markedly more exact; else empty.
template <class T>
std::vector<T> useful_shift(const dataset& x);

extern template class operand<float>;
extern template class operand<double>;

}  // namespace mercer
