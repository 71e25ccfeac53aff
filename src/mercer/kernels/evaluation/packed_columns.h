// column_stripes cuts the columns of a matrix into column tiles and prepares a column tile for the tile loops: its
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
struct open_stripe {
    selection cols;
    index width;                               // number of columns, rounded up to whole panels
    std::vector<const T*> panels, low_panels;  // per statistic
    bool stream;                               // write results with stores that bypass the caches
    std::int32_t largest = 0;                  // largest norm, if kernel values are read from a table
    index at = 0;                              // position of its first column among the columns of the call
};

// Panels of a range of coordinates. A panel begins every `stride` numbers.
template <class T>
struct panel_slices {
    const T* first;
    index stride;
};

template <class T>
class column_stripes {
public:
    // The panels of all columns are stored if they take at most packed_bytes.
    column_stripes(const bound_plan<T>& bound, std::size_t packed_bytes);

    index width() const { return width_; }
    // Returns true if the panels of these columns are stored. They must be a range that starts at a panel.
    bool kept_for(const selection& cols) const { return kept_ && cols.is_range() && cols[0] % ops_.sparse_panel == 0; }
    std::size_t kept_bytes() const;

    // Prepares a column tile in w. kept_at is its first column if its panels are stored, else -1. `close` must be
    // called before w is used for another column tile.
    open_stripe<T> open(const selection& cols, index kept_at, bool stream, workspace<T>& w) const;
    void close(workspace<T>& w) const;
    // Returns the panels, or low panels, of a range of coordinates of a deep statistic. For deep statistics `open`
    // prepares no panels.
    panel_slices<T> slice_of_panels(std::size_t at, const selection& cols, index kept_at, slice part, bool low,
                                    workspace<T>& w) const;
    // Rounds a number of columns up to a whole number of sparse panels, which is what a column tile reads.
    index padded(index count) const { return ceil_div(count, ops_.sparse_panel) * ops_.sparse_panel; }

private:
    void choose_width();
    void keep_panels(std::size_t budget);
    index panel_of(const source<T>& s) const { return s.sparse() ? ops_.sparse_panel : ops_.panel; }

    void collect_numbers(const open_stripe<T>& stripe, std::size_t at, workspace<T>& w) const;
    void pack_bits(const open_stripe<T>& stripe, std::size_t at, workspace<T>& w) const;
    std::int32_t collect_bit_norms(const open_stripe<T>& stripe, workspace<T>& w) const;
    const T* panels(const open_stripe<T>& stripe, std::size_t at, index kept_at, workspace<T>& w) const;
    const T* low_panels(const open_stripe<T>& stripe, std::size_t at, index kept_at, workspace<T>& w) const;
    void pack_panel(const source<T>& s, const selection& some, slice part, T* to, pack_scratch<T>& scratch,
                    bool low) const;
    const T* pack_panels(const source<T>& s, const selection& cols, slice part, T* to, workspace<T>& w, bool low) const;
    const T* pack_present(const source<T>& s, const open_stripe<T>& stripe, workspace<T>& w, std::size_t at) const;

    const bound_plan<T>& bound_;
    const tile_ops<T>& ops_ = best_tile_ops<T>();
    index width_ = 0;
    bool kept_ = false;
    std::vector<buffer<T>> packed_, packed_low_;  // per statistic, if panels are stored
};

// Writes values[which[j]] side by side, followed by zeros up to `width`.
template <class T, class Values>
void collect(const Values& values, const selection& which, index width, buffer<T>& to) {
    T* out = to.at_least(width);
    for (index j = 0; j < which.size(); ++j) out[j] = values[which[j]];
    std::fill(out + which.size(), out + width, T(0));
}

extern template class column_stripes<float>;
extern template class column_stripes<double>;

}  // namespace mercer::evaluation
