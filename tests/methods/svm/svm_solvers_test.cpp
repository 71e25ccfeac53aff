// All solvers: the quadratic programs compared with SMO, models of every solver in later use, and refused inputs.
#include "mercer/methods/svm/svm_solvers.h"

#include <gtest/gtest.h>

#include "contracts/errors.h"
#include "mercer/gram/make_gram.h"
#include "mercer/methods/svm/svm_model.h"
#include "mercer/preprocess/scaling.h"
#include "methods/svm/svm_support.h"

namespace mercer::svm_testing {
namespace {

train_options with(double C, double tol = 1e-3) {
    train_options o;
    o.svm = options_for(svm_task::c_svc, C, tol);
    return o;
}

svm_model train(svm_solver solver, const std::string& k, const sample& s, const train_options& o) {
    return train_svm(solver, kernel::parse(k), dense_data(s.x), s.y, o).model;
}

void expect_same_optimum(const std::string& k, const sample& s, double C) {
    SCOPED_TRACE(k);
    train_options o = with(C, 1e-5);
    const svm_model smo = train(svm_solver::smo, k, s, o), qp = train(svm_solver::interior_point, k, s, o);
    ASSERT_EQ(smo.worst_status(), fit_status::converged);
    EXPECT_EQ(qp.worst_status(), fit_status::converged) << qp.largest_gap();
    for (std::size_t p = 0; p < smo.reports.size(); ++p)
        EXPECT_NEAR(qp.reports[p].objective, smo.reports[p].objective, 1e-6 * std::abs(smo.reports[p].objective));
    const matrix<double> a = decide(smo, dense_data(s.x), arithmetic::exact),
                         b = decide(qp, dense_data(s.x), arithmetic::exact);
    for (index i = 0; i < a.rows(); ++i)
        for (index j = 0; j < a.cols(); ++j) EXPECT_NEAR(a(i, j), b(i, j), 5e-3 * (1 + std::abs(a(i, j))));
}

TEST(svm_qp, agrees_with_smo_on_random_problems) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(seed);
        const double C[] = {0.01, 0.1, 1, 10, 100};
        const std::string k[] = {"linear()", "rbf(gamma=0.3)", "poly(degree=2, gamma=0.5, coef0=1)", "rbf(gamma=2)"};
        expect_same_optimum(k[seed % 4], clouds(40 + seed, 2 + seed % 3, 1.5, 0.1, seed), C[seed % 5]);
    }
}

TEST(svm_qp, agrees_with_smo_on_real_problems) {
    expect_same_optimum("rbf(gamma=0.05)", load("heart_scale.svm"), 1);
    expect_same_optimum("linear()", standardised(load("sonar.svm")), 0.1);
    expect_same_optimum("rbf(gamma=0.02)", every(standardised(load("breast-cancer.svm")), 2), 10);
    expect_same_optimum("rbf(gamma=0.3)", standardised(load("iris.svm")), 1);
    expect_same_optimum("rbf(gamma=0.05)", standardised(load("wine.svm")), 1);
    sample digits = load("digits.svm.xz");
    digits.x.resize(180), digits.y.resize(180);
    for (auto& x : digits.x)
        for (double& v : x) v /= 16;
    expect_same_optimum("rbf(gamma=0.05)", digits, 5);
}

TEST(svm_qp, the_primal_and_the_dual_program_meet) {
    for (const double C : {0.05, 1.0, infinity}) {
        SCOPED_TRACE(C);
        // Separable data if the margin is to be hard.
        const sample s = std::isfinite(C) ? every(load("heart_scale.svm"), 3) : clouds(50, 3, 12, 0, 4);
        const train_options o = with(C, 1e-4);
        const svm_model a = train(svm_solver::interior_point, "linear()", s, o),
                        b = train(svm_solver::primal_qp, "linear()", s, o);
        EXPECT_EQ(a.worst_status(), fit_status::converged) << a.largest_gap();
        EXPECT_EQ(b.worst_status(), fit_status::converged) << b.largest_gap();
        EXPECT_NEAR(a.reports[0].objective, b.reports[0].objective, 1e-6 * std::abs(a.reports[0].objective));
        EXPECT_NEAR(a.offset[0], b.offset[0], 1e-3);
        // Zero gap: J of the result equals the dual objective.
        double square = 0, loss = 0;
        const matrix<double> f = decide(b, dense_data(s.x), arithmetic::exact);
        for (std::size_t i = 0; i < b.support_rows.size(); ++i)
            square += b.coef(0, static_cast<index>(i)) * (f(b.support_rows[i], 0) - b.offset[0]);
        for (index i = 0; i < f.rows(); ++i) {
            const double short_of = std::max(0.0, 1 - (s.y[i] == b.classes[0] ? 1 : -1) * f(i, 0));
            if (std::isfinite(C))
                loss += C * short_of;
            else
                EXPECT_LE(short_of, 1e-4);
        }
        EXPECT_NEAR(square / 2 + loss, -b.reports[0].objective, 1e-5 * std::abs(b.reports[0].objective) + 1e-9);
    }
}

