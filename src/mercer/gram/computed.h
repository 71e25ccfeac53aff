// K(i, j) = k(xᵢ, zⱼ), computed when asked for.
#pragma once

#include <cstddef>

#include "mercer/base/error.h"
#include "mercer/gram/gram.h"
#include "mercer/kernels/evaluator.h"
#include "mercer/kernels/feature_map.h"

namespace mercer {

template <class T>
class computed final : public gram<T> {
public:
    computed(const kernel& k, dataset x, evaluator_memory memory = {}) : positive_(k.proof().valid), kernel_(k), x_(x), k_(k, std::move(x), memory) {}
    computed(const kernel& k, dataset x, dataset z, evaluator_memory memory = {})
        : positive_(false), kernel_(k), x_(x), k_(k, std::move(x), std::move(z), memory) {}

    index rows() const override { return k_.rows(); }
    index cols() const override { return k_.cols(); }
    void block(const selection& rows, const selection& cols, block_rows<T> out) const override { k_.block(rows, cols, out); }
    void square(const selection& which, block_rows<T> out) const override { k_.square(which, out); }
    void diagonal(std::span<T> out) const override { k_.diagonal(out); }
    void all(matrix_view<T> out) const override { k_.all(out); }
    double element_cost() const override { return k_.element_cost(); }
    bool positive() const override { return positive_; }
    matrix<double> features(index most) const override {
        if (!k_.same() || x_.kind() != domain::vectors || x_.dims() > most) return {};
        try {
            const dense<double> made = feature_map(kernel_, x_.dims(), most).apply(x_);
            matrix<double> out(made.size(), made.dims());
            for (index i = 0; i < made.size(); ++i) std::copy_n(made.row(i), made.dims(), out.row(i));
            return out;
        } catch (const error&) {
            return {};  // no finite map, or too many features
        }
    }
    std::size_t kept_bytes() const { return k_.kept_bytes(); }

private:
    bool positive_;
    kernel kernel_;
    dataset x_;
    evaluator<T> k_;
};

}  // namespace mercer
