// Functions of the span of M centres in place of all n examples (Williams, Seeger 2001), fitted to all of them by
// passes over K(X, Z) that store none of it: any kernel, any kind of object, memory n + M² and time n·M a pass.
//
//     nystroem_ridge      min Σ wᵢ(yᵢ - f(xᵢ))² + λ‖f‖²                      one or several targets
//     nystroem_logistic   min Σ wᵢ log(1 + e^(-yᵢf(xᵢ))) + 1/(2C) ‖f‖²       softmax for more than two classes
//     nystroem_svc        min Σ wᵢ max(0, 1 - yᵢf(xᵢ))² + 1/(2C) ‖f‖²        one class against the rest; or with the
//                         hinge itself, not squared: nystroem_svc.h
//
// over f(x) = Σⱼ βⱼk(x, zⱼ) + b, b not penalised. With all examples as centres they are kernel_ridge, kernel_logistic
// and the squared hinge exactly. Solved as Falkon is (Rudi, Carratino, Rosasco 2017; Meanti, Carratino, Rosasco, Rudi
// 2020) to a measured duality gap: methods/nystroem/nystroem_newton.h. The model says how approximate it is: the
// share of the trace of K(X, X) that the centres do not reach, the gap of the problem it solved, and the passes it
// took.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "mercer/base/memory.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/kernel_expansion.h"
#include "mercer/methods/model_file.h"
#include "mercer/methods/nystroem/nystroem_basis.h"
#include "mercer/methods/nystroem/nystroem_problem.h"
#include "mercer/methods/nystroem/training_rows.h"
#include "mercer/solvers/newton/loss.h"

namespace mercer {

struct nystroem_options {
    double alpha = 1;        // λ of nystroem_ridge
    double C = 1;            // 1/λ of the others
    index n_centres = 1000;  // at most: those that depend on others up to rounding are left out
    // Above 0: as many centres as leave this share of the trace out of reach, in place of n_centres, as far as a
    // gibibyte, or a larger budget, and time go. Of rpcholesky, which mixed then is.
    double accuracy = 0;
    double seconds = std::numeric_limits<double>::infinity();  // for that: what the fit may take, about
    bool doubling = false;  // fit with twice as many centres too, to see how the answer changes
    centre_choice centres = centre_choice::mixed;
    std::vector<index> centre_rows{};  // of choice `given`
    bool fit_intercept = false;
    bool hinge = false;  // nystroem_svc: the hinge, not its square
    factor_choice factors = factor_choice::automatic;
    double tol = 1e-6;     // of the gap, relative to the objective
    index max_iter = 500;  // passes over K
    std::uint64_t seed = 0;
    std::vector<std::pair<double, double>> class_weight{};  // label → factor; labels not named have 1
    std::vector<double> sample_weight{};                    // empty: all 1. 2 = the example twice, 0 = absent
    std::size_t memory_bytes = 0;                           // for what is kept beside the data; 0: not said
    progress_callback progress{};                           // passes, and the gap
    fit_checkpoint checkpoint{};                            // of the three that are fitted by passes

    std::size_t memory() const { return memory_bytes ? memory_bytes : gibibytes(1); }
    // Of it for values of K that would else be computed in every pass; where nothing was said, what a process that is
    // alone finds to spare.
    std::size_t for_values(bool alone) const {
        return std::max(memory() / 2, memory_bytes == 0 && alone ? spare_memory() : 0);
    }
};

struct nystroem_fit {
    kernel_expansion f;           // the centres and β; `rows` are their numbers
    std::vector<double> classes;  // labels, ascending; none: regression
    double lambda = 1;
    fit_status status = fit_status::converged;
    double objective = 0, gap = 0;
    double residual = 0;      // of the gradient, relative to that of f = 0
    double out_of_reach = 0;  // share of the trace of K(X, X), on a sample of rows
    // Of f on these rows when there are twice as many centres: root mean square, relative to that of f. -1: not asked
    double change_when_doubled = -1;
    index passes = 0, rounds = 0;  // over K; Newton steps
    std::vector<double> trace;     // the residual after every step of conjugate gradients
    // Of each of several targets; empty for one target, for classes, and in models of earlier versions.
    std::vector<double> objectives{}, gaps{}, residuals{};
    std::vector<index> unsolved{};  // targets whose gap is above tol of their objective

