#include "stress/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/threads.h"

namespace mercer::stress {

// coef[m][s] is laid out as svm_model::coef and LIBSVM's sv_coef are.
std::vector<machine> machines(const problem& p, const std::vector<double>& classes, multiclass scheme,
                              const std::vector<index>& support, const std::vector<std::vector<double>>& coef,
                              const std::vector<double>& offset) {
    const std::size_t k = classes.size();
    std::vector<machine> out;
    const auto add = [&](double first, double second, auto row_of) {
        machine m{first, second, std::vector<double>(static_cast<std::size_t>(p.size()), 0.0), offset[out.size()]};
        for (std::size_t s = 0; s < support.size(); ++s) {
            const auto i = static_cast<std::size_t>(support[s]);
            if (const int row = row_of(p.y.empty() ? 0.0 : p.y[i]); row >= 0)
                m.coef[i] = coef[static_cast<std::size_t>(row)][s];
        }
        out.push_back(std::move(m));
    };
    if (k == 0) add(0, 0, [](double) { return 0; });
    if (k == 2) add(classes[0], classes[1], [](double) { return 0; });
    for (std::size_t a = 0; k > 2 && a < k; ++a) {
        if (scheme == multiclass::one_vs_rest) add(classes[a], classes[a], [&](double) { return static_cast<int>(a); });
        for (std::size_t b = a + 1; scheme == multiclass::one_vs_one && b < k; ++b)
            add(classes[a], classes[b], [&](double label) {
                return label == classes[a] ? static_cast<int>(b) - 1 : label == classes[b] ? static_cast<int>(a) : -1;
            });
    }
    return out;
}

namespace {

// The examples of one dual problem.
struct dual {
    svm_task task{};
    std::vector<index> rows;
    std::vector<double> sign, y, penalty, a, g;  // a: α of the dual; g = Kα
    double nu = 0, epsilon = 0, tol = 0, offset = 0, scale = 1;
    std::size_t size() const { return rows.size(); }
    bool classifier() const { return task == svm_task::c_svc || task == svm_task::nu_svc; }
};

dual state(const problem& p, const machine& m) {
    dual q;
    const svm_options& o = p.options;
    q.task = o.task, q.nu = o.nu, q.epsilon = o.epsilon, q.tol = o.tol, q.offset = m.offset;
    const double base = q.task == svm_task::nu_svc || q.task == svm_task::one_class ? 1.0 : o.C;
    for (index i = 0; i < p.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (!(p.weight(i) > 0)) continue;
        double factor = 1, sign = 0;
        if (q.classifier()) {
            if (m.first != m.second && p.y[at] != m.first && p.y[at] != m.second) continue;
            sign = p.y[at] == m.first ? 1 : -1;
            for (const auto& [label, weight] : o.class_weight)
                if (label == p.y[at]) factor = weight;
        }
        q.rows.push_back(i), q.sign.push_back(sign), q.a.push_back(m.coef[at]),
            q.penalty.push_back(base * p.weight(i) * factor);
        q.y.push_back(p.y.empty() ? 0.0 : p.y[at]);
    }
    if (q.task == svm_task::nu_svc) {
        // The model was divided by its margin r; before the division the coefficients of a class summed to ν/2 of all
        // penalties.
        double total = 0, positive = 0;
        for (std::size_t i = 0; i < q.size(); ++i) total += q.penalty[i], positive += std::max(q.a[i], 0.0);
        q.scale = q.nu * total / 2 / positive;
        for (std::size_t i = 0; i < q.size(); ++i) {
            q.a[i] *= q.scale;
            if (std::abs(q.a[i]) > q.penalty[i] * (1 - 1e-12) && std::abs(q.a[i]) < q.penalty[i] * (1 + 1e-12))
                q.a[i] = q.sign[i] * q.penalty[i];
        }
    }
    return q;
}

void multiply(const problem& p, dual& q) {
    std::vector<std::size_t> support;
    for (std::size_t j = 0; j < q.size(); ++j)
        if (q.a[j] != 0) support.push_back(j);
    q.g.assign(q.size(), 0.0);
    parallel_chunks(static_cast<index>(q.size()), 16, [&](index first, index end) {
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(end); ++i) {
            long double sum = 0;
            for (const std::size_t j : support) sum += q.a[j] * p.value(q.rows[i], q.rows[j]);
            q.g[i] = static_cast<double>(sum);
        }
    });
}

std::string feasible(const dual& q) {
    double sum = 0, absolute = 0, total = 0;
    for (std::size_t i = 0; i < q.size(); ++i) {
        const double a = q.a[i], most = q.penalty[i] * (1 + 1e-12);
        if (!std::isfinite(a)) return fmt::format("coefficient {} is {}", q.rows[i], a);
        if (std::abs(a) > most)
            return fmt::format("|alpha| = {} > {} for example {}", std::abs(a), q.penalty[i], q.rows[i]);
        if (q.sign[i] * a < 0 || (q.task == svm_task::one_class && a < 0))
            return fmt::format("alpha of example {} has the wrong sign", q.rows[i]);
        sum += a, absolute += std::abs(a), total += q.penalty[i];
    }
    if (!std::isfinite(q.offset)) return fmt::format("the offset is {}", q.offset);
    const double wanted = q.task == svm_task::one_class ? q.nu * total : 0;
    // In regression a coefficient is the difference of two variables as large as C, each rounded separately.
    const bool regression = q.task == svm_task::epsilon_svr || q.task == svm_task::nu_svr;
    if (std::abs(sum - wanted) > 1e-10 * (absolute + std::abs(wanted)) + (regression ? 1e-15 * total : 0))
        return fmt::format("the sum of alpha is {} and not {}", sum, wanted);
    if (q.task == svm_task::nu_svr && absolute > q.nu * total * (1 + 1e-10))
        return fmt::format("the sum of |alpha| is {} > {}", absolute, q.nu * total);
    return {};
}

// For ν-regression the coefficients are α - α*. If the sum of their absolute values is less than ν allows, α and α* of
// some example are both positive and ε is 0: both groups then have the same level, and the gap of all variables in one
// group is at most twice that of the groups.
bool one_level(const dual& q) {
    double absolute = 0, total = 0;
    for (std::size_t i = 0; i < q.size(); ++i) absolute += std::abs(q.a[i]), total += q.penalty[i];
    return q.task == svm_task::nu_svr && absolute < q.nu * total * (1 - 1e-9);
}

double gap_of(const dual& q) {
    const int second = one_level(q) ? 0 : 1;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    double up[2] = {-infinity, -infinity}, low[2] = {infinity, infinity};
    const auto variable = [&](double F, bool may_rise, bool may_fall, int group) {
        if (may_rise) up[group] = std::max(up[group], F);
        if (may_fall) low[group] = std::min(low[group], F);
    };
    for (std::size_t i = 0; i < q.size(); ++i) {
        const double a = q.a[i], C = q.penalty[i], g = q.g[i];
        const bool positive = q.sign[i] > 0;
        switch (q.task) {
            case svm_task::c_svc:
                variable(q.sign[i] - g, positive ? a < C : a < 0, positive ? a > 0 : a > -C, 0);
                break;
            case svm_task::nu_svc:
                variable(-g, positive ? a < C : a < 0, positive ? a > 0 : a > -C, positive ? 0 : 1);
                break;
            case svm_task::one_class: variable(-g, a<C, a> 0, 0); break;
            case svm_task::epsilon_svr:
                variable(q.y[i] - q.epsilon - g, a<C, a> 0, 0);
                variable(q.y[i] + q.epsilon - g, a<0, a> - C, 0);
                break;
            case svm_task::nu_svr:
                variable(q.y[i] - g, a<C, a> 0, 0);
                variable(q.y[i] - g, a<0, a> - C, second);
                break;
        }
    }
    return std::max({0.0, up[0] - low[0], up[1] - low[1]});
}

}  // namespace

