#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/gram/gram_views.h"
#include "mercer/methods/checkpoint.h"
#include "mercer/methods/svm/fit_svm.h"

namespace mercer {
namespace {

// A dual as the solver wants it.
struct posed {
    std::vector<double> p, lower, upper, start;
    std::vector<std::uint8_t> group;
    double sums[2] = {0, 0};  // what each group adds up to
    bool doubled = false;     // two variables per example
};

// Moves an α into its box and its group sums to `sum`, changing it as little as a single pass does.
void make_feasible(posed& q, int g, double sum) {
    q.sums[g] = sum;
    const auto mine = [&](std::size_t i) { return q.group.empty() || q.group[i] == g; };
    double have = 0;
    for (std::size_t i = 0; i < q.start.size(); ++i) {
        if (!mine(i)) continue;
        q.start[i] = std::clamp(q.start[i], q.lower[i], q.upper[i]);
        have += q.start[i];
    }
    double missing = sum - have;
    // Variables inside their interval first: a rounding error should not move one that rests at a bound.
    for (const bool inside : {true, false})
        for (std::size_t i = 0; i < q.start.size() && missing != 0; ++i) {
            if (!mine(i) || (inside && !(q.start[i] > q.lower[i] && q.start[i] < q.upper[i]))) continue;
            const double moved = std::clamp(q.start[i] + missing, q.lower[i], q.upper[i]);
            missing -= moved - q.start[i];
            q.start[i] = moved;
        }
}

// α in [0, C] of a positive example, in [-C, 0] of a negative one.
void add_signed_boxes(posed& q, const dual_input& in) {
    for (std::size_t i = 0; i < in.penalty.size(); ++i) {
        q.lower.push_back(in.sign[i] > 0 ? 0 : -in.penalty[i]);
        q.upper.push_back(in.sign[i] > 0 ? in.penalty[i] : 0);
    }
}

posed pose_c_svc(const dual_input& in) {
    posed q;
    q.p = in.sign;
    add_signed_boxes(q, in);
    if (!in.start.empty()) {
        q.start = in.start;
        make_feasible(q, 0, 0);
    }
    return q;
}

// Σ over each class is νn/2 (with weights: ν times half the total), or all a class has where that is less (a part of
// the examples, on all of which ν is feasible); both groups start filled from their first examples.
posed pose_nu_svc(const dual_input& in) {
    posed q;
    const std::size_t n = in.penalty.size();
    add_signed_boxes(q, in);
    double total = 0, have[2] = {0, 0};
    for (std::size_t i = 0; i < n; ++i) {
        q.group.push_back(in.sign[i] > 0 ? 0 : 1);
        total += in.penalty[i];
        have[q.group[i]] += in.penalty[i];
    }
    const double each[2] = {std::min(in.nu * total / 2, have[0]), std::min(in.nu * total / 2, have[1])};
    q.p.assign(n, 0.0);
    q.start = in.start;
    q.start.resize(n, 0.0);
    // Coefficients of a model were divided by its margin: brought back to the sums they had, up to the difference in ν.
    double sum[2] = {0, 0};
    for (std::size_t i = 0; i < n; ++i) sum[q.group[i]] += std::abs(q.start[i]);
    for (std::size_t i = 0; i < n; ++i)
        if (const int g = q.group[i]; sum[g] > 0) {
            q.start[i] *= each[g] / sum[g];
            if (std::abs(q.start[i]) >= in.penalty[i] * (1 - 1e-12)) q.start[i] = in.sign[i] * in.penalty[i];
        }
    make_feasible(q, 0, each[0]);
    make_feasible(q, 1, -each[1]);
    return q;
}

posed pose_one_class(const dual_input& in) {
    posed q;
    const std::size_t n = in.penalty.size();
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) total += in.penalty[i];
    q.p.assign(n, 0.0);
    q.lower.assign(n, 0.0);
    q.upper = in.penalty;
    q.start = in.start.empty() ? std::vector<double>(n, 0.0) : in.start;
    make_feasible(q, 0, in.nu * total);
    return q;
}

// ε-regression with ε = 0: α and α* of an example have one and the same F, so that their difference in [-C, C] is one
// variable. Two would be twins that pairs and factorisations cannot tell apart.
posed pose_absolute_loss(const dual_input& in) {
    posed q;
    q.p = in.y;
    for (const double most : in.penalty) q.lower.push_back(-most), q.upper.push_back(most);
    q.start = in.start.empty() ? std::vector<double>(in.y.size(), 0.0) : in.start;
    make_feasible(q, 0, 0);
    return q;
}

// α in [0, C] and -α* in [-C, 0], side by side over the mirrored kernel.
posed pose_svr(const dual_input& in) {
    if (in.task == svm_task::epsilon_svr && in.epsilon == 0) return pose_absolute_loss(in);
    posed q;
    const std::size_t n = in.penalty.size();
    const bool nu = in.task == svm_task::nu_svr;
    q.doubled = true;
    double total = 0;
    for (int half = 0; half < 2; ++half)
        for (std::size_t i = 0; i < n; ++i) {
            q.p.push_back(in.y[i] + (nu ? 0 : half == 0 ? -in.epsilon : in.epsilon));
            q.lower.push_back(half == 0 ? 0 : -in.penalty[i]);
            q.upper.push_back(half == 0 ? in.penalty[i] : 0);
            if (nu) q.group.push_back(static_cast<std::uint8_t>(half));
            total += in.penalty[i] / 2;
        }
    q.start.assign(2 * n, 0.0);
    for (std::size_t i = 0; i < in.start.size(); ++i) q.start[in.start[i] > 0 ? i : n + i] = in.start[i];
    if (nu) {
        make_feasible(q, 0, in.nu * total / 2);
        make_feasible(q, 1, -in.nu * total / 2);
    } else {
        make_feasible(q, 0, 0);
    }
    return q;
}

posed pose(const dual_input& in) {
    switch (in.task) {
        case svm_task::c_svc: return pose_c_svc(in);
        case svm_task::nu_svc: return pose_nu_svc(in);
        case svm_task::one_class: return pose_one_class(in);
        default: return pose_svr(in);
    }
}

// The value that F has on the margin of one group: the mean over free variables, or the middle of the interval that is
// left. low <= value <= high: free variables hold the interval open by as much as the gap.
struct level {
    double value = 0, low = 0, high = 0;
    index count = 0;
};

level margin_level(const posed& q, const smo_result& r, int g) {
    level made;
    double sum = 0;
    made.low = -std::numeric_limits<double>::infinity();
    made.high = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < r.alpha.size(); ++i) {
        if (!q.group.empty() && q.group[i] != g) continue;
        const bool up = r.alpha[i]<q.upper[i], down = r.alpha[i]> q.lower[i];
        if (up && down) sum += r.F[i], ++made.count;
        if (up) made.low = std::max(made.low, r.F[i]);
        if (down) made.high = std::min(made.high, r.F[i]);
    }
    if (!std::isfinite(made.low)) made.low = made.high;
    if (!std::isfinite(made.high)) made.high = made.low;
    if (made.low > made.high) std::swap(made.low, made.high);
    made.value = made.count > 0 ? sum / static_cast<double>(made.count) : (made.low + made.high) / 2;
    return made;
}

