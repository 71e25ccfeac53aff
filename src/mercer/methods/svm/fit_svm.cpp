#include "mercer/methods/svm/fit_svm.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/make_gram.h"
#include "mercer/gram/narrowed.h"
#include "mercer/gram/precomputed.h"
#include "mercer/methods/canonical_order.h"
#include "mercer/methods/svm/linear_origin.h"
#include "mercer/methods/svm/multiclass.h"
#include "mercer/methods/svm/svm.h"
#include "mercer/methods/svm/svm_model.h"

namespace mercer {

const char* name(svm_task task) noexcept {
    constexpr const char* names[] = {"c_svc", "nu_svc", "one_class", "epsilon_svr", "nu_svr"};
    return names[static_cast<int>(task)];
}

fit_status svm_model::worst_status() const {
    fit_status worst = fit_status::converged;
    for (const auto& each : reports) worst = std::max(worst, each.status);
    return worst;
}

void add_to_summary(svm_report& to, const svm_report& r) {
    to.offset_low = to.size == 0 ? r.offset_low : std::min(to.offset_low, r.offset_low);
    to.offset_high = to.size == 0 ? r.offset_high : std::max(to.offset_high, r.offset_high);
    to.status = std::max(to.status, r.status);
    to.gap = std::max(to.gap, r.gap);
    to.objective += r.objective;
    to.steps += r.steps, to.rounds += r.rounds;
    to.flat_steps += r.flat_steps, to.concave_steps += r.concave_steps;
    to.size += r.size;
    to.margin_vectors += r.margin_vectors;
    to.epsilon = std::max(to.epsilon, r.epsilon);
    to.seconds += r.seconds;
    to.no_margin |= r.no_margin;
    to.C = std::max(to.C, r.C);
}

bool svm_model::lacks_margin() const { return std::ranges::any_of(reports, &svm_report::no_margin); }

double svm_model::largest_gap() const {
    double gap = 0;
    for (const auto& each : reports) gap = std::max(gap, each.gap);
    return gap;
}

namespace {

constexpr double largest_self = 1e30;  // leaves room in float for sums and for squares of differences

// The control of a fit, shared by problems that may run side by side.
class control {
public:
    control(const svm_options& options, index problems) : options_(options), problems_(problems) {}

    smo_options for_problem(index which, index side_by_side) {
        smo_options s;
        s.tol = options_.tol;
        s.cache_bytes = options_.memory_bytes / static_cast<std::size_t>(side_by_side);
        s.block_bytes = options_.memory_bytes;
        s.shrinking = options_.shrinking;
        s.most_steps = options_.most_steps;
        s.most_seconds = std::max(0.0, options_.most_seconds - seconds());
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

// Kernel values beyond the range of float would make every sum of the solver infinite.
void require_float_range(const gram<float>& K) {
    std::vector<float> self(static_cast<std::size_t>(K.rows()));
    K.diagonal(self);
    for (std::size_t i = 0; i < self.size(); ++i)
        if (!(std::abs(self[i]) < largest_self))
            fail(errc::data, fmt::format("svm: kernel values must satisfy |k(x, x)| < {:g}, got {:g} for example {}: "
                                         "scale the data, or use another kernel",
                                         largest_self, self[i], i));
}

// The dual of problem `which`, one of so many.
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
    if (o.start) in.start = earlier_coefficients(*o.start, t, problem, which);
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
    std::unique_ptr<control> shared;
    std::mutex making;  // std::call_once cannot be left by an exception where memory is exhausted
    return fit_problems(
        n, y, options, rank,
        [&](const training_set& t, const binary_problem& problem, std::size_t p, index side_by_side) {
            const index problems = class_problems(static_cast<index>(t.classes.size()), options.classes).count();
            {
                const std::lock_guard one_at_a_time(making);
                if (!shared) shared = std::make_unique<control>(options, problems);
            }
            dual_input in = dual_of(t, problem, p, problems);
            const smo_options steps = shared->for_problem(static_cast<index>(p), side_by_side);
            // Weights of classes are factors of C = 1/ρ, which is found without them first.
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

// An example of weight 0 is absent: not even the mean that kernel values in float are taken around may feel it.
svm_model fit_without_absent(const kernel& k, const dataset& x, std::span<const double> y, const svm_options& options) {
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

// A linear machine fitted around the mean of its examples, and moved back to where they are.
svm_model fit_around(const std::vector<double>& mean, const kernel& k, const dataset& x, std::span<const double> y,
                     const svm_options& options) {
    const dataset near = moved_to_origin(x, mean);
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

void attach(svm_model& model, const kernel& k, const dataset& x) {
    if (!k.proof().valid)
        for (auto& report : model.reports)
            if (report.status == fit_status::converged) report.status = fit_status::stationary;
    model.k = std::make_shared<const kernel>(k);
    model.kernel_text = k.text();
    model.dims = x.dims();
    model.support = gather(x, std::span<const index>(model.support_rows));
}

svm_model fit_svm(const kernel& k, const dataset& x, std::span<const double> y, const svm_options& options) {
    require_finite(x);
    check_svm(options, x.size(), y);
    require_feasible_nu(x.size(), y, options);
    const auto& weight = options.sample_weight;
    const auto absent = std::count(weight.begin(), weight.end(), 0.0);
    if (absent > 0 && absent < static_cast<std::ptrdiff_t>(weight.size()) && !options.start)
        return fit_without_absent(k, x, y, options);
    if (k.text() == "linear()" && options.task != svm_task::one_class)
        if (const auto mean = distant_mean(x)) return fit_around(*mean, k, x, y, options);
    const std::vector<index> rank = options.any_order ? example_ranks(x, y, weight) : std::vector<index>{};
    // Part of the memory may hold the data as the tile loops like them best: floats, packed when there is room for that
    // too, and rows that are stored as sparse ones but are not.
    const std::size_t share = options.memory_bytes / 4;
    const auto fast = make_gram<float>(k, x, {share, share, true});
    const auto exact = make_gram<double>(k, x, {0, x.is_sparse() ? share : 0, true});
    svm_options rest = options;
    rest.memory_bytes -= std::min(fast->kept_bytes() + exact->kept_bytes(), options.memory_bytes);
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
    const narrowed fast(exact);
    return fit_svm(fast, exact, y, options);
}

std::size_t fit_memory(const kernel&, const dataset& x, const svm_options& options) {
    // Beside the budget, per example: targets, norms, the model; and what a program has anyway. The tiles of each
    // thread are whole rows: 64 of floats and 64 of doubles packed, 32 on their way there, and the blocks that are
    // streamed against them.
    const std::size_t tiles =
        x.is_sparse() ? 0 : static_cast<std::size_t>(threads()) * static_cast<std::size_t>(x.dims()) * 1200;
    return options.memory_bytes + static_cast<std::size_t>(x.size()) * 64 + tiles + (std::size_t{8} << 20);
}

}  // namespace mercer
