#include "mercer/meta/multiple_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/make_gram.h"
#include "mercer/kernels/expression/algebra.h"
#include "mercer/methods/fit_checks.h"
#include "mercer/methods/fit_control.h"
#include "mercer/solvers/interior_point/quadratic_program.h"

namespace mercer {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double norm_of(std::span<const double> v, double p) {
    const double most = v.empty() ? 0.0 : *std::ranges::max_element(v);
    if (!(most > 0) || p == infinity) return most;
    double sum = 0;
    for (const double each : v) sum += std::pow(each / most, p);
    return most * std::pow(sum, 1 / p);
}

double dot(std::span<const double> a, std::span<const double> b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

qp_options fine_qp_options() {
    qp_options o;
    o.tol = 1e-9;
    return o;
}

// The cut J(d) >= linear - ½ d·quadratic for all d.
struct cut {
    machine_coefficients coef;
    double linear;
    std::vector<double> quadratic;
};

class weight_learner {
public:
    weight_learner(const kernel_family& family, std::span<const double> y, const multiple_kernel_options& options)
        : family_(family),
          options_(options),
          dual_norm_(options.norm == 1 ? infinity : options.norm / (options.norm - 1)),
          machines_(family, y, options.machine),
          tol_(first_tol * machines_.scale()) {}

    learnt_weights run();

private:
    static constexpr double first_tol = 1e-2;  // tolerance of the first machine, relative to the scale of f
    static constexpr double level = 0.3;       // the level, from the minimum of the cuts (0) to the best J (1)
    static constexpr std::size_t max_cuts = 60;
    static constexpr int max_refuted = 6;  // give up after this many rejections by values in double

    double allowed_gap() const { return options_.tol * std::max({std::abs(best_), std::abs(bound_), 1e-300}); }
    double lower_bound(const machine_terms& of) const { return of.linear - norm_of(of.quadratic, dual_norm_) / 2; }
    void reduce_tolerance() { tol_ = std::max(0.2 * tol_, 1e-9 * machines_.scale()); }
    void add_machine(const std::vector<double>& d);
    std::vector<double> next_weights();
    std::vector<double> level_step();
    double min_of_cuts();
    bool certify();
    bool should_continue(fit_status& status);

    const kernel_family& family_;
    const multiple_kernel_options& options_;
    const double dual_norm_;
    family_machines machines_;
    double tol_;
    std::vector<cut> cuts_;
    std::vector<double> shares_;  // multipliers of the cuts at their minimum
    std::vector<double> at_, best_at_;
    machine_coefficients best_coef_, bound_coef_;
    double best_ = infinity, bound_ = -infinity;
    index machines_fitted_ = 0;
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

// Fits a machine at d, which gives an upper bound, a lower bound and a cut.
void weight_learner::add_machine(const std::vector<double>& d) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    const machine_coefficients coef = machines_.fit(d, tol_, std::max(options_.machine.max_seconds - seconds, 0.01));
    const machine_terms terms = machines_.measure(coef, d, false);
    ++machines_fitted_;
    const double square = dot(d, terms.quadratic) / 2, objective = terms.objective;
    if (objective < best_) best_ = objective, best_at_ = d, best_coef_ = coef;
    if (const double low = lower_bound(terms); low > bound_) bound_ = low, bound_coef_ = coef;
    at_ = d;
    // The gap of the machine itself must be a small part of the whole gap.
    if (objective - (terms.linear - square) > 0.25 * allowed_gap()) reduce_tolerance();
    if (cuts_.size() >= max_cuts) {  // a cut with the smallest multiplier is removed
        std::size_t out = 0;
        for (std::size_t t = 1; t < shares_.size() && t < cuts_.size(); ++t)
            if (shares_[t] < shares_[out]) out = t;
        cuts_.erase(cuts_.begin() + static_cast<std::ptrdiff_t>(out));
        if (out < shares_.size()) shares_.erase(shares_.begin() + static_cast<std::ptrdiff_t>(out));
    }
    cuts_.push_back({coef, terms.linear, terms.quadratic});
}

// Minimises θ subject to θ >= every cut, d on the simplex. The multipliers are the shares of the cuts.
double weight_learner::min_of_cuts() {
    const index M = family_.count(), T = static_cast<index>(cuts_.size());
    const double unit = std::max(std::abs(best_), 1e-300);
    matrix<double> G(T, M + 1), A(1, M + 1);
    std::vector<double> h, p(static_cast<std::size_t>(M + 1), 0.0), floor(static_cast<std::size_t>(M + 1), 0.0);
    for (index t = 0; t < T; ++t) {
        const cut& c = cuts_[static_cast<std::size_t>(t)];
        for (index m = 0; m < M; ++m) G(t, m) = -c.quadratic[static_cast<std::size_t>(m)] / 2 / unit;
        G(t, M) = -1;
        h.push_back(-c.linear / unit);
    }
    for (index m = 0; m < M; ++m) A(0, m) = 1;
    p.back() = 1;
    floor.back() = -infinity;
    const double one = 1;
    const qp_result found = solve_qp({{}, p, G.view(), h, floor, {}, A.view(), {&one, 1}}, fine_qp_options());
    if (!is_optimal(found.status)) return -infinity;
    shares_ = found.z;
    double total = 0;
    for (double& share : shares_) share = std::max(share, 0.0), total += share;
    for (double& share : shares_) share /= total > 0 ? total : 1;
    return std::min(found.primal, found.dual) * unit;
}

std::vector<double> weight_learner::level_step() {
    const index M = family_.count(), T = static_cast<index>(cuts_.size());
    const double least = min_of_cuts();
    if (least > bound_ && !shares_.empty()) {
        bound_ = least;
        bound_coef_ = cuts_[0].coef;
        for (auto& problem : bound_coef_)
            for (double& a : problem) a = 0;
        for (std::size_t t = 0; t < cuts_.size(); ++t)
            for (std::size_t q = 0; q < bound_coef_.size(); ++q)
                for (std::size_t i = 0; i < bound_coef_[q].size(); ++i)
                    bound_coef_[q][i] += shares_[t] * cuts_[t].coef[q][i];
    }
    const double unit = std::max(std::abs(best_), 1e-300), wanted = level * best_ + (1 - level) * bound_;
    matrix<double> Q(M, M), G(T, M), A(1, M);
    std::vector<double> h, p, floor(static_cast<std::size_t>(M), 0.0);
    for (index m = 0; m < M; ++m) {
        Q(m, m) = 1, A(0, m) = 1;
        p.push_back(-at_[static_cast<std::size_t>(m)]);
    }
    for (index t = 0; t < T; ++t) {
        const cut& c = cuts_[static_cast<std::size_t>(t)];
        for (index m = 0; m < M; ++m) G(t, m) = -c.quadratic[static_cast<std::size_t>(m)] / 2 / unit;
        h.push_back((wanted - c.linear) / unit);
    }
    const double one = 1;
    const qp_result found = solve_qp({Q.view(), p, G.view(), h, floor, {}, A.view(), {&one, 1}}, fine_qp_options());
    if (!is_optimal(found.status)) return at_;
    return found.u;
}

std::vector<double> weight_learner::next_weights() {
    std::vector<double> d;
    if (options_.norm == 1) {
        d = level_step();
        for (double& each : d)
            if (each < 1e-5) each = 0;  // zero up to the accuracy of the interior point method
    } else {
        const std::vector<double>& q = cuts_.back().quadratic;
        for (std::size_t m = 0; m < q.size(); ++m)
            d.push_back(std::pow(at_[m] * at_[m] * q[m], 1 / (options_.norm + 1)));
    }
    const double size = norm_of(d, options_.norm);
    if (!(size > 0)) return at_;  // α = 0: the weights have no effect
    for (double& each : d) each /= size;
    return d;
}

// Recomputes both bounds with kernel values in double.
bool weight_learner::certify() {
    const machine_terms above = machines_.measure(best_coef_, best_at_, true);
    best_ = above.objective;
    bound_ = std::max(lower_bound(above), lower_bound(machines_.measure(bound_coef_, best_at_, true)));
    return best_ - bound_ <= allowed_gap();
}

bool weight_learner::should_continue(fit_status& status) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    if (machines_fitted_ >= options_.max_iter)
        status = fit_status::step_limit;
    else if (seconds > options_.machine.max_seconds)
        status = fit_status::time_limit;
    else if (options_.progress && !options_.progress({"weights of kernels", machines_fitted_, 0,
                                                      (best_ - bound_) / std::max(std::abs(best_), 1e-300), seconds}))
        status = fit_status::cancelled;
    else
        return true;
    return false;
}

learnt_weights weight_learner::run() {
    learnt_weights out;
    std::vector<double> d(static_cast<std::size_t>(family_.count()),
                          std::pow(static_cast<double>(family_.count()), -1 / options_.norm));
    int refuted = 0;
    bool measured = false;
    for (;;) {
        add_machine(d);
        measured = false;
        d = next_weights();
        if (d == at_) reduce_tolerance();
        if (best_ - bound_ <= 0.9 * allowed_gap()) {
            measured = true;
            if (certify()) break;
            reduce_tolerance();
            if (++refuted >= max_refuted) {
                out.status = fit_status::stalled;
                break;
            }
        }
        if (!should_continue(out.status)) break;
    }
    if (!measured) {
        const cancellation_override nobody(nullptr);
        if (certify()) out.status = fit_status::converged;
    }
    out.weights = best_at_;
    out.scales = family_.scales();
    out.objective = best_;
    out.bound = bound_;
    out.gap = best_ - bound_;
    out.machines = machines_fitted_;
    return out;
}

}  // namespace

