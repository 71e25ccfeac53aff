#include "mercer/kernel_analysis/witness.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/dense/dense_algebra.h"

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

// The smallest eigenvalue of a principal submatrix only rises when points leave (Cauchy interlacing), so "still below
// -delta" is monotone: prefixes can be bisected, and a point that could not leave once can never leave later.
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
        std::stable_sort(by.begin(), by.end(), [&](index a, index b) {
            return std::abs(c[static_cast<std::size_t>(a)]) > std::abs(c[static_cast<std::size_t>(b)]);
        });
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

// Σ cᵢcⱼKᵢⱼ with all that is not known of the entries and all rounding in its bound.
mercer_witness checked(std::span<const bounded<long double>> k, const points& at, std::vector<double> c) {
    bounded<long double> sum;
    for (std::size_t i = 0; i < c.size(); ++i) {
        bounded<long double> row;
        for (std::size_t j = 0; j < c.size(); ++j) row = row + bounded<long double>::exact(c[j]) * k[i * c.size() + j];
        sum = sum + bounded<long double>::exact(c[i]) * row;
    }
    // The two numbers are handed out in double: half a unit of each.
    const auto value = static_cast<double>(sum.value);
    const double bound =
        (static_cast<double>(sum.error) + std::abs(value) * std::numeric_limits<double>::epsilon()) * (1 + 1e-9);
    return {at, std::move(c), value, bound};
}

// Coefficients of few decimals where those prove it as well: easier to read and to copy.
mercer_witness readable(std::span<const bounded<long double>> k, mercer_witness exact) {
    for (const double unit : {10.0, 100.0, 1e3, 1e4, 1e6}) {
        std::vector<double> c = exact.coefficients;
        for (double& each : c) each = std::round(each * unit) / unit;
        mercer_witness rounded = checked(k, exact.points, std::move(c));
        if (rounded.proves() && rounded.value < 0.9 * exact.value) return rounded;
    }
    return exact;
}

}  // namespace

mercer_witness short_witness(const matrix<double>& k, double delta, std::span<const double> direction,
                             const known_entries& known) {
    const pruning search(k, delta);
    points kept = lowest_pair(k, delta);
    if (kept.empty()) kept = search.prune(direction);
    std::sort(kept.begin(), kept.end());
    std::vector<double> c = search.lowest_vector(kept);
    const double largest =
        *std::max_element(c.begin(), c.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
    for (double& each : c) each /= largest;  // the largest is 1
    const std::vector<bounded<long double>> entries = known(kept);
    const mercer_witness found = checked(entries, kept, std::move(c));
    return found.proves() ? readable(entries, found) : found;
}

}  // namespace mercer
