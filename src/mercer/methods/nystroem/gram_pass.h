// One pass over K = k(X, Z), of n rows and M columns that nobody stores:
//
//     f = K v   →   u = step(f), row by row   →   out = Kᵀu          for any number of columns of v
//
// out = Kᵀ(K v + shift) is the step f += shift; weights, derivatives of losses and curvatures are others. Conjugate
// gradients on KᵀWK, Newton's method, eigenvectors of KᵀK and prediction (the first half) all rest on it.
//
// Rows are worked on in bands that stay in L2: a band is computed once and used twice, sums in double whatever K is
// made of. The bands of a leaf are added up in their order, and the leaves in a tree (reproducible_sums.h): the bits
// depend neither on the number of threads, nor on the batches that the rows come in, nor on which process has which
// rows.
#pragma once

#include <functional>
#include <span>

#include "mercer/gram/gram.h"

namespace mercer {

class process_group;

// Rows of a leaf, of so many rows of all processes: enough leaves for many threads, and few enough that adding them up
// costs nothing.
constexpr index leaf_rows(index rows) {
    index out = 192;
    while (out < 768 && rows > 256 * out) out *= 2;
    return out;
}

// The rows of K, batch after batch: in memory one batch, of files as many as it takes; where several processes share
// them, those of this one. A pass may be made many times.
template <class T>
class gram_batches {
public:
    virtual ~gram_batches() = default;
    virtual index rows() const = 0;  // of all processes
    virtual index cols() const = 0;
    // A batch begins where a leaf does; `first` is the number of its first row.
    virtual void each(const std::function<void(index first, const gram<T>& rows)>& use) const = 0;
    virtual const process_group* processes() const { return nullptr; }
};

// A matrix as one batch. Borrowed.
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

// f holds rows first, first + 1, … of K v and is overwritten with those of u; `totals` are numbers to add to. Called
// from several threads at once, of one leaf in ascending order.
using row_step = std::function<void(index first, matrix_view<double> f, double* totals)>;

// Which rows of K count; none: all of them.
using row_filter = std::function<bool(index row)>;

// v and out have M rows, or M + 1 where K is followed by a column of ones. Without v (no rows) f is 0, and only the
// second half is worked on; without out only the first. `totals` become what the steps added to theirs. Rows that do
// not count are as if they were not there; the others come to `step` one by one then.
template <class T>
void round_trip(const gram_batches<T>& k, matrix_view<const double> v, const row_step& step, matrix_view<double> out,
                std::span<double> totals = {}, const row_filter& only = {});

extern template void round_trip(const gram_batches<float>&, matrix_view<const double>, const row_step&,
                                matrix_view<double>, std::span<double>, const row_filter&);
extern template void round_trip(const gram_batches<double>&, matrix_view<const double>, const row_step&,
                                matrix_view<double>, std::span<double>, const row_filter&);

}  // namespace mercer
