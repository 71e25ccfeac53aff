#include "mercer/inspection/margin_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "mercer/base/error.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/make_gram.h"
#include "mercer/inspection/binary_problems.h"
#include "mercer/kernels/features/feature_map.h"

namespace mercer {

const char* name(alpha_case which) noexcept {
    constexpr const char* names[] = {"zero", "free", "bound"};
    return names[static_cast<int>(which)];
}

const char* name(margin_side which) noexcept {
    constexpr const char* names[] = {"outside", "on", "inside", "misclassified"};
    return names[static_cast<int>(which)];
}

bool margin_problem::optimal() const { return std::ranges::all_of(kkt, &kkt_violation::holds); }

double margin_problem::duality_gap() const {
    const double gap = primal - dual;
    return gap < 0 && gap > -1e-9 * (std::abs(primal) + std::abs(dual)) ? 0 : gap;
}

std::string margin_report::no_bounds() const {
    for (const margin_problem& p : problems)
        if (!p.no_bounds.empty())
            return problems.size() == 1 ? p.no_bounds
                                        : fmt::format("{} against {}: {}", p.positive, p.negative, p.no_bounds);
    return {};
}

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double bound_tolerance =
    1e-10;  // α >= C(1 - bound_tolerance) counts as α = C: dividing by the margin of ν-SVC and decimal files leave such errors

// Data shared by all binary problems.
struct report_data {
    const svm_model& model;
    const gram<double>& K;
    const dataset* x;  // null for a precomputed kernel
    const margin_options& options;
    std::vector<index> of_class;     // class of every example
    std::vector<double> weight;      // factor of C of every example
    matrix<double> sums;             // ⟨w, φ(xᵢ)⟩ of every problem, from α and K
    matrix<double> decisions;        // f computed from the support objects of the model; empty for a precomputed kernel
    std::optional<feature_map> map;  // set if φ has at most a million features
    std::vector<double> sizes;       // Σ|α|·max|K| of every problem, to which rounding is relative
};

void check_task(const svm_model& model) {
    if (!model.is_classifier())
        fail(errc::unsupported, fmt::format("a margin report needs a classifier (c_svc or nu_svc); this model is {}, "
                                            "which has no margin between classes",
                                            name(model.task)));
    if (model.classes.size() < 2 || model.problems() == 0)
        fail(errc::unsupported, "a margin report needs a model of at least two classes");
}

void check(const svm_model& model, index n, std::span<const double> y, const margin_options& options) {
    check_task(model);
    if (static_cast<index>(y.size()) != n)
        fail(errc::invalid_argument, fmt::format("margin report: {} examples but {} labels", n, y.size()));
    if (!options.sample_weight.empty() && static_cast<index>(options.sample_weight.size()) != n)
        fail(errc::invalid_argument,
             fmt::format("margin report: {} examples but {} sample weights", n, options.sample_weight.size()));
    if (!(options.tol > 0))
        fail(errc::invalid_argument, fmt::format("margin report: must satisfy tol > 0, got {}", options.tol));
    if (options.C && !(*options.C > 0))
        fail(errc::invalid_argument, fmt::format("margin report: must satisfy C > 0, got {}", *options.C));
    for (const index row : model.support_rows)
        if (row < 0 || row >= n)
            fail(errc::data, fmt::format("margin report: example {} is a support vector of the model, but the data "
                                         "have only {} examples: pass the data that the model was fitted on",
                                         row, n));
}

// The factor of C of every example: sample weight times class weight; 0 means that the example does not take part.
std::vector<double> weights(const svm_model& model, const std::vector<index>& of_class, const margin_options& options) {
    std::vector<double> of(model.classes.size(), 1.0), out;
    for (const auto& [label, factor] : options.class_weight)
        for (std::size_t c = 0; c < of.size(); ++c)
            if (model.classes[c] == label) of[c] = factor;
    for (std::size_t i = 0; i < of_class.size(); ++i)
        out.push_back(of[static_cast<std::size_t>(of_class[i])] *
                      (options.sample_weight.empty() ? 1.0 : options.sample_weight[i]));
    return out;
}

// Computes the sums of all problems in one pass over the columns of K that belong to support vectors.
void compute_sums(report_data& e) {
    const index n = e.K.rows(), problems = e.model.problems();
    std::vector<index> everyone(static_cast<std::size_t>(n));
    for (index i = 0; i < n; ++i) everyone[static_cast<std::size_t>(i)] = i;
    matrix<double> coef(e.model.coef.cols(), problems);
    e.sums = matrix<double>(n, problems);
    e.sizes.assign(static_cast<std::size_t>(problems), 0.0);
    std::vector<double> self(static_cast<std::size_t>(n));
    e.K.diagonal(self);
    double most = 0;  // |K(i, j)| <= max K(i, i) if K is positive semidefinite
    for (const double each : self) most = std::max(most, std::abs(each));
    for (index p = 0; p < problems; ++p)
        for (const auto& [s, value] : problem_coefficients(e.model, p)) {
            coef(s, p) = value;
            e.sizes[static_cast<std::size_t>(p)] += std::abs(value) * most;
        }
    if (coef.rows() > 0) subset<double>(e.K, everyone, e.model.support_rows).multiply(coef.view(), e.sums.view());
    if (e.x) e.decisions = decide(e.model, *e.x, arithmetic::exact);
}

void find_feature_map(report_data& e) {
    if (!e.x || !e.model.k || e.x->kind() != object_kind::vectors) return;
    try {
        e.map.emplace(*e.model.k, e.x->dims());
    } catch (const error&) {  // φ is infinite or too large, or k is not a kernel
    }
}

double penalty_of(const report_data& e, index p, bool& inferred) {
    if (e.options.C) return *e.options.C;
    const svm_report* stored_report = e.model.report_of(p);
    if (stored_report && e.model.task == svm_task::c_svc && stored_report->size > 0) return e.model.C;
    if (stored_report && e.model.task == svm_task::nu_svc && stored_report->C > 0) return stored_report->C;
    // Uses the largest α. This is C if an α is at its bound; otherwise every larger C has the same optimum.
    inferred = true;
    double most = 0;
    for (index q = 0; q < e.model.problems(); ++q) {
        if (e.model.task == svm_task::nu_svc && q != p) continue;  // each problem has its own ρ
        for (const auto& [s, value] : problem_coefficients(e.model, q)) {
            const double weight = e.weight[static_cast<std::size_t>(e.model.support_rows[static_cast<std::size_t>(s)])];
            if (weight > 0) most = std::max(most, std::abs(value) / weight);
        }
    }
    return most > 0 ? most : 1.0;
}

void classify_examples(margin_problem& p) {
    for (margin_example& e : p.examples) {
        e.kind = e.alpha == 0                             ? alpha_case::zero
                 : e.alpha >= e.C * (1 - bound_tolerance) ? alpha_case::bound
                                                          : alpha_case::free;
        const double reach = e.y * e.f;
        e.side = reach < 0                                   ? margin_side::misclassified
                 : reach > 1 + p.margin_tolerance            ? margin_side::outside
                 : std::abs(reach - 1) <= p.margin_tolerance ? margin_side::on
                                                             : margin_side::inside;
        ++p.cases[static_cast<std::size_t>(e.kind)];
        ++p.sides[static_cast<std::size_t>(e.side)];
    }
}

// Determines the interval of b: F is a lower bound of b for the examples whose signed α may grow, and an upper bound
// for the examples whose signed α may fall. low - high is the gap of the solver.
void find_offset_interval(margin_problem& p) {
    double low = -infinity, high = infinity;
    for (const margin_example& e : p.examples) {
        const double F = e.y - (e.f - p.b);
        const bool below_C = e.alpha<e.C*(1 - bound_tolerance), above_0 = e.alpha> 0;
        if (e.y > 0 ? below_C : above_0) low = std::max(low, F);
        if (e.y > 0 ? above_0 : below_C) high = std::min(high, F);
    }
    if (!std::isfinite(low)) low = high;
    if (!std::isfinite(high)) high = low;
    p.solver_gap = low - high;
    p.b_low = std::min(low, high);
    p.b_high = std::max(low, high);
}

// The gap that the conditions are checked with: the claimed gap, but at most optimum_tolerance, so that not every model
// passes.
double allowed_gap(const margin_problem& p) { return std::clamp(p.claimed_gap, 0.0, optimum_tolerance); }

void check_conditions(margin_problem& p, const report_data& e, double rounding) {
    double max_C = 0, sum = 0, sum_alpha = 0;
    for (const margin_example& x : p.examples) {
        if (std::isfinite(x.C)) max_C = std::max(max_C, x.C);
        max_C = std::max(max_C, x.alpha);
        sum += x.y * x.alpha;
        sum_alpha += x.alpha;
    }
    const double gap = allowed_gap(p);
    const auto worst = [&](const char* condition, const char* formula, double allowed, auto size) {
        kkt_violation v{condition, formula, 0, -1, allowed};
        for (const margin_example& x : p.examples)
            if (const double here = size(x); here > v.size || v.row < 0) v.size = here, v.row = x.row;
        p.kkt.push_back(std::move(v));
    };
    const double tiny = 64 * epsilon * std::max(max_C, 1.0);
    const bool hard = std::ranges::any_of(p.examples, [](const margin_example& x) { return !std::isfinite(x.C); });
    worst("stationarity in w", "w = Σ αᵢyᵢφ(xᵢ)", 1e-6 * (1 + e.sizes[static_cast<std::size_t>(p.number)]),
          [&](const margin_example& x) {
              // ⟨w, φ(xᵢ)⟩ from the support objects of the model and from K must agree.
              return e.decisions.rows() == 0 ? 0.0 : std::abs(e.decisions(x.row, p.number) - x.f);
          });
    p.kkt.push_back({"stationarity in b", "Σ αᵢyᵢ = 0", std::abs(sum), -1,
                     static_cast<double>(p.size()) * 4 * epsilon * std::max(sum_alpha, 1.0) + 1e-9 * max_C});
    if (!hard)
        worst("stationarity in ξ", "αᵢ + βᵢ = Cᵢ", tiny,
              [](const margin_example& x) { return std::abs(x.alpha + x.beta - x.C); });
    worst("primal feasibility", hard ? "yᵢf(xᵢ) >= 1" : "yᵢf(xᵢ) >= 1 - ξᵢ, ξᵢ >= 0", (hard ? gap : 0.0) + rounding,
          [](const margin_example& x) {
              return std::max({0.0, 1 - x.slack - x.y * x.f, -x.slack});
          });
    worst("dual feasibility", hard ? "αᵢ >= 0" : "0 <= αᵢ <= Cᵢ", tiny, [](const margin_example& x) {
        return std::max({0.0, -x.alpha, x.alpha - x.C});
    });
    worst("complementary slackness of α", "αᵢ(yᵢf(xᵢ) - 1 + ξᵢ) = 0", max_C * (gap + rounding),
          [](const margin_example& x) { return std::abs(x.alpha * (x.y * x.f - 1 + x.slack)); });
    if (!hard)
        worst("complementary slackness of β", "βᵢξᵢ = 0", max_C * (gap + rounding),
              [](const margin_example& x) { return std::abs(x.beta * x.slack); });
}

// w as numbers, if φ has few enough features.
std::optional<explicit_normal> compute_normal(const margin_problem& p, const report_data& e) {
    if (!e.map || e.map->size() > e.options.max_features) return {};
    const feature_map* map = &*e.map;
    std::vector<index> rows;
    for (const margin_example& x : p.examples) rows.push_back(x.row);
    explicit_normal out;
    out.w.assign(static_cast<std::size_t>(map->size()), 0.0);
    const bool plain =
        e.model.k->text() == "linear()" && static_cast<index>(e.options.feature_names.size()) == map->size();
    out.names = plain ? e.options.feature_names : map->names();
    // Computes φ for batches of examples of about 8 MB, first to sum w = Σ αyφ(x), then to compare.
    const index chunk = std::max<index>(1, (index(1) << 20) / std::max<index>(map->size(), 1));
    const auto pass = [&](auto&& each) {
        for (index first = 0; first < p.size(); first += chunk) {
            const index count = std::min(chunk, p.size() - first);
            const dense<double> phi =
                map->apply(gather(*e.x, std::span<const index>(rows).subspan(static_cast<std::size_t>(first),
                                                                             static_cast<std::size_t>(count))));
            for (index i = 0; i < count; ++i) each(p.examples[static_cast<std::size_t>(first + i)], phi.row(i));
        }
    };
    pass([&](const margin_example& x, const double* phi) {
        if (x.alpha != 0)
            for (std::size_t j = 0; j < out.w.size(); ++j) out.w[j] += x.alpha * x.y * phi[j];
    });
    pass([&](const margin_example& x, const double* phi) {
        double f = p.b;
        for (std::size_t j = 0; j < out.w.size(); ++j) f += out.w[j] * phi[j];
        out.largest_difference = std::max(out.largest_difference, std::abs(f - x.f));
    });
    return out;
}

void bound_vc_dimension(margin_problem& p, const report_data& e) {
    if (!e.options.ball) return;
    std::vector<index> rows;
    for (const margin_example& x : p.examples) rows.push_back(x.row);
    p.ball = smallest_enclosing_ball(subset<double>(e.K, rows));
    if (!p.no_bounds.empty()) return;
    // Rounding must not lift a ratio over a whole number.
    const double ratio = p.ball->squared_radius * std::max(p.squared_norm, 0.0);
    double bound = std::ceil(ratio * (1 - 1e-6));
    if (p.dimension) bound = std::min(bound, static_cast<double>(*p.dimension));
    p.vc_bound = bound + 1;
}

// ½‖w/m‖² with m the smallest yf: rescaled so that no example is inside the margin; infinite if m <= 0.
double hard_margin_objective(const margin_problem& p) {
    double least = infinity;
    for (const margin_example& x : p.examples) least = std::min(least, x.y * x.f);
    return least > 0 ? p.squared_norm / 2 / least / least : infinity;
}

// The reason why no error bounds are stated for this problem; empty if they are.
std::string no_bounds_reason(const margin_problem& p, bool convex, bool no_margin, double rounding) {
    if (no_margin)
        return "ν is too small for these classes: no function separates them with a margin, and the optimum is w = 0";
    if (!p.optimal() || !(p.solver_gap <= optimum_tolerance + rounding))
        return fmt::format(
            "the model is not optimal to within {} in decision values (the margin is 1): fit it again with a smaller "
            "tol",
            optimum_tolerance);
    if (!convex || p.squared_norm < 0)
        return "the kernel is not proven to be positive semidefinite, so the problem may not be convex";
    return {};
}

margin_problem report_problem(const report_data& e, index number, bool& inferred) {
    const auto [positive, negative] = classes_of_problem(e.model, number);
    margin_problem p;
    p.number = number;
    p.positive = class_text(e.model, positive);
    p.negative = class_text(e.model, negative);
    p.b = e.model.offset[static_cast<std::size_t>(number)];
    p.C = penalty_of(e, number, inferred);
    std::map<index, double> coefficient;
    for (const auto& [s, value] : problem_coefficients(e.model, number))
        coefficient[e.model.support_rows[static_cast<std::size_t>(s)]] = value;

    double sum_alpha = 0, sum_slack = 0;
    for (index i = 0; i < e.K.rows(); ++i) {
        const index c = e.of_class[static_cast<std::size_t>(i)];
        const double weight = e.weight[static_cast<std::size_t>(i)];
        if ((c != positive && negative >= 0 && c != negative) || weight == 0) continue;
        margin_example x;
        x.row = i;
        x.y = c == positive ? 1 : -1;
        x.C = p.C * weight;
        const auto found = coefficient.find(i);
        x.alpha = found == coefficient.end() ? 0.0 : x.y * found->second;
        x.beta = x.C - x.alpha;
        x.f = e.sums(i, number) + p.b;
        x.slack = std::isfinite(x.C) ? std::max(0.0, 1 - x.y * x.f) : 0.0;
        sum_alpha += x.alpha;
        if (std::isfinite(x.C)) sum_slack += x.C * x.slack;
        p.squared_norm += x.alpha * x.y * e.sums(i, number);
        p.examples.push_back(x);
    }
    if (p.examples.empty())
        fail(errc::data, fmt::format("margin report: no example has class {} or {}", p.positive, p.negative));
    p.norm = std::sqrt(std::max(0.0, p.squared_norm));
    p.margin = p.norm > 0 ? 1 / p.norm : infinity;
    p.primal = p.squared_norm / 2 + sum_slack;
    if (!std::isfinite(p.C)) p.primal = hard_margin_objective(p);
    p.dual = sum_alpha - p.squared_norm / 2;
    find_offset_interval(p);
    const svm_report* stored_report = e.model.report_of(number);
    // A fit that was cut short claims no gap.
    p.claim_known = stored_report && stored_report->size > 0 && is_optimal(stored_report->status);
    // Other programs measure the gap with kernel values in float (hence 1 % more) and, for ν-SVC, before the
    // coefficients are divided by ρ = 1/C.
    p.claimed_gap =
        p.claim_known ? stored_report->gap : 1.01 * e.options.tol * (e.model.task == svm_task::nu_svc ? p.C : 1.0);
    const double rounding = 256 * epsilon * (1 + e.sizes[static_cast<std::size_t>(number)] + std::abs(p.b));
    p.margin_tolerance = std::min(allowed_gap(p) + rounding, 0.5);
    classify_examples(p);
    p.margin_vectors = p.cases[static_cast<std::size_t>(alpha_case::free)];
    check_conditions(p, e, rounding);
    if (e.map) p.dimension = e.map->size();
    p.normal = compute_normal(p, e);
    const bool convex =
        e.model.k ? e.model.k->proof().valid : !(stored_report && stored_report->status == fit_status::stationary);
    p.no_bounds = no_bounds_reason(p, convex, stored_report && stored_report->no_margin, rounding);
    if (convex) bound_vc_dimension(p, e);  // without a positive semidefinite kernel there are no distances
    return p;
}

margin_report report(const svm_model& model, const gram<double>& K, const dataset* x, std::span<const double> y,
                     const margin_options& options) {
    require_square(K, "a margin report");
    check(model, K.rows(), y, options);
    report_data e{model, K, x, options, class_numbers(model, y), {}, {}, {}, {}, {}};
    e.weight = weights(model, e.of_class, options);
    compute_sums(e);
    find_feature_map(e);
    margin_report out;
    out.task = model.task;
    out.kernel_text = model.k ? model.kernel_text : "precomputed";
    out.proven = !model.k || model.k->proof().valid;
    out.n = std::ranges::count_if(e.weight, [](double w) { return w > 0; });
    out.support = static_cast<index>(model.support_rows.size());
    for (index p = 0; p < model.problems(); ++p) out.problems.push_back(report_problem(e, p, out.C_inferred));
    matrix<double> f = e.sums;
    for (index i = 0; i < f.rows(); ++i)
        for (index p = 0; p < f.cols(); ++p) f(i, p) += model.offset[static_cast<std::size_t>(p)];
    const std::vector<double> said = predict(model, f.view());
    for (std::size_t i = 0; i < said.size(); ++i) out.correct += e.weight[i] > 0 && said[i] == y[i];
    return out;
}

}  // namespace

margin_report report_margins(const svm_model& model, const dataset& x, std::span<const double> y,
                             const margin_options& options) {
    if (!model.k)
        fail(
            errc::unsupported,
            "margin report: this model was fitted on a precomputed kernel matrix: pass the kernel matrix, not objects");
    check_task(model);
    require_finite(x);
    const svm_model found = locate_support_vectors(model, x, y);
    return report(found, *make_gram<double>(*found.k, x), &x, y, options);
}

margin_report report_margins(const svm_model& model, const gram<double>& K, std::span<const double> y,
                             const margin_options& options) {
    return report(model, K, nullptr, y, options);
}

}  // namespace mercer
