// Conditions that a fitted support vector machine must satisfy, recomputed from the definition: the test supplies its
// own kernel values; F, margins, slack variables and both objectives follow from the coefficients of the model.
//
// In every problem below the optimality condition is, for each group, max{F : variable may increase} <= min{F :
// variable may decrease}; tol bounds the violation. The slack variables are computed from the primal constraints, not
// read from the model.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "mercer/methods/svm/fit_svm.h"

namespace mercer::svm_contract {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

// The optimisation problem that a model claims to solve.
struct statement {
    svm_options options;
    std::vector<double> y;
    matrix_view<const double> K;  // of all training examples

    double weight(index i) const {
        return options.sample_weight.empty() ? 1.0 : options.sample_weight[static_cast<std::size_t>(i)];
    }
    double class_weight(double label) const {
        double factor = 1;
        for (const auto& [name, value] : options.class_weight)
            if (name == label) factor = value;
        return factor;
    }
};

// One binary problem and the model's solution of it.
struct binary {
    svm_task task{};
    std::vector<index> rows;
    std::vector<double> sign, y, penalty, coef;
    double offset = 0, nu = 0, epsilon = 0, tol = 0;
    svm_report report;
    std::vector<double> g;    // Σ_j K_ij coef_j
    double largest_self = 0;  // max k(x, x)
    double mass = 0;          // Σ|coef|

