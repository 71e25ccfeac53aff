// The columns of a matrix, cut into stripes: how wide they are, and a stripe made ready for the tile loops, its vectors
// packed into panels, its norms and factors side by side. Internal to this folder.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mercer/kernels/evaluation/prepared_data.h"
#include "mercer/kernels/evaluation/scratch.h"
#include "mercer/kernels/tile/tile_ops.h"

namespace mercer::evaluation {

// A stripe being worked on.
template <class T>
struct open_stripe {
    selection cols;
    index width;                               // whole panels
    std::vector<const T*> panels, low_panels;  // per statistic
    bool stream;                               // write results past the caches
    std::int32_t largest = 0;                  // norm, where there is a table
    index at = 0;                              // its first column among those of the call
};

// Panels of some coordinates: one every `stride` numbers.
template <class T>
struct panel_slices {
    const T* first;
    index stride;
};

template <class T>
class column_stripes {
public:
    // packed_bytes: panels of all columns are kept if they fit into so much.
    column_stripes(const bound_plan<T>& bound, std::size_t packed_bytes);

    index width() const { return width_; }
    // Whether the panels of these columns are kept: a range that starts at a panel.
    bool kept_for(const selection& cols) const { return kept_ && cols.is_range() && cols[0] % ops_.sparse_panel == 0; }
    std::size_t kept_bytes() const;

    // kept_at: the first of the columns, where their panels are kept; -1 otherwise. What is opened must be closed
    // before `w` is used again.
    open_stripe<T> open(const selection& cols, index kept_at, bool stream, workspace<T>& w) const;
    void close(workspace<T>& w) const;
    // The panels, or low panels, of some coordinates of a deep statistic; a stripe opened without them asks slice by
    // slice.
    panel_slices<T> slice_of_panels(std::size_t at, const selection& cols, index kept_at, slice part, bool low,
                                    workspace<T>& w) const;
    // Columns up to a whole number of the wider panels: what a stripe reads.
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
    std::vector<buffer<T>> packed_, packed_low_;  // per statistic, where panels are kept
};

// values[which[j]] side by side, then zeros.
template <class T, class Values>
void collect(const Values& values, const selection& which, index width, buffer<T>& to) {
    T* out = to.at_least(width);
    for (index j = 0; j < which.size(); ++j) out[j] = values[which[j]];
    std::fill(out + which.size(), out + width, T(0));
}

extern template class column_stripes<float>;
extern template class column_stripes<double>;

}  // namespace mercer::evaluation
