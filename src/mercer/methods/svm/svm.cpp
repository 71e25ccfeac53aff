#include "mercer/methods/svm/svm.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/methods/svm/example_order.h"
#include "mercer/methods/svm/linear_origin.h"
#include "mercer/methods/svm/svm_dual.h"
#include "mercer/methods/svm/svm_problems.h"
#include "mercer/methods/svm/svm_scores.h"
#include "mercer/gram/adaptors.h"
#include "mercer/gram/computed.h"
#include "mercer/gram/narrowed.h"
#include "mercer/gram/precomputed.h"

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

double svm_model::largest_gap() const {
    double gap = 0;
    for (const auto& each : reports) gap = std::max(gap, each.gap);
    return gap;
}

namespace {

constexpr double largest_self = 1e30;  // leaves room in float for sums and for squares of differences

void check(const svm_options& o, index n, std::span<const double> y) {
    const auto need = [](bool ok, const char* condition, double value) {
        if (!ok) fail(errc::invalid_argument, fmt::format("svm: must satisfy {}, got {}", condition, value));
    };
    need(o.C > 0, "C > 0", o.C);
    if (o.task == svm_task::nu_svr) need(std::isfinite(o.C), "C < infinity", o.C);
    need(o.tol > 0, "tol > 0", o.tol);
    need(o.epsilon >= 0 && std::isfinite(o.epsilon), "0 <= epsilon < infinity", o.epsilon);
    if (o.task == svm_task::nu_svc || o.task == svm_task::nu_svr || o.task == svm_task::one_class) need(o.nu > 0 && o.nu <= 1, "0 < nu <= 1", o.nu);
    if (n == 0) fail(errc::data, "svm: there are no examples");
    if (o.task != svm_task::one_class && static_cast<index>(y.size()) != n)
        fail(errc::invalid_argument, fmt::format("svm: {} examples but {} targets", n, y.size()));
    for (std::size_t i = 0; i < y.size() && o.task != svm_task::one_class; ++i)
        if (!std::isfinite(y[i])) fail(errc::data, fmt::format("svm: target {} is {}, not a finite number", i, y[i]));
    if (!o.sample_weight.empty() && static_cast<index>(o.sample_weight.size()) != n)
        fail(errc::invalid_argument, fmt::format("svm: {} examples but {} sample weights", n, o.sample_weight.size()));
    for (std::size_t i = 0; i < o.sample_weight.size(); ++i)
        if (!(o.sample_weight[i] >= 0) || !std::isfinite(o.sample_weight[i]))
            fail(errc::data, fmt::format("svm: sample weight {} must satisfy 0 <= weight < infinity, got {}", i, o.sample_weight[i]));
}

// The examples and classes of a fit: what every binary problem is cut out of.
struct training_set {
    std::span<const double> y;
    const svm_options& options;
    std::vector<index> used;     // examples of positive weight
    std::vector<double> weight;  // of all examples
    std::vector<double> classes;
    std::vector<double> class_weight;
    std::vector<std::vector<index>> members;  // of each class
    std::span<const index> rank;              // empty: problems take the examples as they stand; else by rising rank

