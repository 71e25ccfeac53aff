// Where a linear machine has its origin does not matter to it: Σα = 0 in every dual but that of one-class, so xᵢᵀxⱼ and
// (xᵢ-m)ᵀ(xⱼ-m) pose the same problem. It matters to rounding: examples far from the origin beside their spread differ
// in the last digits of kernel values only. Such ones are fitted around their mean m, and f(x) = wᵀ(x-m) + b' is given
// back as wᵀx + (b' - wᵀm).
#pragma once

#include <optional>
#include <vector>

#include "mercer/data/dataset.h"

namespace mercer {

// The mean of dense vectors whose squared distance from the origin is many times their variance; else nothing.
std::optional<std::vector<double>> distant_mean(const dataset& x);

// x - m
dataset moved_to_origin(const dataset& x, const std::vector<double>& mean);

}  // namespace mercer
