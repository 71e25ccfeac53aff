#include "mercer/solvers/interior_point/kkt_system.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/text.h"
#include "mercer/dense/cholesky.h"
#include "mercer/dense/gemm.h"

namespace mercer {

void inequalities::apply(const std::vector<double>& u, std::vector<double>& out) const {
    out.assign(size(), 0.0);
    if (sign == 0) return add_multiply(1, rows, transposed::no, u.data(), out.data());
    for (std::size_t i = 0; i < variables.size(); ++i) out[i] = sign * u[static_cast<std::size_t>(variables[i])];
}

void inequalities::add_transposed(const std::vector<double>& v, std::vector<double>& out) const {
    if (sign == 0) return add_multiply(1, rows, transposed::yes, v.data(), out.data());
    for (std::size_t i = 0; i < variables.size(); ++i) out[static_cast<std::size_t>(variables[i])] += sign * v[i];
}

all_inequalities::all_inequalities(const quadratic_program& q) {
    rows.rows = q.G;
    rows.t.assign(q.h.begin(), q.h.end());
    low.sign = -1;
    high.sign = 1;
    for (std::size_t i = 0; i < q.p.size(); ++i) {
        if (!q.lower.empty() && q.lower[i] > -infinity)
            low.variables.push_back(static_cast<index>(i)), low.t.push_back(-q.lower[i]);
        if (!q.upper.empty() && q.upper[i] < infinity)
            high.variables.push_back(static_cast<index>(i)), high.t.push_back(q.upper[i]);
    }
}

kkt_system::kkt_system(const quadratic_program& q, const all_inequalities& all)
    : q_(q),
      all_(all),
      n_(q.p.size()),
      H_(static_cast<index>(n_), static_cast<index>(n_)),
      T_(q.A.rows, static_cast<index>(n_)),
      scaled_(q.G.rows, q.G.cols) {}

bool kkt_system::factor() { return factor_hessian() && (q_.A.rows == 0 || factor_equations()); }

void kkt_system::assemble() {
    const auto n = static_cast<index>(n_);
    for (index i = 0; i < n; ++i) {
        if (q_.Q.rows > 0)
            std::copy_n(q_.Q.row(i) + i, n - i, H_.row(i) + i);
        else
            std::fill_n(H_.row(i) + i, n - i, 0.0);
    }
    if (const inequalities& rows = all_.rows; rows.size() > 0) {
        for (index r = 0; r < q_.G.rows; ++r) {
            const double root = std::sqrt(rows.z[static_cast<std::size_t>(r)] / rows.s[static_cast<std::size_t>(r)]);
            for (index i = 0; i < n; ++i) scaled_(r, i) = root * q_.G(r, i);
        }
        add_gram(scaled_.view(), H_);
    }
    for (const inequalities* f : {&all_.low, &all_.high})
        for (std::size_t i = 0; i < f->size(); ++i) H_(f->variables[i], f->variables[i]) += f->z[i] / f->s[i];
}

// Returns the larger of the smallest positive entry of H and the largest one of Q, because active bounds make some
// entries huge.
double kkt_system::typical_diagonal() const {
    double most = infinity;
    for (index i = 0; i < H_.rows(); ++i)
        if (const double d = H_(i, i); d > 0) most = std::min(most, d);
    if (!std::isfinite(most)) most = 1;
    double curvature = 0;
    for (index i = 0; i < q_.Q.rows; ++i) curvature = std::max(curvature, q_.Q(i, i));
    return std::max(most, curvature);
}

bool kkt_system::factor_hessian() {
    double typical = 0;
    for (double regular = 0; regular <= 1e-4; regular = regular == 0 ? 1e-14 : regular * 100) {
        assemble();
        if (typical == 0) typical = typical_diagonal();
        if (regular > 0)
            for (index i = 0; i < H_.rows(); ++i) H_(i, i) += regular * typical;
        if (cholesky_in_place(H_)) return true;
    }
    return false;
}

// T = H⁻¹Aᵀ, stored by rows, and S = AT
bool kkt_system::factor_equations() {
    for (index e = 0; e < q_.A.rows; ++e) std::copy_n(q_.A.row(e), n_, T_.row(e));
    cholesky_solve(H_, T_.view());
    const matrix<double> S = product(q_.A, transposed::no, T_.view(), transposed::yes);
    double top = 0;
    for (index e = 0; e < S.rows(); ++e) top = std::max(top, S(e, e));
    // Equations that are linearly dependent or have no coefficients make S singular.
    for (double regular = 0; regular < 1e-2; regular = regular == 0 ? 1e-14 : regular * 100) {
        S_ = S;
        for (index e = 0; e < S.rows(); ++e) S_(e, e) += regular * top + (top == 0 ? 1 : 0);
        if (cholesky_in_place(S_)) return true;
    }
    return false;
}

void kkt_system::solve(all_inequalities& all, const std::vector<double>& stationarity,
                       const std::vector<double>& equation) {
    std::vector<double> right(n_);
    for (std::size_t i = 0; i < n_; ++i) right[i] = -stationarity[i];
    for (const inequalities* f : all.each) {
        std::vector<double> part(f->size());
        for (std::size_t i = 0; i < f->size(); ++i) part[i] = (f->target[i] - f->z[i] * f->residual[i]) / f->s[i];
        f->add_transposed(part, right);
    }
    du = right;
    cholesky_solve(H_, {du.data(), 1, static_cast<index>(n_)});
    dy = equation;  // A·H⁻¹r - (b - Au)
    if (!dy.empty()) {
        add_multiply(1, q_.A, transposed::no, du.data(), dy.data());
        cholesky_solve(S_, {dy.data(), 1, static_cast<index>(dy.size())});
        add_multiply(-1, T_.view(), transposed::yes, dy.data(), du.data());
    }
    for (inequalities* f : all.each) {
        f->apply(du, f->ds);
        f->dz.resize(f->size());
        for (std::size_t i = 0; i < f->size(); ++i) {
            f->ds[i] = -f->residual[i] - f->ds[i];
            f->dz[i] = (-f->target[i] - f->z[i] * f->ds[i]) / f->s[i];
        }
    }
}

}  // namespace mercer
