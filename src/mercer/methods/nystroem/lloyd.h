// k-means on features φ₁ … φ_n of n rows that nobody stores: means μ₁ … μ_k in the space of the features that make
//
//     J(μ) = Σᵢ wᵢ min_c d(i, c),     d(i, c) = sᵢ - 2⟨φᵢ, μ_c⟩ + ‖μ_c‖²,     sᵢ >= ‖φᵢ‖²,
//
// small. Where φᵢ is the part of a longer vector that the features reach, sᵢ is that vector's squared length: d is then
// its distance to the mean, and what is out of reach adds to J whatever the means are.
//
// Lloyd's rounds (Lloyd 1982): every row to its nearest mean, every mean to the middle of its rows. With φ = T⁻ᵀk(Z, x)
// (nystroem_basis.h) the products Φμ = K T⁻¹μ and the sums T⁻ᵀKᵀu, u the weights in the column of each row's cluster,
// are the two halves of one pass over K (gram_pass.h), so a round stores nothing but labels. A row stays where it is
// unless another mean is nearer by more than rounding. A cluster that ran empty takes the row that costs most, one a
// round; where no row costs anything, fewer rows than clusters differ, and the result has fewer clusters.
//
// J never rises. Ends when no row moved, or a round lowered J by no more than tol·J; a round that would raise it by
// more than rounding, which only a K that is no kernel matrix can do, is taken back and ends it as stalled. Where there
// is a K in float, rounds are made with it to that end first, and then in double to theirs.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mercer/base/fit_status.h"
#include "mercer/methods/nystroem/gram_pass.h"
#include "mercer/methods/nystroem/nystroem_basis.h"

namespace mercer {

struct lloyd_rows {
    const gram_batches<double>* exact = nullptr;
    const gram_batches<float>* rough = nullptr;  // the same in float, or none
    const nystroem_basis* basis = nullptr;       // none: the rows of K are the features
    std::span<const double> self, weight;        // s, w
};

struct lloyd_options {
    index clusters = 1;
    double tol = 0;
    index max_rounds = 300;
    std::function<bool(index round, double objective)> progress{};  // false: stop and keep what there is
    // What is needed to go on, after every round; and such a state to start from, with the bits of rounds that were
    // never interrupted.
    std::function<void(const std::vector<double>& state)> keep{};
    std::vector<double> start{};
};

struct lloyd_result {
    matrix<double> means;         // clusters × features
    std::vector<double> norms;    // ‖μ_c‖²
    std::vector<double> weights;  // of the rows of each cluster
    std::vector<index> labels;    // the nearest mean of every row
    std::vector<double> history;  // J of the means of each round, those of the result last; what was measured in float,
                                  // and by that too low, is left out
    fit_status status = fit_status::converged;
    index passes = 0;
};

// start: the first means as rows; where there are fewer than clusters, the others begin empty.
lloyd_result lloyd_rounds(const lloyd_rows& x, matrix<double> start, const lloyd_options& options);

}  // namespace mercer