verdict judge(const problem& p, const machine& m) {
    dual q = state(p, m);
    verdict v;
    v.infeasible = feasible(q);
    if (!v.infeasible.empty()) return v;
    multiply(p, q);
    v.gap = gap_of(q);
    double self = 0, mass = 0, largest = 0;
    long double quadratic = 0, linear = 0, slack = 0, total = 0;
    for (std::size_t i = 0; i < q.size(); ++i) {
        self = std::max(self, std::abs(p.value(q.rows[i], q.rows[i])));
        mass += std::abs(q.a[i]), total += q.penalty[i];
        quadratic += static_cast<long double>(q.a[i]) * q.g[i];
        if (q.task == svm_task::c_svc) linear += q.sign[i] * q.a[i];
        if (q.task == svm_task::epsilon_svr)
            linear += static_cast<long double>(q.y[i]) * q.a[i] - q.epsilon * std::abs(q.a[i]);
        if (q.task == svm_task::nu_svr) linear += static_cast<long double>(q.y[i]) * q.a[i];
        if (!q.classifier()) largest = std::max(largest, std::abs(q.y[i]));
        const double f = q.g[i] + q.offset * q.scale;
        if (q.task == svm_task::c_svc) slack += q.penalty[i] * std::max(0.0, 1 - q.sign[i] * f);
        if (q.task == svm_task::epsilon_svr) slack += q.penalty[i] * std::max(0.0, std::abs(q.y[i] - f) - q.epsilon);
        if (q.task == svm_task::one_class) slack += q.penalty[i] * std::max(0.0, -f);
    }
    // ν-classification guarantees a gap that is small relative to the margin, by which the coefficients were divided
    // unless there was none.
    const double unit = std::max(1.0, 1e-8 * self * mass / 2);
    const double promised = q.task != svm_task::nu_svc ? 1.0 : m.no_margin ? unit : std::min(unit, q.scale);
    v.allowed_gap = (one_level(q) ? 2 : 1) * q.tol * promised * (1 + 1e-6);
    v.objective = static_cast<double>(0.5L * quadratic - linear);
    v.reach = q.task == svm_task::nu_svr ? 2 * q.nu * static_cast<double>(total) : 0;
    // For ν-regression α and α* of one example may cancel in its coefficient, but the rounding of sums depends on both.
    v.noise = 2e-14 * (1 + largest + self * (q.task == svm_task::nu_svr ? q.nu * static_cast<double>(total) : mass));
    // Duality if the offset determines everything: for one class ρ = -b.
    const bool has_primal =
        (q.task == svm_task::c_svc || q.task == svm_task::epsilon_svr || q.task == svm_task::one_class) && !p.hard;
    if (has_primal) {
        const double primal = static_cast<double>(0.5L * quadratic + slack) +
                              (q.task == svm_task::one_class ? q.nu * static_cast<double>(total) * q.offset : 0);
        v.duality = primal + v.objective;
        v.allowed_duality = 1.2 * q.tol * (static_cast<double>(total) + 2 * mass) +
                            1e-9 * static_cast<double>(std::abs(quadratic) + slack + std::abs(linear)) +
                            1e-9 * std::abs(q.offset) * mass + 4 * v.noise * (mass + static_cast<double>(total));
    }
    v.alpha = std::move(q.a);
    return v;
}

}  // namespace mercer::stress
