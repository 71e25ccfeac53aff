// solve_smo refuses invalid input with a clear message.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "contracts/errors.h"
#include "mercer/gram/gram_views.h"
#include "mercer/solvers/smo/smo.h"

namespace mercer::testing {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), unbounded = std::numeric_limits<double>::infinity();

// A problem with alternating labels on a line; every vector has exactly its length, so that a sanitizer detects reads
// past the end.
struct posed_problem {
    static constexpr index n = 40;
    posed_problem() : exact(n, n), fast(n, n), p(n), lower(n), upper(n) {
        for (index i = 0; i < n; ++i) {
            for (index j = 0; j < n; ++j) {
                exact(i, j) = std::exp(-0.01 * static_cast<double>((i - j) * (i - j)));
                fast(i, j) = static_cast<float>(exact(i, j));
            }
            p[i] = i % 2 ? 1 : -1, lower[i] = i % 2 ? 0 : -1, upper[i] = i % 2 ? 1 : 0;
        }
    }
    smo_result solve() const {
        return solve_smo(precomputed<float>(fast.view()), precomputed<double>(exact.view()),
                         {p, lower, upper, group, start}, options);
    }
    matrix<double> exact;
    matrix<float> fast;
    std::vector<double> p, lower, upper, start;
    std::vector<std::uint8_t> group;
    smo_options options;
};

struct wrong_input {
    errc code;
    const char* message;
    std::function<void(posed_problem&)> make;
};

const wrong_input wrong_inputs[] = {
    {errc::invalid_argument, "the float matrix must be n × n with n = 10",
     [](auto& q) { q = {}, q.p.resize(10), q.lower.resize(10), q.upper.resize(10); }},
    {errc::invalid_argument, "smo: lower must have the size of p, 80, got 40", [](auto& q) { q.p.resize(80, 1); }},
    {errc::invalid_argument, "smo: lower must have the size of p, 40, got 10",
     [](auto& q) { q.lower = std::vector<double>(10, -1); }},
    {errc::invalid_argument, "smo: upper must have the size of p, 40, got 41", [](auto& q) { q.upper.push_back(1); }},
    {errc::invalid_argument, "smo: upper must have the size of p, 40, got 0", [](auto& q) { q.upper = {}; }},
    {errc::invalid_argument, "smo: group must have the size of p, 40, got 10", [](auto& q) { q.group.assign(10, 0); }},
    {errc::invalid_argument, "smo: start must have the size of p, 40, got 10", [](auto& q) { q.start.assign(10, 0); }},
    {errc::invalid_argument, "smo: the double matrix must be n × n with n = 40, the size of p, got 35 × 40",
     [](auto& q) { q.exact = matrix<double>(35, 40); }},
    {errc::data, "p must be finite, got nan for variable 3", [](auto& q) { q.p[3] = nan; }},
    {errc::data, "p must be finite, got -inf for variable 3", [](auto& q) { q.p[3] = -unbounded; }},
    {errc::invalid_argument, "got nan and 0 for variable 4", [](auto& q) { q.lower[4] = nan; }},
    {errc::invalid_argument, "got 0 and nan for variable 5", [](auto& q) { q.upper[5] = nan; }},
    {errc::invalid_argument, "got 1 and 0 for variable 3", [](auto& q) { q.lower[3] = 1, q.upper[3] = 0; }},
    {errc::invalid_argument, "got inf and inf for variable 3", [](auto& q) { q.lower[3] = q.upper[3] = unbounded; }},
    {errc::invalid_argument, "got -inf and -inf for variable 3", [](auto& q) { q.lower[3] = q.upper[3] = -unbounded; }},
    {errc::invalid_argument, "groups must be 0 or 1, got 5 for variable 7",
     [](auto& q) { q.group.assign(posed_problem::n, 0), q.group[7] = 5; }},
    {errc::invalid_argument, "must lie within the bounds, got nan for variable 3, whose bounds are 0 and 1",
     [](auto& q) { q.start.assign(posed_problem::n, 0), q.start[3] = nan; }},
    {errc::invalid_argument, "must lie within the bounds, got 99 for variable 3, whose bounds are 0 and 1",
     [](auto& q) { q.start.assign(posed_problem::n, 0), q.start[3] = 99; }},
    {errc::invalid_argument, "must lie within the bounds, got -1e-06 for variable 3, whose bounds are 0 and 1",
     [](auto& q) { q.start.assign(posed_problem::n, 0), q.start[3] = -1e-6; }},
    {errc::invalid_argument, "must lie within the bounds, got inf for variable 3, whose bounds are 0 and inf",
     [](auto& q) { q.start.assign(posed_problem::n, 0), q.start[3] = q.upper[3] = unbounded; }},
    {errc::invalid_argument, "a start is needed, because the bounds exclude 0 for variable 3",
     [](auto& q) { q.lower[3] = 0.5; }},
    {errc::invalid_argument, "a start is needed, because the bounds exclude 0 for variable 2",
     [](auto& q) { q.upper[2] = -0.5; }},
    {errc::data, "the double matrix must be finite, got nan at row 3, column 4",
     [](auto& q) { q.exact(3, 4) = q.exact(4, 3) = nan; }},
    {errc::data, "the float matrix must be finite, got nan at row 3, column 4",
     [](auto& q) { q.fast(3, 4) = q.fast(4, 3) = std::nanf(""); }},
    {errc::data, "the float matrix must be finite, got inf at row 39, column 39",
     [](auto& q) { q.exact(39, 39) = 1e39, q.fast(39, 39) = std::numeric_limits<float>::infinity(); }},
    {errc::invalid_argument, "0 < tol < infinity, got nan", [](auto& q) { q.options.tol = nan; }},
    {errc::invalid_argument, "0 < tol < infinity, got -1", [](auto& q) { q.options.tol = -1; }},
    {errc::invalid_argument, "0 < tol < infinity, got 0", [](auto& q) { q.options.tol = 0; }},
    {errc::invalid_argument, "0 < tol < infinity, got inf", [](auto& q) { q.options.tol = unbounded; }},
    {errc::invalid_argument, "max_seconds", [](auto& q) { q.options.max_seconds = nan; }},
    {errc::invalid_argument, "checkpoint_seconds", [](auto& q) { q.options.checkpoint_seconds = nan; }},
};

