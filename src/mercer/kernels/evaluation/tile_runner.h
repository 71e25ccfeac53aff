// tile_runner computes the kernel values of a few rows against a column tile. For each tile it fills one register per
// statistic: from dot products, from coordinate differences where dot products are not accurate enough, from bits, or
// from the values of a user's function. Then it runs the instructions of the plan on the registers while they are in
// L1. Internal to this folder.
#pragma once

#include "mercer/kernels/evaluation/packed_columns.h"
#include "mercer/kernels/evaluation/prepared_data.h"
#include "mercer/kernels/evaluation/row_batch.h"
#include "mercer/kernels/evaluation/scratch.h"
#include "mercer/kernels/tile/tile_ops.h"

namespace mercer::evaluation {

template <class T>
class tile_runner {
public:
    explicit tile_runner(const prepared_data<T>& data) : data_(data) {}

    // Computes the rows first … first + count - 1 of a batch against a column tile. Row first + i goes to out[i], from
    // column out_col on. `first` must be a multiple of block_rows.
    void run(const packed_columns<T>& columns, const row_batch<T>& batch, index first, index count, row_pointers<T> out,
             index out_col, scratch<T>& w) const;

private:
    // One tile: at most block_rows rows, the column tile, and the place of the results.
    struct tile {
        row_set rows;
        const packed_columns<T>& columns;
        row_pointers<T> out;
        index out_col;
        T* registers;
        scratch<T>& w;
        index width() const { return columns.width; }
        index real_width() const { return columns.cols.size(); }
    };
    T* register_of(const tile& t, int number) const;

    bool read_table(const tile& t) const;
    void fill_statistic(std::size_t at, const row_batch<T>& batch, index first, const tile& t) const;
    void fill_from_bits(std::size_t at, const tile& t, T* out) const;
    void fill_dense(std::size_t at, const packed_rows<T>& left, index first, const tile& t, T* out) const;
    void fill_sparse(std::size_t at, const packed_rows<T>& left, index first, const tile& t, T* out) const;
    index to_distances(std::size_t at, const tile& t, T* out, const T* block, const T* block_low) const;
    void recompute_inaccurate(std::size_t at, const tile& t, T* out) const;

    void run_instructions(const tile& t) const;
    void run_step(std::size_t at, const tile& t) const;
    void run_map(const instruction& step, const tile& t, T* const* to, bool stream) const;
    bool point_at_result(const tile& t, T** rows) const;
    void require_range(const tile& t) const;

    const prepared_data<T>& data_;
    const tile_ops<T>& ops_ = best_tile_ops<T>();
};

extern template class tile_runner<float>;
extern template class tile_runner<double>;

}  // namespace mercer::evaluation
