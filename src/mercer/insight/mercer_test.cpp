#include "mercer/insight/mercer_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "mercer/base/error.h"
#include "mercer/gram/adaptors.h"
#include "mercer/gram/computed.h"
#include "mercer/insight/witness.h"
#include "mercer/solvers/dense_algebra.h"

namespace mercer {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

// `count` different rows of n, ascending, by a partial shuffle that gives the same rows with every standard library.
std::vector<index> sample_rows(index n, index count, std::uint64_t seed) {
    std::vector<index> rows(static_cast<std::size_t>(n));
    std::iota(rows.begin(), rows.end(), index(0));
    std::mt19937_64 random(seed);
    for (index i = 0; i < count; ++i)
        std::swap(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(i) + random() % static_cast<std::uint64_t>(n - i)]);
    rows.resize(static_cast<std::size_t>(count));
    std::sort(rows.begin(), rows.end());
    return rows;
}

// Multiplies by a power of two so that squares of entries neither overflow nor underflow; returns the exponent taken out.
int take_out_scale(matrix<double>& k) {
    int exponent = 0;
    std::frexp(largest_entry(k.view()), &exponent);
    if (std::abs(exponent) <= 200) return 0;
    for (index i = 0; i < k.rows(); ++i)
        for (index j = 0; j < k.cols(); ++j) k(i, j) = std::ldexp(k(i, j), -exponent);
    return exponent;
}

bool factorises(matrix<double> k, double shift) {
    for (index i = 0; i < k.rows(); ++i) k(i, i) += shift;
    return cholesky(std::move(k)).has_value();
}

// The verdict on a square matrix of finite numbers, which it may destroy.
mercer_result test_matrix(matrix<double> k, const mercer_options& options) {
    mercer_result found;
    found.n = found.tested = k.rows();
    const int exponent = take_out_scale(k);
    const auto unscaled = [&](double value) { return std::ldexp(value, exponent); };

    const double largest = largest_entry(k.view());
    found.worst_pair = largest_asymmetry(k.view());
    const bool symmetric = found.worst_pair.size <= options.symmetry * largest;
    found.worst_pair.size = unscaled(found.worst_pair.size);
    if (!symmetric) {
        found.verdict = mercer_verdict::asymmetric;
        return found;
    }
    symmetrise(k);

    double trace = 0;
    for (index i = 0; i < k.rows(); ++i) trace += std::abs(k(i, i));
    const double delta = (2 * static_cast<double>(k.rows() + 2) * eps + options.entry_error) * trace;
    found.tolerance = unscaled(delta);
    const bool certified = largest == 0 || factorises(k, delta / 2);
    if (certified) found.verdict = mercer_verdict::certified;
    if (certified && (!options.eigenvalues || k.rows() == 0)) return found;

    const eigen_system eigen = symmetric_eigen(k, certified ? eigen_parts::values : eigen_parts::values_and_vectors);
    found.smallest = unscaled(eigen.values.front());
    found.largest = unscaled(eigen.values.back());
    if (certified || !(eigen.values.front() < -delta)) return found;
    mercer_witness witness = short_witness(k, delta, {eigen.vectors.row(0), eigen.values.size()}, options.entry_error);
    if (!witness.proves()) return found;
    witness.value = unscaled(witness.value);
    witness.error_bound = unscaled(witness.error_bound);
    found.witness = std::move(witness);
    found.verdict = mercer_verdict::indefinite;
    return found;
}

}  // namespace

mercer_result mercer_test(const gram<double>& k, const mercer_options& options) {
    const index n = k.rows();
    if (n != k.cols()) fail(errc::invalid_argument, fmt::format("Mercer test: the matrix must be square, got {} × {}", n, k.cols()));
    if (options.max_n < 1) fail(errc::invalid_argument, fmt::format("Mercer test: must satisfy max_n >= 1, got {}", options.max_n));
    if (!(options.entry_error >= 0)) fail(errc::invalid_argument, fmt::format("Mercer test: must satisfy entry_error >= 0, got {}", options.entry_error));
    std::vector<index> rows = sample_rows(n, std::min(n, options.max_n), options.seed);
    matrix<double> some = formed(subset<double>(k, rows));
    for (index i = 0; i < some.rows(); ++i)
        for (index j = 0; j < some.cols(); ++j)
            if (!std::isfinite(some(i, j)))
                fail(errc::data, fmt::format("Mercer test: the matrix must be finite, got {} at row {}, column {}", some(i, j),
                                             rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(j)]));

    mercer_result found = test_matrix(std::move(some), options);
    found.n = n;
    if (found.worst_pair.size > 0) {
        found.worst_pair.row = rows[static_cast<std::size_t>(found.worst_pair.row)];
        found.worst_pair.col = rows[static_cast<std::size_t>(found.worst_pair.col)];
    }
    if (found.witness)
        for (index& point : found.witness->points) point = rows[static_cast<std::size_t>(point)];
    if (found.sampled() && found.verdict == mercer_verdict::certified) {
        found.sample_certified = true;
        found.verdict = mercer_verdict::undecided;
    }
    return found;
}

mercer_result mercer_test(const kernel& k, const dataset& x, const mercer_options& options) { return mercer_test(computed<double>(k, x), options); }

const char* name(mercer_verdict verdict) noexcept {
    switch (verdict) {
        case mercer_verdict::certified: return "certified";
        case mercer_verdict::indefinite: return "indefinite";
        case mercer_verdict::asymmetric: return "asymmetric";
        case mercer_verdict::undecided: return "undecided";
    }
    return "?";
}

std::string mercer_result::text() const {
    std::string out = fmt::format("Mercer test: {} — ", name(verdict));
    const std::string what = sampled() ? fmt::format("a random sample of {} of the {} rows", tested, n) : fmt::format("the matrix of {} rows", n);
    switch (verdict) {
        case mercer_verdict::certified: out += fmt::format("all eigenvalues of {} are >= -{:.3g}, proven by a Cholesky factorisation", what, tolerance); break;
        case mercer_verdict::indefinite:
            out +=
                fmt::format("{} has an eigenvalue {:.6g} < -{:.3g}{}", what, *smallest, tolerance, sampled() ? ", so the whole matrix has one as small" : "");
            break;
        case mercer_verdict::asymmetric:
            out += fmt::format("K({0}, {1}) and K({1}, {0}) differ by {2:.6g}", worst_pair.row, worst_pair.col, worst_pair.size);
            break;
        case mercer_verdict::undecided:
            if (sample_certified)
                out += fmt::format("{} has all eigenvalues >= -{:.3g}; the other rows were not tested", what, tolerance);
            else
                out += fmt::format("{} is neither proven to have all eigenvalues >= -{:.3g} nor to have one below", what, tolerance);
            break;
    }
    out += '\n';
    if (smallest && verdict != mercer_verdict::indefinite) out += fmt::format("  smallest eigenvalue {:.6g}\n", *smallest);
    if (largest) out += fmt::format("  largest eigenvalue {:.6g}\n", *largest);
    if (witness) {
        out += fmt::format("  witness: sum of c_i c_j K(i, j) = {:.6g} (rounding at most {:.2g}) with\n", witness->value, witness->error_bound);
        for (std::size_t i = 0; i < witness->points.size(); ++i) out += fmt::format("    point {}: c = {}\n", witness->points[i], witness->coefficients[i]);
    }
    return out;
}

}  // namespace mercer
