// Sequential minimal optimisation (SMO) for one family of quadratic programs:
//
//     min  ½ αᵀKα - pᵀα    subject to   l <= α <= u,   Σ α fixed within each group (one or two groups).
//
// Labels are not part of K: α is signed. The SVM duals are instances:
//     C-SVC           p = y, 0 <= yα <= C, Σα = 0
//     ε-regression    two variables per example over duplicated_gram(K), p = y ∓ ε; for ε = 0 one variable, p = y and
//                     |α| <= C
//     one-class       p = 0, Σα = νn
//     ν-problems      two groups
//
// With F = p - Kα, α is optimal when max{Fᵢ : αᵢ < uᵢ} <= min{Fⱼ : αⱼ > lⱼ} in every group. The gap (the KKT violation
// of the most violating pair) is the largest difference of the two sides over the groups.
//
// The solver works on two levels. The outer loop chooses a working set: the most violating variables and the free ones
// of the last working set. The kernel matrix of the working set stays in the caches while pairs of variables, chosen by
// second-order information (Fan, Chen, Lin, JMLR 6, 2005), are optimised in it. Then F is updated for all active
// variables with the kernel rows of the variables that changed; these rows are computed tile by tile or taken from a
// row cache. Variables that are likely to stay at a bound are shrunk: F is not updated for them. Before the solver ends
// it reconstructs F of all shrunk variables or, where K is positive semidefinite, only of those that may violate
// optimality by a bound on ‖Δw‖ since F was known.
//
// Kernel values are float, sums are double. The solver reports success only for a gap <= tol in double: before that, F
// is recomputed from double kernel values for every variable that could decide the gap if its F were off by four times
// the largest error seen in a sample. If the gap is then larger than tol, the solver continues from the exact values.
//
// Example:
//
//     // The dual of a C-SVC with C = 10 for the points -1 and 1 with these labels; the linear kernel gives K.
//     const double numbers[] = {1, -1, -1, 1}, p[] = {-1, 1}, lower[] = {-10, 0}, upper[] = {0, 10};
//     const precomputed<double> K{matrix_view<const double>(numbers, 2, 2)};
//     const smo_result found = solve_smo(float_gram(K), K, {.p = p, .lower = lower, .upper = upper}, {});
//     assert(found.status == fit_status::converged && std::abs(found.alpha[1] - 0.5) < 1e-3);
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

// The problem above without K. All spans have n elements, or are empty if that is allowed. The data are borrowed and
// must outlive the call of solve_smo().
struct box_problem {
    std::span<const double> p;
    std::span<const double> lower;        // l, may be -∞
    std::span<const double> upper;        // u, may be +∞
    std::span<const std::uint8_t> group;  // 0 or 1; empty: all variables are in one group
    std::span<const double> start;        // a feasible α, which fixes the sums of the groups; empty: α = 0
};

// The state of a running solver.
struct smo_progress {
    std::int64_t steps = 0;   // pairs optimised
    std::int64_t rounds = 0;  // working sets solved
    double gap = 0;           // KKT violation of the active variables
    index active = 0;         // active variables
    index size = 0;           // all variables
    double cache_hits = 0;    // fraction of the requested kernel rows that were in the row cache
    double seconds = 0;
    double seconds_left = 0;  // estimated from the decrease of the gap; infinite while the gap has not decreased
};

// Options of solve_smo().
struct smo_options {
    double tol = 1e-3;                                 // tolerance of the gap, in units of F
    std::size_t cache_bytes = std::size_t{200} << 20;  // memory for stored kernel rows and Newton's matrices
    // The memory from which the largest working set is derived. Unlike cache_bytes, which may be the share of a thread,
    // it must not depend on the number of threads, or the result would.
    std::size_t working_set_bytes = std::size_t{200} << 20;
    bool shrinking = true;
    bool bounded = true;  // false: some bounds are infinite, and the solver checks if α grows without limit
    std::int64_t max_steps = std::numeric_limits<std::int64_t>::max();
    double max_seconds = std::numeric_limits<double>::infinity();
    // Called about ten times a second. If it returns false, the solver ends with the current α.
    std::function<bool(const smo_progress&)> progress;
    // Called with α in the order of the problem about every `checkpoint_seconds`.
    std::function<void(std::span<const double> alpha)> checkpoint;
    double checkpoint_seconds = 60;
};

