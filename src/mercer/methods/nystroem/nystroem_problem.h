// The parts that all Nyström methods share: their options, the choice of centres among the examples, and the prepared
// problem over the span of the centres.
//
// Choices of centres:
//     mixed        a third by rpcholesky, the others uniform. Functions over all of them approximate at least as well
//                  as functions over either part. Pivots alone are spent on outliers that help to predict nothing else
//                  (data set pol); uniform centres miss rare examples (diamonds). docs/lab/benchmarks.md has the
//                  measurements.
//     rpcholesky   randomly pivoted Cholesky (gram/low_rank.h): where the approximation of the kernel is still worst
//     uniform      every example with the same probability
//     kmeans++     far from each other in feature space: drawn with a probability proportional to min ‖φ(x) - φ(z)‖²
//                  over the centres z drawn so far (Arthur, Vassilvitskii 2007)
//     given        by row number
//
// rpcholesky and kmeans++ take n·M² and n·M operations in sequence, one centre after the other. On large data they
// choose from a uniform sample that has ten times more examples than centres.
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
// Returns the number of rpcholesky pivots among `count` mixed centres.
constexpr index pivots_of_mixed(index count) { return (count + 2) / 3; }

// Returns the positions of at most `count` centres among the rows of K. There are fewer if further centres would add
// only rounding errors or, by rpcholesky with `enough` above 0, if at most this fraction of the trace is unexplained.
// With `enough` above 0, mixed is rpcholesky.
std::vector<index> choose_centres(const gram<double>& k, index count, centre_choice how, std::uint64_t seed,
                                  const progress_callback& progress, double enough = 0);

// Returns the rank of the factor from which rpcholesky chose `found` centres, at most `most`, if `enough` is above 0.
index rank_for_pivots(index found, index most);

// Options of all Nyström methods; each method uses those that it needs.
struct nystroem_options {
    double alpha = 1;        // λ of nystroem_ridge
    double C = 1;            // penalty parameter C = 1/λ of nystroem_logistic and nystroem_svc
    index n_centres = 1000;  // maximum number of centres; numerically dependent ones are left out
    // If above 0, the number of centres is chosen, instead of n_centres, so that at most this fraction of the trace is
    // unexplained. The number is limited by `seconds` and by a gibibyte or the memory budget, whichever is larger.
    // mixed then is rpcholesky.
    double trace_tol = 0;
    double seconds = std::numeric_limits<double>::infinity();  // with `trace_tol`: approximate time limit of the fit
    bool doubling = false;                                     // also fit with 2M centres, to measure how f changes
    centre_choice centres = centre_choice::mixed;
    std::vector<index> centre_rows{};  // row numbers for centre_choice::given
    bool fit_intercept = false;
    bool hinge = false;  // nystroem_svc: hinge loss instead of squared hinge loss
    factor_choice factors = factor_choice::automatic;
    double tol = 1e-6;     // maximum duality gap, relative to the objective
    index max_iter = 500;  // maximum number of passes over K
    std::uint64_t seed = 0;
    // label → factor of the weights; classes that are not listed have factor 1
    std::vector<std::pair<double, double>> class_weight{};
    // One weight per example: weight 2 counts an example twice, weight 0 leaves it out. Empty: all weights are 1.
    std::vector<double> sample_weight{};
    std::size_t memory_bytes = 0;  // memory limit in addition to the data; 0: none was given
    progress_callback progress{};  // reports the passes and the duality gap
    fit_checkpoint checkpoint{};   // only for methods that are fitted by passes

    std::size_t memory() const { return memory_bytes ? memory_bytes : gibibytes(1); }
    // Returns the bytes for storing values of K that would otherwise be computed in every pass. If no limit was given,
    // a single process may use its spare memory.
    std::size_t bytes_for_values(bool alone) const {
        return std::max(memory() / 2, memory_bytes == 0 && alone ? default_memory_budget() : 0);
    }
};

// The problem over the span of the centres: the centres, the matrices between them, and the samples of rows that a fit
// uses.
struct nystroem_problem {
    std::vector<index> centre_rows;                // row numbers of the centres, ascending
    dataset centres;                               // the centres; empty if only kernel values are known
    std::vector<index> sample_rows;                // sampled rows that measure the approximation
    dataset sample_examples;                       // the examples of these rows
    std::vector<double> sample_diagonal;           // k(x, x) of these rows
    owned<gram<double>> centre_gram, sample_gram;  // K(Z, Z), and K of the sampled rows against Z
    index buckets = 0;                             // number of rows of a sketch of K(X, Z), chosen by time and memory
    index weighted_count = 0;                      // number of rows with positive weight, over all processes
    std::vector<index> start_rows;                 // rows for the starting point; empty unless requested and n is large
    dataset start_examples;                        // the examples of start_rows
};
// Returns the memory that decisions which change the result assume (the number of rows to choose from, of a sketch, for
// the starting point). It does not depend on the memory limit, so the limit never changes the result; a fit that needs
// more memory throws instead.
inline double assumed_bytes(index m) {
    return std::max(0x1p30, 64.0 * static_cast<double>(m) * static_cast<double>(m));
}
// Throws errc::memory if `bytes` plus the batches of rows that are read exceed the memory limit; the message states the
// smallest sufficient limit. m is the number of centres, or 0 before it is known.
void require_memory(const training_rows& x, double bytes, index m, const nystroem_options& options, const char* owner);
// Returns the weights of the rows of this process, 1 if none are given. Throws if all weights are 0.
std::vector<double> local_weights(const training_rows& x, const nystroem_options& options, const char* owner);
// The bytes that the caller needs for this number of centres, of rows of the sketch and of rows for the starting point.
using solver_bytes = std::function<double(index centres, index buckets, index start_rows)>;
// Chooses the centres and the samples. Throws errc::memory, before any work, if the fit, or with `doubling` the fit
// with 2M centres, would exceed the memory limit. With `trace_tol` the number of centres is known only after they are
// chosen: if the limit is too small, choosing them may exceed it by up to a gibibyte, and the message then names the
// smallest sufficient limit. with_start: also sample rows for a starting point.
nystroem_problem make_nystroem_problem(const training_rows& x, const nystroem_options& options,
                                       std::span<const double> weight, const char* owner, bool with_start = false,
                                       const solver_bytes& besides = {});
