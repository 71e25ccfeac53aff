// k-medoids on a matrix of dissimilarities by FasterPAM and FastPAM1 (Schubert & Rousseeuw, Fast and eager k-medoids
// clustering, 2021):
//     min TD = Σᵢ wᵢ min_{m ∈ M} D(i, m),  |M| = k.
// Ends when no swap of one medoid with one other object lowers TD by more than rounding, or after a number of passes.
#pragma once

#include <functional>
#include <vector>

#include "mercer/gram/gram.h"

namespace mercer {

struct pam_result {
    std::vector<index> medoids;
    double objective = 0;
    index swaps = 0, passes = 0;
    bool finished = false;  // no swap is left
    bool cancelled = false;
};

// Called with the number of passes and TD; false: stop and keep what there is.
using pam_report = std::function<bool(index pass, double objective)>;

// PAM's BUILD: the medoid that lowers TD most, k times.
template <class T>
std::vector<index> pam_build(const gram<T>& D, const std::vector<double>& weight, index k);
// eager: each swap that helps is made at once; few passes over D. steepest: the best of all swaps each time, which is
// PAM itself at 1/k of its cost (FastPAM1); one pass a swap. They may end in different local optima.
enum class pam_rule { eager, steepest };
template <class T>
pam_result faster_pam(const gram<T>& D, const std::vector<double>& weight, std::vector<index> medoids, pam_rule rule,
                      index most_passes, const pam_report& report);

}  // namespace mercer
