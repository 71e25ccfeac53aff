// Which objects stand for all: the centres of a Nyström approximation.
//
//     rpcholesky   randomly pivoted Cholesky (solvers/nystroem/rp_cholesky.h): where the kernel still errs
//     uniform      each object alike
//     kmeans++     far from those there are, in feature space: drawn with a probability proportional to
//                  min ‖φ(x) - φ(z)‖² (Arthur, Vassilvitskii 2007)
//     given        by their numbers
//
// Where there are many objects the first and third look at a uniform sample of them, ten times as many as centres are
// wanted: both take n·M² or n·M operations, one centre after the other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mercer/methods/fit_control.h"

namespace mercer {

enum class centre_choice { rpcholesky, uniform, kmeans_plus_plus, given };
const char* name(centre_choice how) noexcept;

// The places among the objects of K, at most `count` of them: fewer where the others add nothing but rounding, or, by
// rpcholesky, where no more than `enough` of the trace is left.
std::vector<index> choose_centres(const gram<double>& k, index count, centre_choice how, std::uint64_t seed,
                                  const progress_callback& progress, double enough = 0);

}  // namespace mercer
