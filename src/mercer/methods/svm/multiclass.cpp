#include "mercer/methods/svm/multiclass.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/threads.h"

namespace mercer {

std::vector<index> training_set::sorted_by_rank(std::vector<index> rows) const {
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
    // As in LIBSVM, class +1 precedes class -1 even if it appears later.
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

// Constructs the binary problems of a training set one at a time: thousands of classes have millions of problems, which
// together would take many times the memory of the examples.
class binary_problem_factory {
public:
    explicit binary_problem_factory(const training_set& t)
        : t_(t), pairs_(static_cast<index>(t.classes.size()), t.options.classes), base_(base_of(t.options)) {
        if (t.classes.empty()) members_.push_back(t.sorted_by_rank(t.used));
        for (const auto& each : t.members) members_.push_back(t.sorted_by_rank(each));
    }

    index count() const { return pairs_.count(); }
    const class_problems& pairs() const { return pairs_; }
    // The number of examples of a problem.
    index size(index problem) const {
        if (pairs_.is_one_vs_rest() || t_.classes.size() <= 2) return std::ssize(t_.used);
        const auto [a, b] = pairs_[problem];
        return std::ssize(members_[static_cast<std::size_t>(a)]) + std::ssize(members_[static_cast<std::size_t>(b)]);
    }
    binary_problem operator[](index problem) const {
        binary_problem p;
        const auto n = static_cast<std::size_t>(size(problem));
        p.rows.reserve(n), p.penalty.reserve(n);
        if (t_.classes.empty()) {
            p.rows = members_[0];
            for (const index row : p.rows) p.penalty.push_back(penalty(row, 0));
            return p;
        }
        p.sign.reserve(n);
        const auto [a, b] = pairs_[problem];
        p.first = a, p.second = b < 0 ? a : b;
        if (b < 0) {
            for (index c = 0; c < std::ssize(members_); ++c) add(p, c, c == a ? 1 : -1);
        } else {
            add(p, a, 1);
            add(p, b, -1);
        }
        return p;
    }

private:
    static double base_of(const svm_options& o) {
        return o.task == svm_task::c_svc || o.task == svm_task::epsilon_svr || o.task == svm_task::nu_svr ? o.C : 1.0;
    }
    double penalty(index row, std::size_t c) const {
        return base_ * t_.weight[static_cast<std::size_t>(row)] * (t_.class_weight.empty() ? 1.0 : t_.class_weight[c]);
    }
    void add(binary_problem& p, index c, double sign) const {
        for (const index row : members_[static_cast<std::size_t>(c)])
            p.rows.push_back(row), p.sign.push_back(sign),
                p.penalty.push_back(penalty(row, static_cast<std::size_t>(c)));
    }

    const training_set& t_;
    class_problems pairs_;
    double base_;
    std::vector<std::vector<index>> members_;  // examples of each class in the order of the fit; without classes, all
};

// The solutions of the problems in compact form. add() may be called concurrently for different problems.
class solved_problems {
public:
    solved_problems(const training_set& t, const class_problems& pairs) : t_(t), pairs_(pairs) {
        const auto count = static_cast<std::size_t>(pairs.count());
        offset_.resize(count);
        if (pairs.count() <= max_reports) report_.resize(count);
        place_.assign(t.weight.size(), -1);
        if (t.classes.empty())
            for (const index row : t.used) add_example(row);
        for (const auto& members : t.members)
            for (const index row : members) add_example(row);
        if (pairs.is_one_vs_one())
            table_ = matrix<double>(pairs.coefficient_rows(), std::ssize(rows_));
        else
            of_problem_.resize(count);
    }

    // The report is added to `summary` if there are too many problems to store all reports.
    void add(index which, const binary_problem& problem, const dual_solution& solved, svm_report& summary) {
        const auto at = static_cast<std::size_t>(which);
        for (std::size_t i = 0; i < problem.rows.size(); ++i) {
            const double coef = solved.coef[i];
            if (coef == 0) continue;
            const index place = place_[static_cast<std::size_t>(problem.rows[i])];
            if (pairs_.is_one_vs_one())
                table_(problem.sign[i] > 0 ? problem.second - 1 : problem.first, place) = coef;
            else
                of_problem_[at].push_back({place, coef});
        }
        offset_[at] = solved.offset;
        if (report_.empty())
            add_to_summary(summary, solved.report);
        else
            report_[at] = solved.report;
    }

    void move_to(svm_model& model, std::span<const svm_report> summaries) {
        model.offset = std::move(offset_);
        model.reports = std::move(report_);
        if (model.reports.empty()) {
            model.reports.emplace_back();
            for (const svm_report& each : summaries) add_to_summary(model.reports.front(), each);
        }
        const std::vector<index> column = number_support(model);
        const index support = std::ssize(model.support_rows);
        if (pairs_.is_one_vs_one() && support == table_.cols()) {
            model.coef = std::move(table_);
            return;
        }
        model.coef = matrix<double>(pairs_.coefficient_rows(), support);
        for (index m = 0; m < table_.rows(); ++m) {
            throw_if_cancelled();
            for (index s = 0; s < table_.cols(); ++s)
                if (const index c = column[static_cast<std::size_t>(s)]; c >= 0) model.coef(m, c) = table_(m, s);
        }
        for (std::size_t p = 0; p < of_problem_.size(); ++p)
            for (const auto& [place, coef] : of_problem_[p])
                model.coef(pairs_.is_one_vs_rest() ? static_cast<index>(p) : 0,
                           column[static_cast<std::size_t>(place)]) = coef;
    }

private:
    void add_example(index row) {
        place_[static_cast<std::size_t>(row)] = std::ssize(rows_);
        rows_.push_back(row);
    }

    // Makes the examples with a nonzero coefficient the support vectors of the model. Returns the number of the support
    // vector of each example, or -1.
    std::vector<index> number_support(svm_model& model) const {
        std::vector<char> used(rows_.size(), 0);
        for (index m = 0; m < table_.rows(); ++m)
            for (index s = 0; s < table_.cols(); ++s)
                if (table_(m, s) != 0) used[static_cast<std::size_t>(s)] = 1;
        for (const auto& list : of_problem_)
            for (const auto& [place, coef] : list) used[static_cast<std::size_t>(place)] = 1;
        std::vector<index> column(rows_.size(), -1);
        for (std::size_t s = 0; s < rows_.size(); ++s)
            if (used[s]) {
                column[s] = std::ssize(model.support_rows);
                model.support_rows.push_back(rows_[s]);
            }
        std::size_t first = 0;
        for (const auto& members : t_.members) {
            const auto from = used.begin() + static_cast<std::ptrdiff_t>(first);
            model.class_support.push_back(std::count(from, from + std::ssize(members), 1));
            first += members.size();
        }
        return column;
    }

    const training_set& t_;
    class_problems pairs_;
    std::vector<double> offset_;
    std::vector<svm_report> report_;  // of each problem; empty for more than max_reports problems
    std::vector<index> rows_;         // the examples, sorted by class
    std::vector<index> place_;        // position of each example in rows_
    matrix<double> table_;            // one-versus-one: coefficients of all examples in the form of svm_model
    std::vector<std::vector<std::pair<index, double>>> of_problem_;  // otherwise: nonzero coefficients and positions
};

// The problems sorted by decreasing size; problems of equal size keep their order.
std::vector<std::uint32_t> order_by_size(const binary_problem_factory& problems, index examples) {
    const index count = problems.count();
    if (count >= index{1} << 32)
        fail(errc::unsupported,
             fmt::format("svm: at most 2^32 - 1 problems of two classes are supported, got {}: take multiclass=ovr",
                         count));
    std::vector<index> first(static_cast<std::size_t>(examples) + 2, 0);
    const auto place = [&](index p) { return static_cast<std::size_t>(examples - problems.size(p)); };
    for (index p = 0; p < count; ++p) ++first[place(p) + 1];
    throw_if_cancelled();
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<std::uint32_t> order(static_cast<std::size_t>(count));
    for (index p = 0; p < count; ++p)
        order[static_cast<std::size_t>(first[place(p)]++)] = static_cast<std::uint32_t>(p);
    throw_if_cancelled();
    return order;
}

// Calls solve(first, end, concurrent_problems) for consecutive ranges of `order`: first for the large problems one at a
// time, each with all threads; then for ranges of `run` small problems concurrently, with one thread each. The ranges
// do not depend on the number of threads, except that large problems are taken from them.
template <class Solve>
void schedule(const binary_problem_factory& problems, std::span<const std::uint32_t> order, index run, Solve solve) {
    const auto work = [&](std::uint32_t p) {
        const auto size = static_cast<double>(problems.size(p));
        return size * size;
    };
    double left = 0;
    for (const std::uint32_t p : order) left += work(p);
    const index count = std::ssize(order);
    index first = 0;
    // A problem with more than 0.7/threads() of the remaining work would occupy one thread while the others wait.
    while (first < count && work(order[static_cast<std::size_t>(first)]) * threads() > 0.7 * left) {
        left -= work(order[static_cast<std::size_t>(first)]);
        solve(first, first + 1, 1);
        ++first;
    }
    const index rest = count - first;
    parallel_for((count + run - 1) / run - first / run, [&](index r) {
        const index from = std::max(first, (first / run + r) * run), end = std::min(count, (first / run + r + 1) * run);
        solve(from, end, std::min<index>(threads(), rest));
    });
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

std::vector<double> start_coefficients(const svm_model& start, const training_set& t, const binary_problem& problem,
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
        if (row < 0) return {};  // the support vector is w, not an example
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
    const binary_problem_factory problems(t);
    solved_problems solved(t, problems.pairs());
    const std::vector<std::uint32_t> order = order_by_size(problems, std::ssize(t.used));
    // Thousands of small problems are distributed in ranges of 64.
    const index run = problems.count() > max_reports ? 64 : 1;
    std::vector<svm_report> summaries(static_cast<std::size_t>((problems.count() + run - 1) / run));
    schedule(problems, order, run, [&](index first, index end, index concurrent_problems) {
        svm_report& summary = summaries[static_cast<std::size_t>(first / run)];
        for (index i = first; i < end; ++i) {
            throw_if_cancelled();
            const std::uint32_t which = order[static_cast<std::size_t>(i)];
            const binary_problem problem = problems[which];
            solved.add(which, problem, solve(t, problem, which, concurrent_problems), summary);
        }
    });
    solved.move_to(model, summaries);
    return model;
}

svm_model fit_binary_problems(index n, std::span<const double> y, const svm_options& options,
                              const binary_solver& solve, std::span<const index> rank) {
    return fit_problems(n, y, options, rank,
                        [&](const training_set&, const binary_problem& problem, std::size_t p,
                            index concurrent_problems) { return solve(problem, p, concurrent_problems); });
}

void require_feasible_nu(index n, std::span<const double> y, const svm_options& options) {
    if (options.task != svm_task::nu_svc) return;
    check_svm(options, n, y);
    if (std::equal(y.begin() + 1, y.end(), y.begin())) return;  // a single class
    training_set t = used_examples(n, y, options, {});
    find_classes(t);
    const binary_problem_factory problems(t);
    for (index which = 0; which < problems.count(); ++which) {
        throw_if_cancelled();
        const binary_problem p = problems[which];
        double have[2] = {0, 0};
        for (std::size_t i = 0; i < p.rows.size(); ++i)
            have[p.sign[i] > 0] += options.class_weight_of_C ? t.weight[p.rows[i]] : p.penalty[i];
        if (const double most = 2 * std::min(have[0], have[1]) / (have[0] + have[1]); options.nu > most)
            fail(errc::infeasible,
                 fmt::format(
                     "nu-svc: specified nu is infeasible: it must satisfy nu <= {:.6g} for these class sizes, got {}",
                     most, options.nu));
    }
}

}  // namespace mercer
