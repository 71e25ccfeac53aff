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
    deep_statistics(const bound_plan<T>& bound, const column_stripes<T>& stripes) : bound_(bound), stripes_(stripes) {}

    // Returns the number of rows of a batch whose values for all columns take 16 MB.
    index rows_at_once(index cols) const;
    // Computes the values of every deep statistic, stores them in `w` and refers to them in `group.deep`. In the column
    // tile that ends at column e only the rows below diagonal + e are computed.
    void fill(row_group<T>& group, const selection& cols, index diagonal, workspace<T>& w) const;

private:
    // The rows and columns of a call, and the place of their values for one statistic.
    struct task {
        std::size_t at;
        const source<T>& s;
        const selection& rows;
        const selection& cols;
        index diagonal;
        index stride;  // of `values`
        T* values;
        workspace<T>& w;
    };
    // A chunk of parallel work: some rows of a column tile.
    struct part_of_stripe {
        selection cols;
        index c0, width;
        index first_row, end_row;
    };
    template <class Work>
    void each_part(const task& t, Work work) const;
    template <class Work>
    void each_slice(const task& t, bool low, Work work) const;

    void add_up(const task& t) const;
    bool to_distances(const task& t, std::vector<char>& doubtful) const;
    void from_differences(const task& t, const std::vector<char>& doubtful) const;
    std::size_t tile_number(const task& t, index r0, index c0) const;

    const bound_plan<T>& bound_;
    const column_stripes<T>& stripes_;
    const tile_ops<T>& ops_ = best_tile_ops<T>();
};

extern template class deep_statistics<float>;
extern template class deep_statistics<double>;

}  // namespace mercer::evaluation