TEST(svm_qp, a_large_C_is_the_hard_margin) {
    const sample s = clouds(40, 2, 10, 0, 6);
    for (const svm_solver solver : {svm_solver::interior_point, svm_solver::primal_qp}) {
        const svm_model hard = train(solver, "linear()", s, with(infinity)),
                        soft = train(solver, "linear()", s, with(1e5));
        EXPECT_NEAR(hard.reports[0].objective, soft.reports[0].objective, 1e-6 * std::abs(hard.reports[0].objective));
    }
}

TEST(svm_qp, what_cannot_be_separated_is_said) {
    sample s = clouds(40, 2, 1, 0.2, 6);
    const std::vector<point> square{{0, 0}, {1, 1}, {0, 1}, {1, 0}};
    const sample exclusive_or{square, {1, 1, -1, -1}}, twins{{{1, 2}, {1, 2}, {0, 0}}, {1, -1, 1}};
    for (const sample& each : {s, exclusive_or, twins})
        for (const svm_solver solver : {svm_solver::smo, svm_solver::interior_point, svm_solver::primal_qp})
            expect_error(errc::infeasible, "cannot be separated",
                         [&] { train(solver, "linear()", each, with(infinity)); });
    // In a richer feature space a hard margin exists.
    EXPECT_EQ(train(svm_solver::interior_point, "poly(degree=2, coef0=1)", exclusive_or, with(infinity)).worst_status(),
              fit_status::converged);
}

TEST(svm_qp, sizes_of_C_twins_and_two_points) {
    const sample two{{{0, 1}, {2, 1}}, {-1, 1}};
    for (const double C : {1e-7, 1e-3, 1.0, 1e6}) expect_same_optimum("linear()", two, C);
    sample repeated = clouds(15, 2, 1, 0.2, 3);
    for (std::size_t i = 0; i < 15; ++i) repeated.x.push_back(repeated.x[i]), repeated.y.push_back(repeated.y[i]);
    for (const double C : {1e-6, 1e3}) expect_same_optimum("rbf(gamma=0.5)", repeated, C);
}

TEST(train, weights_are_repetitions) {
    const sample s = clouds(30, 2, 1, 0.2, 8);
    sample twice = s;
    train_options weighted = with(1, 1e-6), plain = with(1, 1e-6);
    weighted.svm.sample_weight.assign(30, 1.0);
    for (std::size_t i = 0; i < 30; i += 3)
        weighted.svm.sample_weight[i] = 2, twice.x.push_back(s.x[i]), twice.y.push_back(s.y[i]);
    for (const svm_solver solver :
         {svm_solver::interior_point, svm_solver::primal_qp, svm_solver::dual_coordinate_descent}) {
        SCOPED_TRACE(name(solver));
        weighted.coordinate.tol = plain.coordinate.tol = 1e-8;
        weighted.coordinate.max_epochs = plain.coordinate.max_epochs = 100000;
        const matrix<double> a = decide(train(solver, "linear()", s, weighted), dense_data(s.x), arithmetic::exact);
        const matrix<double> b = decide(train(solver, "linear()", twice, plain), dense_data(s.x), arithmetic::exact);
        for (index i = 0; i < a.rows(); ++i) EXPECT_NEAR(a(i, 0), b(i, 0), 1e-4);
    }
}

