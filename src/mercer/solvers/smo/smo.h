// Sequential minimal optimisation for one family of problems:
//
//     min  ½ αᵀKα - pᵀα    subject to   l <= α <= u,   Σ α fixed within each group (one or two groups),
//
// with labels kept out of K: α is signed. C-SVC: p = y, 0 <= yα <= C, Σα = 0. ε-regression: two variables per example
// over mirrored(K), p = y ∓ ε; with ε = 0 one, p = y, |α| <= C. One-class: p = 0, Σα = νn. ν-problems: two groups.
//
// With F = p - Kα a point is optimal when, in every group, max{Fᵢ : αᵢ < uᵢ} <= min{Fⱼ : αⱼ > lⱼ}; the difference is
// the gap. The solver works on two levels. Outside: the most violating variables (and the free ones still in motion)
// form a block; its kernel tile stays in the caches while pairs chosen to second order (Fan, Chen, Lin, JMLR 6, 2005)
// are solved in it; then F is updated for all active points with the rows of those variables that changed, computed
// tile by tile or taken from a row cache. Points whose variables will stay at a bound are set aside (shrinking) and
// come back with F made exact again: all of them, or, with K positive semidefinite, those that a bound on ‖Δw‖ since F
// was known leaves in doubt.
//
// Kernel values are float, sums are double. The only successful end is a gap <= tol in double: before it is declared, F
// is recomputed with kernel values in double for every point that could, within four times the error seen on a sample,
// decide the gap. If the gap then fails, the solver goes on from the exact values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/gram/gram.h"
#include "mercer/solvers/smo/row_store.h"

namespace mercer {

struct box_problem {
    std::span<const double> p;
    std::span<const double> lower;        // may be -∞
    std::span<const double> upper;        // may be +∞
    std::span<const std::uint8_t> group;  // empty: all in one group; else 0 or 1
    std::span<const double> start;        // empty: α = 0; else a feasible α whose group sums are the ones to keep
};

struct smo_progress {
    std::int64_t steps = 0;   // pairs solved
    std::int64_t rounds = 0;  // blocks solved
    double gap = 0;
    index active = 0;
    index size = 0;
    double cache_hits = 0;  // share of the rows asked for that were there
    double seconds = 0;
    double seconds_left = 0;  // a guess from how the gap has fallen; infinite when it has not
};

struct smo_options {
    double tol = 1e-3;
    std::size_t cache_bytes = std::size_t{200} << 20;
    // What decides how large a block may be: the same for any number of threads, where cache_bytes may be a thread's
    // share.
    std::size_t block_bytes = std::size_t{200} << 20;
    bool shrinking = true;
    bool bounded = true;  // false: some bounds are infinite, so watch for α that grow without end
    std::int64_t most_steps = std::numeric_limits<std::int64_t>::max();
    double most_seconds = std::numeric_limits<double>::infinity();
    // Called about ten times a second; returning false ends the run with what there is.
    std::function<bool(const smo_progress&)> progress;
    // Called with α (original order) about every `checkpoint_seconds`.
    std::function<void(std::span<const double> alpha)> checkpoint;
    double checkpoint_seconds = 60;
};

struct smo_result {
    fit_status status = fit_status::converged;
    std::vector<double> alpha;
    std::vector<double> F;  // p - Kα; of points that cannot decide the gap, perhaps an earlier value
    double gap = 0;        // exact where the status is converged or stationary; not less than it where the time did not
                           // suffice to look at all points
    double objective = 0;  // ½αᵀKα - pᵀα
    std::int64_t steps = 0;
    std::int64_t rounds = 0;
    std::int64_t rows_computed = 0;
    std::int64_t rows_reused = 0;
    std::int64_t flat_steps = 0;     // steps of zero curvature (twins)
    std::int64_t concave_steps = 0;  // steps of negative curvature
    double seconds = 0;
    // This run went on from another: what that took counts too.
    void add_run_before(const smo_result& first);
};

// `fast` and `exact` are the same matrix in float and in double; both n × n and symmetric. Fails on input that makes no
// sense: sizes that differ, numbers that are not finite, bounds without room, a start outside of them.
smo_result solve_smo(const gram<float>& fast, const gram<double>& exact, const box_problem& problem,
                     const smo_options& options);

namespace smo {

// By what the solver chooses among its ways. The values were chosen by measurement on the sets of bench/svm; none
// changes the answer, so that tests set others to force a way: blocks of a few points, many levels, Newton's method at
// once.

inline constexpr double infinity = std::numeric_limits<double>::infinity();

struct limits {
    row_limits rows_kept;
    index whole_size = 1000;     // so many active points or fewer are one block: their whole Gram matrix is computed
    index most_whole = 4096;     // and so many, where smaller blocks have not led to the end
    double whole_rows = 2;       // when as many rows as they are, times this, have been used
    index largest_block = 1024;  // otherwise a block is an eighth of the active points, within these
    index smallest_block = 256;
    index most_free = row_store::in_use;  // and larger, up to this, where many variables are free
    index first_level = 512;              // the coarsest sample has at least this many points
    index level_ratio = 8;                // and each finer one so many times more
    double coarse_gap = 0.1;              // a level is solved to this gap (in standard deviations of p)
    double refinement = 0.1;              // then each look at all points to this share of the gap before
    double likely_margin =
        0.3;                    // points this far beyond the offset (in standard deviations of p) are set aside for now
    double inner_share = 0.1;   // a block is solved to this share of the outer gap
    double look_share = 0.4;    // with more than this share of them in doubt, all points are looked at
    double shrink_share = 0.2;  // points are set aside when at least this share of the active ones can be
    double hopeless =
        1e10;  // ‖w‖²·k(x, x) needed, beyond which a hard margin is given up: a margin of 1e-5 of the radius
    double rounding = 1e-14;   // a gap of this share of the largest |F| is lost in rounding
    int most_vain_rounds = 3;  // where so many blocks have not halved it
    int most_denied = 25;      // ends denied by exact kernel values before the solver gives up
    index sample_size = 64;    // points whose F is recomputed in double to see how far float kernel values have led
    std::int64_t first_patience =
        50;  // pair steps per active point before Newton's method is tried; doubled when it does not help
    std::int64_t most_patience = 800;
    double factor_cycles =
        1.0 / 6;                // what a few factorisations take for every m³: pairs must have worked as long before
    bool guess = true;          // who is at a bound, before a barrier is asked
    index most_features = 300;  // columns of a Φ with K = ΦΦᵀ
    index most_newton = 8000;   // variables it is tried with
    int most_newtons = 10;      // times it is tried before the solver gives up
    int most_vain_newtons = 5;  // and so often when it finds again what it found before
    int most_last_tries = 3;    // and so often where pairs have come to rest short of the end
    double quick_barrier =
        5e7;  // cycles that a barrier may take however little pairs have done; more, only eight times what they have
    index most_barrier = 2500;    // active points up to which a barrier takes all of them
    index most_exact = 30000000;  // kernel values in double that Newton's method may ask for at its end
    double little = 1e6;          // kernel values in double that are no matter at the end
    double little_work = 250;     // one in so many kernel values more is no matter
    double safety = 4;            // the largest error seen there is multiplied by this
};

// What solvers take when they are made; not to be changed while one is.
limits& limits_in_force();

}  // namespace smo
}  // namespace mercer
