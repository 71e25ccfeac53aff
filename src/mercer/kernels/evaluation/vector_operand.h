// operand: the vectors of one side of a statistic, in the form that the tile loops read. Rows are converted to T, dense
// or sparse, from whatever form the data are stored in, so that no copy of the data is needed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/data/dataset.h"
#include "mercer/kernels/vector_rows.h"

namespace mercer {

// Scratch memory of one thread. It grows and is reused.
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
class vector_operand {
public:
    vector_operand() = default;
    // as_sparse: the tile loops read the vectors as sparse ones. density: the fraction of nonzero coordinates, for data
    // that do not store it.
    vector_operand(dataset vectors, bool as_sparse, double density = 1)
        : vectors_(std::move(vectors)), sparse_(as_sparse), density_(density) {}

    index size() const { return vectors_.size(); }
    index dims() const { return vectors_.dims(); }
    bool reads_sparse() const { return sparse_; }
    const dataset& vectors() const { return vectors_; }
    double density() const { return density_; }
    double mean_entries() const;  // average number of coordinates of a vector that the loops read

    // packed[k·width + r] ← coordinate part.first + k of vector which[r], minus the shift, rounded to T; zero for r >=
    // which.size() and for coordinates beyond dims().
    void pack(const row_set& which, coordinate_range part, const T* shift, T* packed, index width,
              pack_scratch<T>& scratch) const;
    // The same for the rounding errors of these coordinates. `has_rounding_errors` returns true if any
    // coordinate of any vector has one.
    void pack_low(const row_set& which, coordinate_range part, const T* shift, T* packed, index width,
                  pack_scratch<T>& scratch) const;
    bool has_rounding_errors(const T* shift) const;
    // Returns the number of nonzero coordinates of vector i, which is the number of terms of a sum over it.
    index nonzeros(index i) const;
    // Returns true if all coordinates of vector i, minus the shift, are whole numbers.
    bool is_whole(index i, const T* shift) const;
    // Replaces the vectors by copies in T, minus the shift; they are dense, unless at most half of the coordinates are
    // stored and neither a shift nor low parts are wanted. `low`: also stores the rounding errors. Returns the bytes of
    // the copies, or 0 without a copy if they would exceed `budget` or save no time.
    std::size_t copy(const T* shift, bool low, std::size_t budget);
    // Returns the entries of vector i: a reference to the stored ones, or a copy in `cols` and `values`, which must
    // hold max_entries(i) numbers.
    sparse_entries<T> entries(index i, std::int32_t* cols, T* values) const;
    index max_entries(index i) const;
    // The same, with the copy in `scratch`, valid until its next use.
    sparse_entries<T> entries(index i, pack_scratch<T>& scratch) const;
    // out[i] = ‖x_{from+i} - shift‖² for all i < out.size(), by the same chain of operations as a dot product in a
    // tile.
    void norms(const T* shift, std::span<T> out, index from = 0) const;

private:
    coordinate_range all_coordinates() const { return {0, dims()}; }
    // A range of coordinates of row i: a pointer to the stored row, without the shift, or a copy in `scratch`, minus
    // the shift.
    const T* dense_row(index i, coordinate_range part, const T* shift, T* scratch) const;
    void low_row(index i, coordinate_range part, const T* shift, T* out) const;
    void pack_rows(const row_set& which, coordinate_range part, const T* shift, T* packed, index width,
                   pack_scratch<T>& scratch) const;

    dataset vectors_, low_;
    bool sparse_ = false;
    double density_ = 1;
};

// Sparse vectors in a space of more coordinates: a copy, with zeros for the new ones.
dataset widened(const dataset& vectors, index dims);

// Returns ‖xᵢ-zⱼ‖², computed in double from the differences of the stored coordinates.
template <class T>
double squared_difference(const vector_operand<T>& x, index i, const vector_operand<T>& z, index j);

extern template class vector_operand<float>;
extern template class vector_operand<double>;

}  // namespace mercer