// Every solver's model decides, predicts in accordance with its decisions, is equal after saving and loading, and is
// close to the optimum.
TEST(train, every_solver_gives_a_model_that_works) {
    const sample s = every(load("heart_scale.svm"), 2);
    double best = 0;
    for (int which = 0; which < 7; ++which) {
        const auto solver = static_cast<svm_solver>(which);
        SCOPED_TRACE(name(solver));
        EXPECT_EQ(find_svm_solver(name(solver)), solver);
        train_options o = with(1, 1e-6);
        o.trace = true;
        o.subgradient.schedule = step_schedule::best;
        o.subgradient.tol = o.pegasos.tol = 1e-3;
        o.coordinate.tol = 1e-4;
        o.constant = 5;
        for (const bool is_sparse : {false, true}) {
            const dataset x = is_sparse ? sparse_data(s.x) : dense_data(s.x);
            const trained_svm t = train_svm(solver, kernel::parse("linear()"), x, s.y, o);
            const svm_model again = parse_model<svm_model>(model_bytes(t.model), "memory");
            const matrix<double> f = decide(t.model, x, arithmetic::exact), g = decide(again, x, arithmetic::exact);
            double correct = 0;
            const std::vector<double> label = predict(t.model, x);
            for (index i = 0; i < f.rows(); ++i) {
                EXPECT_EQ(f(i, 0), g(i, 0));
                EXPECT_EQ(label[i], t.model.classes[f(i, 0) > 0 ? 0 : 1]);
                correct += label[i] == s.y[i];
            }
            EXPECT_GT(correct, 0.8 * static_cast<double>(f.rows()));
            ASSERT_GE(t.trace.size(), solver == svm_solver::smo ? 6u : 2u) << "a curve is more than its ends";
            EXPECT_NEAR(t.trace.front().primal, static_cast<double>(s.x.size()), 1e-9);
            if (which == 0) best = t.trace.back().primal;
            EXPECT_LE(t.trace.back().primal, 1.01 * best);
            EXPECT_GE(t.trace.back().primal, best * (1 - 1e-5));
            for (std::size_t i = 1; i < t.trace.size(); ++i) EXPECT_GE(t.trace[i].seconds, t.trace[i - 1].seconds);
        }
    }
}

TEST(train, several_classes_both_ways) {
    const sample s = standardised(load("iris.svm"));
    for (const multiclass scheme : {multiclass::one_vs_one, multiclass::one_vs_rest})
        for (int which = 0; which < 7; ++which) {
            SCOPED_TRACE(name(static_cast<svm_solver>(which)));
            train_options o = with(1);
            o.svm.classes = scheme;
            o.pegasos.max_epochs = 100, o.subgradient.max_epochs = 300;
            o.subgradient.schedule = step_schedule::best;
            const svm_model m =
                parse_model<svm_model>(model_bytes(train(static_cast<svm_solver>(which), "linear()", s, o)), "memory");
            const std::vector<double> label = predict(m, dense_data(s.x));
            double correct = 0;
            for (std::size_t i = 0; i < label.size(); ++i) correct += label[i] == s.y[i];
            EXPECT_GT(correct, scheme == multiclass::one_vs_one ? 142 : 130);
        }
}

// The dual's w is Σ αᵢyᵢxᵢ: storing w or the examples gives the same function.
TEST(train, w_alone_decides_as_the_examples_do) {
    const sample s = standardised(load("iris.svm"));
    for (const hinge_power loss : {hinge_power::l1, hinge_power::l2})
        for (const multiclass scheme : {multiclass::one_vs_one, multiclass::one_vs_rest}) {
            train_options o = with(1);
            o.svm.classes = scheme;
            o.coordinate.loss = loss;
            o.coordinate.tol = 1e-4;
            const svm_model examples = train(svm_solver::dual_coordinate_descent, "linear()", s, o);
            o.keep_examples = false;
            const svm_model w = parse_model<svm_model>(
                model_bytes(train(svm_solver::dual_coordinate_descent, "linear()", s, o)), "memory");
            EXPECT_EQ(w.support.size(), 3);
            EXPECT_EQ(w.offset, examples.offset);
            for (const bool is_sparse : {false, true}) {
                const dataset x = is_sparse ? sparse_data(s.x) : dense_data(s.x);
                const matrix<double> f = decide(examples, x, arithmetic::exact), g = decide(w, x, arithmetic::exact);
                for (index i = 0; i < f.rows(); ++i)
                    for (index p = 0; p < f.cols(); ++p) EXPECT_NEAR(f(i, p), g(i, p), 1e-11 * (1 + std::abs(f(i, p))));
            }
        }
}

