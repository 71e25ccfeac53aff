// Statistics of dense vectors with so many coordinates that whole rows would take hundreds of megabytes and leave the
// caches. For all pairs of a group of rows and the columns of a call, coordinates are packed and worked on slice by
// slice, and every sum goes on where the last slice left it: one chain in ascending order, the bits of whole rows.
// Tiles read the values afterwards. Internal to this folder.
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

    // How many rows a group may have so that the values of all its pairs with the columns take a few megabytes.
    index rows_at_once(index cols) const;
    // Puts the values of every deep statistic into `w` and shows them to the group. Of the columns j of a stripe only
    // rows below diagonal + (the end of the stripe) are wanted.
    void fill(row_group<T>& group, const selection& cols, index diagonal, workspace<T>& w) const;

private:
    // The pairs of a call, and where their values are.
    struct task {
        std::size_t at;
        const source<T>& s;
        const selection& rows;
        const selection& cols;
        index diagonal;
        index stride;  // of values
        T* values;
        workspace<T>& w;
    };
    // Some rows of a stripe: those of one item of work.
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
