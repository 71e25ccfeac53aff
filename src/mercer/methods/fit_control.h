// What all fits share: what they may use, how far they are, how they end, and which numbers they work on.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/matrix_view.h"
#include "mercer/data/dataset.h"
#include "mercer/gram/gram.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/make_gram.h"
#include "mercer/gram/row_cache.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/checkpoint.h"

namespace mercer {

struct fit_progress {
    const char* phase = "";
    index done = 0;
    index total = 0;   // 0: not known
    double value = 0;  // the objective, the residual or the gap
    // Of the whole fit. Only support vector machines guess what is left.
    double seconds = 0, seconds_left = std::numeric_limits<double>::infinity();
    // Of a support vector machine: which of its binary problems, and how far that one is.
    index problem = 0, problems = 1;
    std::int64_t steps = 0, rounds = 0;
    index active = 0, size = 0;
};
using progress_callback = std::function<bool(const fit_progress&)>;  // false: stop and keep what there is

// Where several processes share a fit: who factors matrices of M centres, each of them, or all together, to other last
// bits. `automatic`: together from 10,000 centres on, where they can.
enum class factor_choice { automatic, alone, together };

// How a fit is run, whatever the method.
struct fit_control {
    std::size_t memory_bytes = 0;  // for kernel values that are kept; 0: the default of the method
    std::size_t most_bytes = 0;    // for everything beside the data; 0: no limit
    double seconds = std::numeric_limits<double>::infinity();  // then it ends with the best it has
    int threads = 0;                                           // 0: all there are
    // Small fits sort their examples first, where the method depends on their order: the answer is then the same in
    // whatever order they come.
    bool any_order = false;
    progress_callback progress{};
    fit_checkpoint checkpoint{};  // for methods that have one; others fail
    factor_choice factors = factor_choice::automatic;
};
// Are so few examples there that sorting them does not show in the time? Those without weight are not there.
bool few_examples(index n, std::span<const double> sample_weight);

// Asks the caller and the clock whether a fit should go on, and knows afterwards which of them said no.
class fit_watch {
public:
    explicit fit_watch(const fit_control& control);
    fit_watch(const fit_watch&) = delete;
    fit_watch& operator=(const fit_watch&) = delete;
    progress_callback callback();  // empty where nobody has to be asked
    // How a fit ended: one that the clock stopped was not cancelled.
    fit_status ended(fit_status status) const {
        return status == fit_status::cancelled && late_ ? fit_status::time_limit : status;
    }

private:
    const fit_control& control_;
    double started_;
    std::atomic<bool> late_ = false;  // fits may ask from any thread
};

// For fits that have nothing to keep before their end: fails with errc::cancelled where the callback says stop.
void report(const progress_callback& progress, const fit_progress& now, const std::string& owner);

// All 1 where none are given. Fails unless there are n of them, finite, >= 0, with at least `positive` above 0.
std::vector<double> checked_weights(const std::vector<double>& given, index n, index positive,
                                    const std::string& owner);
// Fails for n = 0, and for vectors with NaN or infinity.
void require_objects(const dataset& x, const std::string& owner);
// The diagonal of a square matrix, finite.
std::vector<double> checked_diagonal(const gram<double>& k, const std::string& owner);
// The different values of y, ascending; y must be finite and as long as n.
std::vector<double> distinct_labels(std::span<const double> y, index n, const std::string& owner);
// For each y its place among the classes.
std::vector<index> label_places(std::span<const double> y, const std::vector<double>& classes);

// Runs body(K) with K(x, x) in the form the budget allows: all of it kept in double; else in float where k(x, x) = 1,
// so that the error of every entry is the same 6e-8; else in double. As many rows as fit are kept, the rest is computed
// again on each pass.
template <class Body>
auto with_training_gram(const kernel& k, const dataset& x, std::size_t budget, bool exact, Body&& body) {
    const auto n = static_cast<double>(x.size());
    const bool fits = 8 * n * n <= static_cast<double>(budget);
    if (!fits && !exact && k.properties().normalised) {
        const auto fresh = make_gram<float>(k, x, {budget / 8, budget / 8, true});
        const kept_rows<float> kept(*fresh, budget - budget / 4);
        return body(static_cast<const gram<float>&>(kept));
    }
    const auto fresh = make_gram<double>(k, x, fits ? 0 : budget / 8);
    const kept_rows<double> kept(*fresh, fits ? budget : budget - budget / 8);
    return body(static_cast<const gram<double>&>(kept));
}
// The same for a matrix that is given: one that is cheap to read is used as it is.
template <class Body>
auto with_training_gram(const gram<double>& k, std::size_t budget, Body&& body) {
    if (k.element_cost() <= 2) return body(k);
    const kept_rows<double> kept(k, budget);
    return body(static_cast<const gram<double>&>(kept));
}

// What the fits of dense methods check and share.

// Fails unless x is square, finite and y has one finite row for each of the n >= 1 examples and at least one column.
void check_targets(const std::string& owner, index n, matrix_view<const double> y);
// The weights, 1 where none are given; fails unless there are n of them with 0 <= weight < infinity, not all of them 0.
std::vector<double> checked_weights(const std::string& owner, index n, std::span<const double> weight);
// Fails unless there are n weights with 0 <= weight < infinity.
void check_weights(const std::string& owner, index n, std::span<const double> weight);
// The examples of positive weight, ascending.
std::vector<index> positive(std::span<const double> weight);
// Fails, naming the bytes, where `needed` is more than the budget.
void check_budget(const std::string& owner, double needed, std::size_t budget, const std::string& why);
// "4.1 GB"
std::string bytes_text(double bytes);

// The Gram matrix of the training examples as the dense methods want it. The library's own use.

// n × n numbers of which only those on and above the diagonal are written: the pages of the rest are never touched.
class half_matrix {
public:
    explicit half_matrix(index n) : n_(n) { data_.uninitialised(n * n); }
    matrix_view<double> view() { return {data_.data(), n_, n_}; }

private:
    buffer<double> data_;
    index n_;
};

// out(i, j) = K(i, j) for j >= i, straight into the matrix that will be decomposed. Band by band of rows, so that about
// half of the elements are computed; each band is shared over the threads.
inline void fill_half(const gram<double>& K, matrix_view<double> out, const progress_callback& progress,
                      const char* owner) {
    constexpr index band = 512;
    const index n = K.rows();
    for (index r = 0; r < n; r += band) {
        report(progress, {"kernel matrix", r, n, 0}, owner);
        const index rows = std::min(band, n - r);
        K.block(selection(r, rows), selection(r, n - r), out.block(r, r, rows, n - r));
    }
}

// K(x, x) in memory where it takes at most `budget` bytes, else computed again whenever a part of it is asked for.
inline std::unique_ptr<gram<double>> training_gram(const kernel& k, const dataset& x, std::size_t budget) {
    auto made = make_gram<double>(k, x, std::min(budget / 4, std::size_t{256} << 20));
    const double n = static_cast<double>(x.size());
    if (8 * n * n > static_cast<double>(budget)) return made;
    matrix<double> all(x.size(), x.size());
    made->all(all.view());
    return std::make_unique<precomputed<double>>(std::move(all));
}

}  // namespace mercer
