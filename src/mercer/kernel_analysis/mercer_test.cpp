
#include "mercer/kernel_analysis/mercer_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/base/threads.h"
#include "mercer/dense/cholesky.h"
#include "mercer/dense/gemm.h"
#include "mercer/dense/symmetric_eigen.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/make_gram.h"
#include "mercer/kernels/evaluation/pair_evaluation.h"

namespace mercer {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

// `count` different rows of n, ascending. A partial Fisher-Yates shuffle with mt19937_64, so that the sample is the
// same with every standard library.
std::vector<index> sample_rows(index n, index count, std::uint64_t seed) {
    std::vector<index> rows(static_cast<std::size_t>(n));
    std::iota(rows.begin(), rows.end(), index(0));
    std::mt19937_64 random(seed);
    for (index i = 0; i < count; ++i)
        std::swap(rows[static_cast<std::size_t>(i)],
                  rows[static_cast<std::size_t>(i) + random() % static_cast<std::uint64_t>(n - i)]);
    rows.resize(static_cast<std::size_t>(count));
    std::sort(rows.begin(), rows.end());
    return rows;
}

// Scales k by a power of two if squares of its entries could overflow or underflow. Returns the exponent e with
// original = 2^e·k.
int remove_scale(matrix<double>& k) {
    int exponent = 0;
    std::frexp(max_abs_entry(k.view()), &exponent);
    if (std::abs(exponent) <= 200) return 0;
    for (index i = 0; i < k.rows(); ++i)
        for (index j = 0; j < k.cols(); ++j) k(i, j) = std::ldexp(k(i, j), -exponent);
    return exponent;
}

bool has_cholesky_factor(matrix<double> k, double shift) {
    for (index i = 0; i < k.rows(); ++i) k(i, i) += shift;
    return cholesky(std::move(k)).has_value();
}

// The difference between the computed and the exact matrix: the largest error of an entry, and the Frobenius norm of
// all errors.
struct entry_errors {
    double largest = 0;
    double norm = 0;
};

// The available knowledge about the exact matrix.
struct exact_matrix_info {
    known_entries known;  // entries at given points, with error bounds
    std::function<entry_errors(matrix_view<const double> k, int exponent)>
        errors;              // errors of 2^exponent·k, in units of k; empty if they are not needed
    bool proven = false;     // the exact matrix is positive semidefinite
    bool symmetric = false;  // the exact matrix is symmetric, so asymmetry is rounding
};

// Returns true if K(i, j) and K(j, i) differ by more than their error bounds.
bool differ(const known_entries& known, const asymmetry& worst) {
    const index pair[] = {worst.row, worst.col};
    const std::vector<error_bounded<long double>> k = known(pair);
    return std::abs(k[1].value - k[2].value) > k[1].error + k[2].error;
}

// A certificate is only issued if the tolerance is at most this share of the trace.
constexpr double max_tolerance_share = 1e-6;

// The verdict on a square matrix of finite numbers. Overwrites k.
mercer_result test_matrix(matrix<double> k, const mercer_options& options, const exact_matrix_info& exact) {
    mercer_result found;
    found.n = found.tested = k.rows();
    found.proven = exact.proven;
    const int exponent = remove_scale(k);
    const auto unscaled = [&](double value) { return std::ldexp(value, exponent); };

    const double largest = max_abs_entry(k.view());
    found.worst_pair = find_largest_asymmetry(k.view());
    const bool symmetric = exact.symmetric || found.worst_pair.size <= options.symmetry * largest ||
                           !differ(exact.known, found.worst_pair);
    found.worst_pair.size = unscaled(found.worst_pair.size);
    if (!symmetric) {
        found.verdict = mercer_verdict::asymmetric;
        return found;
    }
    symmetrise(k);

    double trace = 0;
    for (index i = 0; i < k.rows(); ++i) trace += std::abs(k(i, i));
    const double rounding = 2 * static_cast<double>(k.rows() + 2) * eps * trace;
    double delta = rounding + options.entry_error * trace;
    bool certified = largest == 0 || has_cholesky_factor(k, delta / 2);
    if (exact.errors && !(certified && exact.proven)) {
        const entry_errors e = exact.errors(k.view(), exponent);
        found.entry_error = unscaled(e.largest);
        delta = rounding + std::max(options.entry_error * trace, 2 * e.norm);
        certified =
            (delta == 0 || delta <= max_tolerance_share * trace) && (certified || has_cholesky_factor(k, delta / 2));
    }
    found.tolerance = unscaled(delta);
    if (certified) found.verdict = mercer_verdict::certified;
    if (k.rows() == 0 || (certified && !options.eigenvalues)) return found;

    const eigen_system eigen = symmetric_eigen(k, certified ? eigen_parts::values : eigen_parts::values_and_vectors);
    found.smallest = unscaled(eigen.values.front());
    found.largest = unscaled(eigen.values.back());
    if (certified || !(eigen.values.front() < 0)) return found;
    // Below -δ the search is certain to find a witness. Above, a witness may still prove what the bound by norms
    // cannot.
    const double beyond = std::min(delta, -eigen.values.front() / 2);
    mercer_witness witness = short_witness(k, beyond, {eigen.vectors.row(0), eigen.values.size()}, exact.known);
    if (!witness.is_proof()) return found;
    found.witness = std::move(witness);
    found.verdict = exact.proven ? mercer_verdict::contradiction : mercer_verdict::indefinite;
    return found;
}

// The tested rows and the matrix on them.
struct sampled_rows {
    std::vector<index> rows;
    matrix<double> k;
};

sampled_rows sample_matrix(const gram<double>& k, const mercer_options& options) {
    const index n = k.rows();
    if (n != k.cols())
        fail(errc::invalid_argument, fmt::format("Mercer test: the matrix must be square, got {} × {}", n, k.cols()));
    if (options.max_n < 1)
        fail(errc::invalid_argument, fmt::format("Mercer test: must satisfy max_n >= 1, got {}", options.max_n));
    if (!(options.entry_error >= 0))
        fail(errc::invalid_argument,
             fmt::format("Mercer test: must satisfy entry_error >= 0, got {}", options.entry_error));
    sampled_rows out{sample_rows(n, std::min(n, options.max_n), options.seed), {}};
    out.k = form_matrix(subset<double>(k, out.rows));
    for (index i = 0; i < out.k.rows(); ++i)
        for (index j = 0; j < out.k.cols(); ++j)
            if (!std::isfinite(out.k(i, j)))
                fail(errc::data,
                     fmt::format("Mercer test: the matrix must be finite, got {} at row {}, column {}", out.k(i, j),
                                 out.rows[static_cast<std::size_t>(i)], out.rows[static_cast<std::size_t>(j)]));
    return out;
}

// Translates a verdict on the sampled rows to one on all n rows.
mercer_result for_all_rows(mercer_result found, index n, const std::vector<index>& rows) {
    found.n = n;
    if (found.worst_pair.size > 0) {
        found.worst_pair.row = rows[static_cast<std::size_t>(found.worst_pair.row)];
        found.worst_pair.col = rows[static_cast<std::size_t>(found.worst_pair.col)];
    }
    if (found.witness)
        for (index& point : found.witness->points) point = rows[static_cast<std::size_t>(point)];
    if (found.is_sampled() && found.verdict == mercer_verdict::certified) {
        found.sample_certified = true;
        found.verdict = mercer_verdict::undecided;
    }
    return found;
}

entry_errors errors_of(const certified_kernel<double>& truth, matrix_view<const double> k, int exponent) {
    std::vector<double> largest(static_cast<std::size_t>(k.rows)), squares(largest);
    parallel_for(k.rows, [&](index i) {
        const auto at = static_cast<std::size_t>(i);
        for (index j = 0; j <= i; ++j) {
            const error_bounded<double> one = truth(i, j);
            double e = std::abs(k(i, j) - std::ldexp(one.value, -exponent)) + std::ldexp(one.error, -exponent);
            if (!std::isfinite(e)) e = std::numeric_limits<double>::infinity();
            largest[at] = std::max(largest[at], e);
            squares[at] += (j < i ? 2 : 1) * e * e;
        }
    });
    const double sum = std::accumulate(squares.begin(), squares.end(), 0.0);
    return {*std::max_element(largest.begin(), largest.end()),
            std::sqrt(sum) * (1 + static_cast<double>(k.rows * k.rows + 8) * eps)};
}

}  // namespace