// Returns K(Z, Z).
matrix<double> centre_matrix(const nystroem_problem& posed);
// Returns the basis of the centres (nystroem_basis.h). Centres that depend numerically on the ones before them are
// removed from the problem, unless the caller listed them: they would add time but no functions. For example, 561 of
// 1,000 centres were left for pixels of three colours.
nystroem_basis make_independent_basis(const training_rows& x, nystroem_problem& posed, const nystroem_options& options,
                                      const communicator* factor_group = nullptr);
// Returns a hash of everything that determines the passes bit by bit, except the examples themselves. A checkpoint with
// another hash is an error.
problem_hash mark_of(const training_rows& x, std::span<const double> weight, const nystroem_problem& posed,
                     const char* owner);

namespace detail {

// The options on the choice of centres. The first choice is the default: mixed for methods that predict, whose accuracy
// depends on the distribution of the data; rpcholesky for features, whose quality is the trace that they explain.
inline std::vector<std::string> prediction_centre_choices() {
    return {"mixed", "rpcholesky", "uniform", "kmeans++", "given"};
}
inline std::vector<std::string> feature_centre_choices() {
    return {"rpcholesky", "mixed", "uniform", "kmeans++", "given"};
}
template <class V>
void centre_options(V& v, index& n_centres, std::string& centres, std::vector<double>& centre_rows, index& seed,
                    const std::vector<std::string>& choices) {
    v.integer("n_centres", n_centres, 1,
              "maximum number of centres, the examples whose kernel functions span the model",
              option_requirements{{"centres", {"mixed", "rpcholesky", "uniform", "kmeans++"}}});
    v.choice("centres", centres, choices, "how the centres are chosen from the examples");
    v.choice_meanings(
        {{"mixed", "a third by rpcholesky, the others by uniform"},
         {"rpcholesky", "randomly pivoted Cholesky: where the kernel matrix is approximated worst so far"},
         {"uniform", "every example with the same probability"},
         {"kmeans++", "far apart in feature space, as the starting points of k-means++"},
         {"given", "the examples with the row numbers centre_rows"}});
    v.numbers("centre_rows", centre_rows, at_least(0), "row numbers of the centres, counted from 0",
              option_requirements{{"centres", {"given"}}});
    v.integer("seed", seed, 0, "random seed of the choice of centres and of samples of examples");
}

// The options on the number of centres that suffice.
template <class V>
void trace_options(V& v, double& trace_tol, bool& doubling) {
    v.number("trace_tol", trace_tol, below(at_least(0), 1),
             "fraction of trace(K) that the centres may leave unexplained; 0: use n_centres",
             option_requirements{{"centres", {"mixed", "rpcholesky"}}});
    v.former_name("accuracy", {});
    v.flag("doubling", doubling, "also fit with twice as many centres and report how much predictions change",
           option_requirements{{"centres", {"mixed", "rpcholesky", "uniform", "kmeans++"}}});
}
template <class V>
void pass_options(V& v, double& tol, index& max_iter) {
    v.number("tol", tol, above(0), option_text::relative_gap);
    v.integer("max_iter", max_iter, 1, option_text::max_passes);
}

}  // namespace detail

namespace api {

centre_choice parse_centre_choice(std::string_view name);  // returns mixed for an unknown name
std::vector<index> to_row_numbers(const std::vector<double>& given);

template <class Options = nystroem_options>
Options to_nystroem_options(const auto& m, const fit_call& t) {
    auto o = t.common<Options>(m);
    o.n_centres = m.n_centres;
    o.centres = parse_centre_choice(m.centres);
    if constexpr (requires { m.trace_tol; }) {
        if (m.trace_tol > 0 && m.n_centres != std::decay_t<decltype(m)>{}.n_centres)
            fail(errc::invalid_argument, "n_centres has no effect beside trace_tol: leave one of them out");
        o.trace_tol = m.trace_tol, o.doubling = m.doubling, o.seconds = t.control.seconds;
    }
    if constexpr (requires { m.loss; }) o.hinge = m.loss == "hinge";
    o.centre_rows = to_row_numbers(m.centre_rows);
    return o;
}

// Returns the entry of a method that reads its examples only by passes over their rows.
template <described_method Method, class Fitted,
          estimator_ptr (*Make)(const Method&, const fit_call&, const training_rows&)>
method entry_by_passes() {
    method out = entry<Method, Fitted>(+[](const Method& m, const fit_call& t) {
        return t.from([&](const auto&... from) { return Make(m, t, make_rows(from...)); });
    });
    out.fit_streamed_rows = [](const fit_call& t, const training_rows& x) {
        return Make(value_of<Method>(t.options), t, x);
    };
    return out;
}

}  // namespace api

}  // namespace mercer
