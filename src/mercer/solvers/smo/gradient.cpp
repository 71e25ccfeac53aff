#include "mercer/solvers/smo/gradient.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/per_thread.h"
#include "mercer/base/threads.h"

namespace mercer::smo {
namespace {

// Fails if a value on the diagonal of the float matrix is not finite. Where the matrix is not in memory, F may never
// show such a value, because the solver takes no step along its variable.
void check_diagonal(std::span<const float> diagonal) {
    for (std::size_t i = 0; i < diagonal.size(); ++i)
        if (!std::isfinite(diagonal[i]))
            fail_nonfinite_kernel("float", diagonal[i], static_cast<index>(i), static_cast<index>(i));
}

// Fails with the first value that is not finite in this row of K, if there is one.
template <class T>
void fail_for_row(const gram<T>& K, index row, std::span<const index> support, const char* which) {
    std::vector<T> values(support.size());
    T* const to = values.data();
    K.block(row_set(row, 1), support, row_pointers<T>(&to));
    for (std::size_t s = 0; s < support.size(); ++s)
        if (!std::isfinite(values[s])) fail_nonfinite_kernel(which, values[s], row, support[s]);
}

}  // namespace

variables::variables(const box_problem& problem, const gram<float>& K, double offset)
    : n(static_cast<index>(problem.p.size())), kernel_offset(offset), active(n) {
    const auto copy = [&](std::span<const double> from) { return std::vector<double>(from.begin(), from.end()); };
    p = copy(problem.p);
    lower = copy(problem.lower);
    upper = copy(problem.upper);
    alpha = problem.start.empty() ? std::vector<double>(static_cast<std::size_t>(n), 0.0) : copy(problem.start);
    F = p;
    groups = problem.group.empty() ? 1 : 2;
    group.assign(problem.group.begin(), problem.group.end());
    if (group.empty()) group.assign(static_cast<std::size_t>(n), 0);
    original.resize(static_cast<std::size_t>(n));
    std::iota(original.begin(), original.end(), index{0});
    diagonal.resize(static_cast<std::size_t>(n));
    K.diagonal(diagonal);
    check_diagonal(diagonal);
}

double variables::measure() {
    gap = -infinity;
    for (int g = 0; g < groups; ++g) {
        if (groups == 1) {
            ops_.extremes(F.data(), alpha.data(), lower.data(), upper.data(), active, max_up[0], min_low[0]);
        } else {
            max_up[g] = -infinity;
            min_low[g] = infinity;
            for (index i = 0; i < active; ++i) {
                if (group[i] != g) continue;
                if (can_increase(i)) max_up[g] = std::max(max_up[g], F[i]);
                if (can_decrease(i)) min_low[g] = std::min(min_low[g], F[i]);
            }
        }
        gap = std::max(gap, max_up[g] - min_low[g]);
    }
    return gap;
}

double variables::max_abs_F() const {
    double largest = 0;
    for (index i = 0; i < active; ++i) largest = std::max(largest, std::abs(F[i]));
    return largest;
}

index variables::find_nonfinite_F() const {
    bool finite = true;
    for (const double each : F) finite &= std::abs(each) <= std::numeric_limits<double>::max();
    if (finite) return -1;
    return std::find_if(F.begin(), F.end(), [](double each) { return !std::isfinite(each); }) - F.begin();
}

double variables::p_deviation() const {
    double mean = 0, square = 0;
    for (const double each : p) mean += each / static_cast<double>(n);
    for (const double each : p) square += (each - mean) * (each - mean) / static_cast<double>(n);
    return std::isfinite(square) ? std::sqrt(square) : 0;
}

index variables::support_size() const {
    return static_cast<index>(std::count_if(alpha.begin(), alpha.end(), [](double a) { return a != 0; }));
}

std::vector<index> variables::support() const {
    std::vector<index> out;
    for (index i = 0; i < n; ++i)
        if (alpha[i] != 0) out.push_back(i);
    return out;
}

row_set variables::columns(index first, index count) const {
    if (in_order_) return {first, count};
    return std::span<const index>(original.data() + first, static_cast<std::size_t>(count));
}

std::vector<double> variables::original_order(const std::vector<double>& values) const {
    std::vector<double> out(static_cast<std::size_t>(n));
    for (index i = 0; i < n; ++i) out[original[i]] = values[i];
    return out;
}

void variables::reorder(const std::vector<index>& order) {
    permute(original, order), permute(alpha, order), permute(F, order), permute(p, order), permute(lower, order),
        permute(upper, order);
    permute(group, order), permute(diagonal, order);
    in_order_ = false;
}

gradient::gradient(variables& v, const gram<float>& fast, const gram<double>& exact, std::size_t bytes, counters& done,
                   const smo_thresholds& thresholds)
    : v_(v),
      fast_(fast),
      exact_(exact),
      store_(v.n, bytes, fast.cycles_per_element(), thresholds.row_cache),
      done_(done),
      thresholds_(thresholds) {}

// Updates F by tiles of `column_tile` columns. The rows come from the row cache or are computed.
void gradient::update(const std::vector<index>& changed, const std::vector<double>& delta, index from, index to,
                      bool keep) {
    if (changed.empty() || from >= to) return;
    const index rows = static_cast<index>(changed.size());
    std::vector<index> original(changed.size());
    std::vector<index> slot(changed.size(), -1), valid(changed.size(), 0);
    for (index r = 0; r < rows; ++r) {
        original[r] = v_.original[changed[r]];
        slot[r] = keep ? store_.fetch(original[r], valid[r]) : store_.find(original[r], valid[r]);
        (valid[r] >= to ? done_.rows_reused : done_.rows_computed) += 1;
        done_.work += static_cast<double>(to - from) * (valid[r] >= to ? 1.0 : fast_.cycles_per_element());
    }
    const index first = from / column_tile, tiles = (to + column_tile - 1) / column_tile - first;
    parallel_for(tiles, [&](index s) {
        const index c0 = std::max(from, (first + s) * column_tile),
                    width = std::min((first + s + 1) * column_tile, to) - c0;
        const row_set cols = v_.columns(c0, width);
        auto& scratch = per_thread<buffer<float>>([] {});
        auto& missing = per_thread<std::vector<index>>([] {});
        auto& target = per_thread<std::vector<float*>>([] {});
        auto& ready = per_thread<std::vector<const float*>>([] {});
        for (index r0 = 0; r0 < rows; r0 += row_chunk) {
            const index count = std::min(row_chunk, rows - r0);
            missing.clear();
            target.clear();
            ready.clear();
            float* spare = scratch.at_least(row_chunk * column_tile);
            for (index r = r0; r < r0 + count; ++r) {
                if (valid[r] >= c0 + width) {
                    ready.push_back(store_.at(slot[r], c0));
                    continue;
                }
                float* at = keep && slot[r] >= 0 ? store_.at(slot[r], c0) : spare + (r - r0) * column_tile;
                ready.push_back(at);
                missing.push_back(original[r]);
                target.push_back(at);
            }
            if (!missing.empty())
                fast_.block(std::span<const index>(missing), cols, row_pointers<float>(target.data()));
            ops_.subtract_rows(v_.F.data() + c0, ready.data(), delta.data() + r0, count, width);
        }
    });
    if (keep)
        for (index r = 0; r < rows; ++r) store_.set_valid(original[r], to);
}

void gradient::reconstruct() {
    v_.F = v_.p;
    const std::vector<index> support = v_.support();
    std::vector<double> alpha;
    for (const index i : support) alpha.push_back(v_.alpha[i]);
    update(support, alpha, 0, v_.n, false);
}

void gradient::make_exact(const std::vector<index>& points) {
    std::vector<index> support;
    std::vector<double> weight;
    for (index j = 0; j < v_.n; ++j)
        if (v_.alpha[j] != 0) support.push_back(v_.original[j]), weight.push_back(v_.alpha[j]);
    constexpr index band = 96, strip = 1024;
    const index count = static_cast<index>(points.size()), terms = static_cast<index>(support.size());
    parallel_for((count + band - 1) / band, [&](index b) {
        auto& tile = per_thread<buffer<double>>([] {});
        const index first = b * band, rows = std::min(band, count - first);
        std::vector<index> who;
        for (index i = first; i < first + rows; ++i) {
            who.push_back(v_.original[points[i]]);
            v_.F[points[i]] = v_.p[points[i]];
        }
        for (index c = 0; c < terms; c += strip) {
            const index width = std::min(strip, terms - c);
            const matrix_view<double> k(tile.at_least(band * strip), rows, width);
            exact_.block(std::span<const index>(who),
                         std::span<const index>(support.data() + c, static_cast<std::size_t>(width)), k);
            for (index i = 0; i < rows; ++i) v_.F[points[first + i]] -= ops_.dot(k.row(i), weight.data() + c, width);
        }
    });
}

bool gradient::make_all_exact(double cycles) {
    const index values = v_.active * v_.support_size();
    if (values > thresholds_.max_exact_values && static_cast<double>(values) * exact_.cycles_per_element() > cycles)
        return false;
    std::vector<index> all(static_cast<std::size_t>(v_.active));
    std::iota(all.begin(), all.end(), index{0});
    make_exact(all);
    return true;
}

std::vector<index> gradient::sample_positions(index step) {
    std::vector<index> points;
    for (index i = samples_++ % step; i < v_.active; i += step) points.push_back(i);
    return points;
}

double gradient::sample_error() {
    const std::vector<index> points = sample_positions(std::max<index>(1, v_.active / thresholds_.error_sample_size));
    std::vector<double> before;
    for (const index i : points) before.push_back(v_.F[i]);
    make_exact(points);
    double error = 0;
    for (std::size_t k = 0; k < points.size(); ++k) error = std::max(error, std::abs(v_.F[points[k]] - before[k]));
    return error;
}

void fail_nonfinite_kernel(const char* which, double value, index row, index column) {
    fail(errc::data,
         fmt::format("smo: the {} matrix must be finite, got {} at row {}, column {}", which, value, row, column));
}

void fail_nonfinite_gradient(const gram<float>& fast, const gram<double>& exact, index row, double value,
                             std::span<const index> support) {
    fail_for_row(fast, row, support, "float");
    fail_for_row(exact, row, support, "double");
    fail(errc::data,
         fmt::format("smo: p - Kα of variable {} is {}: kernel values or bounds are too large for double", row, value));
}

}  // namespace mercer::smo
