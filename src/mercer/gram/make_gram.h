// Where a Gram matrix of a kernel and data comes from: everything outside gram/ asks here, so that on which processor
// it is computed is chosen in one place.
//
//     const auto K = make_gram<double>(gaussian{0.5}, x);        // K(i, j) = k(xᵢ, xⱼ), computed when asked for
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
    virtual std::size_t kept_bytes() const = 0;  // beside the data, of what `memory` allows
};

template <class T>
std::unique_ptr<kernel_gram<T>> make_gram(const kernel& k, dataset x, evaluator_memory memory = {});
template <class T>
std::unique_ptr<kernel_gram<T>> make_gram(const kernel& k, dataset x, dataset z, evaluator_memory memory = {});

// K(i, j) = k(xᵢ, zⱼ), computed by this processor when asked for.

namespace detail {
// Sparse vectors without the columns that occur in none of x and z, where these are nearly all and k does not tell the
// columns apart: the evaluator has arrays as long as there are columns. The values stay the same bits. An empty z: x
// alone.
std::pair<dataset, dataset> without_empty_columns(const kernel& k, dataset x, dataset z = {});
}  // namespace detail

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

// k(xᵢ, zⱼ) for a few new objects x at a time and the same z again and again, as a model asks that is served: what is
// made of z (norms, thresholds, a centre) is made at the first call and kept.
//
//     ready_rows ready;
//     ready.keep();
//     const auto K = ready.gram_of(k, x, z, memory);   // as make_gram<double>(k, x, z, memory), and the same bits
//
// Many times as large as a request, z is not packed for the tile loops: it is streamed against the few x, and the
// answer is turned round. A copy of it keeps nothing.

class ready_rows {
public:
    ready_rows() = default;
    ready_rows(const ready_rows&) noexcept {}
    ready_rows& operator=(const ready_rows& other) noexcept {
        if (this != &other) made_.reset();
        return *this;
    }

    void keep() const;
    bool kept() const { return made_ != nullptr; }
    // z and the kernel are those of the first call.
    std::unique_ptr<gram<double>> gram_of(const kernel& k, const dataset& x, const dataset& z,
                                          evaluator_memory memory) const;

private:
    struct once;
    mutable std::shared_ptr<once> made_;  // null: nothing is kept
};

}  // namespace mercer