    std::size_t size() const { return rows.size(); }
    // Bound on the rounding error of the test's own sums.
    double noise() const { return 1e-11 * (1 + largest_self * mass); }
    double quadratic() const {  // coefᵀK coef
        long double sum = 0;
        for (std::size_t i = 0; i < size(); ++i) sum += static_cast<long double>(coef[i]) * g[i];
        return static_cast<double>(sum);
    }
    // ν-SVC models are divided by the margin r; r follows from the sum over a class, which was νT/2 before the
    // division.
    double nu_scale() const {
        long double total = 0, positive = 0;
        for (std::size_t i = 0; i < size(); ++i) {
            total += penalty[i];
            if (sign[i] > 0) positive += coef[i];
        }
        return static_cast<double>(nu * total / 2 / positive);
    }
};

inline std::vector<double> labels_in_use(const statement& s) {
    std::vector<double> labels;
    for (std::size_t i = 0; i < s.y.size(); ++i)
        if (s.weight(static_cast<index>(i)) > 0) labels.push_back(s.y[i]);
    std::sort(labels.begin(), labels.end());
    labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
    return labels;
}

inline void evaluate(binary& b, matrix_view<const double> K) {
    b.g.assign(b.size(), 0.0);
    std::vector<std::size_t> support;
    for (std::size_t j = 0; j < b.size(); ++j) {
        b.largest_self = std::max(b.largest_self, std::abs(K(b.rows[j], b.rows[j])));
        b.mass += std::abs(b.coef[j]);
        if (b.coef[j] != 0) support.push_back(j);
    }
    for (std::size_t i = 0; i < b.size(); ++i) {
        long double sum = 0;
        for (const std::size_t j : support) sum += static_cast<long double>(K(b.rows[i], b.rows[j])) * b.coef[j];
        b.g[i] = static_cast<double>(sum);
    }
}

inline std::vector<binary> take_apart(const svm_model& model, const statement& s) {
    const index n = s.K.rows;
    std::vector<index> column(static_cast<std::size_t>(n), -1);
    for (std::size_t k = 0; k < model.support_rows.size(); ++k)
        column[static_cast<std::size_t>(model.support_rows[k])] = static_cast<index>(k);
    std::vector<binary> out;
    const auto start = [&](std::size_t p) {
        binary b;
        b.task = model.task;
        b.offset = model.offset[p];
        b.report = model.reports[p];
        b.nu = s.options.nu;
        b.epsilon = model.task == svm_task::nu_svr ? b.report.epsilon : s.options.epsilon;
        b.tol = s.options.tol;
        return b;
    };
    const auto add = [&](binary& b, index i, double sign, index m) {
        b.rows.push_back(i);
        b.sign.push_back(sign);
        b.y.push_back(s.y.empty() ? 0.0 : s.y[static_cast<std::size_t>(i)]);
        const bool has_C =
            model.task == svm_task::c_svc || model.task == svm_task::epsilon_svr || model.task == svm_task::nu_svr;
        b.penalty.push_back((has_C ? s.options.C : 1.0) * s.weight(i) *
                            (sign != 0 ? s.class_weight(s.y[static_cast<std::size_t>(i)]) : 1.0));
        const index at = column[static_cast<std::size_t>(i)];
        b.coef.push_back(at < 0 ? 0.0 : model.coef(m, at));
    };
    if (!model.is_classifier()) {
        binary b = start(0);
        for (index i = 0; i < n; ++i)
            if (s.weight(i) > 0) add(b, i, 0, 0);
        out.push_back(std::move(b));
    } else {
        EXPECT_EQ(model.classes, labels_in_use(s));
        const index k = static_cast<index>(model.classes.size());
        std::map<double, index> place;
        for (index c = 0; c < k; ++c) place[model.classes[static_cast<std::size_t>(c)]] = c;
        const bool rest = k > 2 && s.options.classes == multiclass::one_vs_rest;
        for (index first = 0; first < k; ++first)
            for (index second = rest ? first : first + 1; second < (rest ? first + 1 : k); ++second) {
                binary b = start(out.size());
                for (index i = 0; i < n; ++i) {
                    if (!(s.weight(i) > 0)) continue;
                    const index c = place[s.y[static_cast<std::size_t>(i)]];
                    if (!rest && c != first && c != second) continue;
                    const index other = c == first ? second : first;
                    const index m = rest ? first : k == 2 ? 0 : other < c ? other : other - 1;
                    add(b, i, c == first ? 1 : -1, m);
                }
                out.push_back(std::move(b));
            }
    }
    EXPECT_EQ(static_cast<index>(out.size()), model.problems());
    for (auto& b : out) evaluate(b, s.K);
    return out;
}

// A dual variable with its bounds and F = p - Kα.
struct variable {
    double F;
    bool may_rise, may_fall;
    int group;
};

inline std::vector<variable> variables(const binary& b) {
    std::vector<variable> out;
    const double r = b.task == svm_task::nu_svc ? b.nu_scale() : 1;
    for (std::size_t i = 0; i < b.size(); ++i) {
        const double a = b.coef[i], C = b.penalty[i];
        switch (b.task) {
            case svm_task::c_svc:
                out.push_back({b.sign[i] - b.g[i], b.sign[i] > 0 ? a < C : a<0, b.sign[i]> 0 ? a > 0 : a > -C, 0});
                break;
            case svm_task::nu_svc: {
                // The bound was reached before the division by r, so equality holds only up to rounding.
                const bool full = std::abs(a) * r >= C * (1 - 1e-12);
                out.push_back({-r * b.g[i],
                               b.sign[i] > 0       ? !full
                               : a<0, b.sign[i]> 0 ? a > 0
                                                   : !full,
                               b.sign[i] > 0 ? 0 : 1});
                break;
            }
            case svm_task::one_class: out.push_back({-b.g[i], a<C, a> 0, 0}); break;
            case svm_task::epsilon_svr:
                out.push_back({b.y[i] - b.epsilon - b.g[i], a<C, a> 0, 0});
                out.push_back({b.y[i] + b.epsilon - b.g[i], a<0, a> - C, 0});
                break;
            case svm_task::nu_svr:
                out.push_back({b.y[i] - b.g[i], a<C, a> 0, 0});
                out.push_back({b.y[i] - b.g[i], a<0, a> - C, 1});
                break;
        }
    }
    return out;
}

inline double recomputed_gap(const binary& b) {
    double up[2] = {-infinity, -infinity}, low[2] = {infinity, infinity};
    for (const variable& v : variables(b)) {
        if (v.may_rise) up[v.group] = std::max(up[v.group], v.F);
        if (v.may_fall) low[v.group] = std::min(low[v.group], v.F);
    }
    return std::max({0.0, up[0] - low[0], up[1] - low[1]});
}

// ½αᵀKα - pᵀα, the objective of the solver (before a ν-SVC is rescaled).
inline double recomputed_objective(const binary& b) {
    long double linear = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
        if (b.task == svm_task::c_svc) linear += b.sign[i] * b.coef[i];
        if (b.task == svm_task::epsilon_svr)
            linear += static_cast<long double>(b.y[i]) * b.coef[i] - b.epsilon * std::abs(b.coef[i]);
        if (b.task == svm_task::nu_svr) linear += static_cast<long double>(b.y[i]) * b.coef[i];
    }
    const double r = b.task == svm_task::nu_svc ? b.nu_scale() : 1;
    return static_cast<double>(0.5L * r * r * b.quadratic() - linear);
}