    fit_status output_status(index output) const {
        if (std::ranges::find(unsolved, output) != unsolved.end() || gaps.empty()) return status;
        return f.k && !f.k->proof().valid ? fit_status::stationary : fit_status::converged;
    }
};
struct nystroem_ridge_model : nystroem_fit {};
struct nystroem_logistic_model : nystroem_fit {};
struct nystroem_svc_model : nystroem_fit {};

// Where several processes share the rows of x, y and weights are those of this one, and each has the whole model.
nystroem_ridge_model fit_nystroem_ridge(const kernel_rows& x, matrix_view<const double> y,
                                        const nystroem_options& options);
nystroem_logistic_model fit_nystroem_logistic(const kernel_rows& x, std::span<const double> y,
                                              const nystroem_options& options);
nystroem_svc_model fit_nystroem_svc(const kernel_rows& x, std::span<const double> y, const nystroem_options& options);

// Objects in memory, or the matrix of their kernel values.
inline objects_in_memory rows_of(const kernel& k, const dataset& x) { return {k, x}; }
inline values_in_memory rows_of(const gram<double>& k) { return values_in_memory(k); }

// f(x): a column for each target; for two classes one, else one for each class.
matrix<double> decide(const nystroem_fit& model, const dataset& x);
matrix<double> decide(const nystroem_fit& model, const gram<double>& k);
// The label that these decisions stand for.
std::vector<double> classes_of(const nystroem_fit& model, matrix_view<const double> decisions);
matrix<double> probabilities(const nystroem_logistic_model& model, matrix_view<const double> decisions);

// The centres of a fit with what it needs of them, for all that learns from Nyström features.
struct nystroem_problem {
    std::vector<index> centres;         // their numbers
    dataset objects;                    // and themselves; none where only kernel values are known
    std::vector<index> sample_rows;     // some rows to judge by,
    dataset sample_objects;             // themselves,
    std::vector<double> sample_self;    // and their k(x, x)
    owned<gram<double>> among, sample;  // K(Z, Z), and K of those rows against Z
    index buckets = 0;                  // rows of a sketch of K(X, Z) that suits time and memory
    index present = 0;                  // rows that have weight, of all
    std::vector<index> first_rows;      // rows to begin with, where that was asked for and rows are many,
    dataset first_objects;              // and themselves
};
// The memory that choices count with which change the result (rows to choose from, of a sketch, to begin with), so that
// a budget changes none of them: one in which a fit does not find its place is refused.
inline double bytes_for_choices(index m) {
    return std::max(0x1p30, 64.0 * static_cast<double>(m) * static_cast<double>(m));
}
// Fails where these bytes, and batches of rows that are read, are more than the budget; the message has the least one.
// m: the number of centres, 0 before it is known.
void require_memory(const kernel_rows& x, double bytes, index m, const nystroem_options& options, const char* owner);
// Weights of this process's rows, 1 where none are given.
std::vector<double> own_weights(const kernel_rows& x, const nystroem_options& options, const char* owner);
// What the caller takes besides, of so many centres, rows of the sketch and rows to begin with.
using solver_bytes = std::function<double(index centres, index buckets, index first_rows)>;
// Refuses a budget that the fit, or with `doubling` the fit with twice as many centres, would exceed, before any of the
// work. With `accuracy` their number is known once they are chosen: where the budget is too small for that, choosing
// exceeds it, by at most a gibibyte, to name the least one.
nystroem_problem pose_nystroem(const kernel_rows& x, const nystroem_options& options, std::span<const double> weight,
                               const char* owner, bool begin_on_some = false, const solver_bytes& besides = {});
// K(Z, Z) of its centres.
matrix<double> among_centres(const nystroem_problem& posed);
// The basis of its centres (methods/nystroem/nystroem_basis.h). Centres that depend on those before them up to rounding
// are left out of the problem, unless the caller has named them: they would add nothing to the functions but their
// share of the time. Of 1,000 pixels of three colours 561 were left.
nystroem_basis independent_basis(const kernel_rows& x, nystroem_problem& posed, const nystroem_options& options,
                                 const process_group* together = nullptr);
// What a checkpoint belongs to: everything that decides the bits of the passes, but for the objects themselves.
problem_mark mark_of(const kernel_rows& x, std::span<const double> weight, const nystroem_problem& posed,
                     const char* owner);

}  // namespace mercer
