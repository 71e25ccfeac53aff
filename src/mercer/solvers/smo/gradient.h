// F = p - Kα: kept up to date with kernel rows in float, made exact with values in double.
#pragma once

#include <vector>

#include "mercer/solvers/smo/row_store.h"
#include "mercer/solvers/smo/variables.h"

namespace mercer::smo {

inline constexpr index stripe = row_store::panel;  // columns of F updated at a time
inline constexpr index row_chunk = 512;            // rows that are used but not kept are computed this many at a time

class gradient {
public:
    // `room`: bytes for kept rows.
    gradient(variables& v, const gram<float>& fast, const gram<double>& exact, std::size_t room, counters& done,
             const limits& by);

    // F[from … to) -= Σ delta·K(changed, ·); with `keep`, rows stay where there is room for them.
    void update(const std::vector<index>& changed, const std::vector<double>& delta, index from, index to, bool keep);
    // F of all points from p and α, in float.
    void reconstruct();
    // F of these points in double.
    void make_exact(const std::vector<index>& points);
    // That of all active ones, if it does not take too many kernel values, or no more than so many cycles; else
    // nothing, and false.
    bool make_all_exact(double cycles = 0);
    // How far F is from its exact values at a few of the active points, a new choice each time; they are exact then.
    double sampled_error();
    // Every step-th active point, from another one each time.
    std::vector<index> sample(index step);

    const gram<float>& fast() const { return fast_; }
    const gram<double>& exact() const { return exact_; }
    row_store& rows() { return store_; }
    const row_store& rows() const { return store_; }

private:
    variables& v_;
    const gram<float>& fast_;
    const gram<double>& exact_;
    row_store store_;
    counters& done_;
    const limits& by_;
    const vector_ops& ops_ = best_vector_ops();
    index samples_ = 0;
};

}  // namespace mercer::smo
