// Each part of the solver alone, compared with the definitions in double.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "mercer/gram/gram_views.h"
#include "mercer/solvers/smo/smo_solver.h"

namespace mercer::smo {
namespace {

// Two overlapping classes with a Gaussian kernel in the form of SMO: p = y, 0 <= yα <= C, Σα = 0.
struct problem {
    explicit problem(index n, unsigned seed, double C = 2) : K(n, n), p(size(n)), lower(size(n)), upper(size(n)) {
        std::mt19937 random(seed);
        std::normal_distribution<double> normal;
        matrix<double> x(n, 3);
        for (index i = 0; i < 3 * n; ++i) x.data()[i] = normal(random);
        for (index i = 0; i < n; ++i) {
            p[i] = x(i, 0) * x(i, 1) + 0.7 * normal(random) > 0 ? 1 : -1;
            lower[i] = p[i] > 0 ? 0 : -C;
            upper[i] = p[i] > 0 ? C : 0;
            for (index j = 0; j < n; ++j) {
                double square = 0;
                for (index a = 0; a < 3; ++a) square += (x(i, a) - x(j, a)) * (x(i, a) - x(j, a));
                K(i, j) = std::exp(-0.5 * square);
            }
        }
        exact = std::make_unique<precomputed<double>>(K.view());
        fast = std::make_unique<float_gram>(*exact);
    }
    static std::size_t size(index n) { return static_cast<std::size_t>(n); }
    box_problem box() const { return {p, lower, upper, {}, {}}; }
    // A feasible α in the original order: pairs of opposite classes with equal values, some at the bound.
    std::vector<double> feasible(unsigned seed) const {
        std::mt19937 random(seed);
        std::vector<double> alpha(p.size(), 0.0);
        for (std::size_t i = 0, j = 0; i < p.size(); ++i) {
            if (p[i] < 0) continue;
            while (j < p.size() && p[j] > 0) ++j;
            if (j == p.size()) break;
            const double share = static_cast<double>(random() % 4) / 3;
            alpha[i] = share * upper[i], alpha[j] = share * lower[j], ++j;
        }
        return alpha;
    }

    matrix<double> K;
    std::vector<double> p, lower, upper;
    std::unique_ptr<precomputed<double>> exact;
    std::unique_ptr<float_gram> fast;
};

// All parts on one problem, with thresholds under which a few hundred points count as many.
struct parts {
    parts(const problem& of, double tol = 1e-3) : q(of) { options.tol = tol; }
    static smo_thresholds few_are_many() {
        smo_thresholds by;
        by.full_set_size = 40, by.min_working_set = 16, by.max_working_set = 32, by.max_full_set = 40,
        by.min_sample = 50, by.sample_ratio = 2;
        by.row_cache.small_bytes = 0;
        return by;
    }
    // F from its definition, in the order of positions.
    std::vector<double> true_F() const {
        std::vector<double> F = v.p;
        for (index i = 0; i < v.n; ++i)
            for (index j = 0; j < v.n; ++j) F[i] -= q.K(v.original[i], v.original[j]) * v.alpha[j];
        return F;
    }
    double true_gap() const {
        const std::vector<double> F = true_F();
        double up = -infinity, low = infinity;
        for (index i = 0; i < v.n; ++i) {
            if (v.alpha[i] < v.upper[i]) up = std::max(up, F[i]);
            if (v.alpha[i] > v.lower[i]) low = std::min(low, F[i]);
        }
        return up - low;
    }
    double true_objective() const {
        const std::vector<double> F = true_F();
        double value = 0;
        for (index i = 0; i < v.n; ++i) value -= 0.5 * v.alpha[i] * (v.p[i] + F[i]);
        return value;
    }
    void expect_feasible() const {
        double sum = 0;
        for (index i = 0; i < v.n; ++i) {
            EXPECT_GE(v.alpha[i], v.lower[i]);
            EXPECT_LE(v.alpha[i], v.upper[i]);
            sum += v.alpha[i];
        }
        EXPECT_NEAR(sum, 0, 1e-9);
    }
    void put(const std::vector<double>& alpha) {
        for (index i = 0; i < v.n; ++i) v.alpha[i] = alpha[static_cast<std::size_t>(v.original[i])];
        F.reconstruct();
    }