[[noreturn]] void not_separable(const dual_input& in, const smo_result& r) {
    // The two examples, one of each class, that pull hardest against each other.
    std::size_t a = 0, b = 0;
    for (std::size_t i = 0; i < r.alpha.size(); ++i) {
        if (r.alpha[i] > r.alpha[a]) a = i;
        if (r.alpha[i] < r.alpha[b]) b = i;
    }
    if (r.alpha[a] == 0 && r.alpha[b] == 0)
        fail(errc::infeasible,
             fmt::format("{}: the examples cannot be told apart in this kernel's feature space as C = infinity asks: "
                         "its values differ by rounding only. Use a "
                         "finite C, or a kernel with a richer feature space (a larger gamma or degree)",
                         in.sign.empty() ? "svr" : "hard margin"));
    if (in.sign.empty())
        fail(errc::infeasible, fmt::format("svr: no function of this kernel's feature space is within epsilon = {} of "
                                           "all targets, as C = infinity asks; "
                                           "examples {} and {} have multipliers {:.3g} and {:.3g} "
                                           "and growing. Use a finite C, or a larger epsilon",
                                           in.epsilon, in.rows[a % in.rows.size()], in.rows[b % in.rows.size()],
                                           r.alpha[a], -r.alpha[b]));
    fail(errc::infeasible,
         fmt::format("hard margin: the classes cannot be separated in this kernel's feature space; examples {} and {} "
                     "have multipliers {:.3g} and {:.3g} and growing. "
                     "Use a finite C, or a kernel with a richer feature space (a larger gamma or degree)",
                     in.rows[a], in.rows[b], r.alpha[a], -r.alpha[b]));
}

