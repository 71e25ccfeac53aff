// make_gram() returns the Gram matrix of a kernel and data: K(i, j) = k(xᵢ, xⱼ), or k(xᵢ, zⱼ) if z is given. Entries
// are computed, in parallel, whenever a block is read; none are stored. The matrix contains copies of the kernel and of
// the data sets, which share the storage of the originals. All code outside of gram/ calls make_gram(), so that the
// device which computes the matrix is chosen in one place.
//
// Example:
//
//     const double numbers[] = {0, 0, 0, 1, 1, 0};
//     const dataset x = dense<double>({numbers, 3, 2});    // three points of the plane, borrowed from `numbers`
//     const auto K = make_gram<double>(gaussian{0.5}, x);  // 3 × 3, K(i, j) = k(xᵢ, xⱼ)
//     matrix<double> values(3, 3);
//     K->fill(values.view());
//     assert(std::abs(values(0, 1) - std::exp(-0.5)) < 1e-15);
//     const auto cross = make_gram<float>(gaussian{0.5}, gather(x, row_set(0, 1)), x);  // 1 × 3, k(zᵢ, xⱼ)
//     assert(cross->rows() == 1 && cross->cols() == 3);
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
    // The bytes of the converted copies of the data that the matrix stores, at most the limits in the argument `memory`
    // of make_gram().
    virtual std::size_t stored_bytes() const = 0;
};

// Returns the n × n matrix k(xᵢ, xⱼ), or the matrix k(xᵢ, zⱼ) with a row for each object of x and a column for each
// object of z, with entries of type T (float or double). `memory` limits the converted copies of the data that the
// matrix may store. Throws errc::unsupported if the objects are not of the kind that k compares, and errc::data,
// possibly only when a block is read, if a value is not finite or out of the range of T.
template <class T>
std::unique_ptr<kernel_gram<T>> make_gram(const kernel& k, dataset x, evaluator_memory memory = {});
template <class T>
std::unique_ptr<kernel_gram<T>> make_gram(const kernel& k, dataset x, dataset z, evaluator_memory memory = {});

namespace detail {
// Returns x and z, renumbered without the columns that are empty in both, if nearly all columns are empty and k does
// not depend on the order of columns; else returns them unchanged. The evaluator's arrays are as long as there are
// columns. Kernel values stay bit-identical. Without z (empty), only x counts.
std::pair<dataset, dataset> drop_empty_columns(const kernel& k, dataset x, dataset z = {});
}  // namespace detail

// K(i, j) = k(xᵢ, zⱼ), computed by the processor when it is read.
template <class T>
class cpu_kernel_gram final : public kernel_gram<T> {
public:
    cpu_kernel_gram(const kernel& k, dataset x, evaluator_memory memory = {})
        : is_psd_(k.proof().valid),
          kernel_(k),
          x_(detail::drop_empty_columns(k, std::move(x)).first),
          k_(k, x_, memory) {}
    cpu_kernel_gram(const kernel& k, dataset x, dataset z, evaluator_memory memory = {})
        : cpu_kernel_gram(k, detail::drop_empty_columns(k, std::move(x), std::move(z)), memory) {}

    index rows() const override { return k_.rows(); }
    index cols() const override { return k_.cols(); }
    void block(const row_set& rows, const row_set& cols, row_pointers<T> out) const override {
        k_.block(rows, cols, out);
    }
    void symmetric_block(const row_set& which, row_pointers<T> out) const override { k_.symmetric_block(which, out); }
    void diagonal(std::span<T> out) const override { k_.diagonal(out); }
    void fill(matrix_view<T> out) const override { k_.fill(out); }
    double cycles_per_element() const override { return k_.cycles_per_element(); }
    bool is_psd() const override { return is_psd_; }
    matrix<double> features(index most) const override {
        if (!k_.has_same_data() || x_.kind() != object_kind::vectors || x_.dims() > most) return {};
        try {
            const dense<double> made = feature_map(kernel_, x_.dims(), most).apply(x_);
            matrix<double> out(made.size(), made.dims());
            for (index i = 0; i < made.size(); ++i) std::copy_n(made.row(i), made.dims(), out.row(i));
            return out;
        } catch (const error&) {
            return {};  // no finite map, or too many features
        }
    }
    std::size_t stored_bytes() const override { return k_.stored_bytes(); }

private:
    cpu_kernel_gram(const kernel& k, std::pair<dataset, dataset> both, evaluator_memory memory)
        : is_psd_(false), kernel_(k), x_(both.first), k_(k, std::move(both.first), std::move(both.second), memory) {}
    bool is_psd_;
    kernel kernel_;
    dataset x_;
    evaluator<T> k_;
};

// Kernel values k(xᵢ, zⱼ) of a few new objects x per call and always the same z, as a model computes them when it
// serves requests. Norms, thresholds and the centre of z are computed in the first call and stored.
//
// Example:
//
//     const double numbers[] = {0, 1, 2, 3}, place[] = {1.5};
//     const dataset z = dense<double>({numbers, 4, 1}), x = dense<double>({place, 1, 1});
//     const prepared_support ready;
//     ready.enable();
//     const auto K = ready.gram_of(gaussian{0.5}, x, z, {});
//     const auto same = make_gram<double>(gaussian{0.5}, x, z);
//     assert(form_matrix(*K)(0, 1) == form_matrix(*same)(0, 1));  // bit-identical
//
// Because z is many times as large as x, z is not packed into panels: its rows are read against the few columns x, and
// the result is transposed. A copied object starts without stored data.
class prepared_support {
public:
    prepared_support() = default;
    prepared_support(const prepared_support&) noexcept {}
    prepared_support& operator=(const prepared_support& other) noexcept {
        if (this != &other) made_.reset();
        return *this;
    }

    // Stores the data of z from the next call of gram_of on.
    void enable() const;
    bool is_enabled() const { return made_ != nullptr; }
    // Returns the matrix k(xᵢ, zⱼ), a row for each object of x and a column for each object of z. k and z must be the
    // same in every call. `memory` limits the converted copies of x.
    std::unique_ptr<gram<double>> gram_of(const kernel& k, const dataset& x, const dataset& z,
                                          evaluator_memory memory) const;

private:
    struct shared_state;
    mutable std::shared_ptr<shared_state> made_;  // null: nothing is stored
};

}  // namespace mercer
