#include "mercer/meta/machines_of_family.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/gram/gram_views.h"
#include "mercer/methods/fit_control.h"

namespace mercer {
namespace {

// One variable of a dual at the end of a fit: F = p - f without b, and its bounds.
struct variable {
    double F, lower, upper;
};

// min over b of  sum·b + Σ max(u(F-b), l(F-b)):  convex, and its slope changes at the F only.
double least_over_offsets(std::vector<variable>& all, double sum) {
    std::ranges::sort(all, {}, &variable::F);
    double slope = sum;
    for (const variable& v : all) slope -= v.upper;
    double b = all.front().F;
    for (const variable& v : all) {
        b = v.F;
        slope += v.upper - v.lower;
        if (slope >= 0) break;
    }
    double out = sum * b;
    for (const variable& v : all) out += std::max(v.upper * (v.F - b), v.lower * (v.F - b));
    return out;
}

// The least value of a convex function there, or nearly so: by the golden section.
template <class F>
double least_between(double low, double high, F f) {
    constexpr double share = 0.3819660112501051;
    double a = low + share * (high - low), b = high - share * (high - low), fa = f(a), fb = f(b), least = f(1.0);
    for (int step = 0; step < 30; ++step) {
        least = std::min({least, fa, fb});
        if (fa < fb) {
            high = b, b = a, fb = fa;
            a = low + share * (high - low), fa = f(a);
        } else {
            low = a, a = b, fa = fb;
            b = high - share * (high - low), fb = f(b);
        }
    }
    return std::min({least, fa, fb});
}

}  // namespace

machines_of_family::machines_of_family(const kernel_family& family, std::span<const double> y,
                                       const svm_options& options)
    : family_(family), y_(y), options_(options) {
    if (options.task != svm_task::c_svc && options.task != svm_task::epsilon_svr && options.task != svm_task::one_class)
        fail(errc::unsupported,
             fmt::format("learn: weights are learnt with svc, svr and one_class_svm, not with {}", name(options.task)));
    if (!std::isfinite(options.C))
        fail(errc::invalid_argument, fmt::format("learn: must satisfy C < infinity, got {}", options.C));
    if (options.task == svm_task::epsilon_svr && !y.empty()) {
        double mean = 0, squares = 0;
        const auto n = static_cast<double>(y.size());
        for (const double each : y) mean += each / n;
        for (const double each : y) squares += (each - mean) * (each - mean) / n;
        if (squares > 0) scale_ = std::sqrt(squares);
    }
    if (options.task == svm_task::one_class) scale_ = options.nu * static_cast<double>(family.size());
}

machine_coefficients machines_of_family::fit(std::span<const double> weights, double tol, double seconds) {
    const auto fast = family_.fast(weights);
    const auto exact = family_.exact(weights);
    std::vector<dual_solution> solved;
    std::vector<binary_problem> problems;
    svm_options options = options_;
    options.progress = nullptr;
    // All problems are known before the first is solved: places for their answers.
    const index classes =
        options.task == svm_task::c_svc ? static_cast<index>(distinct_labels(y_, family_.size(), "learn").size()) : 0;
    const auto count =
        static_cast<std::size_t>(classes > 0 ? class_problems(classes, options.classes).count() : index{1});
    solved.resize(count), problems.resize(count);
    fit_problems(family_.size(), y_, options, {},
                 [&](const training_set&, const binary_problem& problem, std::size_t which, index side_by_side) {
                     dual_input in;
                     in.task = options.task;
                     in.sign = problem.sign;
                     in.penalty = problem.penalty;
                     in.nu = options.nu;
                     in.epsilon = options.epsilon;
                     in.rows = problem.rows;
                     for (const index row : problem.rows)
                         in.y.push_back(options.task == svm_task::epsilon_svr ? y_[static_cast<std::size_t>(row)] : 0);
                     if (which < last_.size()) in.start = last_[which];
                     smo_options how;
                     how.tol = tol;
                     how.cache_bytes = options.memory_bytes / static_cast<std::size_t>(side_by_side);
                     how.block_bytes = options.memory_bytes;
                     how.most_seconds = seconds;
                     how.most_steps = options.most_steps;
                     const subset<float> some_fast(*fast, problem.rows);
                     const subset<double> some_exact(*exact, problem.rows);
                     const bool all = static_cast<index>(problem.rows.size()) == family_.size() &&
                                      std::ranges::is_sorted(problem.rows);
                     dual_solution made =
                         all ? solve_dual(*fast, *exact, in, how) : solve_dual(some_fast, some_exact, in, how);
                     problems[which] = problem;
                     solved[which] = made;
                     return made;
                 });
    problems_ = std::move(problems);
    last_.clear();
    for (dual_solution& each : solved) last_.push_back(std::move(each.coef));
    return last_;
}

machine_figures machines_of_family::measure(const machine_coefficients& coef, std::span<const double> weights,
                                            bool exact) const {
    const index n = family_.size();
    matrix<double> v(n, static_cast<index>(problems_.size())), one(n, v.cols()), f(n, v.cols());
    machine_figures out;
    for (std::size_t p = 0; p < problems_.size(); ++p) {
        const binary_problem& problem = problems_[p];
        for (std::size_t i = 0; i < problem.rows.size(); ++i) {
            const double a = coef[p][i];
            v(problem.rows[i], static_cast<index>(p)) = a;
            if (options_.task == svm_task::c_svc) out.linear += a * problem.sign[i];
            if (options_.task == svm_task::epsilon_svr)
                out.linear += a * y_[static_cast<std::size_t>(problem.rows[i])] - options_.epsilon * std::abs(a);
        }
    }
    for (index m = 0; m < family_.count(); ++m) {
        family_.multiply(m, v.view(), one.view(), exact);
        double square = 0;
        const double d = weights[static_cast<std::size_t>(m)];
        for (index i = 0; i < n; ++i)
            for (index p = 0; p < v.cols(); ++p) square += v(i, p) * one(i, p), f(i, p) += d * one(i, p);
        out.quadratic.push_back(std::max(square, 0.0));
    }
    // At a large C what is left of the gap in f costs C for every support vector; a slightly larger w costs little.
    for (std::size_t p = 0; p < problems_.size(); ++p) {
        double square = 0;
        for (std::size_t i = 0; i < problems_[p].rows.size(); ++i)
            square += coef[p][i] * f(problems_[p].rows[i], static_cast<index>(p));
        out.objective += least_between(
            0.8, 1.25, [&](double c) { return c * c * square / 2 + loss_of(p, f.data() + p, f.cols(), c); });
    }
    return out;
}

double machines_of_family::loss_of(std::size_t p, const double* f, index stride, double factor) const {
    const binary_problem& problem = problems_[p];
    std::vector<variable> all;
    double sum = 0;
    for (std::size_t i = 0; i < problem.rows.size(); ++i) {
        const double at = factor * f[problem.rows[i] * stride], most = problem.penalty[i];
        if (options_.task == svm_task::c_svc) {
            const bool positive = problem.sign[i] > 0;
            all.push_back({problem.sign[i] - at, positive ? 0 : -most, positive ? most : 0});
        } else if (options_.task == svm_task::epsilon_svr) {
            const double y = y_[static_cast<std::size_t>(problem.rows[i])];
            all.push_back({y - options_.epsilon - at, 0, most});
            all.push_back({y + options_.epsilon - at, -most, 0});
        } else {
            all.push_back({-at, 0, most});
            sum += options_.nu * most;
        }
    }
    return least_over_offsets(all, sum);
}

}  // namespace mercer
