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

#include <cstdint>
#include <string>
#include <vector>

#include "mercer/methods/fit_control.h"

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

}  // namespace mercer
