// One pass over K = k(X, Z), of n rows and M columns that nobody stores:
//
//     f = K v   →   u = step(f), row by row   →   out = Kᵀu          for any number of columns of v
//
// out = Kᵀ(K v + shift) is the step f += shift; weights, derivatives of losses and curvatures are others. Conjugate
// gradients on KᵀWK, Newton's method, eigenvectors of KᵀK and prediction (the first half) all rest on it.
//
// Rows are worked on in bands that stay in L2: a band is computed once and used twice, sums in double whatever K is
// made of. Band b belongs to the virtual shard b mod 64; a shard adds up its bands in their order, and the shards are
// added up in theirs. So the bits depend neither on the number of threads nor on the batches that the rows come in,
// and, the day shards are shared over processes, not on their number.
#pragma once

#include <functional>

#include "mercer/gram/gram.h"

namespace mercer {

// The rows of K, batch after batch: in memory one batch, of files as many as it takes. A pass may be made many times.
template <class T>
class gram_batches {
public:
    virtual ~gram_batches() = default;
    virtual index cols() const = 0;
    // Every batch but the last has a multiple of `batch_unit` rows; `first` is the number of its first one.
    virtual void each(const std::function<void(index first, const gram<T>& rows)>& use) const = 0;

    static constexpr index batch_unit = 192;
};

// A matrix as one batch. Borrowed.
template <class T>
class one_batch final : public gram_batches<T> {
public:
    explicit one_batch(const gram<T>& k) : k_(k) {}
    index cols() const override { return k_.cols(); }
    void each(const std::function<void(index first, const gram<T>& rows)>& use) const override { use(0, k_); }

private:
    const gram<T>& k_;
};

inline constexpr index virtual_shards = 64;

// f holds rows first, first + 1, … of K v and is overwritten with those of u. Called from several threads at once, of
// one shard (0 … 63) in ascending order.
using row_step = std::function<void(index first, matrix_view<double> f, index shard)>;

// v and out have M rows, or M + 1 where K is followed by a column of ones. Without v (no rows) f is 0, and only the
// second half is worked on; without out only the first.
template <class T>
void round_trip(const gram_batches<T>& k, matrix_view<const double> v, const row_step& step, matrix_view<double> out);

extern template void round_trip(const gram_batches<float>&, matrix_view<const double>, const row_step&,
                                matrix_view<double>);
extern template void round_trip(const gram_batches<double>&, matrix_view<const double>, const row_step&,
                                matrix_view<double>);

}  // namespace mercer
