// The active variables of the SMO solver: the variables among which it chooses working sets and whose F it updates.
//
// Shrinking removes variables that will probably stay at a bound. Their F is reconstructed before they become active
// again. From α = 0 the solver first solves random samples of increasing size (levels).
#pragma once

#include <functional>
#include <vector>

#include "mercer/solvers/smo/gradient.h"

namespace mercer::smo {

class active_set {
public:
    active_set(variables& v, gradient& F, const smo_options& options, const smo_thresholds& thresholds)
        : v_(v), F_(F), options_(options), thresholds_(thresholds), sample_size_(v.n) {}

    // Begins a run. If the run starts at α = 0 (`from_scratch`), the solver first solves a random sample of the
    // variables to a low accuracy and then larger samples. A first estimate of α is cheap on a small sample, and most
    // variables that are added later are shrunk at once. The samples determine only the α at which the solver starts
    // with all variables.
    void start(bool from_scratch);
    bool uses_all_rows() const { return sample_size_ == v_.n; }
    index next_sample_size() const {
        return sample_size_ * thresholds_.sample_ratio >= v_.n ? v_.n : sample_size_ * thresholds_.sample_ratio;
    }
    void enlarge_sample();

    // Shrinks the variables that are likely to stay at their bounds, if they are at least
    // smo_thresholds::shrink_fraction of the active ones.
    void shrink();
    // The same at every fourth call.
    void shrink_periodically() {
        if (options_.shrinking && ++calls_since_shrink_ >= 4) shrink();
    }
    // Shrinks fewer variables from now on.
    void shrink_less() { margin_ *= 4; }

    // Makes all variables of the level active, with reconstructed F.
    void unshrink();
    // Makes the shrunk variables active that could decide the gap, or all of them if these are many or K is not
    // positive semidefinite. F of variable i has changed by ⟨Δw, φ(xᵢ)⟩ since it was known, which is at most
    // ‖Δw‖·√K(i, i) (Cauchy-Schwarz): near the optimum few variables are in doubt. ‖Δw‖² = ΔαᵀKΔα = -Σ Δα·ΔF.
    void unshrink_possible_violators();
    // The same at the end of a run: portions of the variables in doubt until late() returns true, or all of them where
    // `late` is empty. total_gap() counts the others with their bound.
    void unshrink_possible_violators(const std::function<bool()>& late);
    // Makes the shrunk variables active that could decide the gap if F of the active ones were wrong by `error`.
    void unshrink_possible_violators(double error);
    // Makes all variables active. The caller must recompute F.
    void activate_all() { v_.active = sample_size_ = v_.n; }

    // Returns true if no shrunk variable can decide the gap.
    bool shrunk_are_optimal() const { return v_.active == v_.n || shrunk_are_optimal_; }
    // To be called when α has changed.
    void alpha_changed() { shrunk_are_optimal_ = false; }
    // The gap of all variables: the gap of the active ones if no shrunk variable can decide it, else an upper bound.
    double total_gap();
    // ½αᵀKα - pᵀα. All variables whose α has changed since they were shrunk must be active.
    double objective() const;
    // Sets F of the shrunk variables to its value when they were shrunk.
    void restore_shrunk();
    // The largest error found in a sample of the F that shrunk variables have.
    double shrunk_error() const { return reference_error_; }

private:
    bool can_shrink(index i) const;
    void estimate_offset();
    void save_reference(double error);
    void reorder(const std::vector<index>& order);
    void sample(index first, index last);
    void unshrink_changed();
    std::vector<index> possible_violators(double error) const;
    bool is_surely_optimal(index i, double error) const;
    void activate(const std::vector<index>& which);
    void changes_since_reference(std::vector<index>& changed, std::vector<double>& delta) const;

    variables& v_;
    gradient& F_;
    const smo_options& options_;
    const smo_thresholds& thresholds_;
    index sample_size_;         // the variables at positions 0 … sample_size_-1 belong to the current sample
    double margin_ = infinity;  // see can_shrink()
    double offset_[2] = {0, 0};
    int calls_since_shrink_ = 0;
    // α and F when all variables were active for the last time before variables were shrunk. Since then w has changed
    // by at most w_change_, and F of a shrunk variable i by at most w_change_·√K(i, i).
    std::vector<double> reference_alpha_, reference_F_;
    double reference_objective_ = 0;
    double reference_error_ = 0;  // of reference_F_, the largest found in a sample
    double w_change_ = 0;
    bool shrunk_are_optimal_ = false;
};

}  // namespace mercer::smo