TEST(train, any_order_of_the_examples_gives_the_same_model) {
    const sample s = standardised(load("iris.svm"));
    sample turned = s;
    for (std::size_t i = 0; i < s.x.size(); ++i) {
        const std::size_t from = (i * 37 + 11) % s.x.size();
        turned.x[i] = s.x[from], turned.y[i] = s.y[from];
    }
    for (const svm_solver solver : {svm_solver::interior_point, svm_solver::pegasos, svm_solver::kernel_pegasos,
                                    svm_solver::dual_coordinate_descent}) {
        SCOPED_TRACE(name(solver));
        train_options o = with(1);
        o.svm.canonical_order = true;
        o.svm.classes = multiclass::one_vs_rest;
        o.pegasos.max_epochs = 20;
        const matrix<double> f = decide(train(solver, "linear()", s, o), dense_data(s.x), arithmetic::exact);
        const matrix<double> g = decide(train(solver, "linear()", turned, o), dense_data(s.x), arithmetic::exact);
        for (index i = 0; i < f.rows(); ++i)
            for (index p = 0; p < f.cols(); ++p) EXPECT_NEAR(f(i, p), g(i, p), 1e-9 * (1 + std::abs(f(i, p))));
    }
}

TEST(train, progress_is_told_and_stops_every_solver) {
    const sample few = clouds(400, 5, 0.5, 0.3, 2), many = clouds(4000, 5, 0.5, 0.3, 2);
    for (const svm_solver solver : {svm_solver::smo, svm_solver::subgradient, svm_solver::pegasos,
                                    svm_solver::kernel_pegasos, svm_solver::dual_coordinate_descent}) {
        SCOPED_TRACE(name(solver));
        // smo solves a linear problem with so few points immediately.
        const sample& s = solver == svm_solver::smo ? many : few;
        train_options o = with(1e4, 1e-14);
        o.subgradient.tol = o.pegasos.tol = o.coordinate.tol = 1e-14;
        o.subgradient.max_epochs = o.pegasos.max_epochs = o.coordinate.max_epochs = 1'000'000'000;
        o.svm.max_seconds = 60;
        int calls = 0;
        o.svm.progress = [&](const svm_progress& at) {
            EXPECT_EQ(at.problems, 1);
            EXPECT_EQ(at.solver.size, static_cast<index>(s.y.size()));
            return ++calls < 2;
        };
        EXPECT_EQ(train(solver, solver == svm_solver::smo ? "rbf(gamma=0.5)" : "linear()", s, o).worst_status(),
                  fit_status::cancelled);
        EXPECT_EQ(calls, 2);
    }
}

TEST(train, refuses_what_it_cannot_do) {
    const sample s = clouds(20, 2, 1, 0, 1);
    expect_error(errc::unsupported, "linear()", [&] { train(svm_solver::pegasos, "rbf(gamma=1)", s, with(1)); });
    expect_error(errc::unsupported, "C < infinity",
                 [&] { train(svm_solver::kernel_pegasos, "rbf(gamma=1)", s, with(infinity)); });
    expect_error(errc::invalid_argument, "one of smo, interior_point", [] { find_svm_solver("newton"); });
    train_options o = with(1);
    o.svm.task = svm_task::epsilon_svr;
    expect_error(errc::unsupported, "use smo", [&] { train(svm_solver::interior_point, "linear()", s, o); });
    for (int which = 0; which < 7; ++which) {
        const auto solver = static_cast<svm_solver>(which);
        SCOPED_TRACE(name(solver));
        sample one = s;
        one.y.assign(20, 1.0);
        expect_error(errc::data, "two classes", [&] { train(solver, "linear()", one, with(1)); });
        sample broken = s;
        broken.x[3][1] = std::nan("");
        expect_error(errc::data, "row 3, column 1", [&] { train(solver, "linear()", broken, with(1)); });
        expect_error(errc::invalid_argument, "C > 0", [&] { train(solver, "linear()", s, with(-1)); });
    }
}

TEST(train, programs_keep_to_the_memory_allowed) {
    const sample s = clouds(120, 3, 1, 0.1, 3);
    for (const svm_solver solver : {svm_solver::interior_point, svm_solver::primal_qp}) {
        train_options o;
        o.qp_bytes = 1e6;
        EXPECT_EQ(train_svm(solver, kernel::parse("linear()"), dense_data(s.x), s.y, o).model.reports[0].status,
                  fit_status::converged);
        o.qp_bytes = 1e5;  // 120² numbers are 115200 bytes
        expect_error(errc::memory, "use smo",
                     [&] { train_svm(solver, kernel::parse("linear()"), dense_data(s.x), s.y, o); });
    }
}

}  // namespace
}  // namespace mercer::svm_testing