// ν-classification: on the margins Kα = r₁ for y = +1 and -r₂ for y = -1, and ρ = (r₁+r₂)/2.
double margin_of(const posed& q, const smo_result& r) {
    return (margin_level(q, r, 1).value - margin_level(q, r, 0).value) / 2;
}

// How large kernel values are, and the square of how far apart the examples lie in feature space.
struct extent {
    double largest_self = 0;
    double square = 0;
};

extent extent_of(const gram<double>& K) {
    std::vector<double> self(static_cast<std::size_t>(K.rows())), first(self);
    K.diagonal(self);
    K.row(0, first.data());
    extent out;
    for (std::size_t i = 0; i < self.size(); ++i) {
        out.largest_self = std::max(out.largest_self, std::abs(self[i]));
        out.square = std::max(out.square, self[0] + self[i] - 2 * first[i]);
    }
    return out;
}

// Whether w is as good as 0: w/s, s the sum of either class, joins two points of their reduced hulls, which so small a
// ν lets meet. With w = 0 no ρ > 0 is of use.
bool hulls_meet(const gram<double>& K, const posed& q, const smo_result& r, const extent& all) {
    constexpr double near = 1e-3;  // of the extent: what is closer is told apart by noise
    constexpr double rounding =
        1e-13;  // of kernel values: examples may lie so far from the origin that it is all that tells them apart
    const double close = (near * near * all.square + rounding * all.largest_self) * q.sums[0] * q.sums[0];
    if (r.objective > 1e4 * close) return false;  // beyond the error of kernel values in float
    std::vector<index> support;
    for (std::size_t i = 0; i < r.alpha.size(); ++i)
        if (r.alpha[i] != 0) support.push_back(static_cast<index>(i));
    const auto count = static_cast<index>(support.size());
    matrix<double> a(count, 1), Ka(count, 1);
    for (index i = 0; i < count; ++i) a(i, 0) = r.alpha[static_cast<std::size_t>(support[static_cast<std::size_t>(i)])];
    subset<double>(K, support).multiply(a.view(), Ka.view());
    double square = 0;
    for (index i = 0; i < count; ++i) square += a(i, 0) * Ka(i, 0);
    return square <= close;
}

// The decision function of ν-classification is f/ρ: a gap means no more than it is beside ρ, which is known when the
// problem is solved. So it is solved again from there, as finely as ρ asks for: to tol·ρ, or to tol where that is finer
// and kernel values are not so large that double cannot tell.
smo_result solve_to_margin(const gram<float>& fast, const gram<double>& exact, const posed& q, smo_options options) {
    const smo_options asked = options;
    const extent all = extent_of(exact);
    // Values of F are sums of `mass` of kernel values: double tells them apart to some 1e-14 of that.
    const double mass = q.sums[0] * all.largest_self, unit = std::max(1.0, 1e-8 * mass);
    options.tol = asked.tol * unit;
    smo_result r = solve_smo(fast, exact, {q.p, q.lower, q.upper, q.group, q.start}, options);
    for (bool aimed_lower = false;;) {
        const double rho =
            std::abs(margin_of(q, r));  // below 0 only where K is not positive semidefinite, or up to the gap
        const double wanted = asked.tol * std::min(unit, rho);
        if (r.status == fit_status::stalled && aimed_lower && r.gap <= wanted) {
            options.tol = wanted,
            aimed_lower = false;  // short of its aim, but not of what was asked for: that is to be certified
        } else {
            if (!finished(r.status) || r.gap <= wanted) break;
            const bool known = rho > 2 * r.gap;
            if (!known && hulls_meet(exact, q, r, all)) break;
            options.tol = known ? 0.9 * wanted : 0.1 * r.gap;
            aimed_lower = true;
        }
        options.most_seconds = asked.most_seconds - r.seconds;
        options.most_steps = asked.most_steps - r.steps;
        const smo_result before = std::move(r);
        r = solve_smo(fast, exact, {q.p, q.lower, q.upper, q.group, before.alpha}, options);
        r.add_run_before(before);
    }
    return r;
}

}  // namespace

