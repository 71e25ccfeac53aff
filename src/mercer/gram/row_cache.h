// Gram matrices that keep rows of another matrix in memory: row_cache the most recently used ones,
// kept_rows the first ones. Both borrow the matrix, which must outlive them.
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

// Whole rows within a byte budget. The least recently used row is evicted first.
template <class T>
class row_cache final : public gram<T> {
public:
    // Keeps whole rows in at most budget_bytes, but at least one row.
    row_cache(const gram<T>& k, std::size_t budget_bytes);
    index rows() const override { return k_.rows(); }
    index cols() const override { return k_.cols(); }
    void block(const selection& rows, const selection& cols, block_rows<T> out) const override;

    void diagonal(std::span<T> out) const override { k_.diagonal(out); }
    double element_cost() const override { return k_.element_cost(); }
    bool positive() const override { return k_.positive(); }
    matrix<double> features(index most) const override { return k_.features(most); }

    std::size_t bytes() const;  // of the rows that are stored now
    index hits() const;
    index misses() const;

private:
    struct slot {
        buffer<T> values;
        std::list<index>::iterator used;
    };
    // Returns the stored row and marks it as most recently used, or returns nullptr.
    const T* find(index row) const;
    T* insert(index row) const;
    void forget(index row) const;

    const gram<T>& k_;
    std::size_t most_rows_;
    mutable std::mutex lock_;
    mutable std::list<index> order_;  // most recently used first
    mutable std::unordered_map<index, slot> held_;
    mutable index hits_ = 0, misses_ = 0;
};

extern template class row_cache<float>;
extern template class row_cache<double>;

// Stores the first rows of a Gram matrix, as many as a byte budget holds; other rows are computed for every request.
// For methods that pass over the whole matrix repeatedly, for which a cache of recently used rows would be useless.
template <class T>
class kept_rows final : public gram<T> {
public:
    // `symmetric`: K = Kᵀ, so that only half of K is computed if all rows are stored. `patience`: the
    // largest ratio of the time for writing new memory to the time for computing the values. On some
    // virtual machines memory that is used for the first time takes thirty times as long. If the ratio is
    // larger, no more rows are stored.
    kept_rows(const gram<T>& k, std::size_t budget_bytes, bool symmetric = true,
              double patience = std::numeric_limits<double>::infinity())
        : k_(k) {
        const index n = k.rows(), m = k.cols();
        const auto rows_that_fit =
            m > 0 ? static_cast<index>(budget_bytes / (static_cast<std::size_t>(m) * sizeof(T))) : n;
        kept_ = std::min(n, rows_that_fit);
        if (kept_ * m == 0) return;
        rows_ = reserved_memory(static_cast<std::size_t>(kept_ * m) * sizeof(T));
        if (kept_ == n && symmetric && n == m)
            k.all(view());
        else
            fill(patience);
    }
    index rows() const override { return k_.rows(); }
    index cols() const override { return k_.cols(); }
    index kept() const { return kept_; }
    bool all_kept() const { return kept_ == k_.rows(); }
    // Returns nullptr if the row is not stored.
    const T* row_if_kept(index i) const {
        return i < kept_ ? static_cast<const T*>(rows_.data()) + i * cols() : nullptr;
    }

    void block(const selection& rows, const selection& cols, block_rows<T> out) const override {
        for (index i = 0; i < rows.size();) {
            if (const T* from = row_if_kept(rows[i])) {
                if (cols.is_range() && cols.size() > 0)
                    std::copy_n(from + cols[0], cols.size(), out[i]);
                else
                    for (index j = 0; j < cols.size(); ++j) out[i][j] = from[cols[j]];
                ++i;
                continue;
            }
            // Consecutive rows that are not stored are computed at once.
            index end = i + 1;
            while (end < rows.size() && rows[end] >= kept_) ++end;
            k_.block(rows.slice(i, end - i), cols, out.from(i));
            i = end;
        }
    }
    void square(const selection& which, block_rows<T> out) const override {
        if (all_kept())
            block(which, which, out);
        else
            k_.square(which, out);
    }
    void diagonal(std::span<T> out) const override { k_.diagonal(out); }
    bool positive() const override { return k_.positive(); }
    matrix<double> features(index most) const override { return k_.features(most); }
    matrix_view<const T> in_memory() const override { return {static_cast<const T*>(rows_.data()), kept_, cols()}; }
    double element_cost() const override { return all_kept() ? 0.5 : k_.element_cost(); }

private:
    // rows per call of `block`, which bounds the memory of matrices that copy blocks
    static constexpr index stretch = 512;
    static constexpr double hiccup = 0.01;  // shorter times (seconds) are not compared

    double seconds_for(index first, index count) {
        const auto start = std::chrono::steady_clock::now();
        k_.block(selection(first, count), selection(0, cols()), view().block(first, 0, count, cols()));
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    void fill(double patience) {
        double spent = 0, once = 0;  // seconds in total, and seconds for 512 rows whose memory has been used before
        for (index r = 0, done = 1; r < kept_; r += stretch, ++done) {
            const index count = std::min(stretch, kept_ - r);
            spent += seconds_for(r, count);
            if (std::isinf(patience)) continue;
            if (r == 0) once = seconds_for(r, count);
            if (spent > hiccup && spent > (1 + patience) * once * static_cast<double>(done)) kept_ = r + count;
        }
    }
    matrix_view<T> view() { return {static_cast<T*>(rows_.data()), kept_, cols()}; }

    const gram<T>& k_;
    index kept_ = 0;
    reserved_memory rows_;  // in huge pages if available, so that a pass over the rows runs at memory speed
};

}  // namespace mercer