TEST(smo_input, that_makes_no_sense_is_refused) {
    for (const wrong_input& each : wrong_inputs) {
        SCOPED_TRACE(each.message);
        posed_problem q;
        each.make(q);
        expect_error(each.code, each.message, [&] { q.solve(); });
    }
}

// max{Fᵢ : αᵢ < uᵢ} - min{Fⱼ : αⱼ > lⱼ}, F = p - Kα.
double gap_of(const posed_problem& q, const std::vector<double>& alpha) {
    double up = -unbounded, down = unbounded;
    for (index i = 0; i < q.n; ++i) {
        double F = q.p[i];
        for (index j = 0; j < q.n; ++j) F -= q.exact(i, j) * alpha[j];
        if (alpha[i] < q.upper[i]) up = std::max(up, F);
        if (alpha[i] > q.lower[i]) down = std::min(down, F);
    }
    return up - down;
}

TEST(smo_input, that_is_sound_is_solved) {
    posed_problem q;
    const smo_result first = q.solve();
    EXPECT_EQ(first.status, fit_status::converged);
    EXPECT_LE(gap_of(q, first.alpha), q.options.tol);
    q.start = first.alpha;
    q.start[1] = std::nextafter(1.0, 2.0);  // the rounding error of a sum
    q.start[3] = -0.0;
    EXPECT_NO_THROW(q.solve());
    q.start = {};
    q.group.assign(posed_problem::n, 0);
    EXPECT_LE(gap_of(q, q.solve().alpha), q.options.tol);
    // Infinite bounds without the option that allows them.
    for (index i = 0; i < q.n; ++i) {
        if (i % 2)
            q.upper[i] = unbounded;
        else
            q.lower[i] = -unbounded;
        q.exact(i, i) += 0.1;
        for (index j = 0; j < q.n; ++j) q.fast(i, j) = static_cast<float>(q.exact(i, j));
    }
    EXPECT_LE(gap_of(q, q.solve().alpha), q.options.tol);
}

// Not in memory, so that the solver sees only the values that it requests.
template <class T>
class on_demand final : public gram<T> {
public:
    explicit on_demand(matrix_view<const T> k) : k_(k) {}
    index rows() const override { return k_.rows(); }
    index cols() const override { return k_.cols(); }
    void block(const row_set& r, const row_set& c, row_pointers<T> out) const override { k_.block(r, c, out); }

private:
    precomputed<T> k_;
};

TEST(smo_input, values_that_are_not_finite_are_refused_when_they_are_met) {
    for (const bool in_float : {true, false})
        for (const double value : {nan, unbounded, -unbounded})
            for (const index row : {0, 3, 39}) {
                posed_problem q;
                for (index j = 0; j < q.n; ++j) {
                    if (in_float)
                        q.fast(row, j) = q.fast(j, row) = static_cast<float>(value);
                    else
                        q.exact(row, j) = q.exact(j, row) = value;
                }
                q.options.max_seconds = 20;
                expect_error(errc::data,
                             in_float ? "the float matrix must be finite" : "the double matrix must be finite", [&] {
                                 solve_smo(on_demand<float>(q.fast.view()), on_demand<double>(q.exact.view()),
                                           {q.p, q.lower, q.upper, {}, {}}, q.options);
                             });
            }
}

TEST(smo_input, a_diagonal_that_is_not_finite_is_refused_wherever_the_values_beside_it_are) {
    for (const double value : {nan, unbounded, -unbounded})
        for (const index row : {0, 3, 39}) {
            posed_problem q;
            q.exact(row, row) = value;
            q.fast(row, row) = static_cast<float>(value);
            expect_error(errc::data, fmt::format("at row {}, column {}", row, row), [&] {
                solve_smo(on_demand<float>(q.fast.view()), on_demand<double>(q.exact.view()),
                          {q.p, q.lower, q.upper, {}, {}}, q.options);
            });
        }
}

}  // namespace
}  // namespace mercer::testing
