// Which points take part. Those whose variables will stay at a bound are set aside (shrinking) and come back with F
// made right again; at first a random sample takes part, then ever larger ones (levels).
#pragma once

#include <functional>
#include <vector>

#include "mercer/solvers/smo/gradient.h"

namespace mercer::smo {

class active_set {
public:
    active_set(variables& v, gradient& F, const smo_options& options, const limits& by)
        : v_(v), F_(F), options_(options), by_(by), level_(v.n) {}

    // From scratch, a random sample is solved roughly, then a larger one from there, and so on: the first sketch of α
    // costs little when F has few entries, and most of the points that come in later are set aside at once. This is
    // only where the solver starts from.
    void start(bool from_scratch);
    bool finest() const { return level_ == v_.n; }
    index next_level_size() const { return level_ * by_.level_ratio >= v_.n ? v_.n : level_ * by_.level_ratio; }
    void next_level();

    // Sets aside the points that are likely to stay where they are, where they are many.
    void shrink();
    // Now and then.
    void shrink_sometimes() {
        if (options_.shrinking && ++since_shrink_ >= 4) shrink();
    }
    // Be more careful whom to set aside.
    void widen_margin() { margin_ *= 4; }

    // All points of the level again, F right for those set aside.
    void unshrink();
    // Those that could decide the gap. With K positive semidefinite, F of a point has changed by ⟨Δw, φ(xᵢ)⟩ since it
    // was known, at most ‖Δw‖·√K(i, i) (Cauchy-Schwarz): near the end that leaves few in doubt. ‖Δw‖² = ΔαᵀKΔα = -Σ
    // Δα·ΔF.
    void unshrink_doubtful();
    // The same for a run that has to end: as many of them as there is time for; without `late` all. The others count in
    // gap_of_all() with what they could be.
    void unshrink_doubtful(const std::function<bool()>& late);
    // Those of the points set aside that could decide the gap if F of the active ones were off by `error`.
    void recall_doubtful(double error);
    // All points, whose F is about to be computed anew.
    void take_all() { v_.active = level_ = v_.n; }

    // Whether no point that is set aside can decide the gap.
    bool aside_is_settled() const { return v_.active == v_.n || settled_; }
    // α has changed.
    void changed() { settled_ = false; }
    // The gap of all points: that of the active ones where the others are settled, else at most this.
    double gap_of_all();
    // ½αᵀKα - pᵀα. All points whose α changed since they were set aside must be active.
    double objective() const;
    // F of points set aside as it was when they were.
    void put_back_aside();
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
    index level_;               // points 0 … level_ take part; the others wait for a finer level
    double margin_ = infinity;  // see idle()
    double offset_[2] = {0, 0};
    int since_shrink_ = 0;
    // When the last point was set aside while all were active. Since then w has moved by at most reach_, so F of a
    // point set aside by at most reach_·√K(i, i).
    std::vector<double> alpha_then_, F_then_;
    double objective_then_ = 0;
    double error_then_ = 0;  // of F_then_, as a sample shows it
    double reach_ = 0;
    bool settled_ = false;
};

}  // namespace mercer::smo
