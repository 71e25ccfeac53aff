// Gram matrices that store rows of another matrix in memory: row_cache stores the most recently used rows, stored_rows
// the first rows. Both borrow the matrix whose rows they store; that matrix must outlive them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <list>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "mercer/base/memory.h"
#include "mercer/gram/gram.h"

namespace mercer {

// Stores whole rows within a memory limit; the least recently used row is evicted first. May be used from several
// threads.
template <class T>
class row_cache final : public gram<T> {
public:
    // Stores at most budget_bytes of rows, but at least one row.
    row_cache(const gram<T>& k, std::size_t budget_bytes);
    index rows() const override { return k_.rows(); }
    index cols() const override { return k_.cols(); }
    void block(const row_set& rows, const row_set& cols, row_pointers<T> out) const override;

    void diagonal(std::span<T> out) const override { k_.diagonal(out); }
    double cycles_per_element() const override { return k_.cycles_per_element(); }
    bool is_psd() const override { return k_.is_psd(); }
    matrix<double> features(index most) const override { return k_.features(most); }

    std::size_t bytes() const;  // bytes of the rows that are stored now
    index hits() const;         // number of requested rows that were stored
    index misses() const;       // number of requested rows that had to be computed

private:
    struct slot {
        buffer<T> values;
        std::list<index>::iterator used;
    };
    // Returns the stored row and marks it as most recently used, or returns nullptr.
    const T* find(index row) const;
    T* insert(index row) const;
    void erase(index row) const;

    const gram<T>& k_;
    std::size_t max_rows_;
    mutable std::mutex lock_;
    mutable std::list<index> order_;  // most recently used first
    mutable std::unordered_map<index, slot> slots_;
    mutable index hits_ = 0, misses_ = 0;
};

extern template class row_cache<float>;
extern template class row_cache<double>;

// Stores the first rows of a Gram matrix in at most budget_bytes; other rows are computed for every request. For
// methods that pass over the whole matrix repeatedly, for which a cache of recently used rows would be useless.
template <class T>
class stored_rows final : public gram<T> {
public:
    // `symmetric`: K = Kᵀ, so that only half of K is computed if all rows are stored. `max_write_ratio`: the largest
    // ratio of the time for writing new memory to the time for computing the values. If the measured ratio is larger,
    // no more rows are stored: on some virtual machines, writing memory for the first time takes thirty times longer
    // than writing it again.
    stored_rows(const gram<T>& k, std::size_t budget_bytes, bool symmetric = true,
                double max_write_ratio = std::numeric_limits<double>::infinity())
        : k_(k) {
        const index n = k.rows(), m = k.cols();
        const auto rows_that_fit =
            m > 0 ? static_cast<index>(budget_bytes / (static_cast<std::size_t>(m) * sizeof(T))) : n;
        count_ = std::min(n, rows_that_fit);
        if (count_ * m == 0) return;
        rows_ = reserved_memory(static_cast<std::size_t>(count_ * m) * sizeof(T));
        if (count_ == n && symmetric && n == m)
            k.fill(view());
        else
            store_rows(max_write_ratio);
    }
    index rows() const override { return k_.rows(); }
    index cols() const override { return k_.cols(); }
    index stored_count() const { return count_; }
    bool stores_all_rows() const { return count_ == k_.rows(); }
    // Returns the cols() numbers of row i if the row is stored, else nullptr; computes nothing. The pointer is valid as
    // long as this object.
    const T* stored_row(index i) const {
        return i < count_ ? static_cast<const T*>(rows_.data()) + i * cols() : nullptr;
    }

    void block(const row_set& rows, const row_set& cols, row_pointers<T> out) const override {
        for (index i = 0; i < rows.size();) {
            if (const T* from = stored_row(rows[i])) {
                if (cols.is_range() && cols.size() > 0)
                    std::copy_n(from + cols[0], cols.size(), out[i]);
                else
                    for (index j = 0; j < cols.size(); ++j) out[i][j] = from[cols[j]];
                ++i;
                continue;
            }
            // Consecutive rows that are not stored are computed at once.
            index end = i + 1;
            while (end < rows.size() && rows[end] >= count_) ++end;
            k_.block(rows.slice(i, end - i), cols, out.from(i));
            i = end;
        }
    }
    void symmetric_block(const row_set& which, row_pointers<T> out) const override {
        if (stores_all_rows())
            block(which, which, out);
        else
            k_.symmetric_block(which, out);
    }
    void diagonal(std::span<T> out) const override { k_.diagonal(out); }
    bool is_psd() const override { return k_.is_psd(); }
    matrix<double> features(index most) const override { return k_.features(most); }
    matrix_view<const T> stored() const override { return {static_cast<const T*>(rows_.data()), count_, cols()}; }
    double cycles_per_element() const override { return stores_all_rows() ? 0.5 : k_.cycles_per_element(); }

private:
    // rows per call of `block`, which bounds the memory of matrices that copy blocks
    static constexpr index rows_per_call = 512;
    static constexpr double min_compared_seconds = 0.01;  // shorter times (seconds) are not compared

    double time_rows(index first, index count) {
        const auto start = std::chrono::steady_clock::now();
        k_.block(row_set(first, count), row_set(0, cols()), view().block(first, 0, count, cols()));
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    void store_rows(double max_write_ratio) {
        double spent = 0, once = 0;  // seconds in total, and seconds for 512 rows whose memory has been used before
        for (index r = 0, done = 1; r < count_; r += rows_per_call, ++done) {
            const index count = std::min(rows_per_call, count_ - r);
            spent += time_rows(r, count);
            if (std::isinf(max_write_ratio)) continue;
            if (r == 0) once = time_rows(r, count);
            if (spent > min_compared_seconds && spent > (1 + max_write_ratio) * once * static_cast<double>(done))
                count_ = r + count;
        }
    }
    matrix_view<T> view() { return {static_cast<T*>(rows_.data()), count_, cols()}; }

    const gram<T>& k_;
    index count_ = 0;
    reserved_memory rows_;  // in huge pages if available, so that a pass over the rows runs at memory speed
};

}  // namespace mercer