    const problem& q;
    smo_options options;
    smo_thresholds by = few_are_many();
    counters done;
    variables v{q.box(), *q.fast, 0};
    gradient F{v, *q.fast, *q.exact, std::size_t{1} << 22, done, by};
    active_set active{v, F, options, by};
    working_set block{v, F, options, done, by};
    certificate proof{v, F, active, options, by};
    newton_step second{v, F, active, std::size_t{1} << 24, options, done, by};
};

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double most) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], most) << i;
}

TEST(smo_gradient, is_right_in_float_and_exact_in_double) {
    const problem q(300, 1);
    parts s(q);
    s.put(q.feasible(2));
    expect_near(s.v.F, s.true_F(), 1e-4);
    EXPECT_LT(s.F.sample_error(), 1e-4);
    ASSERT_TRUE(s.F.make_all_exact());
    expect_near(s.v.F, s.true_F(), 1e-11);
    EXPECT_LT(s.F.sample_error(), 1e-11);
    s.by.max_exact_values = 10;
    EXPECT_FALSE(s.F.make_all_exact());
}

TEST(smo_working_block, lowers_the_objective_within_the_constraints) {
    const problem q(300, 3);
    parts s(q);
    s.F.reconstruct();
    double last = 0;
    for (int round = 0; round < 20; ++round) {
        s.v.measure();
        ASSERT_TRUE(s.block.solve_next(1e-3, 0.1, true));
        expect_near(s.v.F, s.true_F(), 1e-3);
        s.expect_feasible();
        const double now = s.true_objective();
        EXPECT_LT(now, last);
        last = now;
    }
}

TEST(smo_active_set, points_set_aside_come_back_with_their_F) {
    for (unsigned seed = 0; seed < 5; ++seed) {
        const problem q(400, 10 + seed);
        parts s(q);
        s.F.reconstruct();
        s.active.start(seed % 2 == 0);  // from samples, or from all points
        bool shrunk = false, bounded = false;
        for (int round = 0; round < 60; ++round) {
            s.v.measure();
            if (!s.block.solve_next(1e-3, 0.1, s.active.uses_all_rows())) {
                if (s.active.uses_all_rows()) break;
                s.active.enlarge_sample();
                continue;
            }
            s.active.alpha_changed();
            s.active.shrink_periodically();
            shrunk = shrunk || s.v.active < s.v.n;
            if (round % 4 == 1 && !s.active.uses_all_rows()) s.active.enlarge_sample();
            if (round % 3 == 2 && s.active.uses_all_rows() && !s.active.shrunk_are_optimal()) {
                bounded = true;
                const double objective = s.active.objective();
                EXPECT_NEAR(objective, s.true_objective(), 1e-5 * std::abs(objective));
                s.active.unshrink_possible_violators();
                // Points that are still shrunk do not determine the gap.
                EXPECT_NEAR(s.active.total_gap(), s.true_gap(), 1e-4);
            }
        }
        while (!s.active.uses_all_rows()) s.active.enlarge_sample();
        s.active.unshrink();
        EXPECT_EQ(s.v.active, s.v.n);
        expect_near(s.v.F, s.true_F(), 1e-3);
        EXPECT_TRUE(shrunk);
        EXPECT_TRUE(bounded);
    }
}

TEST(smo_active_set, where_there_is_no_time_to_look_the_gap_is_a_bound) {
    const problem q(400, 20);
    parts s(q);
    s.F.reconstruct();
    s.active.start(false);
    for (int round = 0; round < 40; ++round) {
        s.v.measure();
        s.block.solve_next(1e-3, 0.1, true);
        s.active.alpha_changed();
        s.active.shrink_periodically();
    }
    ASSERT_LT(s.v.active, s.v.n);
    s.active.unshrink_possible_violators([] { return true; });
    EXPECT_GE(s.active.total_gap(), s.true_gap() - 1e-4);
}

TEST(smo_certificate, measures_the_gap_of_double_whatever_F_said) {
    const problem q(400, 30);
    smo_options fine;
    fine.tol = 1e-5;
    const smo_result solved = solve_smo(*q.fast, *q.exact, q.box(), fine);
    ASSERT_EQ(solved.status, fit_status::converged);
    for (const double noise : {0.0, 1e-6, 1e-3}) {
        parts s(q, 1e-4);
        std::mt19937 random(31);
        std::uniform_real_distribution<double> some(-noise, noise);
        s.put(solved.alpha);
        for (double& each : s.v.F) each += some(random);
        EXPECT_TRUE(s.proof.holds());
        EXPECT_NEAR(s.v.gap, s.true_gap(), 1e-10);
        EXPECT_GE(2 * s.proof.error_seen(), 0.5 * noise);
        // Half way to another point the solution is not optimal, even if F says so.
        std::vector<double> beside = q.feasible(32);
        for (std::size_t i = 0; i < beside.size(); ++i) beside[i] = 0.5 * (beside[i] + solved.alpha[i]);
        s.put(beside);
        EXPECT_FALSE(s.proof.holds());
        EXPECT_NEAR(s.v.gap, s.true_gap(), 1e-10);
    }
}

