// What is true in double, whatever floats said: the gap, the best α there was, hard margins without a solution.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/solvers/smo/active_set.h"

namespace mercer::smo {

class certificate {
public:
    certificate(variables& v, gradient& F, active_set& active, const smo_options& options, const limits& by)
        : v_(v), F_(F), active_(active), options_(options), by_(by) {}

    // Whether the gap, in double, is at most tol. Replaces F by exact values where they matter.
    bool holds();
    // Whether F of this position was made exact by that.
    bool is_exact(index i) const { return exact_[static_cast<std::size_t>(i)] != 0; }
    // How far F was off before that.
    double error_seen() const { return error_seen_; }

    // Keeps α if it is the best so far.
    bool remember();
    // The best α there was, and its F.
    void restore();
    double least_objective() const { return least_; }
    // Whether float kernel values lead nowhere any more: time and again they promised an end that the exact ones
    // denied, and the objective has not fallen since. Then the best α there was takes its place again.
    bool leads_no_nearer();
    // Something else was tried: count from here.
    void start_again() { denied_ = 0; }

    // Whether a hard margin is beyond what double can tell from none.
    bool hopeless();

private:
    std::vector<index> first_looked_at();
    bool needs_too_much() const;

    variables& v_;
    gradient& F_;
    active_set& active_;
    const smo_options& options_;
    const limits& by_;
    std::vector<std::uint8_t> exact_;
    double error_seen_ = 0;
    int denied_ = 0;  // ends that turned out to be none since the objective last fell
    double least_ = 0, gap_of_best_ = 0;
    std::vector<double> best_alpha_;  // in the order of the points
};

}  // namespace mercer::smo