// The result of solve_smo().
struct smo_result {
    fit_status status = fit_status::converged;
    std::vector<double> alpha;
    std::vector<double> F;  // p - Kα; for variables that cannot decide the gap, possibly of an earlier α
    double gap = 0;         // KKT violation, in double if the status is converged or stationary. After a time limit or
                            // cancellation it may be an upper bound, because F of some shrunk variables is only bounded
    double objective = 0;   // ½αᵀKα - pᵀα
    std::int64_t steps = 0;
    std::int64_t rounds = 0;
    std::int64_t rows_computed = 0;
    std::int64_t rows_reused = 0;
    std::int64_t flat_steps = 0;     // steps along pairs of zero curvature (equal examples)
    std::int64_t concave_steps = 0;  // steps along pairs of negative curvature
    double seconds = 0;
    // Adds the time and the counts of an earlier run from which this run continued.
    void add_earlier_run(const smo_result& first);
};

// Solves the problem. `fast` and `exact` are the symmetric n × n matrix K in float and in double. Throws
// errc::invalid_argument or errc::data if sizes differ, numbers are not finite, a lower bound exceeds its upper bound,
// or the start violates its bounds.
smo_result solve_smo(const gram<float>& fast, const gram<double>& exact, const box_problem& problem,
                     const smo_options& options);

namespace smo {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

// Thresholds that decide when the solver switches strategy. The defaults were chosen by measurement on the data sets of
// bench/svm. They change the time and the path of the solver, but not the tolerance of the result, so tests set other
// values to force a strategy.
struct smo_thresholds {
    row_cache_thresholds row_cache;
    // Size of the working set.
    // All active variables are the working set if there are at most full_set_size of them, or at most max_full_set once
    // smaller working sets have used full_set_rows kernel rows per active variable. Otherwise the working set has an
    // eighth of the active variables, at least min_working_set and at most max_working_set.
    index full_set_size = 1000;
    index max_full_set = 4096;
    double full_set_rows = 2;
    index max_working_set = 1024;
    index min_working_set = 256;
    index max_free = row_store::max_in_use;  // upper limit where many variables are free
    // Samples that are solved first, from a start of α = 0.
    index min_sample = 512;   // smallest size of a sample
    index sample_ratio = 8;   // ratio of the sizes of consecutive samples
    double coarse_gap = 0.1;  // gap to which a sample is solved, and first target gap (in standard deviations of p)
    double gap_factor = 0.1;  // factor of the target gap after each reconstruction of F
    // Shrinking, and accuracy of a working set.
    double shrink_margin = 0.3;  // a variable at a bound is shrunk if F lies beyond the offset by more than this (in
                                 // standard deviations of p)
    double inner_gap_fraction = 0.1;  // a working set is solved to this fraction of the gap
    double reconstruct_fraction =
        0.4;  // if more than this fraction of the shrunk variables is in doubt, all are reconstructed
    double shrink_fraction = 0.2;  // variables are shrunk if at least this fraction of the active ones can be
    // End of the run.
    double max_squared_norm =
        1e10;  // a hard margin is declared infeasible if ‖w‖²·k(x, x) must exceed this: the margin is
               // then 1e-5 of the radius of the data
    double rounding = 1e-14;       // a gap below this fraction of the largest |F| is rounding error
    int max_idle_rounds = 3;       // number of working sets that have not halved such a gap before the solver gives up
    int max_refuted = 25;          // number of gaps <= tol refuted by double kernel values before the solver gives up
    index error_sample_size = 64;  // variables whose F is recomputed in double to estimate the error of float values
    // Newton's method.
    std::int64_t min_pair_steps = 50;   // pair steps per active variable before it is tried; doubled after a failure
    std::int64_t max_pair_steps = 800;  // upper limit of the doubling
    double factor_cycles = 1.0 / 6;  // a few factorisations take this number of cycles times m³ for m free variables;
                                     // pairs must have taken this number before
    bool try_active_set = true;      // try an active-set method before the barrier
    index max_features = 300;        // columns of Φ with K = ΦΦᵀ
    index max_newton_size = 8000;    // variables in the matrix of Newton's method
    int max_newton_steps = 10;       // attempts before the solver gives up
    int max_vain_newton_steps = 5;   // consecutive attempts without progress before the solver gives up
    int max_last_resorts = 3;        // attempts after pairs have stalled above the tolerance
    double barrier_cycles = 5e7;     // cycles that a barrier may always take; otherwise at most eight times the cycles
                                     // that pairs have taken
    index max_barrier_size = 2500;   // up to this number of active variables, a barrier includes all of them
    index max_exact_values =
        30000000;  // up to this number of double kernel values F of all active variables may be exact
    // Objective of the result.
    double free_exact_values = 1e6;  // up to this number of double kernel values are always computed for the objective
    double exact_value_ratio = 250;  // beyond it, one for this number of float values computed before
    double error_factor = 4;         // factor of the largest error seen in a sample
};

// The thresholds that solvers copy when they are constructed. They must not be changed during that.
smo_thresholds& default_thresholds();

}  // namespace smo
}  // namespace mercer