    std::vector<index> in_order(std::vector<index> rows) const {
        if (!rank.empty()) std::sort(rows.begin(), rows.end(), [&](index a, index b) { return rank[a] < rank[b]; });
        return rows;
    }
};

void find_classes(training_set& t) {
    std::map<double, std::size_t> place;
    for (const index i : t.used) {
        const auto [at, fresh] = place.try_emplace(t.y[i], t.classes.size());
        if (fresh) t.classes.push_back(t.y[i]);
    }
    if (t.options.sorted_classes) std::sort(t.classes.begin(), t.classes.end());
    // LIBSVM's one exception to the order of appearance: +1 before -1.
    if (!t.options.sorted_classes && t.classes.size() == 2 && t.classes[0] == -1 && t.classes[1] == 1) std::swap(t.classes[0], t.classes[1]);
    if (t.classes.size() < 2)
        fail(errc::data,
             fmt::format("svm: at least two classes are needed, the {} examples all have label {}", t.used.size(), t.classes.empty() ? 0.0 : t.classes[0]));
    for (std::size_t c = 0; c < t.classes.size(); ++c) place[t.classes[c]] = c;
    t.members.resize(t.classes.size());
    t.class_weight.assign(t.classes.size(), 1.0);
    for (const index i : t.used) t.members[place[t.y[i]]].push_back(i);
    for (const auto& [label, factor] : t.options.class_weight) {
        if (!(factor > 0) || !std::isfinite(factor))
            fail(errc::invalid_argument, fmt::format("svm: the weight of class {} must satisfy 0 < weight < infinity, got {}", label, factor));
        if (const auto at = place.find(label); at != place.end()) t.class_weight[at->second] = factor;
    }
}

std::vector<binary_problem> cut(const training_set& t) {
    const auto& o = t.options;
    std::vector<binary_problem> problems;
    const auto penalty = [&](index row, std::size_t c) {
        const double base = o.task == svm_task::c_svc || o.task == svm_task::epsilon_svr || o.task == svm_task::nu_svr ? o.C : 1.0;
        return base * t.weight[row] * (t.class_weight.empty() ? 1.0 : t.class_weight[c]);
    };
    const auto add = [&](binary_problem& p, std::size_t c, double sign) {
        for (const index row : t.in_order(t.members[c])) p.rows.push_back(row), p.sign.push_back(sign), p.penalty.push_back(penalty(row, c));
    };
    if (t.classes.empty()) {
        binary_problem all;
        all.rows = t.in_order(t.used);
        for (const index row : all.rows) all.penalty.push_back(penalty(row, 0));
        problems.push_back(std::move(all));
        return problems;
    }
    const auto k = static_cast<index>(t.classes.size());
    class_problems(k, o.classes).each([&](index, index a, index b) {
        binary_problem p;
        p.first = a, p.second = b < 0 ? a : b;
        if (b < 0) {
            for (index c = 0; c < k; ++c) add(p, static_cast<std::size_t>(c), c == a ? 1 : -1);
        } else {
            add(p, static_cast<std::size_t>(a), 1);
            add(p, static_cast<std::size_t>(b), -1);
        }
        problems.push_back(std::move(p));
    });
    return problems;
}

// Large problems one after another with all threads inside each; then the small ones side by side, one thread each.
template <class Solve>
void schedule(const std::vector<binary_problem>& problems, Solve solve) {
    std::vector<std::size_t> order(problems.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return problems[a].rows.size() > problems[b].rows.size(); });
    const auto work = [&](std::size_t p) { return static_cast<double>(problems[p].rows.size()) * static_cast<double>(problems[p].rows.size()); };
    double left = 0;
    for (const std::size_t p : order) left += work(p);
    std::size_t first = 0;
    // A problem larger than a thread's fair share of what is left would keep one thread busy while the others wait.
    while (first < order.size() && work(order[first]) * threads() > 0.7 * left) {
        left -= work(order[first]);
        solve(order[first++], 1);
    }
    const index rest = static_cast<index>(order.size() - first);
    parallel_for(rest, [&](index i) { solve(order[first + static_cast<std::size_t>(i)], std::min<index>(threads(), rest)); });
}

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
        s.bounded = std::isfinite(options_.C) || (options_.task != svm_task::c_svc && options_.task != svm_task::epsilon_svr);
        if (options_.progress)
            s.progress = [this, which](const smo_progress& now) {
                const std::lock_guard guard(lock_);
                if (!stopped_ && !options_.progress({now, which, problems_})) stopped_ = true;
                return !stopped_;
            };
        return s;
    }
    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count(); }

private:
    const svm_options& options_;
    index problems_;
    std::mutex lock_;
    bool stopped_ = false;
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

