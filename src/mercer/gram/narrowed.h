// A Gram matrix of doubles as one of other numbers, less a value that all its entries may have in common. What tells
// entries apart that lie close about c is not lost in their rounding to float; on vectors of sum 0, K - c is K, and as
// positive as that.
#pragma once

#include <algorithm>
#include <vector>

#include "mercer/gram/gram.h"

namespace mercer {

template <class T>
class lowered final : public gram<T> {
public:
    explicit lowered(const gram<double>& k, double c = 0) : k_(k), c_(c) {}
    index rows() const override { return k_.rows(); }
    index cols() const override { return k_.cols(); }
    void block(const selection& rows, const selection& cols, block_rows<T> out) const override {
        by_bands(rows, [&](const selection& some, index first) {
            matrix<double> exact(some.size(), cols.size());
            k_.block(some, cols, exact.view());
            for (index i = 0; i < some.size(); ++i)
                for (index j = 0; j < cols.size(); ++j) out[first + i][j] = static_cast<T>(exact(i, j) - c_);
        });
    }
    // On and above the diagonal, and what is below from there.
    void square(const selection& which, block_rows<T> out) const override {
        by_bands(which, [&](const selection& some, index first) {
            const selection right = which.slice(first, which.size() - first);
            matrix<double> exact(some.size(), right.size());
            k_.block(some, right, exact.view());
            for (index i = 0; i < some.size(); ++i)
                for (index j = 0; j < right.size(); ++j)
                    out[first + i][first + j] = out[first + j][first + i] = static_cast<T>(exact(i, j) - c_);
        });
    }
    void diagonal(std::span<T> out) const override {
        std::vector<double> exact(out.size());
        k_.diagonal(exact);
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<T>(exact[i] - c_);
    }
    double element_cost() const override { return k_.element_cost() + 1; }
    bool positive() const override { return k_.positive(); }
    matrix<double> features(index most) const override { return c_ == 0 ? k_.features(most) : matrix<double>(); }

private:
    // A few rows at a time: their doubles take little memory beside the block.
    template <class Body>
    static void by_bands(const selection& rows, Body body) {
        constexpr index band = 64;
        for (index first = 0; first < rows.size(); first += band)
            body(rows.slice(first, std::min(band, rows.size() - first)), first);
    }
    const gram<double>& k_;
    double c_;
};

using narrowed = lowered<float>;

}  // namespace mercer
