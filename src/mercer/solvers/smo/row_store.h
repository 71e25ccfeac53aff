// Rows of the kernel matrix kept for the solver, in the order of its positions, each valid up to some length.
//
// Unlike gram/row_cache it hands out the rows themselves, follows the solver when it reorders its points, and lets a
// row be continued: a row computed while few points were active is still good for those when all are active again.
//
// A row lies in pieces of `panel` columns, and the pieces of all rows for the same columns lie together: while few
// points are active only the first panels are ever written, densely. (A row in one piece leaves most of every huge page
// unused, and the system clears it all: with 50,000 points that was two fifths of the time.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/base/memory.h"

namespace mercer::smo {

// Chosen by measurement; none changes an element.
struct row_limits {
    double cheap_cost = 6;  // cycles an element; below it a row is read no faster than computed
    int often = 8;          // times a row was asked for, at most 255
    std::size_t most_spare = std::size_t{64} << 20;  // kept for the next problem
    std::size_t small_bytes = std::size_t{16}
                              << 20;  // a matrix that stays in the caches, in memory that was used before
    std::size_t near_bytes = std::size_t{32} << 20;  // kept of cheap rows
    index patience = 16;                             // rows missed for every one kept, before more are kept
};

class row_store {
public:
    static constexpr index panel = 1024;  // columns
    static constexpr index in_use =
        2048;  // the rows last fetched, so many of them, keep their places: no block has more

    // element_cost: cycles to compute an element (gram.h). Where that is little, a large store costs more than it
    // saves, for memory written for the first time is slow; then only so much is kept as stays near the caches.
    row_store(index n, std::size_t budget_bytes, double element_cost, const row_limits& limits = {});
    ~row_store();
    row_store(const row_store&) = delete;
    row_store& operator=(const row_store&) = delete;

    // The slot where the row of point `original` is or may be put (-1: nowhere), and how many leading positions of it
    // are valid. Unless the matrix is small, a row gets a place the second time it is asked for (the third, where it is
    // cheap): most variables go to a bound once and never move again. Rows fetched in the same round are never given up
    // for one another.
    index fetch(index original, index& valid);
    // What the rows take, and how to give it back: they are computed again when asked for.
    std::size_t bytes() const { return static_cast<std::size_t>(taken_ * stride_) * sizeof(float); }
    void release();
    // The whole matrix would stay in quick memory.
    bool small() const { return small_; }
    // The slot of the row if it is there, else -1.
    index find(index original, index& valid) const;
    // The element of a column, and behind it the others of its panel.
    float* at(index slot, index column) const {
        const index first = column / panel * panel, width = std::min(panel, stride_ - first);
        return static_cast<float*>(memory_.data()) + first * most_slots_ + slot * width + (column - first);
    }
    // The row is now valid up to `length`.
    void extended(index original, index length);
    // Position i of the first order.size() positions becomes what was at order[i]; perm: position → original, after the
    // change. The first `same` positions stay.
    void reorder(const std::vector<index>& order, const std::vector<index>& perm, index same);
    index position(index original) const { return position_[original]; }

private:
    static reserved_memory& spare();
    index fresh_slot();
    index oldest_slot();

    const row_limits limits_;
    bool small_, cheap_;
    index stride_;
    index slots_, most_slots_;
    index missed_ = 0;  // rows asked for often that were not there
    reserved_memory memory_;
    std::vector<index> slot_of_;  // original → slot, -1: none
    std::vector<index> owner_;    // slot → original, -1: free
    std::vector<index> valid_;    // slot → leading positions that are right
    std::vector<std::int64_t> used_;
    std::vector<index> position_;      // original → position
    std::vector<std::uint8_t> asked_;  // original → how often it was asked for
    index hand_ = 0;                   // clock hand of the replacement
    std::int64_t clock_ = 0;
    index taken_ = 0;
};

}  // namespace mercer::smo
