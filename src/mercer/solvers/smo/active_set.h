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
    active_set(variables& v, gradient& F, const smo_options& options, const limits& by)
        : v_(v), F_(F), options_(options), by_(by), level_(v.n) {}

    // From α = 0 (`from_scratch`) begins with a random sample of the variables, which is solved roughly, then with
    // larger samples. A first estimate of α is cheap where F has few elements, and most variables that are added
    // later are shrunk at once. Samples affect only the α from which all variables are solved.
    void start(bool from_scratch);
    bool finest() const { return level_ == v_.n; }
    index next_level_size() const { return level_ * by_.level_ratio >= v_.n ? v_.n : level_ * by_.level_ratio; }
    void next_level();

    // Shrinks the variables that are likely to stay at their bounds, if they are at least limits::shrink_share of the
    // active ones.
    void shrink();
    // The same at every fourth call.
    void shrink_sometimes() {
        if (options_.shrinking && ++since_shrink_ >= 4) shrink();
    }
    // Shrinks fewer variables from now on.
    void widen_margin() { margin_ *= 4; }

    // Makes all variables of the level active, with reconstructed F.
    void unshrink();
    // Makes the shrunk variables active that could decide the gap, or all of them if these are many or K is not
    // positive semidefinite. F of variable i has changed by ⟨Δw, φ(xᵢ)⟩ since it was known, which is at most
    // ‖Δw‖·√K(i, i) (Cauchy-Schwarz): near the optimum few variables are in doubt. ‖Δw‖² = ΔαᵀKΔα = -Σ Δα·ΔF.
    void unshrink_doubtful();
    // The same at the end of a run: portions of the variables in doubt until late() returns true, or all of them where
    // `late` is empty. gap_of_all() counts the others with their bound.
    void unshrink_doubtful(const std::function<bool()>& late);
    // Makes the shrunk variables active that could decide the gap if F of the active ones were wrong by `error`.
    void recall_doubtful(double error);
    // Makes all variables active. The caller must recompute F.
    void take_all() { v_.active = level_ = v_.n; }

    // Returns true if no shrunk variable can decide the gap.
    bool aside_is_settled() const { return v_.active == v_.n || settled_; }
    // To be called when α has changed.
    void changed() { settled_ = false; }
    // The gap of all variables: the gap of the active ones if no shrunk variable can decide it, else an upper bound.
    double gap_of_all();
    // ½αᵀKα - pᵀα. All variables whose α has changed since they were shrunk must be active.
    double objective() const;
    // Sets F of the shrunk variables to its value when they were shrunk.
    void put_back_aside();
    // The largest error found in a sample of the F that shrunk variables have.
    double error_aside() const { return error_then_; }

private:
    bool idle(index i) const;
    void estimate_offset();
    void remember_now(double error);
    void reorder(const std::vector<index>& order);
    void sample(index first, index last);
    void recall_moved();
    std::vector<index> in_doubt(double error) const;
    bool beyond_doubt(index i, double error) const;
    void recall(const std::vector<index>& which);
    void changes_since(std::vector<index>& changed, std::vector<double>& delta) const;

    variables& v_;
    gradient& F_;
    const smo_options& options_;
    const limits& by_;
    index level_;               // the variables at positions 0 … level_-1 belong to the current sample
    double margin_ = infinity;  // see idle()
    double offset_[2] = {0, 0};
    int since_shrink_ = 0;
    // α and F when all variables were active for the last time before variables were shrunk. Since then w has changed
    // by at most reach_, and F of a shrunk variable i by at most reach_·√K(i, i).
    std::vector<double> alpha_then_, F_then_;
    double objective_then_ = 0;
    double error_then_ = 0;  // of F_then_, the largest found in a sample
    double reach_ = 0;
    bool settled_ = false;
};

}  // namespace mercer::smo
