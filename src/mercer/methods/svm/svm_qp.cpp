#include "mercer/methods/svm/svm_qp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"

namespace mercer {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr index most_variables = 20000;  // a few matrices of 3 GB

[[noreturn]] void not_separable(const dual_input& in, const std::vector<double>& weight) {
    std::size_t a = 0, b = 0;
    for (std::size_t i = 0; i < weight.size(); ++i) {
        if (in.sign[i] * weight[i] > in.sign[a] * weight[a]) a = i;
        if (in.sign[i] * weight[i] < in.sign[b] * weight[b]) b = i;
    }
    fail(errc::infeasible, fmt::format("hard margin: the classes cannot be separated in this kernel's feature space: "
                                       "their hulls meet, examples {} and {} weigh {:.3g} and "
                                       "{:.3g} in that proof. "
                                       "Use a finite C, or a kernel with a richer feature space",
                                       in.rows.empty() ? static_cast<index>(a) : in.rows[a],
                                       in.rows.empty() ? static_cast<index>(b) : in.rows[b], weight[a], weight[b]));
}

void require_room(index variables, const char* which) {
    if (variables > most_variables)
        fail(errc::memory,
             fmt::format(
                 "{}: must satisfy variables <= {}, got {}: use smo, or dual_coordinate_descent for a linear kernel",
                 which, most_variables, variables));
}

bool soft_margin(const dual_input& in) {
    return std::isfinite(*std::max_element(in.penalty.begin(), in.penalty.end()));
}

// A KKT gap of tol at the margins is about tol² in the objective.
qp_options tight_enough(qp_options options, double tol) {
    options.tol = std::min(options.tol, std::max(1e-6 * tol, 1e-13));
    return options;
}

// α of an interior point, with `slack` = max(0, y f - 1) and `xi` as its multipliers say, brought to its bounds.
dual_solution answer(const gram<double>& K, const dual_input& in, std::vector<double> alpha,
                     const std::vector<double>& slack, const std::vector<double>& xi, const qp_result& r, double tol) {
    const double size = *std::max_element(alpha.begin(), alpha.end());
    double sum = 0;
    std::vector<std::size_t> free;
    for (std::size_t i = 0; i < alpha.size(); ++i) {
        const double C = in.penalty[i];
        if (alpha[i] <= slack[i] * size)
            alpha[i] = 0;
        else if (C < infinity && C - alpha[i] <= xi[i] * size)
            alpha[i] = C;
        else
            alpha[i] = std::clamp(alpha[i], 0.0, C), free.push_back(i);
        sum += alpha[i] * in.sign[i];
    }
    // Σαy = 0: what is missing goes to the free ones by turns, as far as each has room.
    for (int round = 0; round < 60 && sum != 0 && !free.empty(); ++round)
        for (std::size_t k = 0; k < free.size() && sum != 0; ++k) {
            const std::size_t i = free[k];
            const double moved =
                std::clamp(alpha[i] - in.sign[i] * sum / static_cast<double>(free.size() - k), 0.0, in.penalty[i]);
            sum += (moved - alpha[i]) * in.sign[i];
            alpha[i] = moved;
        }
    dual_solution out;
    out.coef.resize(alpha.size());
    for (std::size_t i = 0; i < alpha.size(); ++i) out.coef[i] = alpha[i] * in.sign[i];
    measure_c_svc(K, in, out);
    // The gap that was measured decides, however the program ended.
    out.report.status = r.status;
    if (out.report.gap <= tol)
        out.report.status = fit_status::converged;
    else if (finished(r.status) || r.status == fit_status::infeasible || r.status == fit_status::unbounded)
        out.report.status = fit_status::stalled;
    out.report.steps = out.report.rounds = r.steps;
    out.report.seconds = r.seconds;
    return out;
}

}  // namespace

double dual_qp_bytes(index n) { return 16.0 * static_cast<double>(n) * static_cast<double>(n); }

double primal_qp_bytes(index dims, const dual_input& in) {
    const auto n = static_cast<double>(in.sign.size()), all = static_cast<double>(dims) + 1 + (soft_margin(in) ? n : 0);
    return 16 * all * (all + n);
}