TEST(smo_certificate, brings_back_the_best_there_was) {
    const problem q(200, 40);
    parts s(q);
    s.put(q.feasible(41));
    EXPECT_TRUE(s.proof.update_best());
    const double least = s.true_objective();
    EXPECT_NEAR(s.proof.min_objective(), least, 1e-4 * std::abs(least));
    std::vector<double> worse = q.feasible(41);
    for (std::size_t i = 0; i < worse.size(); ++i) worse[i] = q.p[i] > 0 ? q.upper[i] : q.lower[i];
    s.put(worse);
    EXPECT_FALSE(s.proof.update_best());
    s.proof.restore_best();
    EXPECT_NEAR(s.true_objective(), least, 1e-12 * std::abs(least));
}

TEST(smo_newton, solves_what_pairs_have_begun) {
    for (unsigned seed = 0; seed < 5; ++seed) {
        const problem q(150, 50 + seed, 1000);
        parts s(q, 1e-6);
        s.F.reconstruct();
        for (int round = 0; round < 10; ++round) s.v.measure(), s.block.solve_next(1e-6, 0.1, true);
        const double before = s.true_objective();
        ASSERT_TRUE(s.second.take_last_resort());
        s.expect_feasible();
        EXPECT_LT(s.true_objective(), before);
        EXPECT_LT(s.true_gap(), 1e-4);
        expect_near(s.v.F, s.true_F(), 1e-8);
    }
}

// No matrix may be stored, exact kernel values are allowed only if they are cheap compared with the previous work, and
// the tolerance cannot be reached: the solver stops by itself with its best solution.
TEST(smo_solver, ends_where_pairs_crawl_and_nothing_better_is_allowed) {
    const problem q(200, 70, 1e4);
    const smo_thresholds before = default_thresholds();
    default_thresholds() = parts::few_are_many();
    default_thresholds().max_newton_size = 1, default_thresholds().max_barrier_size = 0,
    default_thresholds().max_features = 1;
    default_thresholds().max_exact_values = 0, default_thresholds().max_pair_steps = 50;
    smo_options o;
    o.tol = 1e-12;
    const smo_result r = solve_smo(*q.fast, *q.exact, q.box(), o);
    default_thresholds() = before;
    EXPECT_EQ(r.status, fit_status::stalled);
    parts s(q);
    s.put(r.alpha);
    s.expect_feasible();
    EXPECT_LT(s.true_objective(), -1);
    EXPECT_NEAR(r.gap, s.true_gap(), 1e-3 * r.gap);
}

TEST(smo_watch, ends_a_run_for_each_of_its_reasons) {
    const problem q(100, 60);
    parts s(q);
    int reports = 0, checkpoints = 0;
    {
        const run_monitor w(s.v, s.done, s.options, *q.fast);
        EXPECT_FALSE(w.exceeds_time_limit(1 << 30));
    }
    run_monitor free(s.v, s.done, s.options, *q.fast);
    EXPECT_FALSE(free.stop_reason(true));
    s.options.max_steps = 5;
    s.done.steps = 5;
    EXPECT_EQ(free.stop_reason(true), fit_status::step_limit);
    s.done.steps = 4;
    s.options.max_seconds = 0;
    EXPECT_EQ(free.stop_reason(true), fit_status::time_limit);
    EXPECT_TRUE(free.exceeds_time_limit(1));
    s.options.max_seconds = infinity;
    s.options.checkpoint_seconds = 0;
    s.options.checkpoint = [&](std::span<const double> alpha) {
        checkpoints += static_cast<index>(alpha.size()) == s.v.n;
    };
    s.options.progress = [&](const smo_progress& now) { return ++reports, now.size != s.v.n; };
    while (free.seconds() < 0.11) {
    }
    EXPECT_EQ(free.stop_reason(true), fit_status::cancelled);
    EXPECT_EQ(reports, 1);
    EXPECT_GE(checkpoints, 1);
}

}  // namespace
}  // namespace mercer::smo
