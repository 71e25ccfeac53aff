// column_tiles cuts the columns of a matrix into column tiles and prepares a column tile for the tile loops: its
// vectors are packed into panels, its norms and factors are collected side by side. The panels of all columns are
// stored if they fit into a memory budget. Internal to this folder.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mercer/kernels/evaluation/prepared_data.h"
#include "mercer/kernels/evaluation/scratch.h"
#include "mercer/kernels/tile/tile_ops.h"

namespace mercer::evaluation {

// A column tile that is ready for the tile loops.
template <class T>
struct packed_columns {
    row_set cols;
    index width;                               // number of columns, rounded up to whole panels
    std::vector<const T*> panels, low_panels;  // per statistic
    bool stream;                               // write results with stores that bypass the caches
    std::int32_t largest_norm = 0;             // largest norm, if kernel values are read from a table
    index first_col = 0;                       // position of its first column among the columns of the call
};

// Panels of a range of coordinates. A panel begins every `stride` numbers.
template <class T>
struct panel_range {
    const T* first;
    index stride;
};

template <class T>
class column_tiles {
public:
    // The panels of all columns are stored if they take at most packed_bytes.
    column_tiles(const prepared_data<T>& data, std::size_t packed_bytes);

    index width() const { return width_; }
    // Returns true if the panels of these columns are stored. They must be a range that starts at a panel.
    bool has_stored_panels(const row_set& cols) const {
        return stored_ && cols.is_range() && cols[0] % ops_.sparse_panel == 0;
    }
    std::size_t stored_bytes() const;

    // Prepares a column tile in w. stored_at is its first column if its panels are stored, else -1. `release` must be
    // called before w is used for another column tile.
    packed_columns<T> pack(const row_set& cols, index stored_at, bool stream, scratch<T>& w) const;
    void release(scratch<T>& w) const;
    // Returns the panels, or low panels, of a range of coordinates of a deep statistic. For deep statistics `pack`
    // prepares no panels.
    panel_range<T> panels_of_range(std::size_t at, const row_set& cols, index stored_at, coordinate_range part,
                                   bool low, scratch<T>& w) const;
    // Rounds a number of columns up to a whole number of sparse panels, which is what a column tile reads.
    index padded(index count) const { return ceil_div(count, ops_.sparse_panel) * ops_.sparse_panel; }

private:
    void choose_width();
    void store_panels(std::size_t budget);
    index panel_of(const prepared_statistic<T>& s) const { return s.reads_sparse() ? ops_.sparse_panel : ops_.panel; }

    void collect_norms(const packed_columns<T>& columns, std::size_t at, scratch<T>& w) const;
    void pack_bits(const packed_columns<T>& columns, std::size_t at, scratch<T>& w) const;
    std::int32_t collect_bit_norms(const packed_columns<T>& columns, scratch<T>& w) const;
    const T* panels(const packed_columns<T>& columns, std::size_t at, index stored_at, scratch<T>& w) const;
    const T* low_panels(const packed_columns<T>& columns, std::size_t at, index stored_at, scratch<T>& w) const;
    void pack_panel(const prepared_statistic<T>& s, const row_set& some, coordinate_range part, T* to,
                    pack_scratch<T>& scratch, bool low) const;
    const T* pack_panels(const prepared_statistic<T>& s, const row_set& cols, coordinate_range part, T* to,
                         scratch<T>& w, bool low) const;
    const T* pack_present_columns(const prepared_statistic<T>& s, const packed_columns<T>& columns, scratch<T>& w,
                                  std::size_t at) const;

    const prepared_data<T>& data_;
    const tile_ops<T>& ops_ = best_tile_ops<T>();
    index width_ = 0;
    bool stored_ = false;
    std::vector<buffer<T>> packed_, packed_low_;  // per statistic, if panels are stored
};

// Writes values[which[j]] side by side, followed by zeros up to `width`.
template <class T, class Values>
void collect(const Values& values, const row_set& which, index width, buffer<T>& to) {
    T* out = to.at_least(width);
    for (index j = 0; j < which.size(); ++j) out[j] = values[which[j]];
    std::fill(out + which.size(), out + width, T(0));
}

extern template class column_tiles<float>;
extern template class column_tiles<double>;

}  // namespace mercer::evaluation
