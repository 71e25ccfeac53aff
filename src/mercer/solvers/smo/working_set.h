// The working block: the most violating variables and the free ones still in motion, whose kernel tile stays in the
// caches while pairs chosen to second order are solved in it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mercer/gram/gram.h"
#include "mercer/solvers/smo/gradient.h"

namespace mercer::smo {

class working_block {
public:
    working_block(variables& v, gradient& F, const smo_options& options, counters& done, const limits& by);

    // Chooses a block, solves it to a share of the gap, or to `target` where that is more, and updates F of all active
    // points. `finest`: no level is left; `rough`: the gap that is enough for now. False where nothing changed.
    bool round(double target, double rough, bool finest);

private:
    bool worth_whole(bool finest);
    bool hardly_varies();
    void choose(bool finest);
    void choose_violators(index limit, std::vector<index>& chosen);
    void solve(double target, double rough);
    void make_tile();
    template <class R>
    struct inner_arrays {
        buffer<R> F, up, low;
    };
    template <class R>
    void solve_pairs(inner_arrays<R>& a, double enough);

    variables& v_;
    gradient& F_;
    const smo_options& options_;
    counters& done_;
    const limits& by_;
    const vector_ops& ops_ = best_vector_ops();
    const index most_free_;

    std::vector<index> block_;  // positions, each group padded to whole vectors with -1
    index begin_[2] = {0, 0}, end_[2] = {0, 0};
    bool whole_ = false;                 // the block is all active points
    std::optional<bool> hardly_varies_;  // whether all of K lies about a common value; not asked yet
    index variables_ = 0;                // in it, without padding
    std::vector<index> previous_;        // the block before, as numbers of points
    std::vector<std::uint8_t> mark_;     // of positions, while a block is chosen
    buffer<float> tile_;
    std::vector<index> tile_of_;        // whose tile it is, as numbers of points
    std::vector<float> tile_diagonal_;  // where a common value was taken off the tile: its diagonal; else empty
    // What the pairs are solved in.
    std::vector<float> diagonal_;
    std::vector<double> alpha_, lower_, upper_;
    inner_arrays<float> float_;
    inner_arrays<double> double_;
};

// Free variables in a block: its tile takes an eighth of the budget at most.
index room_for_free(std::size_t budget, const limits& by);

// What all kernel values have in common: taken off (gram/gram_views.h), it leaves float what tells them apart.

// The value c about which all kernel values lie, where float can hardly tell them apart: of a Gaussian much wider than
// the data, say. Else 0.
double common_value(const gram<float>& K, std::span<const index> among);  // from some of the values of these points

}  // namespace mercer::smo
