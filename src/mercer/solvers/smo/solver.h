// The solver behind solve_smo: its state, and where each part of it is written.
//   smo.cpp     the loop, limits and progress      blocks.cpp   choosing and solving a block
//   points.cpp  F, shrinking, levels               truth.cpp    the gap in double; hard margins without a solution
//   newton.cpp  Newton's method on the free variables, when pair steps crawl; barrier.cpp where even that does not end
#pragma once

#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

#include "mercer/solvers/smo/limits.h"
#include "mercer/solvers/smo/row_store.h"
#include "mercer/solvers/smo/smo.h"
#include "mercer/solvers/smo/vector_ops.h"

namespace mercer::smo {

inline constexpr index stripe = row_store::panel;  // columns of F updated at a time
inline constexpr index row_chunk = 512;            // rows that are used but not kept are computed this many at a time

class solver : limits {
public:
    // fast and exact give K - common.
    solver(const gram<float>& fast, const gram<double>& exact, const box_problem& problem, const smo_options& options, double common = 0);
    smo_result run();

private:
    double measure();  // the gap of the active points
    void round(double target);
    bool interrupted();
    double seconds_of_last_look(double now);
    double seconds_to_look_at(index points) const;
    bool too_late_for(index points);
    // Negative curvature was met: what was reached need not be the minimum, unless K is proven to have none and rounding made it.
    fit_status success() const { return result_.concave_steps > 0 && !fast_.positive() ? fit_status::stationary : fit_status::converged; }
    // Without bounds, and no α was better than none: whatever there is to find is beyond what double can tell from nothing.
    fit_status failure() const { return !options_.bounded && least_ >= 0 ? fit_status::unbounded : fit_status::stalled; }
    smo_result finish();
    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count(); }
    std::vector<double> original_order(const std::vector<double>& values) const;

    bool worth_whole() const;
    void choose_block();
    void choose_violators(index limit, std::vector<index>& chosen);
    void solve_block(double target);
    template <class R>
    struct inner_arrays {
        buffer<R> F, up, low;
    };
    template <class R>
    void solve_inner(inner_arrays<R>& a, double enough, const float* tile, index q);

    void apply(const std::vector<index>& changed, const std::vector<double>& delta, index from, index to, bool keep);
    selection columns(index first, index count) const;
    void start_F();
    bool idle(index i) const;
    void estimate_offset();
    void shrink();
    void reorder(const std::vector<index>& order);
    void start_coarse();
    void sample(index first, index last);
    void next_level();
    void bring_back();
    void look();
    void look_until(double end);
    void recall_moved();
    std::vector<index> in_doubt();
    double gap_of_all();
    void recall(const std::vector<index>& which);
    bool beyond_doubt(index i, double doubt) const;
    double self(index i) const { return std::abs(static_cast<double>(diagonal_[i]) + common_); }  // K(i, i)
    double objective() const;

    double sampled_error();
    bool certify();
    bool no_nearer();
    bool remember();
    void restore();
    void make_exact(const std::vector<index>& points);
    bool grows();

    bool newton(bool last = false);  // whether it brought the objective down; last: there is nothing else to try
    enum class way { guess, barrier, thin };
    bool newton(const std::vector<index>& free, way how);
    bool find_features();
    bool thin_newton();
    void find_low_rank();
    void F_from_features();
    bool all_exact();
    double newton_work() const;

    const gram<float>& fast_;
    const gram<double>& exact_;
    const double common_;
    const smo_options& options_;
    const index n_;
    index active_;
    const vector_ops& ops_;
    const index most_free_;
    const std::size_t room_;  // bytes for kept rows, or for Newton's matrices
    row_store store_;
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();

    // All in the order of positions: active points first.
    std::vector<double> p_, lower_, upper_, alpha_, F_, alpha_then_, F_then_;
    std::vector<float> diagonal_;
    std::vector<std::uint8_t> group_, mark_;
    std::vector<index> perm_;  // position → original number
    bool permuted_ = false;
    bool has_start_ = false;
    index level_ = 0;  // points 0 … level_ take part; the others wait for a finer level
    int groups_ = 1;

    double max_up_[2] = {0, 0}, min_low_[2] = {0, 0};
    double offset_[2] = {0, 0};
    double margin_ = infinity;   // see idle()
    double rough_ = coarse_gap;  // the gap to reach before all points are looked at again
    double gap_ = 0;
    std::vector<std::uint8_t> known_;  // positions whose F is exact, after certify()
    index certified_ = 0;              // how often the truth was asked for
    bool at_rest_ = false;             // the last block changed nothing
    int rests_ = 0;
    int denied_ = 0;  // ends that turned out to be none since the objective last fell
    double least_ = 0;
    std::vector<double> best_alpha_;  // in the order of the points, when it was least
    int since_shrink_ = 0;
    // Since α was alpha_then_, w has moved by at most reach_, so F of a point set aside by at most reach_·√K(i, i).
    double reach_ = 0, objective_then_ = 0;
    double error_then_ = 0;  // of F_then_, as a sample shows it
    double error_seen_ = 0;  // of F, before certify() made it exact where it matters
    bool looked_ = false;    // nothing changed since the last look: the points set aside cannot decide the gap

    std::vector<index> block_, previous_;
    bool whole_ = false;          // the block is all active points
    std::vector<index> tile_of_;  // the variables of the tile, as block_ has them, under their first numbers
    index begin_[2] = {0, 0}, end_[2] = {0, 0};
    buffer<float> tile_;
    std::vector<float> tile_diagonal_;  // where a common value was taken off the tile: its diagonal; else empty
    std::vector<float> inner_diagonal_;
    std::vector<double> inner_alpha_, inner_lower_, inner_upper_;
    inner_arrays<float> inner_float_;
    inner_arrays<double> inner_double_;

    double last_report_ = 0, last_checkpoint_ = 0, first_gap_ = 0;
    double last_estimate_ = -std::numeric_limits<double>::infinity(), look_seconds_ = 0;
    smo_result result_;
    std::int64_t rounds_at_look_ = -1;  // when all points were last looked at
    std::int64_t steps_at_newton_ = 0;  // when Newton's method was last tried
    std::int64_t patience_ = first_patience;
    int newtons_ = 0, last_tries_ = 0;
    int vain_newtons_ = 0;  // one after the other that solved it, and brought the objective down by nothing but rounding
    bool asked_features_ = false, asked_low_rank_ = false;
    matrix<double> features_;  // of all points, by their first numbers, where K = ΦΦᵀ with few columns
    double work_ = 0;          // of blocks since then, in about so many cycles
};

}  // namespace mercer::smo
