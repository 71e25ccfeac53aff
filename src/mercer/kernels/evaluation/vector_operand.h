// The vectors a statistic is taken of, as the tile loops want them: rows of T, dense or sparse, converted on the fly
// from whatever storage the data have, so that no copy of the data is kept.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/data/dataset.h"

namespace mercer {

// Some coordinates of vectors that lie side by side.
struct slice {
    index first = 0;
    index count = 0;
};

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

// What a sample of vectors tells of them all.
template <class T>
struct vector_sample {
    std::vector<T> centre;  // the median of every coordinate: a few far points do not move it
    double centre_share =
        0;               // of the squared norms, what subtracting the centre takes away; 0 where that is not finite
    double density = 1;  // the part of the coordinates that are not zero
};
template <class T>
vector_sample<T> sample_vectors(const dataset& x);

extern template class operand<float>;
extern template class operand<double>;

}  // namespace mercer
