#include "mercer/meta/multiple_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/meta/machines_of_family.h"
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

qp_options finely() {
    qp_options o;
    o.tol = 1e-9;
    return o;
}

// J(d) >= linear - ½ d·quadratic for all d.
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
    static constexpr double first_tol = 1e-2;  // of a machine, beside values of f
    static constexpr double level = 0.3;       // from the least that cuts allow to the best that was seen
    static constexpr std::size_t most_cuts = 60;
    static constexpr int most_denied = 6;  // ends denied by values in double

    double enough() const { return options_.tol * std::max({std::abs(best_), std::abs(bound_), 1e-300}); }
    double lower(const machine_figures& of) const { return of.linear - norm_of(of.quadratic, dual_norm_) / 2; }
    void finer() { tol_ = std::max(0.2 * tol_, 1e-9 * machines_.scale()); }
    void look_at(const std::vector<double>& d);
    std::vector<double> next();
    std::vector<double> next_by_level();
    double least_of_cuts();
    bool certified();
    bool go_on(fit_status& status);

    const kernel_family& family_;
    const multiple_kernel_options& options_;
    const double dual_norm_;
    machines_of_family machines_;
    double tol_;
    std::vector<cut> cuts_;
    std::vector<double> shares_;  // of the cuts in the least that they allow
    std::vector<double> at_, best_at_;
    machine_coefficients best_coef_, bound_coef_;
    double best_ = infinity, bound_ = -infinity;
    index machines_fitted_ = 0;
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

// A machine at d: an upper bound, a lower one and a cut.
void weight_learner::look_at(const std::vector<double>& d) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    const machine_coefficients coef = machines_.fit(d, tol_, std::max(options_.machine.most_seconds - seconds, 0.01));
    const machine_figures said = machines_.measure(coef, d, false);
    ++machines_fitted_;
    const double square = dot(d, said.quadratic) / 2, objective = said.objective;
    if (objective < best_) best_ = objective, best_at_ = d, best_coef_ = coef;
    if (const double low = lower(said); low > bound_) bound_ = low, bound_coef_ = coef;
    at_ = d;
    // What the machine itself leaves open must be a small part of the gap.
    if (objective - (said.linear - square) > 0.25 * enough()) finer();
    if (cuts_.size() >= most_cuts) {  // one without a share in the bound goes first
        std::size_t out = 0;
        for (std::size_t t = 1; t < shares_.size() && t < cuts_.size(); ++t)
            if (shares_[t] < shares_[out]) out = t;
        cuts_.erase(cuts_.begin() + static_cast<std::ptrdiff_t>(out));
        if (out < shares_.size()) shares_.erase(shares_.begin() + static_cast<std::ptrdiff_t>(out));
    }
    cuts_.push_back({coef, said.linear, said.quadratic});
}

// min θ subject to θ >= every cut, d on the simplex. Its multipliers are the shares of the cuts.
double weight_learner::least_of_cuts() {
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
    const qp_result found = solve_qp({{}, p, G.view(), h, floor, {}, A.view(), {&one, 1}}, finely());
    if (!finished(found.status)) return -infinity;
    shares_ = found.z;
    double total = 0;
    for (double& share : shares_) share = std::max(share, 0.0), total += share;
    for (double& share : shares_) share /= total > 0 ? total : 1;
    return std::min(found.primal, found.dual) * unit;
}

std::vector<double> weight_learner::next_by_level() {
    const index M = family_.count(), T = static_cast<index>(cuts_.size());
    const double least = least_of_cuts();
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
    const qp_result found = solve_qp({Q.view(), p, G.view(), h, floor, {}, A.view(), {&one, 1}}, finely());
    if (!finished(found.status)) return at_;
    return found.u;
}

std::vector<double> weight_learner::next() {
    std::vector<double> d;
    if (options_.norm == 1) {
        d = next_by_level();
        for (double& each : d)
            if (each < 1e-5) each = 0;  // an interior point's zero
    } else {
        const std::vector<double>& q = cuts_.back().quadratic;
        for (std::size_t m = 0; m < q.size(); ++m)
            d.push_back(std::pow(at_[m] * at_[m] * q[m], 1 / (options_.norm + 1)));
    }
    const double size = norm_of(d, options_.norm);
    if (!(size > 0)) return at_;  // α = 0: no kernel is of use, or all are
    for (double& each : d) each /= size;
    return d;
}

// Both sides again, with kernel values in double.
bool weight_learner::certified() {
    const machine_figures above = machines_.measure(best_coef_, best_at_, true);
    best_ = above.objective;
    bound_ = std::max(lower(above), lower(machines_.measure(bound_coef_, best_at_, true)));
    return best_ - bound_ <= enough();
}

bool weight_learner::go_on(fit_status& status) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    if (machines_fitted_ >= options_.max_iter)
        status = fit_status::step_limit;
    else if (seconds > options_.machine.most_seconds)
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
    int denied = 0;
    bool measured = false;
    for (;;) {
        look_at(d);
        measured = false;
        d = next();
        if (d == at_) finer();
        if (best_ - bound_ <= 0.9 * enough()) {
            measured = true;
            if (certified()) break;
            finer();
            if (++denied >= most_denied) {
                out.status = fit_status::stalled;
                break;
            }
        }
        if (!go_on(out.status)) break;
    }
    if (!measured) {
        const listening_to nobody(nullptr);
        if (certified()) out.status = fit_status::converged;
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

}  // namespace mercer