void measure_c_svc(const gram<double>& K, const dual_input& in, dual_solution& s) {
    const index n = K.rows();
    matrix<double> Kc(n, 1);
    K.multiply({s.coef.data(), n, 1}, Kc.view());
    double high = -infinity, low = infinity, sum = 0, objective = 0;
    index free = 0;
    for (index i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const double F = in.sign[at] - Kc(i, 0), a = s.coef[at] * in.sign[at];
        const bool grows = a<in.penalty[at], falls = a> 0;
        // α grows: the signed one goes up for y = 1, down for y = -1
        if (in.sign[at] > 0 ? grows : falls) high = std::max(high, F);
        if (in.sign[at] > 0 ? falls : grows) low = std::min(low, F);
        if (grows && falls) sum += F, ++free;
        objective += s.coef[at] * (Kc(i, 0) / 2 - in.sign[at]);
    }
    s.report.gap = std::isfinite(high) && std::isfinite(low) ? std::max(0.0, high - low) : 0;
    s.report.objective = objective;
    s.report.size = n;
    s.report.margin_vectors = free;
    if (!std::isfinite(high)) high = low;
    if (!std::isfinite(low)) low = high;
    s.report.offset_low = std::min(low, high), s.report.offset_high = std::max(low, high);
    s.offset = free > 0 ? sum / static_cast<double>(free) : (high + low) / 2;
}

dual_solution solve_dual_qp(const gram<double>& K, const dual_input& in, double tol, const qp_options& options) {
    const index n = K.rows();
    require_room(n, "interior point");
    matrix<double> Q(n, n);
    K.all(Q.view());
    for (index i = 0; i < n; ++i)
        for (index j = 0; j < n; ++j)
            Q(i, j) *= in.sign[static_cast<std::size_t>(i)] * in.sign[static_cast<std::size_t>(j)];
    const std::vector<double> p(static_cast<std::size_t>(n), -1.0), lower(static_cast<std::size_t>(n), 0.0), b{0.0};
    const qp_result r =
        solve_qp({Q.view(), p, {}, {}, lower, in.penalty, {in.sign.data(), 1, n}, b}, tight_enough(options, tol));
    if (r.status == fit_status::unbounded) not_separable(in, r.u);
    return answer(K, in, r.u, r.z_lower, r.z_upper, r, tol);
}

dual_solution solve_primal_qp(matrix_view<const double> x, const gram<double>& K, const dual_input& in, double tol,
                              const qp_options& options) {
    const index n = x.rows, d = x.cols;
    const bool soft = soft_margin(in);
    const index all = d + 1 + (soft ? n : 0);
    require_room(all, "primal QP");
    matrix<double> Q(all, all), G(n, all);
    std::vector<double> p(static_cast<std::size_t>(all), 0.0), h(static_cast<std::size_t>(n), -1.0),
        lower(static_cast<std::size_t>(all), -infinity);
    for (index j = 0; j < d; ++j) Q(j, j) = 1;
    for (index i = 0; i < n; ++i) {
        const double y = in.sign[static_cast<std::size_t>(i)];
        for (index j = 0; j < d; ++j) G(i, j) = -y * x(i, j);
        G(i, d) = -y;
        if (!soft) continue;
        G(i, d + 1 + i) = -1;
        p[static_cast<std::size_t>(d + 1 + i)] = in.penalty[static_cast<std::size_t>(i)];
        lower[static_cast<std::size_t>(d + 1 + i)] = 0;
    }
    const qp_result r = solve_qp({Q.view(), p, G.view(), h, lower, {}, {}, {}}, tight_enough(options, tol));
    if (r.status == fit_status::infeasible) not_separable(in, r.z);
    // The margins' slacks and ξ from u.
    std::vector<double> slack(h.size()), xi(h.size(), 0.0);
    for (index i = 0; i < n; ++i) {
        double f = 0;
        for (index j = 0; j <= d; ++j) f -= G(i, j) * r.u[static_cast<std::size_t>(j)];
        slack[static_cast<std::size_t>(i)] = std::max(0.0, f - 1);
        xi[static_cast<std::size_t>(i)] = std::max(0.0, 1 - f);
    }
    return answer(K, in, r.z, slack, xi, r, tol);
}

}  // namespace mercer
