// Kernel values without what all of them have in common.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "mercer/gram/gram.h"

namespace mercer::smo {

// The value c about which all kernel values lie, where float can hardly tell them apart: of a Gaussian much wider than the data, say. Else 0.
double common_value(std::span<const float> values);
double common_value(const gram<float>& K);  // from some of its values

// K - c, from values of K in double: what tells values apart that lie close about c is not lost in their rounding to float. On vectors of sum 0 it is K,
// and as positive as that.
template <class T>
class lowered final : public gram<T> {
public:
    lowered(const gram<double>& k, double c) : k_(k), c_(c) {}
    index rows() const override { return k_.rows(); }
    index cols() const override { return k_.cols(); }
    void block(const selection& rows, const selection& cols, block_rows<T> out) const override {
        constexpr index band = 64;
        matrix<double> exact(std::min(band, rows.size()), cols.size());
        std::vector<index> some;
        for (index first = 0; first < rows.size(); first += band) {
            const index count = std::min(band, rows.size() - first);
            some.clear();
            for (index i = 0; i < count; ++i) some.push_back(rows[first + i]);
            k_.block(std::span<const index>(some), cols, matrix_view<double>(exact.data(), count, cols.size()));
            for (index i = 0; i < count; ++i)
                for (index j = 0; j < cols.size(); ++j) out[first + i][j] = static_cast<T>(exact(i, j) - c_);
        }
    }
    void diagonal(std::span<T> out) const override {
        std::vector<double> exact(out.size());
        k_.diagonal(exact);
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<T>(exact[i] - c_);
    }
    double element_cost() const override { return k_.element_cost() + 1; }
    bool positive() const override { return k_.positive(); }

private:
    const gram<double>& k_;
    double c_;
};

}  // namespace mercer::smo
