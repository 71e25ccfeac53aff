// A kernel bound to data: computes blocks of the matrix K(i, j) = k(xᵢ, zⱼ). Most programs use make_gram(), which wraps
// an evaluator in the interface gram<T>.
//
// The columns are cut into column tiles. The vectors of a column tile are packed into panels, or were packed before.
// Small blocks of rows are multiplied by the panels, and the kernel's formulas run on each small tile while it is in
// L1. Each tile is computed by one thread in a fixed order, so the results are bit-identical for any number of threads.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

// Memory that may be used for the data in forms that are faster to read. Without it the data are converted again for
// every block.
struct evaluator_memory {
    evaluator_memory(std::size_t packed = 0, std::size_t copy = 0, bool low = false,
                     index whole = 16384)  // NOLINT: a number of bytes is one
        : packed_bytes(packed), copy_bytes(copy), low_accuracy(low), whole_depth(whole) {}
    std::size_t packed_bytes;  // bytes for packed columns: saves a few per cent of the time of blocks with many rows
    std::size_t copy_bytes;    // bytes for a copy of the data in T, if they are stored in another form
    // The error that the rounding of squared distances may cause in kernel values of size 1: 8u if false, 128u if true,
    // where u is the unit roundoff of T (2⁻²⁴ for float, 2⁻⁵³ for double). Beyond that error, distances are computed
    // again from the differences of the coordinates. true is for callers that compute the values on which a result
    // depends again in double.
    bool low_accuracy;
    // Dense vectors of more than this number of coordinates are processed in ranges of coordinates; the results are
    // bit-identical.
    index whole_depth;
};

template <class T>
class evaluator {
public:
    evaluator(const kernel& k, dataset x, dataset z, evaluator_memory memory = {});
    explicit evaluator(const kernel& k, dataset x, evaluator_memory memory = {});  // z = x
    evaluator(std::shared_ptr<const plan> code, dataset x);
    ~evaluator();
    evaluator(evaluator&&) noexcept;
    // Requires z = x. Returns the same rows against other columns, computing only what belongs to the columns; returns
    // nothing if rows and columns cannot be prepared independently (objects with a common dictionary, numbers per
    // object, a user's function).
    std::optional<evaluator> with_columns(const dataset& columns) const;

    index rows() const;
    index cols() const;
    bool has_same_data() const;  // z is x
    // out(i, j) = k(x[rows[i]], z[cols[j]])
    void block(const row_set& rows, const row_set& cols, row_pointers<T> out) const;
    // out(i, j) = k(x[which[i]], x[which[j]]), for z = x. Only one half is computed if that saves time.
    void symmetric_block(const row_set& which, row_pointers<T> out) const;
    // Fills the whole matrix. For K(x, x) only one half is computed if that saves time.
    void fill(matrix_view<T> out) const;
    // out[i] = k(xᵢ, xᵢ)
    void diagonal(std::span<T> out) const;
    // Returns the approximate number of processor cycles that one element takes on one core.
    double cycles_per_element() const;
    // Returns the bytes of the data stored in other forms.
    std::size_t stored_bytes() const;

private:
    struct state;
    explicit evaluator(std::unique_ptr<state> made);
    std::unique_ptr<state> state_;
    std::unique_ptr<evaluator<double>> in_double_;  // used instead of state_ if float is not precise enough
};

// Returns k(x₀, z₀) for two data sets of one object each. For single values only, because each call converts the data.
double pair_value(const kernel& k, const dataset& x, const dataset& z);

extern template class evaluator<float>;
extern template class evaluator<double>;

}  // namespace mercer