// Dual feasibility: the bounds hold exactly, the sums up to rounding.
inline void check_feasible(const binary& b) {
    long double sum = 0, absolute = 0, penalties = 0;
    const double r = b.task == svm_task::nu_svc ? b.nu_scale() : 1;
    for (std::size_t i = 0; i < b.size(); ++i) {
        sum += b.coef[i];
        absolute += std::abs(b.coef[i]);
        penalties += b.penalty[i];
        ASSERT_TRUE(std::isfinite(b.coef[i])) << "coefficient of example " << b.rows[i];
        const double signed_value = b.sign[i] != 0 ? b.sign[i] * b.coef[i] : b.coef[i];
        if (b.task != svm_task::epsilon_svr && b.task != svm_task::nu_svr) {
            ASSERT_GE(signed_value, 0) << "dual feasibility: 0 <= alpha, example " << b.rows[i];
        }
        const double most = b.task == svm_task::nu_svc ? b.penalty[i] * (1 + 1e-12) : b.penalty[i];
        ASSERT_LE(std::abs(b.coef[i]) * r, most) << "dual feasibility: alpha <= C, example " << b.rows[i];
    }
    ASSERT_TRUE(std::isfinite(b.offset));
    const double rounding = static_cast<double>(1e-11 * (absolute + 1e-300));
    const double wanted = b.task == svm_task::one_class ? b.nu * static_cast<double>(penalties) : 0.0;
    EXPECT_NEAR(static_cast<double>(sum), wanted, rounding)
        << "equality constraint: sum of y alpha = 0, of a one-class machine nu T";
    if (b.task == svm_task::nu_svr) {
        EXPECT_LE(static_cast<double>(absolute), b.nu * static_cast<double>(penalties) * (1 + 1e-11))
            << "sum of |alpha - alpha*| <= C nu n";
    }
}

// The primal and the dual objective of the model; primal - dual is zero at the optimum and never negative.
struct values {
    double primal, dual, scale, total_penalty;
};
inline values both_values(const binary& b) {
    const double r = b.task == svm_task::nu_svc ? b.nu_scale() : 1;
    const double q = r * r * b.quadratic();
    long double slack = 0, linear = 0, total = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
        const double f = b.g[i] + b.offset, C = b.penalty[i];
        double xi = 0;
        if (b.task == svm_task::c_svc) xi = std::max(0.0, 1 - b.sign[i] * f), linear += b.sign[i] * b.coef[i];
        if (b.task == svm_task::nu_svc) xi = std::max(0.0, r - b.sign[i] * r * f);
        if (b.task == svm_task::one_class) xi = std::max(0.0, -f);
        if (b.task == svm_task::epsilon_svr || b.task == svm_task::nu_svr) {
            xi = std::max(0.0, std::abs(b.y[i] - f) - b.epsilon);
            linear += static_cast<long double>(b.y[i]) * b.coef[i];
            if (b.task == svm_task::epsilon_svr) linear -= b.epsilon * std::abs(b.coef[i]);
        }
        if (std::isfinite(C)) slack += C * xi, total += C;
    }
    values v{};
    v.total_penalty = static_cast<double>(total);
    v.primal = 0.5 * q + static_cast<double>(slack);
    if (b.task == svm_task::nu_svc) v.primal -= b.nu * v.total_penalty * r;
    if (b.task == svm_task::one_class) v.primal -= b.nu * v.total_penalty * -b.offset;
    if (b.task == svm_task::nu_svr) v.primal += b.nu * v.total_penalty * b.epsilon;
    v.dual = static_cast<double>(linear) - 0.5 * q;
    v.scale = q + static_cast<double>(slack) + std::abs(static_cast<double>(linear)) + std::abs(b.offset) * b.mass;
    return v;
}

