// Statistics of very long dense vectors, whose packed rows would take hundreds of megabytes and leave the caches. The
// coordinates are packed and processed range by range, for all pairs of a row batch and the columns of a call. Every
// sum continues where the previous range ended: one chain in ascending order, bit-identical to the sum over whole rows.
// The tiles then read the values from memory. Internal to this folder.
#pragma once

#include <vector>

#include "mercer/kernels/evaluation/packed_columns.h"
#include "mercer/kernels/evaluation/prepared_data.h"
#include "mercer/kernels/evaluation/row_batch.h"
#include "mercer/kernels/evaluation/scratch.h"
#include "mercer/kernels/tile/tile_ops.h"

namespace mercer::evaluation {

template <class T>
class deep_statistics {
public:
    deep_statistics(const prepared_data<T>& data, const column_tiles<T>& tiles) : data_(data), tiles_(tiles) {}

    // Returns the number of rows of a batch whose values for all columns take 16 MB.
    index rows_at_once(index cols) const;
    // Computes the values of every deep statistic, stores them in `w` and refers to them in `batch.deep`. In the column
    // tile that ends at column e only the rows below diagonal + e are computed.
    void fill(row_batch<T>& batch, const row_set& cols, index diagonal, scratch<T>& w) const;

private:
    // The rows and columns of a call, and the place of their values for one statistic.
    struct task {
        std::size_t at;
        const prepared_statistic<T>& s;
        const row_set& rows;
        const row_set& cols;
        index diagonal;
        index stride;  // of `values`
        T* values;
        scratch<T>& w;
    };
    // A chunk of parallel work: some rows of a column tile.
    struct tile_chunk {
        row_set cols;
        index c0, width;
        index first_row, end_row;
    };
    template <class Work>
    void for_each_chunk(const task& t, Work work) const;
    template <class Work>
    void for_each_range(const task& t, bool low, Work work) const;

    void add_up(const task& t) const;
    bool to_distances(const task& t, std::vector<char>& inaccurate) const;
    void recompute_distances(const task& t, const std::vector<char>& inaccurate) const;
    std::size_t tile_number(const task& t, index r0, index c0) const;

    const prepared_data<T>& data_;
    const column_tiles<T>& tiles_;
    const tile_ops<T>& ops_ = best_tile_ops<T>();
};

extern template class deep_statistics<float>;
extern template class deep_statistics<double>;

}  // namespace mercer::evaluation
