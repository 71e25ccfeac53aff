// Tile by tile: the statistics of a few rows against a stripe of columns, from products, from differences where
// products leave doubt, from bits or from a user's answer; then the plan's instructions on them, while they are in L1.
// Internal to this folder.
#pragma once

#include <vector>

#include "mercer/kernels/evaluation/prepared_data.h"

namespace mercer::evaluation {

// The columns of a matrix, cut into stripes: how wide they are, and a stripe made ready for the tile loops, its vectors
// packed into panels, its norms and factors side by side. Internal to this folder.

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

namespace mercer::evaluation {

template <class T>
class tile_runner {
public:
    explicit tile_runner(const bound_plan<T>& bound) : bound_(bound) {}

    // All tiles of rows first … first + count - 1 of a group within a stripe; results go to columns out_col … of out.
    // first: a multiple of block_rows.
    void run(const open_stripe<T>& stripe, const row_group<T>& group, index first, index count, block_rows<T> out,
             index out_col, workspace<T>& w) const;

private:
    // One tile: at most block_rows rows of a stripe, and where its results go.
    struct tile {
        selection rows;
        const open_stripe<T>& stripe;
        block_rows<T> out;
        index out_col;
        T* registers;
        workspace<T>& w;
        index width() const { return stripe.width; }
        index real_width() const { return stripe.cols.size(); }
    };
    T* register_of(const tile& t, int number) const;

    bool look_up(const tile& t) const;
    void fill_statistic(std::size_t at, const row_group<T>& group, index first, const tile& t) const;
    void fill_from_bits(std::size_t at, const tile& t, T* out) const;
    void fill_dense(std::size_t at, const left_rows<T>& left, index first, const tile& t, T* out) const;
    void fill_sparse(std::size_t at, const left_rows<T>& left, index first, const tile& t, T* out) const;
    index to_distances(std::size_t at, const tile& t, T* out, const T* block, const T* block_low) const;
    void compute_doubtful(std::size_t at, const tile& t, T* out) const;

    void run_code(const tile& t) const;
    void run_step(std::size_t at, const tile& t) const;
    void run_map(const instruction& step, const tile& t, T* const* to, bool stream) const;
    bool point_at_result(const tile& t, T** rows) const;
    void require_range(const tile& t) const;

    const bound_plan<T>& bound_;
    const tile_ops<T>& ops_ = best_tile_ops<T>();
};

extern template class tile_runner<float>;
extern template class tile_runner<double>;

}  // namespace mercer::evaluation

namespace mercer::evaluation {

// Statistics of dense vectors with so many coordinates that whole rows would take hundreds of megabytes and leave the
// caches. For all pairs of a group of rows and the columns of a call, coordinates are packed and worked on slice by
// slice, and every sum goes on where the last slice left it: one chain in ascending order, the bits of whole rows.
// Tiles read the values afterwards. Internal to this folder.

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