// Checks the Karush-Kuhn-Tucker conditions, each with its name. f = Σ coef k + b is the stationarity condition.
inline void check_optimal(const binary& b) {
    const double r = b.task == svm_task::nu_svc ? b.nu_scale() : 1;
    const double gap = recomputed_gap(b);
    // The gap of ν-SVC is small relative to ρ, the unit of f, and as small as the gaps of the other problems if double
    // precision can resolve it.
    const double unit = std::max(1.0, 1e-8 * r * b.mass / 2 * b.largest_self);
    const double promised = b.tol * (b.task != svm_task::nu_svc ? 1.0 : b.report.no_margin ? unit : std::min(unit, r));
    EXPECT_LE(gap, promised + b.noise()) << "KKT gap";
    if (b.task != svm_task::nu_svr ||
        b.epsilon > 2 * b.tol) {  // if both α and α* may be positive, the gap is not a function of α - α*
        EXPECT_NEAR(r * b.report.gap, gap, 1e-3 * promised + b.noise()) << "the gap reported";
    }
    if (b.report.no_margin) {  // w is numerically 0: no further condition follows from it
        EXPECT_LE(2 * recomputed_objective(b), 1e-6 * 4 * std::pow(r * b.mass / 2, 2) * b.largest_self + b.noise());
        return;
    }
    // b is computed from values of F whose error is at most the float error that the solver tolerates, a sixteenth of
    // tol.
    const double slack = (1.1 * promised + b.noise()) / r;
    for (std::size_t i = 0; i < b.size(); ++i) {
        const double f = b.g[i] + b.offset, a = std::abs(b.coef[i]) * r, C = b.penalty[i];
        const bool none = a == 0, full = a >= C * (1 - 1e-12);
        const auto where = [&] {
            return "example " + std::to_string(b.rows[i]) + ", alpha = " + std::to_string(a) +
                   ", f = " + std::to_string(f);
        };
        if (b.sign[i] != 0 || b.task == svm_task::one_class) {
            const double margin = b.sign[i] != 0 ? b.sign[i] * f : f, edge = b.sign[i] != 0 ? 1 : 0;
            const double xi = std::max(0.0, edge - margin);
            if (none) {
                ASSERT_GE(margin, edge - slack) << "alpha = 0 lies outside the margin: " << where();
            }
            if (!none && !full) {
                ASSERT_NEAR(margin, edge, slack) << "0 < alpha < C lies on the margin: " << where();
            }
            if (full) {
                ASSERT_LE(margin, edge + slack) << "alpha = C lies inside the margin: " << where();
            }
            ASSERT_GE(margin, edge - xi - b.noise()) << "primal feasibility: " << where();
            ASSERT_LE(a * std::abs(margin - edge + xi), a * slack) << "complementary slackness of alpha: " << where();
            if (!full) {
                ASSERT_LE(xi, slack) << "complementary slackness of beta = C - alpha: " << where();
            }
        } else {
            const double residual = b.y[i] - f, out = b.coef[i] > 0 ? residual : -residual;
            if (none) {
                ASSERT_LE(std::abs(residual), b.epsilon + slack) << "alpha = 0 lies inside the tube: " << where();
            }
            if (!none && !full) {
                ASSERT_NEAR(out, b.epsilon, slack) << "0 < alpha < C lies on the tube: " << where();
            }
            if (full) {
                ASSERT_GE(out, b.epsilon - slack) << "alpha = C lies outside the tube: " << where();
            }
        }
    }
    const values v = both_values(b);
    // With a hard margin the primal constraints hold up to tol only, so the primal objective may be below the dual by
    // this amount.
    const double violated = std::isfinite(b.penalty[0]) ? 0.0 : 1.1 * b.tol * b.mass;
    EXPECT_GE(v.primal - v.dual, -1e-9 * v.scale - b.noise() - violated) << "weak duality";
    EXPECT_LE(v.primal - v.dual, 1.2 * b.tol * (v.total_penalty + 2 * b.mass * r) + 1e-9 * v.scale + b.noise())
        << "duality gap";
    // b lies within its interval, whose ends the tolerance may exchange.
    EXPECT_LE(b.report.offset_low, b.report.offset_high);
    EXPECT_GE(b.offset, b.report.offset_low - 1e-9 * (1 + std::abs(b.offset)));
    EXPECT_LE(b.offset, b.report.offset_high + 1e-9 * (1 + std::abs(b.offset)));
    if (b.report.margin_vectors == 0) {
        EXPECT_NEAR(b.offset, (b.report.offset_low + b.report.offset_high) / 2, 1e-12 * (1 + std::abs(b.offset)));
    }
}

