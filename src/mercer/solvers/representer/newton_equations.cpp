#include "mercer/solvers/representer/newton_equations.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/solvers/algebra/dense_algebra.h"
#include "mercer/solvers/nystroem/rp_cholesky.h"

namespace mercer {
namespace {

using rows = matrix<double>;

double dot(const rows& a, const rows& b) {
    double sum = 0;
    for (index k = 0; k < a.rows() * a.cols(); ++k) sum += a.data()[k] * b.data()[k];
    return sum;
}

// a ← a + t·b
void add(rows& a, double t, const rows& b) {
    for (index k = 0; k < a.rows() * a.cols(); ++k) a.data()[k] += t * b.data()[k];
}

// a ∘ b
rows times(const rows& a, const rows& b) {
    rows out = a;
    for (index k = 0; k < a.rows() * a.cols(); ++k) out.data()[k] *= b.data()[k];
    return out;
}

double largest(const rows& a) {
    double out = 0;
    for (index k = 0; k < a.rows() * a.cols(); ++k) out = std::max(out, std::abs(a.data()[k]));
    return out;
}

}  // namespace

void newton_equations::factor(index functions) {
    if (std::exchange(made_, true)) return;
    const index n = K_.rows();
    rp_cholesky_options o;
    // The work on F grows with rank² and the number of functions, and where K is in memory a product costs little.
    const bool there = K_.element_cost() <= 2;
    const double share = (there ? 0.4 : 1.0) / std::sqrt(static_cast<double>(functions));
    const double room = static_cast<double>(memory_bytes_) / 3 / (8.0 * static_cast<double>(n));
    o.rank = std::max<index>(1, static_cast<index>(share * static_cast<double>(preconditioner_rank(n, room))));
    random_pivots found = rp_cholesky(K_, o);
    f_ = std::move(found.factor);
    left_.resize(static_cast<std::size_t>(n));
    K_.diagonal(left_);
    for (index i = 0; i < n; ++i) {
        double& each = left_[static_cast<std::size_t>(i)];
        for (index c = 0; c < f_.cols(); ++c) each -= f_(i, c) * f_(i, c);
        each = std::max(each, 0.0);
    }
}

void newton_equations::weigh(const rows& T) {
    const index n = f_.rows(), rank = f_.cols();
    constexpr index strip = 2048;
    inner_.clear();
    for (index c = 0; c < T.cols(); ++c) {
        rows inner(rank, rank);
        for (index first = 0; first < n; first += strip) {
            rows g(std::min(strip, n - first), rank);
            for (index i = 0; i < g.rows(); ++i)
                for (index j = 0; j < rank; ++j) g(i, j) = T(first + i, c) * f_(first + i, j);
            add_gram(g.view(), inner);
        }
        for (index j = 0; j < rank; ++j) inner(j, j) += lambda_;
        if (!mercer::cholesky_in_place(inner))
            fail(errc::not_psd, "conjugate gradients: the preconditioner must be positive definite; take a smaller C");
        inner_.push_back(std::move(inner));
    }
}

void newton_equations::precondition(const rows& T, const rows& r, rows& z) const {
    rows inside = product(times(T, r).view(), transposed::yes, f_.view(), transposed::no);
    for (index c = 0; c < r.cols(); ++c)
        cholesky_solve(inner_[static_cast<std::size_t>(c)], matrix_view<double>(inside.row(c), 1, inside.cols()));
    z = times(T, product(f_.view(), transposed::no, inside.view(), transposed::yes));
    for (index k = 0; k < r.rows() * r.cols(); ++k) z.data()[k] = (r.data()[k] - z.data()[k]) / lambda_;
}

double newton_equations::square(const rows& E) const {
    const rows inside = product(E.view(), transposed::yes, f_.view(), transposed::no);
    double sum = dot(inside, inside);
    for (index i = 0; i < E.rows(); ++i)
        for (index c = 0; c < E.cols(); ++c) sum += left_[static_cast<std::size_t>(i)] * E(i, c) * E(i, c);
    return sum;
}

newton_step newton_equations::solve(const rows& S, const rows& T, const projection& Q, const rows& R, double goal,
                                    const std::function<rows(const rows&)>& multiply,
                                    const std::function<bool()>& go_on) {
    factor(R.cols());
    weigh(T);
    const index n = R.rows(), numbers = n * R.cols();
    rows r(n, R.cols());  // of the equations in U
    for (index k = 0; k < numbers; ++k) r.data()[k] = S.data()[k] > 0 ? -R.data()[k] / S.data()[k] : 0.0;
    Q(r);
    newton_step out{rows(n, R.cols()), rows(n, R.cols())};
    for (index k = 0; k < numbers; ++k) out.x.data()[k] = -(R.data()[k] + S.data()[k] * r.data()[k]) / lambda_;
    if (largest(out.x) * lambda_ > 1e-13 * largest(R)) {
        out.Kx = multiply(out.x);
        rows seen = times(S, out.Kx);
        Q(seen);
        add(r, -1, seen);
    } else {
        out.x = rows(n, R.cols());
    }
    rows z(n, R.cols());
    precondition(T, r, z);
    Q(z);
    rows p = z;
    double rho = dot(r, z);
    for (index steps = 0; steps < 3 * n + 10 && square(times(S, r)) > goal && rho > 0 && go_on(); ++steps) {
        const rows along = times(S, p), Kalong = multiply(along);
        rows image = times(S, Kalong);
        Q(image);
        add(image, lambda_, p);
        const double curvature = dot(p, image);
        if (!(curvature > 0)) break;
        const double t = rho / curvature;
        add(out.x, t, along);
        add(out.Kx, t, Kalong);
        add(r, -t, image);
        precondition(T, r, z);
        Q(z);
        const double next = dot(r, z), beta = next / rho;
        for (index k = 0; k < numbers; ++k) p.data()[k] = z.data()[k] + beta * p.data()[k];
        rho = next;
    }
    return out;
}

}  // namespace mercer
