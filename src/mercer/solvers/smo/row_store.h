// The row cache of the SMO solver: rows of the kernel matrix in the order of the solver's positions, each valid up to
// some length.
//
// Unlike gram/row_cache, row_store returns pointers to the rows, permutes them when the solver reorders its variables,
// and can extend a row: a row that was computed while few variables were active is reused when all are active again.
//
// A row is stored in panels of `panel` columns, and the panels of all rows for the same columns are adjacent: while few
// variables are active only the first panels are written, densely. (With contiguous rows most of every huge page is
// unused but still cleared by the system: with 50,000 variables that took two fifths of the time.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/base/memory.h"

namespace mercer::smo {

// Chosen by measurement. They do not change any element of a row.
struct row_cache_thresholds {
    double cheap_cost = 6;      // cycles per element; reading a row below this cost is no faster than computing it
    int frequent_requests = 8;  // requests after which a row is frequent, at most 255
    std::size_t max_spare = std::size_t{64} << 20;  // bytes that a thread keeps for its next problem
    std::size_t small_bytes = std::size_t{16}
                              << 20;                 // up to this size the whole matrix is kept: it stays in the caches
    std::size_t near_bytes = std::size_t{32} << 20;  // bytes of cheap rows that are kept
    index max_miss_ratio = 16;  // misses of frequent rows per kept row before the cache of cheap rows is doubled
};

class row_store {
public:
    static constexpr index panel = 1024;  // columns
    static constexpr index max_in_use =
        2048;  // this number of rows, the last fetched, are never evicted: no working set
               // is larger

    // `cycles_per_element`: cycles to compute an element (gram.h). Where this is small, a large cache costs more than
    // it saves, because memory is slow when it is first written; then only near_bytes are used.
    row_store(index n, std::size_t budget_bytes, double cycles_per_element, const row_cache_thresholds& limits = {});
    ~row_store();
    row_store(const row_store&) = delete;
    row_store& operator=(const row_store&) = delete;

    // Returns the slot where the row of variable `original` is or may be written, or -1 if it gets none; `valid` is the
    // number of its leading positions that are valid. Unless the matrix is small, a row gets a slot at its second
    // request (a cheap row at its third): most variables reach a bound once and never move again. A row fetched for a
    // working set is never evicted by another one of the same working set.
    index fetch(index original, index& valid);
    // The memory of the rows. release() frees it, and rows are computed again at their next request.
    std::size_t bytes() const { return static_cast<std::size_t>(taken_ * stride_) * sizeof(float); }
    void release();
    // Returns true if the whole matrix has at most small_bytes.
    bool is_small() const { return small_; }
    // Returns the slot of the row if it has one, else -1.
    index find(index original, index& valid) const;
    // Points to the element of a column; the later columns of the same panel follow it.
    float* at(index slot, index column) const {
        const index first = column / panel * panel, width = std::min(panel, stride_ - first);
        return static_cast<float*>(memory_.data()) + first * max_slots_ + slot * width + (column - first);
    }
    // Records that the row is now valid up to `length`.
    void set_valid(index original, index length);
    // Moves the element at order[i] to position i, for the first order.size() positions, of which the first `same` do
    // not change. `perm` maps positions to numbers of the problem after the change.
    void reorder(const std::vector<index>& order, const std::vector<index>& perm, index same);
    index position(index original) const { return position_[original]; }

private:
    static reserved_memory& spare();
    index new_slot();
    index evicted_slot();

    const row_cache_thresholds limits_;
    bool small_, cheap_;
    index stride_;
    index slots_, max_slots_;
    index misses_ = 0;  // requests of frequent rows that had no slot
    reserved_memory memory_;
    std::vector<index> slot_of_;  // number of the problem → slot, or -1
    std::vector<index> owner_;    // slot → number of the problem, or -1 if the slot is free
    std::vector<index> valid_;    // slot → valid leading positions
    std::vector<std::int64_t> used_;
    std::vector<index> position_;  // number of the problem → position
    std::vector<std::uint8_t>
        requests_;    // number of the problem → requests, at most row_cache_thresholds::frequent_requests
    index hand_ = 0;  // next slot that evicted_slot() examines
    std::int64_t clock_ = 0;
    index taken_ = 0;
};

}  // namespace mercer::smo
