// A pass over K = k(X, Z), a matrix with n rows and M columns that is not stored:
//
//     f = K v   →   u = step(f), row by row   →   out = Kᵀu          for any number of columns of v
//
// For example out = Kᵀ(K v + shift) is the step f += shift; other steps multiply by weights or curvatures or take
// derivatives of losses. Conjugate gradients on KᵀWK, Newton's method, eigenvectors of KᵀK and prediction (the first
// half of a pass) are built on passes.
//
// K is computed in tiles of a few rows that stay in the L2 cache; a tile is computed once and used twice. All sums are
// in double, whatever the type of K. The tiles of a chunk of rows are added in their order, and the chunks are the
// leaves of a summation tree (base/reproducible_sums.h). The result is therefore bit-identical for any number of
// threads, any batches and any distribution of the rows over processes.
#pragma once

#include <functional>
#include <span>

#include "mercer/gram/gram.h"

namespace mercer {

class communicator;

// Returns the number of rows of a chunk (192, 384 or 768) if all processes together have `rows` rows: small enough for
// many threads, large enough that adding up the chunks costs little.
constexpr index chunk_rows(index rows) {
    index out = 192;
    while (out < 768 && rows > 256 * out) out *= 2;
    return out;
}

// The rows of K as a sequence of batches: one batch in memory, several batches if the rows are read from files. If
// several processes share the rows, the batches are those of this process. Passes may be repeated.
template <class T>
class gram_batches {
public:
    virtual ~gram_batches() = default;
    virtual index rows() const = 0;  // total of all processes
    virtual index cols() const = 0;
    // Calls use(first, rows) for every batch; `first` is the number of its first row and a multiple of chunk_rows.
    virtual void each(const std::function<void(index first, const gram<T>& rows)>& use) const = 0;
    virtual const communicator* processes() const { return nullptr; }
};

// A matrix as a single batch. The matrix is borrowed.
template <class T>
class one_batch final : public gram_batches<T> {
public:
    explicit one_batch(const gram<T>& k) : k_(k) {}
    index rows() const override { return k_.rows(); }
    index cols() const override { return k_.cols(); }
    void each(const std::function<void(index first, const gram<T>& rows)>& use) const override { use(0, k_); }

private:
    const gram<T>& k_;
};

// The step of a pass. On entry f contains rows first, first + 1, … of K v, on return those of u. The step adds to the
// numbers `totals`. It is called from several threads at once, within a chunk in ascending order of rows.
using row_function = std::function<void(index first, matrix_view<double> f, double* totals)>;

// Returns true for the rows of K that take part in a pass; an empty filter admits all rows.
using row_filter = std::function<bool(index row)>;

// Makes one pass. v and out have M rows, or M + 1 rows if K is extended by a column of ones. If v has no rows, f is 0
// and only out = Kᵀu is computed; if out has no rows, only u. `totals` receives the sums that the steps added. Rows
// that `only` excludes are skipped; the others are then passed to `step` one at a time. Throws errc::invalid_argument
// if the sizes do not match.
template <class T>
void gram_pass(const gram_batches<T>& k, matrix_view<const double> v, const row_function& step, matrix_view<double> out,
               std::span<double> totals = {}, const row_filter& only = {});

extern template void gram_pass(const gram_batches<float>&, matrix_view<const double>, const row_function&,
                               matrix_view<double>, std::span<double>, const row_filter&);
extern template void gram_pass(const gram_batches<double>&, matrix_view<const double>, const row_function&,
                               matrix_view<double>, std::span<double>, const row_filter&);

}  // namespace mercer
