// A kernel bound to data: fills blocks of the matrix K(i, j) = k(xᵢ, zⱼ).
//
// The columns are cut into stripes. A stripe's vectors are packed into panels (or were packed before), the rows are
// streamed against them in small blocks, and the plan's maps run over each small tile while it is in L1. Work is shared
// over tiles, each computed by one thread in a fixed order, so the bits do not depend on the number of threads.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

// Memory that may be spent on the data in forms that are quicker to read; without it they are made ready again for
// every block.
struct evaluator_memory {
    evaluator_memory(std::size_t packed = 0, std::size_t copy = 0, bool roughly = false,
                     index whole = 16384)  // NOLINT: a number of bytes is one
        : packed_bytes(packed), copy_bytes(copy), rough(roughly), whole_depth(whole) {}
    std::size_t packed_bytes;  // z packed: a few per cent where blocks have many rows
    std::size_t copy_bytes;    // a copy in T where the data are stored otherwise
    bool rough;  // values need be right only to 128 units of rounding, not 8: for those who look again in double before
                 // they answer
    index whole_depth;  // dense vectors of more coordinates are worked on slice by slice; the bits are the same
};

template <class T>
class evaluator {
public:
    evaluator(const kernel& k, dataset x, dataset z, evaluator_memory memory = {});
    explicit evaluator(const kernel& k, dataset x, evaluator_memory memory = {});  // z = x
    evaluator(std::shared_ptr<const plan> code, dataset x);
    ~evaluator();
    evaluator(evaluator&&) noexcept;
    // Where z is x: the same rows against other columns, of which alone something is computed here; nothing where
    // they cannot be seen apart (objects with a common dictionary, numbers of objects, a user's function).
    std::optional<evaluator> against(const dataset& columns) const;

    index rows() const;
    index cols() const;
    bool same() const;  // z is x
    // out(i, j) = k(x[rows[i]], z[cols[j]])
    void block(const selection& rows, const selection& cols, block_rows<T> out) const;
    // out(i, j) = k(x[which[i]], x[which[j]]) where z is x; only half is computed when that is worth it.
    void square(const selection& which, block_rows<T> out) const;
    // The whole matrix; of K(x, x) only half is computed.
    void all(matrix_view<T> out) const;
    // out[i] = k(xᵢ, xᵢ)
    void diagonal(std::span<T> out) const;
    // About how many cycles one element takes one core.
    double element_cost() const;
    // What is kept of the data in other forms.
    std::size_t kept_bytes() const;

private:
    struct state;
    explicit evaluator(std::unique_ptr<state> made);
    std::unique_ptr<state> state_;
    std::unique_ptr<evaluator<double>> wide_;  // instead of state_, where floats would not do
};

// k(x₀, z₀), for two data sets of one object each: a convenience, not for loops.
double pair_value(const kernel& k, const dataset& x, const dataset& z);

extern template class evaluator<float>;
extern template class evaluator<double>;

}  // namespace mercer
