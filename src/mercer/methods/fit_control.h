// What the methods that need only distances and projections share: how far a fit is, how it ended, and which numbers it works on.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/fit_status.h"
#include "mercer/data/dataset.h"
#include "mercer/gram/computed.h"
#include "mercer/gram/kept_rows.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

struct fit_progress {
    const char* phase = "";
    index done = 0;
    index total = 0;   // 0: not known
    double value = 0;  // the objective, or the residual
};
using progress_callback = std::function<bool(const fit_progress&)>;  // false: stop and keep what there is

// For fits that have nothing to keep before their end: fails with errc::cancelled where the callback says stop.
void report(const progress_callback& progress, const fit_progress& now, const std::string& owner);

// All 1 where none are given. Fails unless there are n of them, finite, >= 0, with at least `positive` above 0.
std::vector<double> checked_weights(const std::vector<double>& given, index n, index positive, const std::string& owner);
// Fails for n = 0, and for vectors with NaN or infinity.
void require_objects(const dataset& x, const std::string& owner);
// The diagonal of a square matrix, finite.
std::vector<double> checked_diagonal(const gram<double>& k, const std::string& owner);
// The different values of y, ascending; y must be finite and as long as n.
std::vector<double> distinct_labels(std::span<const double> y, index n, const std::string& owner);
// For each y its place among the classes.
std::vector<index> label_places(std::span<const double> y, const std::vector<double>& classes);

// Runs body(K) with K(x, x) in the form the budget allows: all of it kept in double; else in float where k(x, x) = 1, so that the error
// of every entry is the same 6e-8; else in double. As many rows as fit are kept, the rest is computed again on each pass.
template <class Body>
auto with_training_gram(const kernel& k, const dataset& x, std::size_t budget, bool exact, Body&& body) {
    const auto n = static_cast<double>(x.size());
    const bool fits = 8 * n * n <= static_cast<double>(budget);
    if (!fits && !exact && k.properties().normalised) {
        const computed<float> fresh(k, x, {budget / 8, budget / 8, true});
        const kept_rows<float> kept(fresh, budget - budget / 4);
        return body(static_cast<const gram<float>&>(kept));
    }
    const computed<double> fresh(k, x, fits ? 0 : budget / 8);
    const kept_rows<double> kept(fresh, fits ? budget : budget - budget / 8);
    return body(static_cast<const gram<double>&>(kept));
}
// The same for a matrix that is given: one that is cheap to read is used as it is.
template <class Body>
auto with_training_gram(const gram<double>& k, std::size_t budget, Body&& body) {
    if (k.element_cost() <= 2) return body(k);
    const kept_rows<double> kept(k, budget);
    return body(static_cast<const gram<double>&>(kept));
}

}  // namespace mercer
