// A matrix that is already there. It is borrowed: the owner keeps it alive.
#pragma once

#include <algorithm>
#include <memory>

#include "mercer/gram/gram.h"

namespace mercer {

template <class T>
class precomputed final : public gram<T> {
public:
    explicit precomputed(matrix_view<const T> k) : k_(k) {}
    explicit precomputed(matrix<T> k) : owned_(std::make_shared<const matrix<T>>(std::move(k))), k_(owned_->view()) {}

    index rows() const override { return k_.rows; }
    index cols() const override { return k_.cols; }
    void block(const selection& rows, const selection& cols, block_rows<T> out) const override {
        for (index i = 0; i < rows.size(); ++i) {
            const T* from = k_.row(rows[i]);
            if (cols.is_range() && cols.size() > 0)
                std::copy_n(from + cols[0], cols.size(), out[i]);
            else
                for (index j = 0; j < cols.size(); ++j) out[i][j] = from[cols[j]];
        }
    }
    void diagonal(std::span<T> out) const override {
        require_square(*this, "a diagonal");
        for (index i = 0; i < rows(); ++i) out[static_cast<std::size_t>(i)] = k_(i, i);
    }
    matrix_view<const T> in_memory() const override { return k_; }
    double element_cost() const override { return 0.5; }

private:
    std::shared_ptr<const matrix<T>> owned_;
    matrix_view<const T> k_;
};

}  // namespace mercer
