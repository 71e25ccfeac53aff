// A report on a trained soft-margin classifier: every example, and the conditions of the optimum, checked on the
// training data.
//
//     primal   min ½‖w‖² + Σ Cᵢξᵢ     yᵢf(xᵢ) >= 1-ξᵢ, ξᵢ >= 0,        f(x) = ⟨w, φ(x)⟩ + b
//     dual     max Σα - ½‖w‖²         0 <= αᵢ <= Cᵢ, Σαᵢyᵢ = 0,        w = Σ αᵢyᵢφ(xᵢ)
//
// With ξᵢ = max(0, 1 - yᵢf(xᵢ)) and βᵢ = Cᵢ - αᵢ the optimum is characterised by αᵢ(yᵢf(xᵢ) - 1 + ξᵢ) = 0 and βᵢξᵢ = 0
// (Karush, Kuhn, Tucker). The sum of these products is the duality gap, and a solver that stops at a KKT violation of g
// leaves each product at most Cᵢg. Every number of the report is recomputed in double from α, b and kernel values; the
// only number taken from the solver is the violation that it claims to have reached (svm_report::gap).
//
// The bounds (the leave-one-out error is at most #SV/n, and R²/ρ² bounds the VC dimension; #SV is the number of support
// vectors, R the radius of the smallest ball that contains all φ(xᵢ), and ρ = 1/‖w‖ the margin) hold for an optimum.
// The report measures whether the model is an optimum to optimum_tolerance, independently of the claimed violation. If
// it is not, or if the problem is not known to be convex, the report states no bounds, and no_bounds gives the reason.
//
// With a hard margin ½‖w‖² is an upper bound only if all yᵢf(xᵢ) >= 1. The primal value is then that of w divided by
// the smallest yᵢf(xᵢ), and infinite if an example is on the wrong side.
//
// A ν-classifier is reported as the equivalent C-classifier: its coefficients were divided by the margin, and C = 1/ρ
// is stored with the fit (svm_report).
//
// Example:
//
//     #include <mercer/inspection/margin_report_text.h>
//     #include <mercer/methods/svm/fit_svm.h>
//
//     const table data = read_table("data/heart_scale.svm");
//     const svm_model m = fit_svm(gaussian{0.1}, data.x, data.y, svm_options{});
//     const margin_report report = report_margins(m, data.x, data.y);
//     assert(report.problems[0].optimal() && report.support > 0);
//     std::cout << report_text(report, {.data = "heart_scale.svm"});
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/gram/gram.h"
#include "mercer/inspection/enclosing_ball.h"
#include "mercer/methods/svm/cross_validation.h"
#include "mercer/methods/svm/svm_model.h"

namespace mercer {

// The largest tolerance of yᵢf(xᵢ) = 1. Tolerances that depend on the claimed gap are at most this value.
inline constexpr double optimum_tolerance = 0.01;

enum class alpha_case { zero, free, bound };                    // α = 0; 0 < α < C; α = C
enum class margin_side { outside, on, inside, misclassified };  // yf > 1; = 1; 0 <= yf < 1; yf < 0, with yf = yᵢf(xᵢ)
const char* name(alpha_case which) noexcept;
const char* name(margin_side which) noexcept;

// One training example in one binary problem.
struct margin_example {
    index row = 0;  // row of the training data
    double y = 1;   // label ±1
    double C = 1;   // C of this example, including weights
    double alpha = 0, beta = 0;
    double slack = 0;  // ξ; 0 with a hard margin
    double f = 0;
    alpha_case kind = alpha_case::zero;
    margin_side side = margin_side::outside;
};

// The largest violation of one optimality condition.
struct kkt_violation {
    std::string condition;  // e.g. "complementary slackness of α"
    std::string formula;    // e.g. "αᵢ(yᵢf(xᵢ) - 1 + ξᵢ) = 0"
    double size = 0;
    index row = -1;  // row of the example with the largest violation; -1: the condition concerns all examples together
    double allowed = 0;  // violation that the claimed gap of the solver and rounding can explain
    bool holds() const { return size <= allowed; }
};

// The normal vector w of the separating hyperplane, written out by features.
struct explicit_normal {
    std::vector<std::string> names;  // names of the features
    std::vector<double> w;
    double largest_difference = 0;  // largest |⟨w, φ(x)⟩ + b - f(x)| over the examples
};

// The report on one binary problem.
struct margin_problem {
    index number = 0;
    std::string positive, negative;  // names of the classes y = +1 and y = -1
    double C = 1;                    // C of the problem, without weights
    std::vector<margin_example> examples;
    std::array<index, 3> cases{};  // counts by alpha_case
    std::array<index, 4> sides{};  // counts by margin_side
    // Examples with |yf - 1| <= margin_tolerance count as on the margin: the claimed gap, at most optimum_tolerance.
    double margin_tolerance = 0;
    double squared_norm = 0;  // ‖w‖² = Σ αᵢαⱼyᵢyⱼk(xᵢ, xⱼ); negative only if k is not positive semidefinite
    double norm = 0;          // ‖w‖
    double margin = 0;  // 1/‖w‖; infinite for w = 0
    std::optional<explicit_normal> normal;
    double b = 0;
    // number of free support vectors; b is the mean over them, or any number in [b_low, b_high] if there are none
    index margin_vectors = 0;
    // the interval of optimal b: [max Fᵢ over the α that may grow, min Fᵢ over the α that may fall] with F = y - ⟨w,
    // φ(x)⟩; swapped if the ends are in the wrong order
    double b_low = 0, b_high = 0;
    double primal = 0, dual = 0;  // primal is infinite if w has no hard margin
    double solver_gap = 0;        // KKT violation of the most violating pair, measured by the report
    // gap claimed by the solver; margin_options::tol if it is not stored or the fit ended early
    double claimed_gap = 0;
    bool claim_known = true;
    std::vector<kkt_violation> kkt;
    std::optional<enclosing_ball> ball;
    std::optional<index> dimension;  // dimension of the feature space, if it is finite and at most a million
    std::optional<double> vc_bound;  // min(⌈R²/ρ²⌉, d) + 1: R radius of `ball`, ρ `margin`, d `dimension`
    std::string no_bounds;  // the reason why no bounds are stated; empty: the model is the optimum of a convex problem