mercer_result mercer_test(const gram<double>& k, const mercer_options& options) {
    sampled_rows some = sample_matrix(k, options);
    exact_matrix_info exact;
    exact.known = [&](std::span<const index> points) {
        std::vector<index> at;
        for (const index i : points) at.push_back(some.rows[static_cast<std::size_t>(i)]);
        const matrix<double> given = form_matrix(subset<double>(k, at));
        std::vector<error_bounded<long double>> out;
        for (const double each : std::span(given.data(), at.size() * at.size()))
            out.emplace_back(each, options.entry_error * std::abs(each));
        return out;
    };
    return for_all_rows(test_matrix(std::move(some.k), options, exact), k.rows(), some.rows);
}

mercer_result mercer_test(const kernel& k, const dataset& x, const mercer_options& options) {
    sampled_rows some = sample_matrix(*make_gram<double>(k, x), options);
    const dataset seen =
        static_cast<index>(some.rows.size()) == x.size() ? x : gather(x, std::span<const index>(some.rows));
    exact_matrix_info exact;
    exact.proven = k.proof().valid;
    exact.symmetric = !compares_by_user_function(k);
    exact.errors = [&](matrix_view<const double> numbers, int exponent) {
        return errors_of(certified_kernel<double>(k, seen), numbers, exponent);
    };
    exact.known = [&](std::span<const index> points) {
        const certified_kernel<long double> truth(k, gather(seen, points));
        const auto m = static_cast<index>(points.size());
        std::vector<error_bounded<long double>> out;
        for (index i = 0; i < m; ++i)
            for (index j = 0; j < m; ++j) out.push_back(truth(i, j));
        return out;
    };
    mercer_result found = for_all_rows(test_matrix(std::move(some.k), options, exact), x.size(), some.rows);
    if (found.entry_error || found.witness) found.assumed_exact = list_exact_parts(k);
    return found;
}

