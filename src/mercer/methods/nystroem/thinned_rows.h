// A few rows whose curvature stands for that of all. With Dᵢ the second derivative of the loss of row i and tᵢ its
// trace, row i is taken with probability min(1, tᵢ/θ) and then counts max(1, θ/tᵢ) times, so that ΣᵢφᵢDᵢφᵢᵀ over those
// taken has the sum over all as its expectation; and no row that was left to chance counts for more than θ. Where θ is
// a small share of λ/‖φ‖², what chance changes is small beside λI (matrix Chernoff bounds, Tropp 2012): Newton's
// equations may be solved for these rows, while values and gradients are of all (Byrd, Chin, Neveitt, Nocedal 2011).
// Where most rows are far from any doubt, as in easy problems of many rows, few are taken.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/methods/nystroem/row_losses.h"

namespace mercer {

class thinned_rows {
public:
    // Of the losses where they were derived last. θ = 0: all rows, each as it is; so too where hardly fewer would do. A
    // smaller θ where hardly any would be taken.
    void draw(const row_losses& losses, double theta, std::uint64_t seed, index all_rows, const process_group* group);
    bool all() const { return share_ == 1; }  // the same at all processes
    double share() const { return share_; }   // of all rows, whoever has them
    // How often a row of this process counts; 0: it was not taken.
    double times(index row) const { return all() ? 1.0 : times_[static_cast<std::size_t>(row - first_)]; }

private:
    index first_ = 0;
    double share_ = 1;
    std::vector<float> times_;
};

}  // namespace mercer