    index size() const { return static_cast<index>(examples.size()); }
    index support() const { return cases[1] + cases[2]; }
    double duality_gap() const;  // 0 if only rounding makes it negative
    double support_share() const { return static_cast<double>(support()) / static_cast<double>(size()); }
    std::optional<double> loo_bound() const {
        return no_bounds.empty() ? std::optional(support_share()) : std::nullopt;
    }                      // upper bound of the leave-one-out error
    bool optimal() const;  // true if all conditions hold
};

// The error on examples that were left out of the fit.
struct error_estimate {
    std::string method;  // "leave-one-out" or "5 folds"
    index wrong = 0;
    index size = 0;
    index fits = 0;             // number of fits
    inner_fits fit_outcomes{};  // how the binary problems of these fits ended
    double rate() const { return static_cast<double>(wrong) / static_cast<double>(size); }
};

// The report on a classifier.
struct margin_report {
    svm_task task = svm_task::c_svc;
    std::string kernel_text;  // "precomputed" if there is none
    bool proven = true;       // the expression of the kernel proves it to be positive semidefinite
    bool C_inferred = false;  // C is not stored in the model: the largest α is used
    index n = 0;
    index correct = 0;  // number of correctly classified training examples
    index support = 0;  // number of examples that are support vectors of at least one problem
    std::vector<margin_problem> problems;
    std::optional<error_estimate> estimate;  // set by the caller (leave_one_out.h)

    double support_share() const { return static_cast<double>(support) / static_cast<double>(n); }
    std::string no_bounds() const;  // the reason of the first problem that has one
    std::optional<double> loo_bound() const {
        return no_bounds().empty() ? std::optional(support_share()) : std::nullopt;
    }
    double accuracy() const { return static_cast<double>(correct) / static_cast<double>(n); }
};

// Options of report_margins().
struct margin_options {
    std::optional<double> C;  // C, if the model does not store it (LIBSVM files)
    double tol = 1e-3;        // gap assumed for a model that does not store one; the default of all solvers
    std::vector<std::pair<double, double>> class_weight;  // class weights of the fit
    std::vector<double> sample_weight;
    bool ball = true;                        // compute the smallest enclosing ball; costs about n² kernel values
    index max_features = 10'000;             // w is written out if the feature space has at most this dimension
    std::vector<std::string> feature_names;  // names for the w of the linear kernel
};

// Reports on a classifier. x and y are the training examples and their labels; support vectors are located among them
// (binary_problems.h). Time n·#SV kernel values, and n² with the enclosing ball. Supports C- and ν-classification;
// throws errc::unsupported for other tasks.
margin_report report_margins(const svm_model& model, const dataset& x, std::span<const double> y,
                             const margin_options& options = {});
// Reports on a model that was fitted on a kernel matrix: K is the kernel matrix of the training examples, and
// model.support_rows are rows of K.
margin_report report_margins(const svm_model& model, const gram<double>& K, std::span<const double> y,
                             const margin_options& options = {});

}  // namespace mercer
