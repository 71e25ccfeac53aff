// Which objects stand for all: the centres of a Nyström approximation.
//
//     mixed        a third by rpcholesky, the others uniform: functions of all of them reach what functions of either
//                  part reach. Pivots alone spend themselves on outliers that predict nothing else (the set pol),
//                  uniform ones miss what is rare (diamonds); docs/benchmarks.md has the figures.
//     rpcholesky   randomly pivoted Cholesky (gram/low_rank.h): where the kernel still errs
//     uniform      each object alike
//     kmeans++     far from those there are, in feature space: drawn with a probability proportional to
//                  min ‖φ(x) - φ(z)‖² (Arthur, Vassilvitskii 2007)
//     given        by their numbers
//
// Where there are many objects rpcholesky and kmeans++ look at a uniform sample of them, ten times as many as centres
// are wanted of them: they take n·M² and n·M operations, one centre after the other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/memory.h"
#include "mercer/methods/checkpoint.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/method.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/nystroem/nystroem_basis.h"
#include "mercer/methods/nystroem/training_rows.h"

namespace mercer {

enum class centre_choice { mixed, rpcholesky, uniform, kmeans_plus_plus, given };
const char* name(centre_choice how) noexcept;
// Pivots among so many mixed centres.
constexpr index pivots_of_mixed(index count) { return (count + 2) / 3; }

// The places among the objects of K, at most `count` of them: fewer where the others add nothing but rounding, or, by
// rpcholesky, where no more than `enough` of the trace is left; with `enough` above 0 mixed is rpcholesky.
std::vector<index> choose_centres(const gram<double>& k, index count, centre_choice how, std::uint64_t seed,
                                  const progress_callback& progress, double enough = 0);

// The rank of the factor from which rpcholesky chose `found` centres, of at most `most`, with `enough` above 0.
index rank_for_pivots(index found, index most);

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

namespace detail {

// Which centres, and how they are chosen, the default first: what predicts is judged where the data are, features by
// the trace that they reach.
inline std::vector<std::string> centres_to_predict() { return {"mixed", "rpcholesky", "uniform", "kmeans++", "given"}; }
inline std::vector<std::string> centres_of_features() {
    return {"rpcholesky", "mixed", "uniform", "kmeans++", "given"};
}
template <class V>
void centre_options(V& v, index& n_centres, std::string& centres, std::vector<double>& centre_rows, index& seed,
                    const std::vector<std::string>& choices) {
    v.whole("n_centres", n_centres, 1, "examples that stand for all, at most",
            option_needs{{"centres", {"mixed", "rpcholesky", "uniform", "kmeans++"}}});
    v.choice(
        "centres", centres, choices,
        "how they are chosen: randomly pivoted Cholesky, each alike (mixed: a third by the first, the others by the "
        "second), far apart in feature space, by number");
    v.numbers("centre_rows", centre_rows, at_least(0), "given: their numbers, from 0",
              option_needs{{"centres", {"given"}}});
    v.whole("seed", seed, 0, "of what is drawn");
}

// How many centres suffice, and whether they do.
template <class V>
void reach_options(V& v, double& accuracy, bool& doubling) {
    v.number(
        "accuracy", accuracy, below(at_least(0), 1),
        "above 0: as many centres, in place of n_centres, as leave this share of the trace of the kernel matrix out "
        "of reach, as far as memory and time go",
        option_needs{{"centres", {"mixed", "rpcholesky"}}});
    v.flag("doubling", doubling, "fit with twice as many centres too, and say by how much the answer changes",
           option_needs{{"centres", {"mixed", "rpcholesky", "uniform", "kmeans++"}}});
}
template <class V>
void pass_options(V& v, double& tol, index& max_iter) {
    v.number("tol", tol, above(0), "of the duality gap, relative to the objective");
    v.whole("max_iter", max_iter, 1, "passes over the examples at most");
}

}  // namespace detail

namespace api {

centre_choice centre_choice_named(std::string_view name);  // mixed where there is none
std::vector<index> row_numbers(const std::vector<double>& given);

template <class Options = nystroem_options>
Options nystroem_told(const auto& m, const fit_call& t) {
    auto o = t.common<Options>(m);
    o.n_centres = m.n_centres;
    o.centres = centre_choice_named(m.centres);
    if constexpr (requires { m.accuracy; }) {
        if (m.accuracy > 0 && m.n_centres != std::decay_t<decltype(m)>{}.n_centres)
            fail(errc::invalid_argument, "n_centres has no effect beside accuracy: leave one of them out");
        o.accuracy = m.accuracy, o.doubling = m.doubling, o.seconds = t.control.seconds;
    }
    if constexpr (requires { m.loss; }) o.hinge = m.loss == "hinge";
    o.centre_rows = row_numbers(m.centre_rows);
    return o;
}

// The entry of a method that asks nothing of its examples but passes over them.
template <described_method Method, class Fitted, fitted_ptr (*Make)(const Method&, const fit_call&, const kernel_rows&)>
method entry_by_passes() {
    method out = entry<Method, Fitted>(+[](const Method& m, const fit_call& t) {
        return t.from([&](const auto&... from) { return Make(m, t, rows_of(from...)); });
    });
    out.fit_rows = [](const fit_call& t, const kernel_rows& x) { return Make(value_of<Method>(t.options), t, x); };
    return out;
}

}  // namespace api

}  // namespace mercer