const char* name(mercer_verdict verdict) noexcept {
    switch (verdict) {
        case mercer_verdict::certified: return "certified";
        case mercer_verdict::indefinite: return "indefinite";
        case mercer_verdict::asymmetric: return "asymmetric";
        case mercer_verdict::undecided: return "undecided";
        case mercer_verdict::contradiction: return "contradiction";
    }
    return "?";
}

std::string mercer_result::tested_rows() const {
    return is_sampled() ? fmt::format("a random sample of {} of the {} rows", tested, n)
                        : fmt::format("the matrix of {} rows", n);
}

std::string mercer_result::undecided_reason() const {
    if (sample_certified)
        return fmt::format("{} has all eigenvalues >= -{:.3g}; the other rows were not tested", tested_rows(),
                           tolerance);
    std::string out = fmt::format(
        "{} is neither proven to have all eigenvalues >= 0 up to rounding nor to have one below", tested_rows());
    if (entry_error)
        out += std::isfinite(*entry_error) ? fmt::format(": the entries are known to {:.2g} only", *entry_error)
                                           : ": the entries are not known in double";
    if (proven) out += "; by its form the kernel is one";
    return out;
}

std::string mercer_result::text() const {
    std::string out = fmt::format("Mercer test: {} — ", name(verdict));
    switch (verdict) {
        case mercer_verdict::certified:
            out += fmt::format("all eigenvalues of {} are >= -{:.3g}, proven by a Cholesky factorisation",
                               tested_rows(), tolerance);
            break;
        case mercer_verdict::indefinite:
            out += fmt::format("{} has an eigenvalue below 0, {:.6g}, and a witness proves it{}", tested_rows(),
                               *smallest, is_sampled() ? ", so the whole matrix has one as small" : "");
            break;
        case mercer_verdict::asymmetric:
            out += fmt::format("K({0}, {1}) and K({1}, {0}) differ by {2:.6g}", worst_pair.row, worst_pair.col,
                               worst_pair.size);
            break;
        case mercer_verdict::undecided: out += undecided_reason(); break;
        case mercer_verdict::contradiction:
            out +=
                "a witness stands against the proof that this is a kernel: one of the two is a fault in Mercer, please "
                "report it";
            break;
    }
    out += '\n';
    if (smallest && verdict != mercer_verdict::indefinite)
        out += fmt::format("  smallest eigenvalue {:.6g}\n", *smallest);
    if (largest) out += fmt::format("  largest eigenvalue {:.6g}\n", *largest);
    if (witness) {
        out += fmt::format("  witness: sum of c_i c_j K(i, j) = {:.6g} (error at most {:.2g}) with\n", witness->value,
                           witness->error_bound);
        for (std::size_t i = 0; i < witness->points.size(); ++i)
            out += fmt::format("    point {}: c = {}\n", witness->points[i], witness->coefficients[i]);
    }
    if (!assumed_exact.empty())
        out += fmt::format("  taken as exact, for nothing is known of their rounding: {}\n", join(assumed_exact, ", "));
    return out;
}

namespace {

using points = std::vector<index>;

matrix<double> principal_submatrix(const matrix<double>& k, std::span<const index> at, double shift = 0) {
    const auto m = static_cast<index>(at.size());
    matrix<double> part(m, m);
    for (index i = 0; i < m; ++i) {
        for (index j = 0; j < m; ++j) part(i, j) = k(at[static_cast<std::size_t>(i)], at[static_cast<std::size_t>(j)]);
        part(i, i) += shift;
    }
    return part;
}

// A point, or else a pair of points, with the smallest eigenvalue below -delta. Empty if there is none.
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

// Removes points from a witness. The smallest eigenvalue of a principal submatrix can only rise when points are removed
// (Cauchy interlacing), so "an eigenvalue is below -delta" is monotone: prefixes can be bisected, and a point that
// could not be removed once can never be removed later.
class witness_search {
public:
    witness_search(const matrix<double>& k, double delta) : k_(k), delta_(delta) {}

