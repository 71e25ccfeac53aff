#include "mercer/methods/nystroem/nystroem_newton.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/gram/make_gram.h"
#include "mercer/kernels/vectors/gaussian.h"

namespace mercer {
namespace {

// Centres so close compared with the width of the kernel that K(Z, Z) is singular up to rounding, and a small λ:
// rounding in float exceeds the ridge. The minimum found is nevertheless the same as in double.
TEST(nystroem_newton, leaves_float_where_its_rounding_keeps_the_gap_up) {
    constexpr index n = 3000, m = 60;
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> uniform(-3, 3);
    matrix<double> points(n, 1), centres(m, 1), y(n, 1);
    for (index i = 0; i < n; ++i) {
        points(i, 0) = uniform(random);
        y(i, 0) = std::sin(3 * points(i, 0)) + 0.1 * uniform(random);
        if (i < m) centres(i, 0) = points(i, 0);
    }
    const dataset x = dense<double>(std::move(points)), z = dense<double>(std::move(centres));
    const auto among = make_gram<double>(gaussian{0.5}, z), exact = make_gram<double>(gaussian{0.5}, x, z);
    const auto rough = make_gram<float>(gaussian{0.5}, x, z);
    matrix<double> k_mm(m, m);
    among->fill(k_mm.view());
    const nystroem_basis basis(std::move(k_mm));
    const one_batch<double> in_double(*exact);
    const one_batch<float> in_float(*rough);
    nystroem_newton_options o;
    o.lambda = 1e-5, o.tol = 1e-9;
    column_losses losses(loss::squared(), y.view(), {});
    const auto want = nystroem_newton({&in_double, nullptr, &basis, n}, losses, o),
               got = nystroem_newton({&in_double, &in_float, &basis, n}, losses, o);
    EXPECT_EQ(want.status, fit_status::converged);
    EXPECT_EQ(got.status, fit_status::converged);
    EXPECT_LE(got.gap, o.tol * got.objective);
    EXPECT_NEAR(got.objective, want.objective, 2e-9 * want.objective);
    EXPECT_LE(got.rounds, 6);
}

// Three clouds in the plane that overlap a little, and some of their points as centres.
class clouds {
public:
    static constexpr index n = 500, m = 40;
    explicit clouds(index buckets = 160) : buckets_(buckets) {
        std::mt19937_64 random(7);
        std::normal_distribution<double> normal;
        matrix<double> points(n, 2), centres(m, 2);
        for (index i = 0; i < n; ++i) {
            label_.push_back(i % 3);
            points(i, 0) = 1.6 * static_cast<double>(i % 3) + normal(random);
            points(i, 1) = (i % 3 == 1 ? 2.5 : 0.0) + normal(random);
            if (i < m) std::copy_n(points.row(i), 2, centres.row(i));
        }
        const dataset x = dense<double>(std::move(points)), z = dense<double>(std::move(centres));
        k_ = make_gram<double>(gaussian{0.5}, x, z), rough_ = make_gram<float>(gaussian{0.5}, x, z);
        exact_ = std::make_unique<one_batch<double>>(*k_), in_float_ = std::make_unique<one_batch<float>>(*rough_);
        matrix<double> k_mm(m, m);
        make_gram<double>(gaussian{0.5}, z)->fill(k_mm.view());
        basis_ = std::make_unique<nystroem_basis>(std::move(k_mm));
    }
    const std::vector<index>& label() const { return label_; }
    nystroem_newton_result solve(row_losses& losses, const nystroem_newton_options& o, bool rough = false) const {
        return nystroem_newton({exact_.get(), rough ? in_float_.get() : nullptr, basis_.get(), buckets_}, losses, o);
    }

private:
    index buckets_;
    std::vector<index> label_;
    std::unique_ptr<gram<double>> k_;
    std::unique_ptr<gram<float>> rough_;
    std::unique_ptr<one_batch<double>> exact_;
    std::unique_ptr<one_batch<float>> in_float_;
    std::unique_ptr<nystroem_basis> basis_;
};

using make_losses = std::function<std::unique_ptr<row_losses>(const std::vector<index>& label)>;
const std::vector<std::pair<const char*, make_losses>>& losses_of_classes() {
    static const std::vector<std::pair<const char*, make_losses>> all{
        {"softmax",
         [](const auto& label) { return std::make_unique<softmax_losses>(label, 3, std::span<const double>()); }},
        {"squared hinge",
         [](const auto& label) {
             return std::make_unique<column_losses>(loss::squared_hinge(), label, 3, std::span<const double>());
         }},
        {"logistic",
         [](const auto& label) {
             return std::make_unique<column_losses>(loss::logistic(), label, 3, std::span<const double>());
         }},
        {"squared",
         [](const auto& label) {
             return std::make_unique<column_losses>(loss::squared(), label, 3, std::span<const double>());
         }},
    };
    return all;
}

bool same_bits(const matrix<double>& a, const matrix<double>& b) {
    return a.rows() == b.rows() && a.cols() == b.cols() &&
           std::equal(a.data(), a.data() + a.rows() * a.cols(), b.data());
}

// Wherever a fit ends, also during the iterations with a larger λ, P and the gap are those of the given problem. For
// the squared loss without an offset, the preconditioner gives a gap too.
TEST(nystroem_newton, has_a_gap_that_holds_wherever_it_ends) {
    const clouds data;
    for (const auto& [name, make] : losses_of_classes())
        for (const auto& [rough, offset] : {std::pair{false, true}, {true, true}, {false, false}, {true, false}}) {
            nystroem_newton_options o;
            o.lambda = 1e-3, o.intercept = offset, o.tol = 1e-12;
            const double least = data.solve(*make(data.label()), o).objective;
            o.tol = 1e-6;
            for (index most = 1; most < 60; most += 4) {
                o.max_passes = most;
                const auto found = data.solve(*make(data.label()), o, rough);
                EXPECT_LE(found.passes, most + 3) << name;
                // P and gap of a pass in float contain the rounding error of float.
                EXPECT_LE(found.objective - least, found.gap * (1 + 1e-9) + (rough ? 1e-5 : 1e-9) * least)
                    << name << ", " << most << " passes" << (offset ? ", offset" : "");
            }
        }
}

TEST(nystroem_newton, goes_on_from_any_state) {
    const clouds data;
    for (const auto& [name, make] : losses_of_classes())
        for (const bool rough : {false, true}) {
            nystroem_newton_options o;
            o.lambda = 1e-2, o.intercept = true, o.tol = 1e-9;
            std::vector<std::vector<double>> states;
            o.keep = [&](const std::vector<double>& state) { states.push_back(state); };
            const auto whole = data.solve(*make(data.label()), o, rough);
            ASSERT_EQ(whole.status, fit_status::converged) << name;
            ASSERT_GT(states.size(), 10U) << name;
            o.keep = {};
            for (std::size_t i = 0; i < states.size(); i += states.size() / 9) {
                o.start = states[i];
                const auto again = data.solve(*make(data.label()), o, rough);
                EXPECT_TRUE(same_bits(again.coef, whole.coef)) << name;
                EXPECT_EQ(again.offset, whole.offset) << name;
                EXPECT_EQ(again.passes, whole.passes) << name;
                EXPECT_EQ(again.trace, whole.trace) << name;
            }
        }
}

// A sketch of the rows gives the starting point: the minimum itself if the sketch contains all rows. If the targets are
// noise, which few rows fit much better than all rows, the start is never worse than γ = 0.
TEST(nystroem_newton, begins_where_a_sketch_of_the_rows_ends) {
    matrix<double> y(clouds::n, 2);
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    double at_zero = 0;
    for (index i = 0; i < clouds::n; ++i)
        for (index c = 0; c < 2; ++c) {
            y(i, c) = c == 0 ? 1e9 * normal(random) : 1e9 * std::sin(0.01 * static_cast<double>(i));
            at_zero += 0.5 * y(i, c) * y(i, c);
        }
    nystroem_newton_options o;
    o.lambda = 1e-3;
    for (const bool rough : {false, true}) {
        column_losses losses(loss::squared(), y.view(), {});
        o.max_passes = 500;
        const auto all = clouds(clouds::n).solve(losses, o, rough);
        EXPECT_EQ(all.status, fit_status::converged);
        EXPECT_LE(all.passes, rough ? 8 : 2);
        for (const index rows : {64, 128, 256}) {
            o.max_passes = 2;
            EXPECT_LE(clouds(rows).solve(losses, o, rough).objective, at_zero) << rows;
            o.max_passes = 500;
            const auto found = clouds(rows).solve(losses, o, rough);
            EXPECT_EQ(found.status, fit_status::converged) << rows;
            EXPECT_NEAR(found.objective, all.objective, 2e-6 * all.objective) << rows;
        }
    }
}

// A fit that starts at its own minimum ends soon; a start that is worse than γ = 0 is not used.
TEST(nystroem_newton, begins_near_where_it_is_told_to_if_that_is_nearer) {
    const clouds data;
    for (const auto& [name, make] : losses_of_classes()) {
        if (make(data.label())->is_quadratic()) continue;
        nystroem_newton_options o;
        o.lambda = 1e-2, o.intercept = true;
        newton_start end, level;
        o.on_level = [&](double lambda, const matrix<double>& at, double objective) {
            EXPECT_GE(lambda, o.lambda) << name;
            EXPECT_GT(objective, 0) << name;
            level = std::exchange(end, {at, lambda});
            return true;
        };
        const auto whole = data.solve(*make(data.label()), o);
        EXPECT_EQ(end.lambda, o.lambda) << name;
        EXPECT_GT(level.lambda, o.lambda) << name;
        o.on_level = {};
        o.suggested_start = end;
        const auto again = data.solve(*make(data.label()), o);
        EXPECT_EQ(again.status, fit_status::converged) << name;
        EXPECT_LE(again.passes, 3) << name;
        EXPECT_NEAR(again.objective, whole.objective, 2e-6 * whole.objective) << name;
        o.suggested_start = level;
        EXPECT_LT(data.solve(*make(data.label()), o).passes, whole.passes) << name;
        for (index i = 0; i < o.suggested_start.at.rows() * o.suggested_start.at.cols(); ++i)
            o.suggested_start.at.data()[i] *= -1e3;
        const auto far = data.solve(*make(data.label()), o);
        EXPECT_EQ(far.status, fit_status::converged) << name;
        EXPECT_LE(far.passes, whole.passes + 2) << name;
        EXPECT_NEAR(far.objective, whole.objective, 2e-6 * whole.objective) << name;
    }
}

// One class against the rest: three independent problems.
TEST(nystroem_newton, solves_independent_functions_as_if_alone) {
    const clouds data;
    nystroem_newton_options o;
    o.lambda = 1e-2, o.intercept = true, o.tol = 1e-13;
    for (const loss& l : {loss::squared_hinge(), loss::logistic(), loss::squared()}) {
        matrix<double> signs(std::ssize(data.label()), 3);
        for (index i = 0; i < signs.rows(); ++i)
            for (index c = 0; c < 3; ++c) signs(i, c) = data.label()[static_cast<std::size_t>(i)] == c ? 1 : -1;
        column_losses factor_group(l, signs.view(), {});
        const auto all = data.solve(factor_group, o);
        double sum = 0;
        for (index c = 0; c < 3; ++c) {
            column_losses alone(l, signs.view().block(0, c, signs.rows(), 1), {});
            const auto one = data.solve(alone, o);
            sum += one.objective;
            EXPECT_NEAR(one.offset[0], all.offset[static_cast<std::size_t>(c)], 1e-4);
        }
        EXPECT_NEAR(all.objective, sum, 1e-11 * sum);
    }
}

// Curvatures that jump, and nearly no ridge: full Newton steps overshoot except near the minimum.
TEST(nystroem_newton, finds_the_minimum_where_whole_steps_overshoot) {
    const clouds data(clouds::n);
    nystroem_newton_options o;
    o.intercept = true, o.max_passes = 600;
    for (const auto& [name, make] : losses_of_classes())
        for (const double lambda : {1e-2, 1e-4}) {
            o.lambda = lambda;
            const auto found = data.solve(*make(data.label()), o);
            EXPECT_EQ(found.status, fit_status::converged) << name << ", lambda " << lambda << ", gap " << found.gap;
        }
}

}  // namespace
}  // namespace mercer
