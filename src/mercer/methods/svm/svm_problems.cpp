#include "mercer/methods/svm/svm_problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"

namespace mercer {

std::vector<index> training_set::in_order(std::vector<index> rows) const {
    if (!rank.empty()) std::sort(rows.begin(), rows.end(), [&](index a, index b) { return rank[a] < rank[b]; });
    return rows;
}

void check_svm(const svm_options& o, index n, std::span<const double> y) {
    const auto need = [](bool ok, const char* condition, double value) {
        if (!ok) fail(errc::invalid_argument, fmt::format("svm: must satisfy {}, got {}", condition, value));
    };
    need(o.C > 0, "C > 0", o.C);
    if (o.task == svm_task::nu_svr) need(std::isfinite(o.C), "C < infinity", o.C);
    need(o.tol > 0, "tol > 0", o.tol);
    need(o.epsilon >= 0 && std::isfinite(o.epsilon), "0 <= epsilon < infinity", o.epsilon);
    if (o.task == svm_task::nu_svc || o.task == svm_task::nu_svr || o.task == svm_task::one_class)
        need(o.nu > 0 && o.nu <= 1, "0 < nu <= 1", o.nu);
    if (n == 0) fail(errc::data, "svm: there are no examples");
    if (o.task != svm_task::one_class && static_cast<index>(y.size()) != n)
        fail(errc::invalid_argument, fmt::format("svm: {} examples but {} targets", n, y.size()));
    for (std::size_t i = 0; i < y.size() && o.task != svm_task::one_class; ++i)
        if (!std::isfinite(y[i])) fail(errc::data, fmt::format("svm: target {} is {}, not a finite number", i, y[i]));
    if (!o.sample_weight.empty() && static_cast<index>(o.sample_weight.size()) != n)
        fail(errc::invalid_argument, fmt::format("svm: {} examples but {} sample weights", n, o.sample_weight.size()));
    for (std::size_t i = 0; i < o.sample_weight.size(); ++i)
        if (!(o.sample_weight[i] >= 0) || !std::isfinite(o.sample_weight[i]))
            fail(errc::data, fmt::format("svm: sample weight {} must satisfy 0 <= weight < infinity, got {}", i,
                                         o.sample_weight[i]));
}

namespace {

void find_classes(training_set& t) {
    std::map<double, std::size_t> place;
    for (const index i : t.used) {
        const auto [at, fresh] = place.try_emplace(t.y[i], t.classes.size());
        if (fresh) t.classes.push_back(t.y[i]);
    }
    if (t.options.sorted_classes) std::sort(t.classes.begin(), t.classes.end());
    // LIBSVM's one exception to the order of appearance: +1 before -1.
    if (!t.options.sorted_classes && t.classes.size() == 2 && t.classes[0] == -1 && t.classes[1] == 1)
        std::swap(t.classes[0], t.classes[1]);
    if (t.classes.size() < 2)
        fail(errc::data, fmt::format("svm: at least two classes are needed, the {} examples all have label {}",
                                     t.used.size(), t.classes.empty() ? 0.0 : t.classes[0]));
    for (std::size_t c = 0; c < t.classes.size(); ++c) place[t.classes[c]] = c;
    t.members.resize(t.classes.size());
    t.class_weight.assign(t.classes.size(), 1.0);
    for (const index i : t.used) t.members[place[t.y[i]]].push_back(i);
    for (const auto& [label, factor] : t.options.class_weight) {
        if (!(factor > 0) || !std::isfinite(factor))
            fail(errc::invalid_argument,
                 fmt::format("svm: the weight of class {} must satisfy 0 < weight < infinity, got {}", label, factor));
        if (const auto at = place.find(label); at != place.end()) t.class_weight[at->second] = factor;
    }
}

std::vector<binary_problem> cut(const training_set& t) {
    const auto& o = t.options;
    std::vector<binary_problem> problems;
    const auto penalty = [&](index row, std::size_t c) {
        const double base =
            o.task == svm_task::c_svc || o.task == svm_task::epsilon_svr || o.task == svm_task::nu_svr ? o.C : 1.0;
        return base * t.weight[row] * (t.class_weight.empty() ? 1.0 : t.class_weight[c]);
    };
    const auto add = [&](binary_problem& p, std::size_t c, double sign) {
        for (const index row : t.in_order(t.members[c]))
            p.rows.push_back(row), p.sign.push_back(sign), p.penalty.push_back(penalty(row, c));
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
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return problems[a].rows.size() > problems[b].rows.size(); });
    const auto work = [&](std::size_t p) {
        return static_cast<double>(problems[p].rows.size()) * static_cast<double>(problems[p].rows.size());
    };
    double left = 0;
    for (const std::size_t p : order) left += work(p);
    std::size_t first = 0;
    // A problem larger than a thread's fair share of what is left would keep one thread busy while the others wait.
    while (first < order.size() && work(order[first]) * threads() > 0.7 * left) {
        left -= work(order[first]);
        solve(order[first++], 1);
    }
    const index rest = static_cast<index>(order.size() - first);
    parallel_for(rest,
                 [&](index i) { solve(order[first + static_cast<std::size_t>(i)], std::min<index>(threads(), rest)); });
}

// Signed dual coefficients of every problem → the model's tables.
void collect(svm_model& model, const training_set& t, const std::vector<binary_problem>& problems,
             const std::vector<dual_solution>& solved) {
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

training_set used_examples(index n, std::span<const double> y, const svm_options& options,
                           std::span<const index> rank) {
    training_set t{y, options, {}, options.sample_weight, {}, {}, {}, rank};
    if (t.weight.empty()) t.weight.assign(static_cast<std::size_t>(n), 1.0);
    for (index i = 0; i < n; ++i)
        if (t.weight[i] > 0) t.used.push_back(i);
    if (t.used.empty()) fail(errc::data, "svm: all sample weights are zero");
    return t;
}

}  // namespace

std::vector<double> earlier_coefficients(const svm_model& start, const training_set& t, const binary_problem& problem,
                                         std::size_t which) {
    std::vector<double> full(t.weight.size(), 0.0);
    if (start.training_size != static_cast<index>(t.weight.size()) || start.problems() <= static_cast<index>(which) ||
        start.classes != t.classes)
        return {};
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

svm_model fit_problems(index n, std::span<const double> y, const svm_options& options, std::span<const index> rank,
                       const training_solver& solve) {
    check_svm(options, n, y);
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

svm_model fit_binary_problems(index n, std::span<const double> y, const svm_options& options,
                              const binary_solver& solve, std::span<const index> rank) {
    return fit_problems(n, y, options, rank,
                        [&](const training_set&, const binary_problem& problem, std::size_t p, index side_by_side) {
                            return solve(problem, p, side_by_side);
                        });
}

void require_feasible_nu(index n, std::span<const double> y, const svm_options& options) {
    if (options.task != svm_task::nu_svc) return;
    check_svm(options, n, y);
    if (std::equal(y.begin() + 1, y.end(), y.begin())) return;  // no pair
    training_set t = used_examples(n, y, options, {});
    find_classes(t);
    for (const binary_problem& p : cut(t)) {
        double have[2] = {0, 0};
        for (std::size_t i = 0; i < p.rows.size(); ++i)
            have[p.sign[i] > 0] += options.class_weight_of_C ? t.weight[p.rows[i]] : p.penalty[i];
        if (const double most = 2 * std::min(have[0], have[1]) / (have[0] + have[1]); options.nu > most)
            fail(errc::infeasible,
                 fmt::format(
                     "nu-svc: must satisfy nu <= {:.6g} for these class sizes, got {}: specified nu is infeasible",
                     most, options.nu));
    }
}

}  // namespace mercer
