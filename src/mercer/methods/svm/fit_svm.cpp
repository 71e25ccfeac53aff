#include "mercer/methods/svm/fit_svm.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/data/vectors.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/make_gram.h"
#include "mercer/methods/canonical_order.h"
#include "mercer/methods/checkpoint.h"
#include "mercer/methods/svm/multiclass.h"
#include "mercer/methods/svm/svm_model.h"

namespace mercer {

namespace {

constexpr double max_self_value = 1e30;  // so that sums and squared differences of kernel values do not overflow float

// The limits and the progress of a fit, shared by problems that are solved concurrently.
class fit_limits {
public:
    fit_limits(const svm_options& options, index problems) : options_(options), problems_(problems) {}

    smo_options for_problem(index which, index concurrent_problems) {
        smo_options s;
        s.tol = options_.tol;
        s.cache_bytes = options_.memory_bytes / static_cast<std::size_t>(concurrent_problems);
        s.working_set_bytes = options_.memory_bytes;
        s.shrinking = options_.shrinking;
        s.max_steps = options_.max_steps;
        s.max_seconds = std::max(0.0, options_.max_seconds - seconds());
        s.bounded =
            std::isfinite(options_.C) || (options_.task != svm_task::c_svc && options_.task != svm_task::epsilon_svr);
        if (!options_.checkpoint_file.empty()) s.checkpoint_seconds = options_.checkpoint_seconds;
        if (options_.progress)
            s.progress = [this, which](const smo_progress& now) {
                const std::lock_guard guard(lock_);
                if (!stopped_ && !options_.progress({now, which, problems_})) stopped_ = true;
                return !stopped_;
            };
        return s;
    }
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    }

private:
    const svm_options& options_;
    index problems_;
    std::mutex lock_;
    bool stopped_ = false;
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

// Fails if kernel values are too large for float: every sum of the solver would become infinite.
void require_float_range(const gram<float>& K) {
    std::vector<float> self(static_cast<std::size_t>(K.rows()));
    K.diagonal(self);
    for (std::size_t i = 0; i < self.size(); ++i)
        if (!(std::abs(self[i]) < max_self_value))
            fail(errc::data, fmt::format("svm: kernel values must satisfy |k(x, x)| < {:g}, got {:g} for example {}: "
                                         "scale the data, or use another kernel",
                                         max_self_value, self[i], i));
}

// The dual of problem number `which`.
dual_input dual_of(const training_set& t, const binary_problem& problem, std::size_t which, index problems) {
    const svm_options& o = t.options;
    dual_input in;
    in.task = o.task;
    in.sign = problem.sign;
    in.penalty = problem.penalty;
    in.nu = o.nu;
    in.epsilon = o.epsilon;
    in.rows = problem.rows;
    for (const index row : problem.rows) in.y.push_back(o.task == svm_task::one_class ? 0.0 : t.y[row]);
    if (o.start) in.start = start_coefficients(*o.start, t, problem, which);
    if (!o.checkpoint_file.empty())
        in.checkpoint_file = problems == 1 ? o.checkpoint_file : fmt::format("{}.{}", o.checkpoint_file, which);
    return in;
}

dual_solution solve_on_rows(const gram<float>& fast, const gram<double>& exact, const dual_input& in,
                            const smo_options& options) {
    const bool everything =
        static_cast<index>(in.rows.size()) == exact.rows() && std::is_sorted(in.rows.begin(), in.rows.end());
    if (everything) return solve_dual(fast, exact, in, options);
    const subset<float> some_fast(fast, in.rows);
    const subset<double> some_exact(exact, in.rows);
    return solve_dual(some_fast, some_exact, in, options);
}

svm_model fit_ranked(const gram<float>& fast, const gram<double>& exact, std::span<const double> y,
                     const svm_options& options, std::span<const index> rank) {
    const index n = exact.rows();
    check_svm(options, n, y);
    require_float_range(fast);
    std::unique_ptr<fit_limits> shared;
    std::mutex making;  // instead of std::call_once, which an exception of std::bad_alloc cannot leave
    return fit_problems(
        n, y, options, rank,
        [&](const training_set& t, const binary_problem& problem, std::size_t p, index concurrent_problems) {
            const index problems = class_problems(static_cast<index>(t.classes.size()), options.classes).count();
            {
                const std::lock_guard one_at_a_time(making);
                if (!shared) shared = std::make_unique<fit_limits>(options, problems);
            }
            dual_input in = dual_of(t, problem, p, problems);
            const smo_options steps = shared->for_problem(static_cast<index>(p), concurrent_problems);
            // Class weights are factors of C = 1/ρ, so the problem is first solved without them to find ρ.
            if (options.class_weight_of_C && options.task == svm_task::nu_svc && !options.class_weight.empty()) {
                for (std::size_t i = 0; i < in.penalty.size(); ++i) in.penalty[i] = t.weight[problem.rows[i]];
                const svm_report unweighted = solve_on_rows(fast, exact, in, steps).report;
                in.task = svm_task::c_svc;
                for (std::size_t i = 0; i < in.penalty.size(); ++i) in.penalty[i] = problem.penalty[i] * unweighted.C;
                dual_solution weighted = solve_on_rows(fast, exact, in, steps);
                weighted.report.C = unweighted.C, weighted.report.no_margin = unweighted.no_margin;
                return weighted;
            }
            return solve_on_rows(fast, exact, in, steps);
        });
}

// Fits without the examples of weight 0, which must not affect even the mean that is subtracted from the data before
// float kernel values are computed.
svm_model fit_without_zero_weights(const kernel& k, const dataset& x, std::span<const double> y,
                                   const svm_options& options) {
    std::vector<index> used;
    svm_options rest = options;
    rest.sample_weight.clear();
    std::vector<double> targets;
    for (index i = 0; i < x.size(); ++i) {
        if (options.sample_weight[i] == 0) continue;
        used.push_back(i);
        rest.sample_weight.push_back(options.sample_weight[i]);
        if (!y.empty()) targets.push_back(y[i]);
    }
    svm_model model = fit_svm(k, gather(x, std::span<const index>(used)), targets, rest);
    for (index& row : model.support_rows) row = used[row];
    model.training_size = x.size();
    return model;
}

// Linear models do not depend on the origin: Σα = 0 in every dual except that of one-class, so xᵢᵀxⱼ and (xᵢ-m)ᵀ(xⱼ-m)
// give the same problem. Rounding depends on it: if the examples are far from the origin compared with their spread,
// their kernel values differ only in the last digits. Such examples are fitted around their mean m, and
// f(x) = wᵀ(x-m) + b' is converted to wᵀx + (b' - wᵀm).

// The mean of the vectors if its squared norm is more than 1000 times their variance; else nothing.
template <class T>
std::optional<std::vector<double>> mean_far_from_origin_of(const dense<T>& x) {
    const index n = x.size(), d = x.dims();
    if (n == 0 || d == 0) return {};
    std::vector<double> mean(static_cast<std::size_t>(d));
    for (index i = 0; i < n; ++i)
        for (index a = 0; a < d; ++a) mean[static_cast<std::size_t>(a)] += static_cast<double>(x.row(i)[a]);
    constexpr double many_times = 1000;  // up to here at most ten of the 24 bits of a float are lost
    double far = 0, spread = 0;
    for (double& m : mean) m /= static_cast<double>(n), far += m * m;
    for (index i = 0; i < n; ++i)
        for (index a = 0; a < d; ++a) {
            const double off = static_cast<double>(x.row(i)[a]) - mean[static_cast<std::size_t>(a)];
            spread += off * off;
        }
    if (!(far > many_times * spread / static_cast<double>(n))) return {};
    return mean;
}

// x - m
template <class T>
dataset minus_mean(const dense<T>& x, const std::vector<double>& mean) {
    constexpr index rows_at_once = 256;
    matrix<double> out(x.size(), x.dims());
    parallel_chunks(x.size(), rows_at_once, [&](index first, index end) {
        for (index i = first; i < end; ++i)
            for (index a = 0; a < x.dims(); ++a)
                out(i, a) = static_cast<double>(x.row(i)[a]) - mean[static_cast<std::size_t>(a)];
    });
    return dense<double>(std::move(out));
}

std::optional<std::vector<double>> mean_far_from_origin(const dataset& x) {
    if (const auto* wide = x.as<dense<double>>()) return mean_far_from_origin_of(*wide);
    if (const auto* narrow = x.as<dense<float>>()) return mean_far_from_origin_of(*narrow);
    return {};
}

dataset subtract_mean(const dataset& x, const std::vector<double>& mean) {
    if (const auto* narrow = x.as<dense<float>>()) return minus_mean(*narrow, mean);
    return minus_mean(*x.as<dense<double>>(), mean);
}

// Fits a linear model to the examples minus their mean, and converts it to the original origin.
svm_model fit_centred(const std::vector<double>& mean, const kernel& k, const dataset& x, std::span<const double> y,
                      const svm_options& options) {
    const dataset near = subtract_mean(x, mean);
    svm_model model = fit_svm(k, near, y, options);
    const matrix<double> w = linear_weights(model);
    for (index p = 0; p < model.problems(); ++p) {
        double down = 0;
        for (index a = 0; a < w.cols(); ++a) down += w(p, a) * mean[static_cast<std::size_t>(a)];
        const auto at = static_cast<std::size_t>(p);
        model.offset[at] -= down;
        if (!model.report_of(p)) continue;
        model.reports[at].offset_low -= down;
        model.reports[at].offset_high -= down;
    }
    attach(model, k, x);
    return model;
}

}  // namespace

svm_model fit_svm(const gram<float>& fast, const gram<double>& exact, std::span<const double> y,
                  const svm_options& options) {
    return fit_ranked(fast, exact, y, options, {});
}

svm_model fit_svm(const kernel& k, const dataset& x, std::span<const double> y, const svm_options& options) {
    require_finite(x);
    check_svm(options, x.size(), y);
    require_feasible_nu(x.size(), y, options);
    const auto& weight = options.sample_weight;
    const auto absent = std::count(weight.begin(), weight.end(), 0.0);
    if (absent > 0 && absent < static_cast<std::ptrdiff_t>(weight.size()) && !options.start)
        return fit_without_zero_weights(k, x, y, options);
    if (k.text() == "linear()" && options.task != svm_task::one_class)
        if (const auto mean = mean_far_from_origin(x)) return fit_centred(*mean, k, x, y, options);
    const std::vector<index> rank = options.canonical_order ? canonical_ranks(x, y, weight) : std::vector<index>{};
    // A quarter of the memory may be used for copies of the data that are faster to evaluate: packed floats, and dense
    // rows of data that are stored as sparse but have few zeros.
    const std::size_t share = options.memory_bytes / 4;
    const auto fast = make_gram<float>(k, x, {share, share, true});
    const auto exact = make_gram<double>(k, x, {0, x.is_sparse() ? share : 0, true});
    svm_options rest = options;
    rest.memory_bytes -= std::min(fast->stored_bytes() + exact->stored_bytes(), options.memory_bytes);
    svm_model model = fit_ranked(*fast, *exact, y, rest, rank);
    attach(model, k, x);
    return model;
}

svm_model fit_svm_precomputed(matrix_view<const double> K, std::span<const double> y, const svm_options& options) {
    if (K.rows != K.cols)
        fail(errc::invalid_argument,
             fmt::format("svm: a precomputed kernel matrix must be square, got {} × {}", K.rows, K.cols));
    for (index i = 0; i < K.rows; ++i)
        for (index j = 0; j < K.cols; ++j)
            if (!std::isfinite(K(i, j)))
                fail(errc::data,
                     fmt::format("svm: kernel matrix, row {}, column {}: {} is not a finite number", i, j, K(i, j)));
    require_feasible_nu(K.rows, y, options);
    const precomputed<double> exact(K);
    const float_gram fast(exact);
    return fit_svm(fast, exact, y, options);
}

std::size_t fit_memory(const kernel&, const dataset& x, const svm_options& options) {
    // The estimate adds to the budget for kernel rows 64 bytes per example for targets, norms and the model, and 8 MB
    // for the program. The tiles of each thread hold 64 packed rows of floats, 64 packed rows of doubles, 32 rows while
    // they are packed, and the packed columns.
    const std::size_t tiles =
        x.is_sparse() ? 0 : static_cast<std::size_t>(threads()) * static_cast<std::size_t>(x.dims()) * 1200;
    return options.memory_bytes + static_cast<std::size_t>(x.size()) * 64 + tiles + (std::size_t{8} << 20);
}

namespace {

// A dual in the form of box_problem.
struct dual_problem {
    std::vector<double> p, lower, upper, start;
    std::vector<std::uint8_t> group;
    double sums[2] = {0, 0};  // Σα of each group
    bool doubled = false;     // true: two variables per example
};

// Makes the start of group g feasible: clips it to the bounds and changes it in a single pass so that it sums to `sum`.
void make_feasible(dual_problem& q, int g, double sum) {
    q.sums[g] = sum;
    const auto mine = [&](std::size_t i) { return q.group.empty() || q.group[i] == g; };
    double have = 0;
    for (std::size_t i = 0; i < q.start.size(); ++i) {
        if (!mine(i)) continue;
        q.start[i] = std::clamp(q.start[i], q.lower[i], q.upper[i]);
        have += q.start[i];
    }
    double missing = sum - have;
    // Change variables between their bounds first: a rounding error should not move a variable away from its bound.
    for (const bool inside : {true, false})
        for (std::size_t i = 0; i < q.start.size() && missing != 0; ++i) {
            if (!mine(i) || (inside && !(q.start[i] > q.lower[i] && q.start[i] < q.upper[i]))) continue;
            const double moved = std::clamp(q.start[i] + missing, q.lower[i], q.upper[i]);
            missing -= moved - q.start[i];
            q.start[i] = moved;
        }
}

// The bounds of signed α: [0, C] for a positive example, [-C, 0] for a negative one.
void add_signed_boxes(dual_problem& q, const dual_input& in) {
    for (std::size_t i = 0; i < in.penalty.size(); ++i) {
        q.lower.push_back(in.sign[i] > 0 ? 0 : -in.penalty[i]);
        q.upper.push_back(in.sign[i] > 0 ? in.penalty[i] : 0);
    }
}

dual_problem make_c_svc_dual(const dual_input& in) {
    dual_problem q;
    q.p = in.sign;
    add_signed_boxes(q, in);
    if (!in.start.empty()) {
        q.start = in.start;
        make_feasible(q, 0, 0);
    }
    return q;
}

// Σ|α| over each class is νn/2 (with weights, ν/2 times their sum), or the sum of the upper bounds of the class if that
// is less, which can occur for a subset of examples on all of which ν is feasible. Both groups are filled from their
// first examples.
dual_problem make_nu_svc_dual(const dual_input& in) {
    dual_problem q;
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
    // The coefficients of a start are divided by the margin of its model: scale them to the required sums.
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

dual_problem make_one_class_dual(const dual_input& in) {
    dual_problem q;
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

// ε-regression with ε = 0: α and α* of an example have the same F, so their difference in [-C, C] is used as a single
// variable. Two variables would be identical for pairs and singular for factorisations.
dual_problem make_absolute_loss_dual(const dual_input& in) {
    dual_problem q;
    q.p = in.y;
    for (const double most : in.penalty) q.lower.push_back(-most), q.upper.push_back(most);
    q.start = in.start.empty() ? std::vector<double>(in.y.size(), 0.0) : in.start;
    make_feasible(q, 0, 0);
    return q;
}

// α in [0, C] for the first n variables and -α* in [-C, 0] for the others, over the mirrored kernel matrix.
dual_problem make_svr_dual(const dual_input& in) {
    if (in.task == svm_task::epsilon_svr && in.epsilon == 0) return make_absolute_loss_dual(in);
    dual_problem q;
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

dual_problem make_dual(const dual_input& in) {
    switch (in.task) {
        case svm_task::c_svc: return make_c_svc_dual(in);
        case svm_task::nu_svc: return make_nu_svc_dual(in);
        case svm_task::one_class: return make_one_class_dual(in);
        default: return make_svr_dual(in);
    }
}

// The value of F on the margin of one group: the mean over the `count` free variables, or the middle of [low, high] if
// there are none. low <= value <= high; with free variables the interval is as wide as the gap.
struct level {
    double value = 0, low = 0, high = 0;
    index count = 0;
};

level margin_level(const dual_problem& q, const smo_result& r, int g) {
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

[[noreturn]] void fail_not_separable(const dual_input& in, const smo_result& r) {
    // The two examples, one of each class, with the largest multipliers.
    std::size_t a = 0, b = 0;
    for (std::size_t i = 0; i < r.alpha.size(); ++i) {
        if (r.alpha[i] > r.alpha[a]) a = i;
        if (r.alpha[i] < r.alpha[b]) b = i;
    }
    if (r.alpha[a] == 0 && r.alpha[b] == 0)
        fail(errc::infeasible,
             fmt::format("{}: the examples cannot be separated in this kernel's feature space as C = infinity "
                         "requires, because the kernel values differ by rounding errors only. Use a finite C, or a "
                         "kernel with a richer feature space (a larger gamma or degree)",
                         in.sign.empty() ? "svr" : "hard margin"));
    if (in.sign.empty())
        fail(
            errc::infeasible,
            fmt::format("svr: no function of this kernel's feature space is within epsilon = {} of all targets, as C = "
                        "infinity requires; the multipliers of examples {} and {} grow without bound ({:.3g} and "
                        "{:.3g} so far). Use a finite C, or a larger epsilon",
                        in.epsilon, in.rows[a % in.rows.size()], in.rows[b % in.rows.size()], r.alpha[a], -r.alpha[b]));
    fail(errc::infeasible,
         fmt::format("hard margin: the classes cannot be separated in this kernel's feature space; the multipliers of "
                     "examples {} and {} grow without bound ({:.3g} and {:.3g} so far). Use a finite C, or a kernel "
                     "with a richer feature space (a larger gamma or degree)",
                     in.rows[a], in.rows[b], r.alpha[a], -r.alpha[b]));
}

// ρ of ν-classification: on the margins Kα = r₁ for y = +1 and -r₂ for y = -1, and ρ = (r₁+r₂)/2.
double margin_of(const dual_problem& q, const smo_result& r) {
    return (margin_level(q, r, 1).value - margin_level(q, r, 0).value) / 2;
}

// The largest |k(x, x)|, and the largest squared distance in feature space from the first example.
struct extent {
    double max_self_value = 0;
    double square = 0;
};

extent extent_of(const gram<double>& K) {
    std::vector<double> self(static_cast<std::size_t>(K.rows())), first(self);
    K.diagonal(self);
    K.row(0, first.data());
    extent out;
    for (std::size_t i = 0; i < self.size(); ++i) {
        out.max_self_value = std::max(out.max_self_value, std::abs(self[i]));
        out.square = std::max(out.square, self[0] + self[i] - 2 * first[i]);
    }
    return out;
}

// Returns true if w is 0 up to noise. With s = Σ|α| of one class, w/s connects two points of the reduced convex hulls
// of the classes; for small ν the hulls may intersect. With w = 0 there is no ρ > 0.
bool hulls_intersect(const gram<double>& K, const dual_problem& q, const smo_result& r, const extent& all) {
    constexpr double near = 1e-3;       // relative to the extent: smaller distances are considered noise
    constexpr double rounding = 1e-13;  // relative to kernel values, for examples far from the origin
    const double close = (near * near * all.square + rounding * all.max_self_value) * q.sums[0] * q.sums[0];
    if (r.objective > 1e4 * close) return false;  // by more than the error of float kernel values
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

// Solves ν-classification. Its decision function is f/ρ, so the tolerance must be relative to ρ, which is known only
// from a solution. The problem is therefore solved to tol and then again, from that solution, to tol·ρ if ρ < 1. For
// kernel values so large that double cannot represent a gap of tol, the tolerance is larger.
smo_result solve_nu_svc(const gram<float>& fast, const gram<double>& exact, const dual_problem& q,
                        smo_options options) {
    const smo_options asked = options;
    const extent all = extent_of(exact);
    // F is a sum of kernel values with coefficients of sum q.sums[0], so its rounding error is about 1e-14·mass.
    const double mass = q.sums[0] * all.max_self_value, unit = std::max(1.0, 1e-8 * mass);
    options.tol = asked.tol * unit;
    smo_result r = solve_smo(fast, exact, {q.p, q.lower, q.upper, q.group, q.start}, options);
    for (bool aimed_lower = false;;) {
        const double rho =
            std::abs(margin_of(q, r));  // negative only within the gap, or if K is not positive semidefinite
        const double wanted = asked.tol * std::min(unit, rho);
        if (r.status == fit_status::stalled && aimed_lower && r.gap <= wanted) {
            options.tol = wanted,
            aimed_lower = false;  // the gap is small enough, but above the target: certify it for `wanted`
        } else {
            if (!is_optimal(r.status) || r.gap <= wanted) break;
            const bool known = rho > 2 * r.gap;
            if (!known && hulls_intersect(exact, q, r, all)) break;
            options.tol = known ? 0.9 * wanted : 0.1 * r.gap;
            aimed_lower = true;
        }
        options.max_seconds = asked.max_seconds - r.seconds;
        options.max_steps = asked.max_steps - r.steps;
        const smo_result before = std::move(r);
        r = solve_smo(fast, exact, {q.p, q.lower, q.upper, q.group, before.alpha}, options);
        r.add_earlier_run(before);
    }
    return r;
}

}  // namespace

dual_solution solve_dual(const gram<float>& fast, const gram<double>& exact, const dual_input& in,
                         smo_options options) {
    dual_problem q = make_dual(in);
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
        const duplicated_gram<float> fast2(fast);
        const duplicated_gram<double> exact2(exact);
        r = solve_smo(fast2, exact2, problem, options);
    } else if (in.task == svm_task::nu_svc) {
        r = solve_nu_svc(fast, exact, q, options);
    } else {
        r = solve_smo(fast, exact, problem, options);
    }
    if (r.status == fit_status::unbounded) fail_not_separable(in, r);
    // Write the final α too: an interrupted fit of many problems then need not solve this one again.
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
        // Dividing by ρ sets the margins to ±1. Without a margin f is not divided: the fit ended early, or the optimum
        // is w = 0.
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
