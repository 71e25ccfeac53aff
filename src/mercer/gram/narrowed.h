// A Gram matrix of doubles as one of other numbers, less a value that all its entries may have in common. What tells
// entries apart that lie close about c is not lost in their rounding to float; on vectors of sum 0, K - c is K, and as
// positive as that.
#pragma once

#include <algorithm>
#include <vector>

#include "mercer/base/threads.h"
#include "mercer/gram/gram.h"

namespace mercer {

template <class T>
class lowered final : public gram<T> {
public:
    explicit lowered(const gram<double>& k, double c = 0) : k_(k), c_(c) {}
    index rows() const override { return k_.rows(); }
    index cols() const override { return k_.cols(); }
    void block(const selection& rows, const selection& cols, block_rows<T> out) const override {
        matrix<double> room(std::min(band, rows.size()), cols.size());
        by_bands(rows, [&](const selection& some, index first) {
            k_.block(some, cols, room.view().block(0, 0, some.size(), cols.size()));
            parallel_for(some.size(), [&](index i) { lower(room.row(i), cols.size(), out[first + i]); });
        });
    }
    // On and above the diagonal, and what is below from there.
    void square(const selection& which, block_rows<T> out) const override {
        matrix<double> room(std::min(band, which.size()), which.size());
        by_bands(which, [&](const selection& some, index first) {
            const index many = some.size(), right = which.size() - first;
            k_.block(some, which.slice(first, right), room.view().block(0, 0, many, right));
            for (index i = 0; i < many; ++i)
                for (index j = 0; j <= i; ++j)
                    out[first + i][first + j] = out[first + j][first + i] = static_cast<T>(room(i, j) - c_);
            parallel_runs(right - many, band, [&](index from, index end) {
                from += many, end += many;
                for (index i = 0; i < many; ++i) lower(room.row(i) + from, end - from, out[first + i] + first + from);
                for (index j = from; j < end; ++j)
                    for (index i = 0; i < many; ++i) out[first + j][first + i] = out[first + i][first + j];
            });
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
    static constexpr index band = 64;  // rows at a time: their doubles take little memory beside the block
    template <class Body>
    static void by_bands(const selection& rows, Body body) {
        for (index first = 0; first < rows.size(); first += band)
            body(rows.slice(first, std::min(band, rows.size() - first)), first);
    }
    void lower(const double* from, index many, T* to) const {
        for (index j = 0; j < many; ++j) to[j] = static_cast<T>(from[j] - c_);
    }
    const gram<double>& k_;
    double c_;
};

using narrowed = lowered<float>;

}  // namespace mercer