    points prune(std::span<const double> direction) const {
        points kept = by_falling_size(direction);
        if (!has_negative_eigenvalue(kept)) return kept;  // within rounding of -delta: no point can be removed
        // Repeat: keep the largest |cᵢ| of the eigenvector and recompute the eigenvector on these points.
        for (;;) {
            const std::size_t before = kept.size();
            kept.resize(shortest_prefix(kept));
            if (kept.size() == before) break;
            const points local = by_falling_size(lowest_vector(kept));
            points next;
            for (const index i : local) next.push_back(kept[static_cast<std::size_t>(i)]);
            kept = std::move(next);
        }
        // With more than 300 points, one factorisation for each point costs too much.
        if (kept.size() > 300) return kept;
        for (std::size_t i = kept.size(); i-- > 0 && kept.size() > 1;) {
            points without = kept;
            without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
            if (has_negative_eigenvalue(without)) kept = std::move(without);
        }
        return kept;
    }

    std::vector<double> lowest_vector(const points& at) const {
        const eigen_system eigen = symmetric_eigen(principal_submatrix(k_, at));
        return {eigen.vectors.row(0), eigen.vectors.row(0) + at.size()};
    }

private:
    // The positions sorted by falling |c|.
    static points by_falling_size(std::span<const double> c) {
        points by(c.size());
        std::iota(by.begin(), by.end(), index(0));
        std::stable_sort(by.begin(), by.end(), [&](index a, index b) {
            return std::abs(c[static_cast<std::size_t>(a)]) > std::abs(c[static_cast<std::size_t>(b)]);
        });
        return by;
    }
    bool has_negative_eigenvalue(std::span<const index> at) const {
        return !cholesky(principal_submatrix(k_, at, delta_)).has_value();
    }
    std::size_t shortest_prefix(const points& list) const {
        std::size_t fails = 0, works = list.size();
        // Doubles the length first, because short prefixes are cheap to test.
        for (std::size_t m = 2; m < list.size(); m *= 2) {
            if (has_negative_eigenvalue(std::span(list).first(m))) {
                works = m;
                break;
            }
            fails = m;
        }
        while (works - fails > 1) {
            const std::size_t middle = fails + (works - fails) / 2;
            (has_negative_eigenvalue(std::span(list).first(middle)) ? works : fails) = middle;
        }
        return works;
    }

    const matrix<double>& k_;
    double delta_;
};

// Computes Σ cᵢcⱼKᵢⱼ with a bound that includes the errors of the entries and the rounding of the sum.
mercer_witness make_witness(std::span<const error_bounded<long double>> k, const points& at, std::vector<double> c) {
    error_bounded<long double> sum;
    for (std::size_t i = 0; i < c.size(); ++i) {
        error_bounded<long double> row;
        for (std::size_t j = 0; j < c.size(); ++j)
            row = row + error_bounded<long double>::exact(c[j]) * k[i * c.size() + j];
        sum = sum + error_bounded<long double>::exact(c[i]) * row;
    }
    // Conversion to double adds a relative error of at most ε to the value.
    const auto value = static_cast<double>(sum.value);
    const double bound =
        (static_cast<double>(sum.error) + std::abs(value) * std::numeric_limits<double>::epsilon()) * (1 + 1e-9);
    return {at, std::move(c), value, bound};
}

// Rounds the coefficients to few decimals if they still prove the result, so that they are easy to read and to copy.
mercer_witness round_coefficients(std::span<const error_bounded<long double>> k, mercer_witness exact) {
    for (const double unit : {10.0, 100.0, 1e3, 1e4, 1e6}) {
        std::vector<double> c = exact.coefficients;
        for (double& each : c) each = std::round(each * unit) / unit;
        mercer_witness rounded = make_witness(k, exact.points, std::move(c));
        if (rounded.is_proof() && rounded.value < 0.9 * exact.value) return rounded;
    }
    return exact;
}

}  // namespace

mercer_witness short_witness(const matrix<double>& k, double delta, std::span<const double> direction,
                             const known_entries& known) {
    const witness_search search(k, delta);
    points kept = lowest_pair(k, delta);
    if (kept.empty()) kept = search.prune(direction);
    std::sort(kept.begin(), kept.end());
    std::vector<double> c = search.lowest_vector(kept);
    const double largest =
        *std::max_element(c.begin(), c.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
    for (double& each : c) each /= largest;  // the largest coefficient becomes 1
    const std::vector<error_bounded<long double>> entries = known(kept);
    const mercer_witness found = make_witness(entries, kept, std::move(c));
    return found.is_proof() ? round_coefficients(entries, found) : found;
}

}  // namespace mercer
