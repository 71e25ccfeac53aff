// What a trained soft-margin classifier is, example by example, checked against the theory on its own training data.
//
//     primal   min ½‖w‖² + Σ Cᵢξᵢ     yᵢf(xᵢ) >= 1-ξᵢ, ξᵢ >= 0,        f(x) = ⟨w, φ(x)⟩ + b
//     dual     max Σα - ½‖w‖²         0 <= αᵢ <= Cᵢ, Σαᵢyᵢ = 0,        w = Σ αᵢyᵢφ(xᵢ)
//
// With ξᵢ = max(0, 1 - yᵢf(xᵢ)) and βᵢ = Cᵢ - αᵢ the optimum is where αᵢ(yᵢf(xᵢ) - 1 + ξᵢ) = 0 and βᵢξᵢ = 0 (Karush,
// Kuhn, Tucker). These products add up to primal minus dual, and a solver that stops at a gap of g leaves each at most
// Cᵢg. Every number here is computed again from α, b and kernel values in double; nothing is taken from what the solver
// said except the gap it claims.
//
// What follows from a model (the leave-one-out error is at most #SV/n, R²/ρ² bounds the VC dimension) follows from an
// optimum. Whether the model is one is measured here, to optimum_tolerance whatever gap the solver claims; where it is
// not, or the problem is not known to be convex, no such thing is said, and the report tells why.
//
// With a hard margin ½‖w‖² is an upper bound only where all yᵢf(xᵢ) >= 1: the primal value is that of w divided by the
// smallest yᵢf(xᵢ), infinite where an example is on the wrong side.
//
// ν-classification is reported as the C-classification it is equal to: after its coefficients were divided by the
// margin, C = 1/ρ, which the fit keeps (svm_report).
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

// Of yf, where the margin is at 1: allowances never grow beyond it.
inline constexpr double optimum_tolerance = 0.01;

enum class alpha_case { zero, free, bound };                    // α = 0; 0 < α < C; α = C
enum class margin_side { outside, on, inside, misclassified };  // yf > 1; = 1; 0 <= yf < 1; yf < 0
const char* name(alpha_case which) noexcept;
const char* name(margin_side which) noexcept;

struct margin_example {
    index row = 0;  // among the training examples
    double y = 1;   // ±1
    double C = 1;   // its own, weights included
    double alpha = 0, beta = 0;
    double slack = 0;  // ξ; 0 with a hard margin, which has none
    double f = 0;
    alpha_case kind = alpha_case::zero;
    margin_side side = margin_side::outside;
};

// The largest violation of one condition.
struct kkt_violation {
    std::string condition;  // "complementary slackness of α"
    std::string formula;    // "αᵢ(yᵢf(xᵢ) - 1 + ξᵢ) = 0"
    double size = 0;
    index row = -1;      // the example where it occurs; -1: all together
    double allowed = 0;  // what the solver's gap and rounding leave
    bool holds() const { return size <= allowed; }
};

struct explicit_normal {
    std::vector<std::string> names;  // of the features
    std::vector<double> w;
    double largest_difference = 0;  // between ⟨w, φ(x)⟩ + b and f(x) by the kernel, over the examples
};

struct margin_problem {
    index number = 0;
    std::string positive, negative;  // names of the classes y = +1 and y = -1
    double C = 1;                    // before weights
    std::vector<margin_example> examples;
    std::array<index, 3> cases{};  // by alpha_case
    std::array<index, 4> sides{};  // by margin_side
    double edge =
        0;  // |yf - 1| up to this counts as on the margin: the gap the solver claims, optimum_tolerance at most
    double squared_norm = 0;  // ‖w‖² = αᵀ(y y' K)α; negative only where k is not a kernel
    double norm = 0;          // ‖w‖
    double margin = 0;        // 1/‖w‖, infinite for w = 0
    std::optional<explicit_normal> normal;
    double b = 0;
    index margin_vectors = 0;  // b is their mean, or any number of the interval when there are none
    double b_low = 0, b_high = 0;  // [max Fᵢ over α that may grow, min over α that may fall], F = y - ⟨w, φ(x)⟩, turned
                                   // the right way round
    double primal = 0, dual = 0;  // primal infinite: a hard margin that this w does not have
    double solver_gap = 0;        // of the most violating pair, measured here
    double claimed_gap = 0;       // by the solver; margin_options.tol where it does not say, or was cut short
    bool claim_known = true;
    std::vector<kkt_violation> kkt;
    std::optional<enclosing_ball> ball;
    std::optional<index> dimension;  // of the feature space, where it is finite and at most a million
    std::optional<double> vc_bound;  // min(⌈R²/ρ²⌉, d) + 1
    std::string no_bounds;  // why nothing follows from this model; empty: it is the optimum of a convex problem

    index size() const { return static_cast<index>(examples.size()); }
    index support() const { return cases[1] + cases[2]; }
    double duality_gap() const;  // 0 where rounding alone leaves it below
    double support_share() const { return static_cast<double>(support()) / static_cast<double>(size()); }
    std::optional<double> loo_bound() const {
        return no_bounds.empty() ? std::optional(support_share()) : std::nullopt;
    }                      // >= the leave-one-out error
    bool optimal() const;  // all conditions hold
};

// How often examples that a fit has not seen are decided wrongly.
struct error_estimate {
    std::string method;  // "leave-one-out", "5 folds"
    index wrong = 0;
    index size = 0;
    index fits = 0;      // how many it took
    inner_fits ended{};  // and how their binary problems ended
    double rate() const { return static_cast<double>(wrong) / static_cast<double>(size); }
};

struct margin_report {
    svm_task task = svm_task::c_svc;
    std::string kernel_text;  // "precomputed" where there is none
    bool proven = true;       // that it is a kernel
    bool C_inferred = false;  // the model does not say it: the largest α is taken
    index n = 0;
    index correct = 0;  // training examples
    index support = 0;  // examples that are a support vector of at least one problem
    std::vector<margin_problem> problems;
    std::optional<error_estimate> estimate;  // set by the caller: see leave_one_out.h

    double support_share() const { return static_cast<double>(support) / static_cast<double>(n); }
    std::string no_bounds() const;  // of the first problem that has one to say
    std::optional<double> loo_bound() const {
        return no_bounds().empty() ? std::optional(support_share()) : std::nullopt;
    }
    double accuracy() const { return static_cast<double>(correct) / static_cast<double>(n); }
};

struct margin_options {
    std::optional<double> C;  // where the model does not hold it (LIBSVM's files)
    double tol = 1e-3;  // the gap that a model is held to which claims none of its own: the default of all solvers
    std::vector<std::pair<double, double>> class_weight;  // as the fit had them
    std::vector<double> sample_weight;
    bool ball = true;                        // costs about n² kernel values
    index most_features = 10'000;            // w is written out up to this dimension
    std::vector<std::string> feature_names;  // for the w of the linear kernel
};

// x and y are the training examples; support vectors are found among them (binary_problems.h). C- and ν-classification;
// the other tasks are refused.
margin_report report_margins(const svm_model& model, const dataset& x, std::span<const double> y,
                             const margin_options& options = {});
// K is the matrix of the training examples, model.support_rows are rows of it: for models on a precomputed kernel.
margin_report report_margins(const svm_model& model, const gram<double>& K, std::span<const double> y,
                             const margin_options& options = {});

}  // namespace mercer
