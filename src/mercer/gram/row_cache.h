// Whole rows of a Gram matrix kept within a byte budget, the least recently used given up first.
#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <unordered_map>
#include <vector>

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

}  // namespace mercer
