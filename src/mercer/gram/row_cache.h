// Whole rows of a Gram matrix kept within a byte budget, the least recently used given up first.
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

template <class T>
class row_cache final : public gram<T> {
public:
    // Keeps at least one row however small the budget. The matrix is borrowed.
    row_cache(const gram<T>& k, std::size_t budget_bytes);
    index rows() const override { return k_.rows(); }
    index cols() const override { return k_.cols(); }
    void block(const selection& rows, const selection& cols, block_rows<T> out) const override;

    void diagonal(std::span<T> out) const override { k_.diagonal(out); }
    double element_cost() const override { return k_.element_cost(); }
    bool positive() const override { return k_.positive(); }
    matrix<double> features(index most) const override { return k_.features(most); }

    std::size_t bytes() const;  // of the rows held now
    index hits() const;
    index misses() const;

private:
    struct slot {
        buffer<T> values;
        std::list<index>::iterator used;
    };
    // The cached row, moved to the front; nullptr when it is not there.
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

// The first rows of a Gram matrix kept in memory, as many as a byte budget holds; the others come from the matrix each
// time. For methods that go over the whole matrix again and again, where keeping the least recently used rows would
// keep none of use.

template <class T>
class kept_rows final : public gram<T> {
public:
    // The matrix is borrowed. `symmetric`: K = Kᵀ, so that half of it need not be computed when all of it is kept.
    // `patience`: memory that is written for the first time may take so many times as long as the values themselves
    // (some machines, virtual ones that were never asked for it before, need thirty times as long); where it takes
    // longer no more rows are kept.
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
    // nullptr when the row is not kept
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
            // a run of rows that are not there is computed at once
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
    static constexpr index stretch = 512;   // what a matrix that works on copies of blocks may hold at once
    static constexpr double hiccup = 0.01;  // seconds that say nothing

    double seconds_for(index first, index count) {
        const auto start = std::chrono::steady_clock::now();
        k_.block(selection(first, count), selection(0, cols()), view().block(first, 0, count, cols()));
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    void fill(double patience) {
        double spent = 0, once = 0;  // and what a stretch takes whose memory is there
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
    reserved_memory rows_;  // in large pages where there are any: a pass over the rows goes at the speed of the memory
};

}  // namespace mercer
