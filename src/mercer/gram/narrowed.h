// A Gram matrix of doubles seen as floats.
#pragma once

#include <algorithm>
#include <vector>

#include "mercer/gram/gram.h"

namespace mercer {

class narrowed final : public gram<float> {
public:
    explicit narrowed(const gram<double>& k) : k_(k) {}
    index rows() const override { return k_.rows(); }
    index cols() const override { return k_.cols(); }
    void block(const selection& rows, const selection& cols, block_rows<float> out) const override {
        matrix<double> values(rows.size(), cols.size());
        k_.block(rows, cols, values.view());
        for (index i = 0; i < rows.size(); ++i)
            for (index j = 0; j < cols.size(); ++j) out[i][j] = static_cast<float>(values(i, j));
    }
    void diagonal(std::span<float> out) const override {
        std::vector<double> values(out.size());
        k_.diagonal(values);
        std::copy(values.begin(), values.end(), out.begin());
    }
    double element_cost() const override { return k_.element_cost() + 1; }
    bool positive() const override { return k_.positive(); }

private:
    const gram<double>& k_;
};

}  // namespace mercer