learnt_weights learn_weights(const kernel_family& family, std::span<const double> y,
                             const multiple_kernel_options& options) {
    if (!(options.norm >= 1) || !std::isfinite(options.norm))
        fail(errc::invalid_argument, fmt::format("learn: must satisfy 1 <= norm < infinity, got {}", options.norm));
    if (!(options.tol > 0))
        fail(errc::invalid_argument, fmt::format("learn: must satisfy tol > 0, got {}", options.tol));
    if (options.max_iter < 1)
        fail(errc::invalid_argument, fmt::format("learn: must satisfy max_iter >= 1, got {}", options.max_iter));
    return weight_learner(family, y, options).run();
}

namespace {

// A variable of a dual at the end of a fit: F = p - f without b, and its bounds.
struct variable {
    double F, lower, upper;
};

// min over b of  sum·b + Σ max(u(F-b), l(F-b)):  convex, and its slope changes only at the F.
double min_over_offsets(std::vector<variable>& all, double sum) {
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

// The approximate minimum of a convex function on [low, high], by golden section search.
template <class F>
double min_between(double low, double high, F f) {
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

family_machines::family_machines(const kernel_family& family, std::span<const double> y, const svm_options& options)
    : family_(family), y_(y), options_(options) {
    if (options.task != svm_task::c_svc && options.task != svm_task::epsilon_svr && options.task != svm_task::one_class)
        fail(errc::unsupported,
             fmt::format("learn: kernel weights can be learnt with svc, svr and one_class_svm, not with {}",
                         name(options.task)));
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

machine_coefficients family_machines::fit(std::span<const double> weights, double tol, double seconds) {
    const auto fast = family_.fast(weights);
    const auto exact = family_.exact(weights);
    std::vector<dual_solution> solved;
    std::vector<binary_problem> problems;
    svm_options options = options_;
    options.progress = nullptr;
    // Results are stored by problem number, because the problems are solved in parallel.
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
                     how.working_set_bytes = options.memory_bytes;
                     how.max_seconds = seconds;
                     how.max_steps = options.max_steps;
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

machine_terms family_machines::measure(const machine_coefficients& coef, std::span<const double> weights,
                                       bool exact) const {
    const index n = family_.size();
    matrix<double> v(n, static_cast<index>(problems_.size())), one(n, v.cols()), f(n, v.cols());
    machine_terms out;
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
    // With a large C the remaining gap in f costs C for every support vector, while a slightly larger w costs little.
    // Therefore the objective is minimised over a factor c of f.
    for (std::size_t p = 0; p < problems_.size(); ++p) {
        double square = 0;
        for (std::size_t i = 0; i < problems_[p].rows.size(); ++i)
            square += coef[p][i] * f(problems_[p].rows[i], static_cast<index>(p));
        out.objective += min_between(
            0.8, 1.25, [&](double c) { return c * c * square / 2 + loss_of(p, f.data() + p, f.cols(), c); });
    }
    return out;
}

double family_machines::loss_of(std::size_t p, const double* f, index stride, double factor) const {
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
    return min_over_offsets(all, sum);
}

}  // namespace mercer
