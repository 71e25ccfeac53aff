// A kernel bound to data: fills blocks of the matrix K(i, j) = k(xᵢ, zⱼ).
//
// The columns are cut into stripes. A stripe's vectors are packed into panels (or were packed before), the rows are streamed
// against them in small blocks, and the plan's maps run over each small tile while it is in L1. Work is shared over tiles, each
// computed by one thread in a fixed order, so the bits do not depend on the number of threads.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/base/matrix.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

template <class T>
class evaluator {
public:
    // `packed_bytes`: how much memory may be spent on keeping z in packed form. Zero: it is packed again for every block, which
    // costs a few per cent when blocks have many rows.
    evaluator(const kernel& k, dataset x, dataset z, std::size_t packed_bytes = 0);
    explicit evaluator(const kernel& k, dataset x, std::size_t packed_bytes = 0);  // z = x
    evaluator(std::shared_ptr<const plan> code, dataset x);
    ~evaluator();
    evaluator(evaluator&&) noexcept;

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
    // What is kept of z in packed form.
    std::size_t packed_bytes() const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

// k(xᵢ, xᵢ) for all objects, in double.
std::vector<double> self_values(const kernel& k, const dataset& x);
// k(x₀, z₀), for two data sets of one object each: a convenience, not for loops.
double pair_value(const kernel& k, const dataset& x, const dataset& z);

extern template class evaluator<float>;
extern template class evaluator<double>;

}  // namespace mercer
