// make_gram returns the Gram matrix of a kernel and data. All code outside of gram/ calls it, so that the processor
// which computes the matrix is chosen in one place.
//
//     const auto K = make_gram<double>(gaussian{0.5}, x);        // K(i, j) = k(xᵢ, xⱼ), computed when it is read
//     const auto cross = make_gram<float>(k, z, x, memory);      // k(zᵢ, xⱼ)
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/gram/gram.h"
#include "mercer/kernels/evaluation/evaluator.h"
#include "mercer/kernels/features/feature_map.h"

namespace mercer {

template <class T>
class kernel_gram : public gram<T> {
public:
    virtual std::size_t kept_bytes() const = 0;  // memory used besides the data, within the limits of `memory`
};

template <class T>
std::unique_ptr<kernel_gram<T>> make_gram(const kernel& k, dataset x, evaluator_memory memory = {});
template <class T>
std::unique_ptr<kernel_gram<T>> make_gram(const kernel& k, dataset x, dataset z, evaluator_memory memory = {});

namespace detail {
// Returns x and z, renumbered without the columns that are empty in both, if nearly all columns are empty and k does
// not depend on the order of columns; else returns them unchanged. The evaluator's arrays are as long as there are
// columns. Kernel values stay bit-identical. Without z (empty), only x counts.
std::pair<dataset, dataset> without_empty_columns(const kernel& k, dataset x, dataset z = {});
}  // namespace detail

// K(i, j) = k(xᵢ, zⱼ), computed by the processor when it is read.
template <class T>
class computed final : public kernel_gram<T> {
public:
    computed(const kernel& k, dataset x, evaluator_memory memory = {})
        : positive_(k.proof().valid),
          kernel_(k),
          x_(detail::without_empty_columns(k, std::move(x)).first),
          k_(k, x_, memory) {}
    computed(const kernel& k, dataset x, dataset z, evaluator_memory memory = {})
        : computed(k, detail::without_empty_columns(k, std::move(x), std::move(z)), memory) {}

    index rows() const override { return k_.rows(); }
    index cols() const override { return k_.cols(); }
    void block(const selection& rows, const selection& cols, block_rows<T> out) const override {
        k_.block(rows, cols, out);
    }
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
    std::size_t kept_bytes() const override { return k_.kept_bytes(); }

private:
    computed(const kernel& k, std::pair<dataset, dataset> both, evaluator_memory memory)
        : positive_(false), kernel_(k), x_(both.first), k_(k, std::move(both.first), std::move(both.second), memory) {}
    bool positive_;
    kernel kernel_;
    dataset x_;
    evaluator<T> k_;
};

// Kernel values k(xᵢ, zⱼ) of a few new objects x per call and always the same z, as a model computes them when it
// serves requests. Norms, thresholds and the centre of z are computed in the first call and stored.
//
//     ready_rows ready;
//     ready.keep();
//     const auto K = ready.gram_of(k, x, z, memory);   // bit-identical to make_gram<double>(k, x, z, memory)
//
// Because z is many times as large as x, z is not packed into panels: its rows are read against the few columns x, and
// the result is transposed. A copied object starts without stored data.
class ready_rows {
public:
    ready_rows() = default;
    ready_rows(const ready_rows&) noexcept {}
    ready_rows& operator=(const ready_rows& other) noexcept {
        if (this != &other) made_.reset();
        return *this;
    }

    // Stores the data of z from the next call of gram_of on.
    void keep() const;
    bool kept() const { return made_ != nullptr; }
    // k and z must be the same in every call.
    std::unique_ptr<gram<double>> gram_of(const kernel& k, const dataset& x, const dataset& z,
                                          evaluator_memory memory) const;

private:
    struct once;
    mutable std::shared_ptr<once> made_;  // null: nothing is stored
};

}  // namespace mercer