// Signed dual coefficients of every problem → the model's tables.
void collect(svm_model& model, const training_set& t, const std::vector<binary_problem>& problems, const std::vector<dual_solution>& solved) {
    const index n = static_cast<index>(t.weight.size());
    std::vector<char> is_support(static_cast<std::size_t>(n), 0);
    for (std::size_t p = 0; p < problems.size(); ++p)
        for (std::size_t i = 0; i < problems[p].rows.size(); ++i)
            if (solved[p].coef[i] != 0) is_support[problems[p].rows[i]] = 1;
    std::vector<index> column(static_cast<std::size_t>(n), -1);
    const auto add = [&](index row) {
        if (!is_support[row]) return false;
        column[row] = static_cast<index>(model.support_rows.size());
        model.support_rows.push_back(row);
        return true;
    };
    if (t.classes.empty()) {
        for (const index row : t.used) add(row);
    } else {
        for (const auto& members : t.members) {
            index count = 0;
            for (const index row : members) count += add(row);
            model.class_support.push_back(count);
        }
    }
    const bool pairs = t.classes.size() > 2 && model.scheme == multiclass::one_vs_one;
    const index rows = t.classes.size() <= 2 ? 1 : static_cast<index>(pairs ? t.classes.size() - 1 : t.classes.size());
    model.coef = matrix<double>(rows, static_cast<index>(model.support_rows.size()));
    for (std::size_t p = 0; p < problems.size(); ++p) {
        const auto& problem = problems[p];
        for (std::size_t i = 0; i < problem.rows.size(); ++i) {
            if (solved[p].coef[i] == 0) continue;
            index m = 0;
            if (pairs) m = problem.sign[i] > 0 ? problem.second - 1 : problem.first;
            if (!pairs && t.classes.size() > 2) m = problem.first;
            model.coef(m, column[problem.rows[i]]) = solved[p].coef[i];
        }
        model.offset.push_back(solved[p].offset);
        model.reports.push_back(solved[p].report);
    }
}

// α of an earlier model for the examples of one problem, scaled from its C to this one.
std::vector<double> earlier_coefficients(const svm_model& start, const training_set& t, const binary_problem& problem, std::size_t which) {
    std::vector<double> full(t.weight.size(), 0.0);
    if (start.training_size != static_cast<index>(t.weight.size()) || start.problems() <= static_cast<index>(which) || start.classes != t.classes) return {};
    if (start.task != t.options.task || start.scheme != t.options.classes) return {};
    const bool pairs = t.classes.size() > 2 && start.scheme == multiclass::one_vs_one;
    std::map<double, index> place;
    for (std::size_t c = 0; c < t.classes.size(); ++c) place[t.classes[c]] = static_cast<index>(c);
    for (std::size_t s = 0; s < start.support_rows.size(); ++s) {
        const index row = start.support_rows[s];
        if (row < 0) return {};  // w itself, not an example
        index m = 0;
        if (pairs) {
            const index c = place[t.y[row]];
            if (c != problem.first && c != problem.second) continue;
            m = c == problem.first ? problem.second - 1 : problem.first;
        } else if (t.classes.size() > 2) {
            m = problem.first;
        }
        full[row] = start.coef(m, static_cast<index>(s));
    }
    std::vector<double> out;
    const double factor = std::isfinite(t.options.C) && std::isfinite(start.C) ? t.options.C / start.C : 1.0;
    for (const index row : problem.rows) out.push_back(factor * full[row]);
    return out;
}

training_set used_examples(index n, std::span<const double> y, const svm_options& options, std::span<const index> rank) {
    training_set t{y, options, {}, options.sample_weight, {}, {}, {}, rank};
    if (t.weight.empty()) t.weight.assign(static_cast<std::size_t>(n), 1.0);
    for (index i = 0; i < n; ++i)
        if (t.weight[i] > 0) t.used.push_back(i);
    if (t.used.empty()) fail(errc::data, "svm: all sample weights are zero");
    return t;
}