// The objective is ½Σα(p + F), so its accuracy is that of F, whose errors are at most `error`.
inline void check_report(const binary& b, double error) {
    EXPECT_EQ(b.report.size, static_cast<index>(b.size()));
    const double objective = recomputed_objective(b), scale = std::abs(objective) + b.quadratic() + b.mass;
    EXPECT_NEAR(b.report.objective, objective, 1e-8 * scale + 0.5 * b.mass * error + b.noise()) << "objective";
    index free = 0;
    for (const variable& v : variables(b)) free += v.may_rise && v.may_fall;
    if (b.task != svm_task::nu_svc && b.task != svm_task::nu_svr) {
        EXPECT_EQ(b.report.margin_vectors, free);
    }
}

// Checks a model that reports an optimal solution.
inline void check_svm(const svm_model& model, const statement& s) {
    ASSERT_TRUE(std::is_sorted(model.support_rows.begin(), model.support_rows.end()) || model.is_classifier());
    for (const auto& b : take_apart(model, s)) {
        SCOPED_TRACE(std::string(name(b.task)) + ", n = " + std::to_string(b.size()) +
                     ", steps = " + std::to_string(b.report.steps));
        ASSERT_EQ(b.report.status, fit_status::converged) << name(b.report.status) << ", gap " << b.report.gap;
        check_feasible(b);
        if (::testing::Test::HasFatalFailure()) return;
        check_optimal(b);
        check_report(b, b.tol / 16);
    }
}

// Checks a model whose fit was ended early: it must be feasible and finite and report its gap. The gap is computed from
// float kernel values, so F has errors up to `error`.
inline void check_unfinished(const svm_model& model, const statement& s, double error) {
    for (const auto& b : take_apart(model, s)) {
        check_feasible(b);
        if (::testing::Test::HasFatalFailure()) return;
        // If the time limit did not allow to check all points, the reported gap is an upper bound.
        EXPECT_GE(b.report.gap, recomputed_gap(b) - 2 * error - b.noise());
        if (b.report.status == fit_status::step_limit) {
            EXPECT_NEAR(b.report.gap, recomputed_gap(b), 2 * error + b.noise());
        }
        check_report(b, error);
        const values v = both_values(b);
        EXPECT_GE(v.primal - v.dual, -1e-9 * v.scale - b.noise()) << "weak duality";
    }
}

// Compares decide(), which uses float kernel values, with the definition.
inline void check_decisions(const svm_model& model, const statement& s, const matrix<double>& decisions) {
    const auto problems = take_apart(model, s);
    ASSERT_EQ(decisions.cols(), model.problems());
    for (std::size_t p = 0; p < problems.size(); ++p) {
        const auto& b = problems[p];
        for (std::size_t i = 0; i < b.size(); ++i)
            ASSERT_NEAR(decisions(b.rows[i], static_cast<index>(p)), b.g[i] + b.offset,
                        2e-6 * b.largest_self * b.mass + 1e-12)
                << "decision of example " << b.rows[i] << ", problem " << p;
    }
}

}  // namespace mercer::svm_contract
