#include "mercer/solvers/smo/smo.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/gram/gram_views.h"
#include "mercer/solvers/smo/smo_solver.h"
#include "mercer/solvers/smo/working_set.h"

namespace mercer {
namespace smo {

smo_thresholds& default_thresholds() {
    static smo_thresholds now;
    return now;
}

namespace {

template <class T>
void check_matrix(const gram<T>& K, index n, const char* which) {
    if (K.rows() != n || K.cols() != n)
        fail(errc::invalid_argument,
             fmt::format("smo: the {} matrix must be n × n with n = {}, the size of p, got {} × {}", which, n, K.rows(),
                         K.cols()));
    const matrix_view<const T> rows = K.stored();
    std::atomic<index> worst = rows.rows;  // the first row with such a value, for any number of threads
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
        fail_nonfinite_kernel(which, row[j], i, j);
    }
}

void check_size(std::size_t size, std::size_t n, const char* name) {
    if (size != n)
        fail(errc::invalid_argument, fmt::format("smo: {} must have the size of p, {}, got {}", name, n, size));
}

// A start may exceed a bound by this much: the rounding error of the sums of an earlier run.
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
                     problem.start.empty() ? "a start is needed, because the bounds exclude 0"
                                           : fmt::format("the start must lie within the bounds, got {}", start),
                     i, lower, upper));
}

// Fails unless sizes agree, numbers are finite where they must be, lower bounds do not exceed upper bounds, groups are
// 0 or 1, and the start lies within its bounds. Matrices in memory are read once. Of other matrices only the size is
// checked here; their diagonal is checked by the constructor of variables, and the other values through F.
void check_input(const gram<float>& fast, const gram<double>& exact, const box_problem& problem,
                 const smo_options& options) {
    const std::size_t n = problem.p.size();
    if (!(options.tol > 0) || !std::isfinite(options.tol))
        fail(errc::invalid_argument, fmt::format("smo: must satisfy 0 < tol < infinity, got {}", options.tol));
    if (std::isnan(options.max_seconds))
        fail(errc::invalid_argument, "smo: max_seconds must be a number of seconds, or infinity for no limit, got nan");
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

}  // namespace
}  // namespace smo

void smo_result::add_earlier_run(const smo_result& first) {
    seconds += first.seconds, steps += first.steps, rounds += first.rounds;
    flat_steps += first.flat_steps, concave_steps += first.concave_steps;
    rows_computed += first.rows_computed, rows_reused += first.rows_reused;
}

smo_result solve_smo(const gram<float>& fast, const gram<double>& exact, const box_problem& problem,
                     const smo_options& asked) {
    smo::check_input(fast, exact, problem, asked);
    const auto finite = [](double bound) { return std::isfinite(bound); };
    smo_options options = asked;
    options.bounded &= std::ranges::all_of(problem.lower, finite) && std::ranges::all_of(problem.upper, finite);
    smo_result r = smo::smo_solver(fast, exact, problem, options).run();
    std::vector<index> all(problem.p.size());
    std::iota(all.begin(), all.end(), index{0});
    const double c = r.status == fit_status::stalled ? smo::kernel_offset(fast, all) : 0;
    if (c == 0) return r;
    // The kernel values differ by little more than the rounding error of their common value c, so the solver continues
    // with K - c. That is the same problem, because the sum of α is fixed; F differs by the constant c·Σα.
    const shifted_gram<float> low_fast(exact, c);
    const shifted_gram<double> low_exact(exact, c);
    smo_options rest = options;
    rest.max_seconds -= r.seconds;
    rest.max_steps -= r.steps;
    smo_result again =
        smo::smo_solver(low_fast, low_exact, {problem.p, problem.lower, problem.upper, problem.group, r.alpha}, rest, c)
            .run();
    double sum = 0;
    for (const double each : again.alpha) sum += each;
    for (double& each : again.F) each -= c * sum;
    again.objective += 0.5 * c * sum * sum;
    again.add_earlier_run(r);
    return again;
}

}  // namespace mercer
