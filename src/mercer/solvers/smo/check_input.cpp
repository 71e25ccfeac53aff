#include "mercer/solvers/smo/check_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/solvers/smo/smo.h"

namespace mercer::smo {
namespace {

[[noreturn]] void fail_for_value(const char* which, double value, index row, index column) {
    fail(errc::data,
         fmt::format("smo: the {} matrix must be finite, got {} at row {}, column {}", which, value, row, column));
}

template <class T>
void check_matrix(const gram<T>& K, index n, const char* which) {
    if (K.rows() != n || K.cols() != n)
        fail(errc::invalid_argument,
             fmt::format("smo: the {} matrix must be n × n with n = {} as p has numbers, got {} × {}", which, n,
                         K.rows(), K.cols()));
    const matrix_view<const T> rows = K.in_memory();
    std::atomic<index> worst = rows.rows;  // the first row with such a value, whichever thread sees one first
    parallel_for(rows.rows, [&](index i) {
        bool finite = true;
        for (index j = 0; j < rows.cols; ++j) finite &= std::abs(rows(i, j)) <= std::numeric_limits<T>::max();
        index before = worst;
        while (!finite && i < before && !worst.compare_exchange_weak(before, i)) {
        }
    });
    if (const index i = worst; i < rows.rows) {
        const T* const row = rows.row(i);
        const index j = std::find_if(row, row + rows.cols, [](T value) { return !std::isfinite(value); }) - row;
        fail_for_value(which, row[j], i, j);
    }
}

void check_size(std::size_t size, std::size_t n, const char* name) {
    if (size != n)
        fail(errc::invalid_argument, fmt::format("smo: {} must have as many numbers as p, {}, got {}", name, n, size));
}

// How far a start may be beyond a bound: what the sums of an earlier run have rounded.
double rounding_of(double bound) { return std::isfinite(bound) ? 1e-12 * std::abs(bound) : 0; }

void check_variable(const box_problem& problem, std::size_t i) {
    if (!std::isfinite(problem.p[i]))
        fail(errc::data, fmt::format("smo: p must be finite, got {} for variable {}", problem.p[i], i));
    const double lower = problem.lower[i], upper = problem.upper[i];
    if (!(lower <= upper) || lower == infinity || upper == -infinity)
        fail(errc::invalid_argument,
             fmt::format("smo: bounds must satisfy lower <= upper, lower < infinity and -infinity < upper, got {} and "
                         "{} for variable {}",
                         lower, upper, i));
    if (!problem.group.empty() && problem.group[i] > 1)
        fail(errc::invalid_argument,
             fmt::format("smo: groups must be 0 or 1, got {} for variable {}", problem.group[i], i));
    const double start = problem.start.empty() ? 0 : problem.start[i];
    if (std::isfinite(start) && lower - rounding_of(lower) <= start && start <= upper + rounding_of(upper)) return;
    fail(errc::invalid_argument,
         fmt::format("smo: {} for variable {}, whose bounds are {} and {}",
                     problem.start.empty() ? "a start is needed where the bounds exclude 0, as they do"
                                           : fmt::format("the start must lie within the bounds, got {}", start),
                     i, lower, upper));
}

// The value of the row that is not finite, in one of the matrices.
template <class T>
void name_value(const gram<T>& K, index row, std::span<const index> support, const char* which) {
    std::vector<T> values(support.size());
    T* const to = values.data();
    K.block(selection(row, 1), support, block_rows<T>(&to));
    for (std::size_t s = 0; s < support.size(); ++s)
        if (!std::isfinite(values[s])) fail_for_value(which, values[s], row, support[s]);
}

}  // namespace

void check_input(const gram<float>& fast, const gram<double>& exact, const box_problem& problem,
                 const smo_options& options) {
    const std::size_t n = problem.p.size();
    if (!(options.tol > 0) || !std::isfinite(options.tol))
        fail(errc::invalid_argument, fmt::format("smo: must satisfy 0 < tol < infinity, got {}", options.tol));
    if (std::isnan(options.most_seconds))
        fail(errc::invalid_argument,
             "smo: most_seconds must be a number of seconds, or infinity for no limit, got nan");
    if (std::isnan(options.checkpoint_seconds))
        fail(errc::invalid_argument, "smo: checkpoint_seconds must be a number of seconds, got nan");
    check_size(problem.lower.size(), n, "lower");
    check_size(problem.upper.size(), n, "upper");
    if (!problem.group.empty()) check_size(problem.group.size(), n, "group");
    if (!problem.start.empty()) check_size(problem.start.size(), n, "start");
    for (std::size_t i = 0; i < n; ++i) check_variable(problem, i);
    check_matrix(fast, static_cast<index>(n), "float");
    check_matrix(exact, static_cast<index>(n), "double");
}

void check_diagonal(std::span<const float> diagonal) {
    for (std::size_t i = 0; i < diagonal.size(); ++i)
        if (!std::isfinite(diagonal[i]))
            fail_for_value("float", diagonal[i], static_cast<index>(i), static_cast<index>(i));
}

void fail_for_gradient(const gram<float>& fast, const gram<double>& exact, index row, double value,
                       std::span<const index> support) {
    name_value(fast, row, support, "float");
    name_value(exact, row, support, "double");
    fail(errc::data,
         fmt::format("smo: p - Kα of variable {} is {}: kernel values or bounds are too large for double", row, value));
}

}  // namespace mercer::smo
