#include "mercer/insight/witness.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/solvers/dense_algebra.h"

namespace mercer {
namespace {

using points = std::vector<index>;

matrix<double> principal(const matrix<double>& k, std::span<const index> at, double shift = 0) {
    const auto m = static_cast<index>(at.size());
    matrix<double> part(m, m);
    for (index i = 0; i < m; ++i) {
        for (index j = 0; j < m; ++j) part(i, j) = k(at[static_cast<std::size_t>(i)], at[static_cast<std::size_t>(j)]);
        part(i, i) += shift;
    }
    return part;
}

// One point, or else one pair, with an eigenvalue below -delta: the lowest there is. Empty when there is none.
points lowest_pair(const matrix<double>& k, double delta) {
    points best;
    double lowest = -delta;
    for (index i = 0; i < k.rows(); ++i)
        if (k(i, i) < lowest) lowest = k(i, i), best = {i};
    if (!best.empty()) return best;
    for (index i = 0; i < k.rows(); ++i)
        for (index j = 0; j < i; ++j) {
            const double half = (k(i, i) - k(j, j)) / 2;
            const double smaller = (k(i, i) + k(j, j)) / 2 - std::sqrt(half * half + k(i, j) * k(i, j));
            if (smaller < lowest) lowest = smaller, best = {j, i};
        }
    return best;
}

// The smallest eigenvalue of a principal submatrix only rises when points leave (Cauchy interlacing), so "still below -delta" is
// monotone: prefixes can be bisected, and a point that could not leave once can never leave later.
class pruning {
public:
    pruning(const matrix<double>& k, double delta) : k_(k), delta_(delta) {}

    points prune(std::span<const double> direction) const {
        points kept = order(direction);
        if (!negative(kept)) return kept;  // within rounding of -delta: nothing to spare
        // Keep the largest |cᵢ| of the eigenvector, re-optimise on them, and again.
        for (;;) {
            const std::size_t before = kept.size();
            kept.resize(shortest_prefix(kept));
            if (kept.size() == before) break;
            const points local = order(lowest_vector(kept));
            points next;
            for (const index i : local) next.push_back(kept[static_cast<std::size_t>(i)]);
            kept = std::move(next);
        }
        // Beyond a few hundred points one trial per point costs more than a shorter witness is worth.
        if (kept.size() > 300) return kept;
        for (std::size_t i = kept.size(); i-- > 0 && kept.size() > 1;) {
            points without = kept;
            without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
            if (negative(without)) kept = std::move(without);
        }
        return kept;
    }

    std::vector<double> lowest_vector(const points& at) const {
        const eigen_system eigen = symmetric_eigen(principal(k_, at));
        return {eigen.vectors.row(0), eigen.vectors.row(0) + at.size()};
    }

private:
    // Positions by falling |c|.
    static points order(std::span<const double> c) {
        points by(c.size());
        std::iota(by.begin(), by.end(), index(0));
        std::stable_sort(by.begin(), by.end(),
                         [&](index a, index b) { return std::abs(c[static_cast<std::size_t>(a)]) > std::abs(c[static_cast<std::size_t>(b)]); });
        return by;
    }
    bool negative(std::span<const index> at) const { return !cholesky(principal(k_, at, delta_)).has_value(); }
    std::size_t shortest_prefix(const points& list) const {
        std::size_t fails = 0, works = list.size();
        // Gallop from below: short prefixes are cheap to try.
        for (std::size_t m = 2; m < list.size(); m *= 2) {
            if (negative(std::span(list).first(m))) {
                works = m;
                break;
            }
            fails = m;
        }
        while (works - fails > 1) {
            const std::size_t middle = fails + (works - fails) / 2;
            (negative(std::span(list).first(middle)) ? works : fails) = middle;
        }
        return works;
    }

    const matrix<double>& k_;
    double delta_;
};

// Coefficients of few decimals where those prove it as well: easier to read and to copy.
mercer_witness readable(const matrix<double>& k, mercer_witness exact, double entry_error) {
    for (const double unit : {10.0, 100.0, 1e3, 1e4, 1e6}) {
        std::vector<double> c = exact.coefficients;
        for (double& each : c) each = std::round(each * unit) / unit;
        mercer_witness rounded = checked_witness(k, exact.points, std::move(c), entry_error);
        if (rounded.proves() && rounded.value < 0.9 * exact.value) return rounded;
    }
    return exact;
}

}  // namespace

mercer_witness checked_witness(const matrix<double>& k, std::vector<index> at, std::vector<double> c, double entry_error) {
    const std::size_t m = at.size();
    double value = 0, size = 0;
    for (std::size_t i = 0; i < m; ++i) {
        double row = 0, row_size = 0;
        for (std::size_t j = 0; j < m; ++j) {
            const double term = k(at[i], at[j]) * c[j];
            row += term;
            row_size += std::abs(term);
        }
        value += c[i] * row;
        size += std::abs(c[i]) * row_size;
    }
    // Two nested sums of m products have error <= γ₂ₘ₊₂·Σ|cᵢ||Kᵢⱼ||cⱼ| with γₖ = ku/(1 - ku), u = ε/2; the rounding of K's two halves to
    // their mean is one u more. Twice that covers the rounding of `size` itself, the last term underflow.
    const double rounding = static_cast<double>(2 * m + 4) * std::numeric_limits<double>::epsilon();
    const double bound = (rounding + entry_error * (1 + 1e-9)) * size + static_cast<double>(4 * m * m + 4) * std::numeric_limits<double>::min();
    return {std::move(at), std::move(c), value, bound};
}

mercer_witness short_witness(const matrix<double>& k, double delta, std::span<const double> direction, double entry_error) {
    const pruning search(k, delta);
    points kept = lowest_pair(k, delta);
    if (kept.empty()) kept = search.prune(direction);
    std::sort(kept.begin(), kept.end());
    std::vector<double> c = search.lowest_vector(kept);
    const double largest = *std::max_element(c.begin(), c.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
    for (double& each : c) each /= largest;  // the largest is 1
    const mercer_witness found = checked_witness(k, std::move(kept), std::move(c), entry_error);
    return found.proves() ? readable(k, found, entry_error) : found;
}

}  // namespace mercer