svm_model fit_problems(index n, std::span<const double> y, const svm_options& options, std::span<const index> rank,
                       const std::function<dual_solution(const training_set&, const binary_problem&, std::size_t, index)>& solve) {
    check(options, n, y);
    training_set t = used_examples(n, y, options, rank);
    svm_model model;
    model.task = options.task;
    model.scheme = options.classes;
    model.training_size = n;
    model.C = options.C;
    if (model.is_classifier()) find_classes(t);
    model.classes = t.classes;
    const std::vector<binary_problem> problems = cut(t);
    std::vector<dual_solution> solved(problems.size());
    schedule(problems, [&](std::size_t p, index side_by_side) { solved[p] = solve(t, problems[p], p, side_by_side); });
    collect(model, t, problems, solved);
    return model;
}

svm_model fit_ranked(const gram<float>& fast, const gram<double>& exact, std::span<const double> y, const svm_options& options, std::span<const index> rank) {
    const index n = exact.rows();
    check(options, n, y);
    // Kernel values beyond the range of float would make every sum of the solver infinite.
    std::vector<float> self(static_cast<std::size_t>(n));
    fast.diagonal(self);
    for (index i = 0; i < n; ++i)
        if (!(std::abs(self[i]) < largest_self))
            fail(errc::data, fmt::format("svm: kernel values must satisfy |k(x, x)| < {:g}, got {:g} for example {}: scale the data, or use another kernel",
                                         largest_self, self[i], i));
    std::unique_ptr<control> shared;
    std::once_flag once;
    return fit_problems(n, y, options, rank, [&](const training_set& t, const binary_problem& problem, std::size_t p, index side_by_side) {
        const index problems = class_problems(static_cast<index>(t.classes.size()), options.classes).count();
        std::call_once(once, [&] { shared = std::make_unique<control>(options, problems); });
        dual_input in;
        in.task = options.task;
        in.sign = problem.sign;
        in.penalty = problem.penalty;
        in.nu = options.nu;
        in.epsilon = options.epsilon;
        in.rows = problem.rows;
        for (const index row : problem.rows) in.y.push_back(options.task == svm_task::one_class ? 0.0 : y[row]);
        if (options.start) in.start = earlier_coefficients(*options.start, t, problem, p);
        smo_options control_options = shared->for_problem(static_cast<index>(p), side_by_side);
        if (!options.checkpoint_file.empty()) {
            control_options.checkpoint_seconds = options.checkpoint_seconds;
            in.checkpoint_file = problems == 1 ? options.checkpoint_file : fmt::format("{}.{}", options.checkpoint_file, p);
        }
        const bool everything = static_cast<index>(problem.rows.size()) == n && std::is_sorted(problem.rows.begin(), problem.rows.end());
        const auto solve = [&] {
            if (everything) return solve_dual(fast, exact, in, control_options);
            const subset<float> some_fast(fast, problem.rows);
            const subset<double> some_exact(exact, problem.rows);
            return solve_dual(some_fast, some_exact, in, control_options);
        };
        if (options.class_weight_of_C && options.task == svm_task::nu_svc && !options.class_weight.empty()) {
            const std::vector<double> weighted = in.penalty;
            for (std::size_t i = 0; i < in.penalty.size(); ++i) in.penalty[i] = t.weight[problem.rows[i]];
            const double margin = solve().margin;
            in.task = svm_task::c_svc;
            for (std::size_t i = 0; i < in.penalty.size(); ++i) in.penalty[i] = weighted[i] / margin;
        }
        return solve();
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
svm_model fit_around(const std::vector<double>& mean, const kernel& k, const dataset& x, std::span<const double> y, const svm_options& options) {
    const dataset near = moved_to_origin(x, mean);
    svm_model model = fit_svm(k, near, y, options);
    const matrix<double> w = linear_weights(model);
    for (index p = 0; p < model.problems(); ++p) {
        double down = 0;
        for (index a = 0; a < w.cols(); ++a) down += w(p, a) * mean[static_cast<std::size_t>(a)];
        const auto at = static_cast<std::size_t>(p);
        model.offset[at] -= down;
        model.reports[at].offset_low -= down;
        model.reports[at].offset_high -= down;
    }
    attach(model, k, x);
    return model;
}

}  // namespace

void require_feasible_nu(index n, std::span<const double> y, const svm_options& options) {
    if (options.task != svm_task::nu_svc) return;
    check(options, n, y);
    if (std::equal(y.begin() + 1, y.end(), y.begin())) return;  // no pair
    training_set t = used_examples(n, y, options, {});
    find_classes(t);
    for (const binary_problem& p : cut(t)) {
        double have[2] = {0, 0};
        for (std::size_t i = 0; i < p.rows.size(); ++i) have[p.sign[i] > 0] += options.class_weight_of_C ? t.weight[p.rows[i]] : p.penalty[i];
        if (const double most = 2 * std::min(have[0], have[1]) / (have[0] + have[1]); options.nu > most)
            fail(errc::infeasible,
                 fmt::format("nu-svc: must satisfy nu <= {:.6g} for these class sizes, got {}: specified nu is infeasible", most, options.nu));
    }
}

svm_model fit_binary_problems(index n, std::span<const double> y, const svm_options& options, const binary_solver& solve, std::span<const index> rank) {
    return fit_problems(n, y, options, rank,
                        [&](const training_set&, const binary_problem& problem, std::size_t p, index side_by_side) { return solve(problem, p, side_by_side); });
}

svm_model fit_svm(const gram<float>& fast, const gram<double>& exact, std::span<const double> y, const svm_options& options) {
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
    check(options, x.size(), y);
    require_feasible_nu(x.size(), y, options);
    const auto& weight = options.sample_weight;
    const auto absent = std::count(weight.begin(), weight.end(), 0.0);
    if (absent > 0 && absent < static_cast<std::ptrdiff_t>(weight.size()) && !options.start) return fit_without_absent(k, x, y, options);
    if (k.text() == "linear()" && options.task != svm_task::one_class)
        if (const auto mean = distant_mean(x)) return fit_around(*mean, k, x, y, options);
    const std::vector<index> rank = options.any_order ? example_ranks(x, y, weight) : std::vector<index>{};
    // Part of the memory may hold the data as the tile loops like them best: floats, packed when there is room for that too, and
    // rows that are stored as sparse ones but are not.
    const std::size_t share = options.memory_bytes / 4;
    const computed<float> fast(k, x, {share, share, true});
    const computed<double> exact(k, x, {0, x.is_sparse() ? share : 0, true});
    svm_options rest = options;
    rest.memory_bytes -= std::min(fast.kept_bytes() + exact.kept_bytes(), options.memory_bytes);
    svm_model model = fit_ranked(fast, exact, y, rest, rank);
    attach(model, k, x);
    return model;
}

svm_model fit_svm_precomputed(matrix_view<const double> K, std::span<const double> y, const svm_options& options) {
    if (K.rows != K.cols) fail(errc::invalid_argument, fmt::format("svm: a precomputed kernel matrix must be square, got {} × {}", K.rows, K.cols));
    for (index i = 0; i < K.rows; ++i)
        for (index j = 0; j < K.cols; ++j)
            if (!std::isfinite(K(i, j))) fail(errc::data, fmt::format("svm: kernel matrix, row {}, column {}: {} is not a finite number", i, j, K(i, j)));
    require_feasible_nu(K.rows, y, options);
    const precomputed<double> exact(K);
    const narrowed fast(exact);
    return fit_svm(fast, exact, y, options);
}

std::size_t fit_memory(const kernel&, const dataset& x, const svm_options& options) {
    // Beside the budget, per example: targets, norms, the model; and what a program has anyway. The tiles of each thread are whole
    // rows: 64 of floats and 64 of doubles packed, 32 on their way there, and the blocks that are streamed against them.
    const std::size_t tiles = x.is_sparse() ? 0 : static_cast<std::size_t>(threads()) * static_cast<std::size_t>(x.dims()) * 1200;
    return options.memory_bytes + static_cast<std::size_t>(x.size()) * 64 + tiles + (std::size_t{8} << 20);
}

}  // namespace mercer
