// The working set of the SMO solver: the most violating variables and the free variables of the last working set. Their
// kernel matrix (the tile) stays in the caches while pairs, chosen by second-order information, are optimised in it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mercer/gram/gram.h"
#include "mercer/solvers/smo/gradient.h"
#include "mercer/solvers/smo/pair_loop.h"

namespace mercer::smo {

class working_set {
public:
    working_set(variables& v, gradient& F, const smo_options& options, counters& done,
                const smo_thresholds& thresholds);

    // Chooses a working set, solves it until its gap is a fraction of the gap of the active variables or, if that is
    // larger, of `target`, and updates F of all active variables. `uses_all_rows`: all variables belong to the current
    // sample. `current_tol`: the target gap of the active variables. Returns false if α has not changed.
    bool solve_next(double target, double current_tol, bool uses_all_rows);

private:
    bool should_use_full_set(bool uses_all_rows);
    bool is_nearly_constant();
    void choose(bool uses_all_rows);
    void choose_violators(index limit, std::vector<index>& chosen);
    void solve(double target, double current_tol);
    void compute_tile();
    template <class R>
    struct pair_loop_arrays {
        buffer<R> F, up, low;
    };
    template <class R>
    void solve_pairs(pair_loop_arrays<R>& a, double enough);

    variables& v_;
    gradient& F_;
    const smo_options& options_;
    counters& done_;
    const smo_thresholds& thresholds_;
    const vector_ops& ops_ = best_vector_ops();
    const pair_loop& pairs_ = best_pair_loop();
    const index max_free_;

    std::vector<index> block_;  // positions of the working set; each group is padded to whole vectors with -1
    index begin_[2] = {0, 0}, end_[2] = {0, 0};  // of each group in block_
    bool is_full_set_ = false;                   // the working set is all active variables
    std::optional<bool> is_nearly_constant_;     // true if all kernel values are nearly equal; empty: not computed yet
    index size_ = 0;                             // size of the working set without padding
    std::vector<index> previous_;                // the last working set, in numbers of the problem
    std::vector<std::uint8_t> is_chosen_;        // marks the chosen positions while a working set is chosen
    buffer<float> tile_;                         // kernel matrix of block_
    std::vector<index> tile_variables_;          // the variables of tile_, in numbers of the problem
    std::vector<float> tile_diagonal_;           // diagonal of tile_ if that is K - c; else empty
    // The arrays of the pair loop.
    std::vector<float> diagonal_;
    std::vector<double> alpha_, lower_, upper_;
    pair_loop_arrays<float> float_;
    pair_loop_arrays<double> double_;
};

// Largest number of free variables in a working set: its tile then takes at most an eighth of the budget.
index max_free_variables(std::size_t budget, const smo_thresholds& thresholds);

// The value c about which all kernel values lie if float can hardly distinguish them, as for a Gaussian much wider than
// the data; else 0. Judged from up to 8 × 64 kernel values of these variables. K - c (gram/gram_views.h) keeps the
// differences of the kernel values in float.
double kernel_offset(const gram<float>& K, std::span<const index> among);

}  // namespace mercer::smo