dual_solution solve_dual(const gram<float>& fast, const gram<double>& exact, const dual_input& in,
                         smo_options options) {
    posed q = pose(in);
    if (!in.checkpoint_file.empty()) {
        const checkpoint_problem key{q.p, q.lower, q.upper, q.sums};
        if (auto saved = read_checkpoint(in.checkpoint_file, key)) q.start = std::move(*saved);
        options.checkpoint = [&in, key](std::span<const double> alpha) {
            write_checkpoint(in.checkpoint_file, key, alpha);
        };
    }
    const box_problem problem{q.p, q.lower, q.upper, q.group, q.start};
    smo_result r;
    if (q.doubled) {
        const mirrored<float> fast2(fast);
        const mirrored<double> exact2(exact);
        r = solve_smo(fast2, exact2, problem, options);
    } else if (in.task == svm_task::nu_svc) {
        r = solve_to_margin(fast, exact, q, options);
    } else {
        r = solve_smo(fast, exact, problem, options);
    }
    if (r.status == fit_status::unbounded) not_separable(in, r);
    // The end is worth keeping too: a fit cut short goes on from it, and one of many problems is not solved again.
    if (options.checkpoint) options.checkpoint(r.alpha);

    dual_solution out;
    const std::size_t n = in.penalty.size();
    out.coef.assign(r.alpha.begin(), r.alpha.begin() + static_cast<std::ptrdiff_t>(n));
    if (q.doubled)
        for (std::size_t i = 0; i < n; ++i) out.coef[i] += r.alpha[n + i];
    const level first = margin_level(q, r, 0);
    out.report = {
        r.status,    r.gap,     r.objective, r.steps,    r.rounds, r.flat_steps, r.concave_steps, static_cast<index>(n),
        first.count, first.low, first.high,  in.epsilon, r.seconds};
    out.offset = first.value;
    if (in.task == svm_task::nu_svc) {
        // Dividing by ρ puts the margins at ±1. Where there is none, f stays as it is: cut short before there was a
        // margin, or the optimum is w = 0.
        const level second = margin_level(q, r, 1);
        const double r1 = -first.value, r2 = second.value;
        out.report.no_margin = !((r1 + r2) / 2 > 2 * r.gap);
        const double scale = out.report.no_margin ? 1 : (r1 + r2) / 2;
        out.report.C = 1 / scale;
        out.report.gap = r.gap / scale;
        for (double& c : out.coef) c /= scale;
        out.offset = -(r1 - r2) / 2 / scale;
        out.report.offset_low = (first.low + second.low) / 2 / scale;
        out.report.offset_high = (first.high + second.high) / 2 / scale;
        out.report.margin_vectors = first.count + second.count;
    }
    if (in.task == svm_task::nu_svr) {
        const level second = margin_level(q, r, 1);
        out.offset = (first.value + second.value) / 2;
        out.report.epsilon = (first.value - second.value) / 2;
        out.report.offset_low = (first.low + second.low) / 2;
        out.report.offset_high = (first.high + second.high) / 2;
        out.report.margin_vectors = first.count + second.count;
    }
    return out;
}

}  // namespace mercer
